//! The kind and the code of each error.

use exacta_core::life::lifecycle::Refusal;
use exacta_core::model::code::Code;
use rustix::io::Errno;

use super::{ErrorKind, GateError};
use crate::log::LogError;
use crate::policy::PolicyError;
use crate::run::{ImageError, StageError};
use crate::workspace::PortError;

impl GateError {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NoSuchPlan(_)
            | Self::NoSuchRun(_)
            | Self::TooShort(_)
            | Self::NotARun { .. }
            | Self::NotAPlan { .. }
            | Self::Ambiguous { .. }
            | Self::KeyTaken { .. }
            | Self::KeyLooksSecret
            | Self::Constraint(_) => ErrorKind::Usage,
            Self::Refusal { refusal: Refusal::NotApproved, .. }
            | Self::NotEntitled { .. }
            | Self::NotSigned
            | Self::CeilingDenies { .. } => ErrorKind::Waits,
            Self::Refusal { refusal: Refusal::Rejected { .. }, .. }
            | Self::Select { .. }
            | Self::DerivedDiffers(_)
            | Self::Invalid(_)
            | Self::NoSuchProposer(_)
            | Self::ToolSteps(_)
            | Self::NoRoom
            | Self::NotUndoable { .. }
            | Self::Forgotten { .. }
            | Self::TooManyFolders { .. }
            | Self::Policy(_) => ErrorKind::Refused,
            Self::Refusal { .. }
            | Self::HasRun { .. }
            | Self::Unresolved { .. }
            | Self::StepNotOpen { .. }
            | Self::WrongHash { .. }
            | Self::WrongPolicyHash { .. }
            | Self::Blocked { .. }
            | Self::Differs { .. }
            | Self::Image(ImageError::Missing(_) | ImageError::Changed(_))
            | Self::Stage(StageError::Drift(_)) => ErrorKind::Stale,
            Self::Stage(StageError::RecoveryNeeded(_))
            | Self::ChangedMeanwhile(_)
            | Self::Unsettled(_)
            | Self::Commit(_)
            | Self::Recover(_) => ErrorKind::Unsettled,
            Self::Stage(_) => ErrorKind::Failed,
            Self::Untrusted(_) => ErrorKind::Unverified,
            Self::Log(error) if error.is_tampering() => ErrorKind::Unverified,
            Self::Log(_)
            | Self::TrustStore(_)
            | Self::Machine(_)
            | Self::Port(_)
            | Self::Image(_)
            | Self::Json(_)
            | Self::Tools(_)
            | Self::RunUnderWay { .. }
            | Self::Busy => ErrorKind::Internal,
        }
    }

    /// The stable code; each has a page.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::NoSuchPlan(_) | Self::NoSuchRun(_) | Self::TooShort(_) => Code::IdUnknown,
            Self::NotARun { .. } | Self::NotAPlan { .. } => Code::IdOfOtherKind,
            Self::Ambiguous { .. } => Code::IdAmbiguous,
            Self::KeyTaken { .. } | Self::KeyLooksSecret => Code::KeyTaken,
            Self::Refusal { refusal, .. } => match refusal {
                Refusal::NotApproved => Code::PlanNotApproved,
                Refusal::Rejected { .. } => Code::PlanRejected,
                Refusal::Expired { .. } => Code::PlanExpired,
                Refusal::AlreadyApproved => Code::PlanAlreadyApproved,
                Refusal::Used { .. } => Code::ApprovalUsed,
            },
            Self::HasRun { .. } | Self::Unresolved { .. } => Code::ApprovalUsed,
            Self::StepNotOpen { .. } => Code::StepNotOpen,
            Self::WrongHash { .. } | Self::WrongPolicyHash { .. } => Code::HashMismatch,
            Self::NotEntitled { .. } | Self::NotSigned => Code::ProofRequired,
            Self::Blocked { .. } | Self::CeilingDenies { .. } => Code::BindingChanged,
            Self::Differs { .. } => Code::PlanDiffers,
            Self::Forgotten { .. } => Code::PlanForgotten,
            Self::Select { .. } | Self::DerivedDiffers(_) => Code::SelectionInvalid,
            Self::Invalid(issues) => {
                let first = issues.iter().find(|issue| issue.is_error());
                first.map_or(Code::PlanDiffers, |issue| issue.code)
            }
            Self::Constraint(issue) => issue.code,
            Self::NoSuchProposer(_) => Code::ProposerUnknown,
            Self::ToolSteps(_) | Self::Tools(_) => Code::ToolsUnavailable,
            Self::NoRoom => Code::ChecksUnavailable,
            Self::TooManyFolders { .. } => Code::ConfigurationTooWide,
            Self::ChangedMeanwhile(_) => Code::FilesChanged,
            Self::NotUndoable { .. } => Code::RunNotUndoable,
            Self::Unsettled(_) | Self::Commit(_) | Self::Recover(_) => Code::RecoveryNeeded,
            Self::Policy(PolicyError::Invalid { .. }) => Code::PolicyInvalid,
            Self::Policy(_) => Code::PolicyRefused,
            Self::Untrusted(_) => Code::ProjectUntrusted,
            Self::Log(error) if error.is_tampering() => Code::RecordBroken,
            Self::Log(LogError::Port(error)) | Self::Port(error) => code_of(error),
            Self::Log(_) => Code::RecordUnwritable,
            Self::TrustStore(_) => Code::StateUnusable,
            Self::Stage(error) => match error {
                StageError::RecoveryNeeded(_) => Code::RecoveryNeeded,
                StageError::Drift(_) => Code::FilesChanged,
                StageError::NoSpace { .. } => Code::NoSpace,
                StageError::Metadata(_) => Code::MetadataNotKept,
                StageError::Cancelled => Code::RunCancelled,
                StageError::Port(error) => code_of(error),
                _ => Code::WorkspaceFailed,
            },
            Self::Image(_) => Code::ObjectMissing,
            Self::Busy | Self::RunUnderWay { .. } => Code::ProjectBusy,
            Self::Machine(_) | Self::Json(_) => Code::Internal,
        }
    }
}

/// The code of an operation that failed.
fn code_of(error: &PortError) -> Code {
    match error {
        PortError::Locked => Code::ProjectBusy,
        PortError::Refused { .. } => Code::FileRefused,
        PortError::System { errno: Errno::NOSPC | Errno::DQUOT, .. } => Code::NoSpace,
        _ => Code::WorkspaceFailed,
    }
}
