//! The port to what runs the tool steps of a plan.
//!
//! In: a [`ToolGraph`] (the steps as data, with all that the record already says of them)
//! and the [`ToolPorts`] (the journal, the person to ask, progress, the stop signal).
//! Out: a [`ToolRun`] with one [`StepOutcome`] a step. The implementation is asynchronous
//! and reaches the network; nothing of that shows here.

mod approver;
mod arguments;
mod cancel;
mod graph;
mod journal;
mod outcome;
mod progress;
mod results;
mod runner;
mod spent;

pub use approver::{StepApprover, StepDecision, StepRequest};
pub use arguments::arguments_hash;
pub use cancel::Cancel;
pub use graph::{Known, StepAction, ToolGraph, ToolStep};
pub use journal::{JournalFault, StepEntry, StepJournal};
pub use outcome::{SkipCause, StepOutcome};
pub use progress::{NoProgress, StepProgress, StepSign};
pub use results::{ResultsFault, outline, result_list};
pub use runner::{GuardFinding, StepEnd, ToolFacts, ToolPorts, ToolRun, ToolRunFault, ToolRunner};
pub use spent::{Spent, ToolCaps};
