//! Effects on this machine; synchronous, without network.
//!
//! Everything here acts below one project root, through a directory handle that is
//! opened once ([`workspace`]). [`policy`] finds out what the operator allows; [`run`]
//! carries out file changes, all or none; [`checks`] lets commands of the operator judge
//! them before they are put in place; [`blobs`] keeps file images by their hash.
//! [`intake`] asks git what a merge would do, [`commit`] commits what a run put in place.
//! [`store`] keeps the record, [`log`] is what somebody has read of it, [`trust`] what
//! vouches for it from outside the project. [`gate`] is where every command goes through;
//! a [`project`] has one for each caller. [`tools`] is the port to what runs tool steps; its
//! implementation, which has the network, is another crate.

pub mod accounts;
pub mod blobs;
pub mod capture;
pub mod checks;
pub mod commit;
pub mod gate;
pub mod intake;
pub mod log;
pub mod machine;
pub mod policy;
pub mod project;
pub mod proof;
pub mod run;
pub mod store;
pub mod tools;
pub mod trust;
pub mod workspace;
