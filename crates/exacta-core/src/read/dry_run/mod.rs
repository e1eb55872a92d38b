//! Applies a draft in memory, step by step, on the files as they are now.
//!
//! Input: a draft whose graph is sound, and a [`Tree`](crate::model::tree::Tree). Output: a
//! [`Change`](crate::model::change::Change) for each step and file, with every image before and
//! after it, so that what a reviewer saw of a step is exactly known. Errors: findings.
//! Nothing on disk changes. Next stage: assessment, then the plan.

mod compare;
mod edit;
mod run;
mod step;
mod totals;

pub use compare::Comparisons;
pub use run::{DryRun, dry_run};
pub use totals::Totals;
