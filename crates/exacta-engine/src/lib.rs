//! Effects on this machine; synchronous, without network.
//!
//! Everything here acts below one project root, through a directory handle that is
//! opened once ([`workspace`]).

pub mod run;
pub mod workspace;
