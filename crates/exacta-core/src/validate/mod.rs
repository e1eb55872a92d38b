//! `Draft` → findings, and the facts that later stages build on.
//!
//! Input: a [`Draft`] and the [`Policy`](crate::policy::Policy). Output: every finding
//! of every rule in one pass, plus the execution order and the parsed targets. Nothing
//! recurses and nothing compares all steps with all steps. Next stage: the
//! [`dry_run`](crate::dry_run).

mod atomic;
mod caps;
mod claims;
mod constraints;
mod graph;
mod ids;
mod named;
mod order;
mod reach;
mod targets;
mod tools;

pub use caps::caps;
pub use claims::claims;
pub use constraints::constraints;
pub use graph::{Graph, graph};
pub use ids::ids;
pub use order::order;
pub use reach::{Reach, reach};
pub use targets::targets;
pub use tools::tools;
