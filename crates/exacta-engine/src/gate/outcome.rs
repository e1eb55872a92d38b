//! What the gate answers, as data.

use exacta_core::diagnostic::Issue;
use exacta_core::digest::Digest;
use exacta_core::examine::Examined;
use exacta_core::lifecycle::State;
use exacta_core::results::Results;

use crate::checks;
use crate::run::{Receipt, Recovered};

/// The answer to a command.
#[derive(Debug)]
pub enum Outcome {
    /// A text was handed in.
    Proposed(Box<Proposed>),
    /// A plan was decided on; this is the resulting plan.
    Decided(PlanOutcome),
    /// A run ended.
    Ran(Box<RunOutcome>),
    /// An undo or redo ended.
    Undone(UndoOutcome),
    /// Recovery ended.
    Recovered(Recovered),
    /// Live plans were looked at; these expired.
    Swept(Vec<String>),
    /// That many objects were deleted.
    Collected(usize),
    /// The way back of the run is gone.
    Forgotten(String),
}

/// What became of a text.
#[derive(Debug)]
pub enum Proposed {
    /// It made no plan.
    Refused {
        /// What is wrong with it.
        issues: Vec<Issue>,
        /// The intent that it belongs to.
        correlation_id: String,
        /// The examination, when the text was at least a draft.
        examined: Option<Box<Examined>>,
    },
    /// It is a plan.
    Plan {
        /// The plan.
        plan: PlanOutcome,
        /// The intent that it belongs to.
        correlation_id: String,
        /// Everything found out about it.
        examined: Box<Examined>,
    },
    /// The same command was carried out before and made this plan.
    Again(PlanOutcome),
}

/// A plan after a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanOutcome {
    /// Its name.
    pub plan_id: String,
    /// Its hash.
    pub plan_hash: Digest,
    /// Its state.
    pub state: State,
    /// The plan that it came from, when steps were selected or it was renewed.
    pub original: Option<String>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// Every step did what it promised.
    Completed,
    /// Everything is as it was before.
    RolledBack,
    /// The project could not be brought to one side yet.
    Unknown,
}

impl RunState {
    /// The written form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::RolledBack => "rolled_back",
            Self::Unknown => "unknown",
        }
    }
}

/// A run after its end.
#[derive(Debug)]
pub struct RunOutcome {
    /// Its name.
    pub run_id: String,
    /// The plan.
    pub plan_id: String,
    /// Its hash.
    pub plan_hash: Digest,
    /// How it ended.
    pub state: RunState,
    /// A row for each step.
    pub results: Results,
    /// What happened to each file, when it completed.
    pub receipt: Option<Receipt>,
    /// Why it did not complete.
    pub why: Option<String>,
    /// Files that keep somebody's edit although the run went back.
    pub conflicts: Vec<String>,
    /// The checks that judged the staged files, in order.
    pub checks: Vec<checks::Outcome>,
}

/// How an undo or redo ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoState {
    /// The run was taken back.
    Undone,
    /// The undo was taken back.
    Redone,
    /// Files were changed since; nothing was touched.
    Conflict,
}

impl UndoState {
    /// The written form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Undone => "undone",
            Self::Redone => "redone",
            Self::Conflict => "conflict",
        }
    }
}

/// An undo or redo after its end.
#[derive(Debug)]
pub struct UndoOutcome {
    /// The inverse run; absent when there was a conflict.
    pub run_id: Option<String>,
    /// The run that it was about.
    pub of: String,
    /// How it ended.
    pub state: UndoState,
    /// What stands in the way.
    pub conflicts: Vec<String>,
    /// Why that is so, where the record tells.
    pub reason: Option<String>,
    /// What happened to each file.
    pub receipt: Option<Receipt>,
}
