//! Why the record cannot be used, or has moved on.

use exacta_core::record::LineFault;

use crate::machine::MachineError;
use crate::trust::TrustError;
use crate::workspace::PortError;

/// The record cannot be trusted or written.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// An entry is not what the next one was chained to.
    #[error("the record is broken at entry {entry}: {why}")]
    Broken {
        /// The entry.
        entry: u64,
        /// How it shows.
        why: String,
    },
    /// The newest entry was not signed by this user's gate.
    #[error("entry {entry} of the record was signed with a foreign key")]
    Foreign {
        /// The entry.
        entry: u64,
    },
    /// The record ends before the head that was noted outside the project.
    #[error("the record has {entries} entries; {noted} were acknowledged")]
    Cut {
        /// How many there are.
        entries: u64,
        /// How many were noted.
        noted: u64,
    },
    /// The record is another one than the one that was noted outside the project.
    #[error("entry {entry} of the record is not the one that was acknowledged")]
    Replaced {
        /// The entry.
        entry: u64,
    },
    /// Nothing outside the project says how far the record had come.
    #[error(
        "the record has {entries} entries, but the head that was noted outside the project is gone"
    )]
    Unnoted {
        /// How many there are.
        entries: u64,
    },
    /// Something lies in the record's folder that is no part of the record.
    #[error("the record knows no such file: `{file}`")]
    Stray {
        /// The file.
        file: String,
    },
    /// What was added may not last, and could not be taken away again.
    #[error("what was added to the record may not last: {0}")]
    Unsure(PortError),
    /// An operation failed.
    #[error(transparent)]
    Port(#[from] PortError),
    /// What is kept outside the project cannot be used.
    #[error(transparent)]
    TrustStore(#[from] TrustError),
    /// The machine does not tell the time.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// A value of ours has no JSON form.
    #[error("internal error: {0}")]
    Json(#[from] serde_json::Error),
}

impl LogError {
    pub(crate) fn line(entry: u64, fault: &LineFault) -> Self {
        Self::Broken { entry, why: fault.to_string() }
    }

    /// Whether the record itself is at fault, so that `verify` can say more.
    #[must_use]
    pub fn is_tampering(&self) -> bool {
        matches!(
            self,
            Self::Broken { .. }
                | Self::Foreign { .. }
                | Self::Cut { .. }
                | Self::Replaced { .. }
                | Self::Stray { .. }
                | Self::Unnoted { .. }
                // A file of the record that is a link or no file at all.
                | Self::Port(PortError::Refused { .. })
        )
    }
}

/// Nothing was added.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// The record has moved on since the decision was made; decide again.
    #[error("the record has moved on")]
    Moved,
    /// A command with this idempotency key was carried out already.
    #[error("this command was carried out already, as {made}")]
    Done {
        /// The plan or run it made.
        made: String,
    },
    /// The record cannot be trusted or written.
    #[error(transparent)]
    Log(#[from] LogError),
}

impl From<PortError> for AppendError {
    fn from(error: PortError) -> Self {
        Self::Log(error.into())
    }
}
