//! The primitives, one file each, and the set of them that policy gives.

mod aggregate_daily_summary;
mod args;
mod call_api;
mod fetch;
mod notify_user;
mod pages;
mod read_forwarded_email;
mod read_sources;
mod read_vault_file;
mod read_web;
mod schedule_run;
mod send_email;
mod set;
mod triage_email;
mod write_email_draft;
mod write_outcome_draft;

pub use pages::{PrimitivePage, pages};
pub(crate) use set::settings_reach;
pub use set::{Folders, SetupFault, executor, registry};
