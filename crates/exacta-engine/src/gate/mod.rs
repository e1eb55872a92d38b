//! The gate: every command of every door goes through [`Gate::handle`].
//!
//! Input: a [`Command`] with its actor and idempotency key. Output: an [`Outcome`].
//! Errors: [`GateError`], which says what was kept safe and what to do. Doors decide
//! nothing. A plan comes in through `propose`, is decided on by `approve`, `select`,
//! `reject`, `changes`, `pause` and `renew`, and acts through `run` and `undo`; each is a
//! file of its own. What all of them share is below: the stored plan, the preflight and
//! the projections.

mod approval;
mod approve;
mod binding;
mod changes;
mod command;
mod configuration;
mod create;
mod error;
mod forget;
mod frozen;
mod handle;
mod look;
mod names;
mod notice;
mod outcome;
mod patience;
mod pause;
mod preflight;
mod projections;
mod propose;
mod recover;
mod reject;
mod remembered;
mod renew;
mod results;
mod run;
mod select;
mod standing;
mod standpoint;
mod start;
mod stored;
mod undo;
mod undo_plan;
mod why;

pub use command::{Command, Proof, SourceKind, What};
pub use error::{GateError, Kind};
pub use handle::{Gate, Ports};
pub use look::{Listed, Shown, check_record};
pub use notice::{Notice, Settled};
pub use outcome::{Outcome, PlanOutcome, Proposed, RunOutcome, RunState, UndoOutcome, UndoState};
pub use projections::{Projections, audit_file, plan_file};
pub use standing::Standing;
pub use standpoint::{Secrets, Standpoint};
pub use undo_plan::Foreseen;
