//! Intake: what merging a branch would do, as a patch to hand in.
//!
//! Input: the project's [`Root`](crate::workspace::Root), what to merge ([`Ask`]) and the
//! [`Room`](crate::checks::Room) that git runs in. Output: [`MergeProposal`], a patch and the
//! files that it was made for. Error: [`IntakeError`], each with what to do; nothing was
//! changed. Next stage: `propose`, as with any patch.
//!
//! The repository may be hostile, so its configuration, hooks and attributes are never git's
//! own: git works in a repository of ours that only borrows objects and names from the real
//! one, inside the walls of the checks, without network and without the working tree. See
//! `docs/design/intake.md`.

mod attributes;
pub(crate) mod confined;
mod error;
mod merge;
mod raw;
pub(crate) mod repository;

pub use error::{Conflict, IntakeError, Unfit};
pub use merge::{Ask, MergeProposal, merge};
pub(crate) use repository::Repository;
pub use repository::is_bare;
