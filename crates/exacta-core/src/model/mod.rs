//! What everything else speaks of: plans, changes, paths, ids, hashes, findings.
//!
//! Data without a stage. Each stage of a plan's way (`read`, `judge`, `life`, `record`,
//! `results`, `review`) takes and gives these types.

pub mod canonical;
pub mod change;
pub mod code;
pub mod diagnostic;
pub mod digest;
pub mod hours;
pub mod id;
pub mod path;
pub mod plan;
pub mod registry;
pub mod tree;
pub mod web;
