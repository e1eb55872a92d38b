//! The state of every plan and run, folded from the record and from nothing else.
//!
//! Input: entries in order. Output: a [`Ledger`], which answers what the gate asks before
//! it decides. It can be thrown away and folded again at any time.

mod book;
mod plan;
mod run;
mod shelf;

pub use book::{Done, Ledger, Stream};
pub use plan::PlanEntry;
pub use run::{RunEntry, RunStage, RunState, StepEntry};
