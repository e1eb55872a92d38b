//! Exit codes: documented constants that scripts rely on.

use exacta_engine::gate::ErrorKind;

/// Why the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done, or the plan would run.
    Done,
    /// Internal or I/O error.
    Failure,
    /// The command line is wrong.
    Usage,
    /// Refused: parse, validation, quality, policy, blocked.
    Refused,
    /// Waits for a person.
    Waits,
    /// Expired, stale, wrong hash, used approval, binding mismatch.
    Stale,
    /// The run failed or went back.
    RunFailed,
    /// Recovery needed, undo conflict, unknown outcome.
    Unsettled,
    /// Verification failed.
    Unverified,
}

impl Exit {
    /// Every exit code, its number and its meaning, for the reference.
    pub(crate) const TABLE: [(u8, &'static str); 9] = [
        (0, "done, or the plan would run"),
        (1, "internal or I/O error"),
        (2, "the command line is wrong"),
        (10, "refused: parse, validation, quality, policy, missing dependency, blocked"),
        (11, "waits for a person, or run of a pending plan"),
        (12, "expired, stale, wrong hash, used approval, binding mismatch"),
        (13, "the run failed, was partial, cancelled or rolled back"),
        (14, "recovery needed, undo conflict, unknown outcome"),
        (15, "verification failed (`verify`, `results check`, `policy test`)"),
    ];

    /// How a command ends that the gate did not carry out.
    pub(crate) const fn of(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Internal => Self::Failure,
            ErrorKind::Usage => Self::Usage,
            ErrorKind::Refused => Self::Refused,
            ErrorKind::Waits => Self::Waits,
            ErrorKind::Stale => Self::Stale,
            ErrorKind::Failed => Self::RunFailed,
            ErrorKind::Unsettled => Self::Unsettled,
            ErrorKind::Unverified => Self::Unverified,
        }
    }

    /// The number the process ends with.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failure => 1,
            Self::Usage => 2,
            Self::Refused => 10,
            Self::Waits => 11,
            Self::Stale => 12,
            Self::RunFailed => 13,
            Self::Unsettled => 14,
            Self::Unverified => 15,
        }
    }
}
