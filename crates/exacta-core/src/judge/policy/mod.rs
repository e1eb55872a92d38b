//! What the operator allows: layers of text → the one policy in force.
//!
//! Input: the text of at most three layers (system, operator, project). [`read()`] turns
//! each into a typed [`Layer`], [`merge()`] lays them over the built-in values so that a
//! later layer can only tighten, and [`rules()`] asks the rules about one plan. Behind the
//! port [`Arbiter`] a policy language is asked too; its verdicts are of the same kind. Output:
//! [`Policy`], and for each key where its value came from. Errors: findings with line,
//! column and key; a layer with a finding is never used in part. Next stage: every stage
//! that judges a plan takes the [`Policy`].

mod access;
mod arbiter;
mod caps;
mod defaults;
mod edit;
mod effective;
mod guarded;
mod input;
mod keys;
mod layer;
mod ledger;
mod merge;
mod model;
mod noted;
mod read;
mod registered;
mod rule;
mod rules;
mod show;
mod tighten;
mod tools;
mod words;

pub use access::SkillFault;
pub use arbiter::{Arbiter, ArbiterCode, Arbiters};
pub use caps::{Cap, Caps};
pub use edit::{Edit, edited};
pub use effective::{Loosening, Merged, Why};
pub use guarded::guarded;
pub use input::{Files, Known, Names, Party, PolicyInput, Words};
pub use keys::{Direction, KEYS, Key, Setters, reference};
pub use layer::{Layer, LayerName, Origin, Source};
pub use merge::merge;
pub use model::{Policy, PolicyRecord, SessionBudget};
pub use noted::stricter;
pub use read::read;
pub use registered::{Check, Proposer, Runs, Skill};
pub use rule::{ANONYMOUS, Condition, Rule, Then};
pub use rules::{Clause, PlanView, RuleVerdict, rules};
pub use show::Row;
pub use tools::{Endpoint, Mail, Notify, Secret, Security, Tools, ToolsLayer};
pub use words::{Decide, Locality, Profile};
