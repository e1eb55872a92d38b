//! Runs with tool steps, in the order that mixed plans have: stage files, tools, checks, commit
//! files, the one step that cannot be taken back, seal.
//!
//! In: an approved plan that is cleared to run, or a run that has not ended. Out: a [`Ran`]:
//! ended with its result list, or waiting for a person. `graph` says what there is to do from
//! plan and record, `drive` has the runner do it and puts every entry on the record, `carry`
//! holds the order, `conclude` seals. A run is held by a lock of its own: nobody else goes on
//! with it while somebody is at it.
//!
//! [`Ran`]: super::Ran

mod arguments;
mod carry;
mod conclude;
mod decide;
mod drive;
mod graph;
mod held;
mod mixed;
mod note;
mod question;
mod resolve;
mod stop;

pub use arguments::guard_arguments;
pub(super) use carry::calls_tools;
pub use decide::{StepDecide, StepDecided};
pub(super) use graph::StepRun;
pub use question::StepQuestion;
pub use resolve::Resolve;
pub use stop::CancelRun;
