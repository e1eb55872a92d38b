//! Exit codes: documented constants that scripts rely on.

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

    /// The number the process ends with.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failure => 1,
            Self::Usage => 2,
            Self::Refused => 10,
            Self::Waits => 11,
            Self::Unverified => 15,
        }
    }
}
