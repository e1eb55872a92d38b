//! `policy.cedar`: the policy language behind the same verdict that rules give.
//!
//! Input: the bytes of one layer's file. [`scan`] bounds them before the parser sees
//! them, [`read`](read::read) turns them into a [`CedarFile`] or findings with their
//! place, and the file answers as an [`Arbiter`](exacta_core::judge::policy::Arbiter) what it has
//! against a plan. Errors: whatever is wrong, at any stage, denies. Next stage: the verdicts
//! are weighed with those of the rules.

mod ask;
mod file;
mod input;
mod kept;
mod read;
mod scan;
mod schema;
mod stack;

pub use file::{CedarFile, CedarPolicy};
pub(super) use kept::read_kept as read;
pub use schema::SCHEMA;
