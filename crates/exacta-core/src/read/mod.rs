//! Reading a plan: what it says, whether it is sound, what it would change.
//!
//! Input: planner text or a patch, and a tree of files. Output: a `Draft`, findings, and the
//! changes of a dry run. Next stage: `judge`.

pub mod diff;
pub mod dry_run;
pub mod parse;
pub mod recipe;
pub mod validate;
