//! How much can go wrong: six capped factors and the floors under their sum.
//!
//! Input: the basis of a subject. Output: [`Risk`]. One file per factor; each returns
//! evidence with points, and nothing else. Errors: none. Next stage: the decision.

mod breaking_changes;
mod code_complexity;
mod dependency_changes;
mod file_operations;
mod floors;
mod model;
mod refactoring_scope;
mod security_impact;
mod sum;

pub use model::{FactorScore, Floor, Level, Risk};
pub(super) use sum::of;
