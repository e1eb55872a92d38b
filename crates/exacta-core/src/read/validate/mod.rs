//! `Draft` → findings, and the facts that later stages build on.
//!
//! Input: a [`Draft`] and the [`Policy`](crate::judge::policy::Policy). Output: every finding
//! of every rule in one pass, plus the execution order and the parsed targets. Nothing
//! recurses and nothing compares all steps with all steps. Next stage: the
//! [`dry_run`](crate::read::dry_run).

mod atomic;
mod caps;
mod checks;
mod claims;
mod constraints;
mod counts;
mod dependencies;
mod findings;
mod graph;
mod ids;
mod keys;
mod named;
mod order;
mod reach;
mod refs;
mod skill;
mod targets;
mod tests;
mod tools;

pub use caps::caps;
pub use checks::{checks, named_checks};
pub use claims::claims;
pub use constraints::constraints;
pub use dependencies::dependencies;
pub use graph::{Graph, graph};
pub use ids::ids;
pub use order::order;
pub use reach::{Origin, Reach, reach};
pub use refs::{output_path, steers};
pub use skill::skill;
pub use targets::targets;
pub use tests::tests;
pub use tools::tools;

use crate::model::plan::{Constraint, Effective};

/// Whether a constraint is about what only the inspector sees.
#[must_use]
pub fn needs_facts(effective: &[Effective]) -> bool {
    effective.iter().any(|effective| {
        effective.constraint == Constraint::NoNewDependencies
            || tests::asks_for_tests(&effective.constraint)
    })
}
