//! The words for a reason that the product itself writes.
//!
//! Most reasons are free text to a checker. Four words have a meaning in the contract
//! and fix the flags of their row; see [`Reason::meaning`].

/// A reason with a stable spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// The dependencies of the plan could not be resolved; nothing started.
    Blocked,
    /// The call went out and no answer came back.
    OutcomeUnknown,
    /// The step had worked and was taken back.
    RolledBack,
    /// The file step was ready, but the file steps of the plan go in together or not at all.
    FileGroupNotCommitted,
    /// A step it depends on failed.
    DependencyFailed,
    /// A step it depends on was skipped.
    DependencySkipped,
    /// A person said no to this step.
    Declined,
    /// A rule of the project holds the step back for now.
    Suppressed,
    /// The run was stopped before the step was done.
    Cancelled,
    /// The run ended before it was the step's turn.
    NotStarted,
    /// The step failed; `error` says how.
    StepFailed,
    /// Some steps were skipped.
    StepsSkipped,
    /// A step depends on one that the plan does not have.
    UnknownDependency,
    /// The dependencies form a cycle.
    DependencyCycle,
}

/// What a word of the contract says about the flags of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// `ok: false, skipped: true`.
    Skipped,
    /// `ok: false, skipped: false`.
    Failed,
}

impl Reason {
    /// The words that a checker understands.
    pub(super) const CONTRACT: [Self; 4] =
        [Self::Blocked, Self::OutcomeUnknown, Self::RolledBack, Self::FileGroupNotCommitted];

    /// The written form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::OutcomeUnknown => "outcome_unknown",
            Self::RolledBack => "rolled_back",
            Self::FileGroupNotCommitted => "file_group_not_committed",
            Self::DependencyFailed => "dependency_failed",
            Self::DependencySkipped => "dependency_skipped",
            Self::Declined => "declined",
            Self::Suppressed => "suppressed",
            Self::Cancelled => "cancelled",
            Self::NotStarted => "not_started",
            Self::StepFailed => "step_failed",
            Self::StepsSkipped => "steps_skipped",
            Self::UnknownDependency => "unknown_dependency",
            Self::DependencyCycle => "dependency_cycle",
        }
    }

    /// The word of the contract that this text is, if it is one.
    pub(super) fn contract(text: &str) -> Option<Self> {
        Self::CONTRACT.into_iter().find(|word| word.as_str() == text)
    }

    /// What the word says about its row; nothing for words outside the contract.
    pub(super) const fn meaning(self) -> Option<Meaning> {
        match self {
            Self::Blocked | Self::FileGroupNotCommitted => Some(Meaning::Skipped),
            Self::OutcomeUnknown | Self::RolledBack => Some(Meaning::Failed),
            _ => None,
        }
    }
}
