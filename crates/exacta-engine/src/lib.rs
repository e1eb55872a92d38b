//! Effects on this machine; synchronous, without network.
//!
//! Everything here acts below one project root, through a directory handle that is
//! opened once ([`workspace`]). [`policy`] finds out what the operator allows; [`run`]
//! carries out file changes, all or none; [`checks`] lets commands of the operator judge
//! them before they are put in place; [`objects`] keeps file images by their hash.
//! [`log`] is the record, [`outer`] what vouches for it from outside the project, and
//! [`gate`] is where every command goes through.

pub mod capture;
pub mod checks;
pub mod cores;
pub mod gate;
pub mod log;
pub mod machine;
pub mod objects;
pub mod outer;
pub mod policy;
pub mod run;
pub mod workspace;
