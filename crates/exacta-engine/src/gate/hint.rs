//! What to do about an error, as data. Each door puts a hint in its own words: a command, a
//! link, a button.

use exacta_core::judge::policy::Decide;
use exacta_core::life::lifecycle::{Cause, Overdue, Refusal};
use exacta_core::model::id::{PlanId, RunId};
use exacta_core::model::plan::SelectFault;
use rustix::io::Errno;
use schemars::JsonSchema;
use serde::Serialize;

use super::error::{GateError, NotUndoable};
use crate::log::LogError;
use crate::run::{ImageError, RecoverError, StageError};
use crate::trust::{FolderTrust, TrustError};
use crate::workspace::PortError;

/// One thing that helps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "hint", rename_all = "snake_case")]
pub enum Hint {
    /// Look at all plans and runs.
    List,
    /// Give more of the id.
    MoreOfTheId,
    /// This is the run that belongs to the plan.
    ItsRun {
        /// The run; absent when the plan has not run.
        run: Option<RunId>,
    },
    /// This is the plan that belongs to the run.
    ItsPlan {
        /// The plan.
        plan: PlanId,
    },
    /// Look at what a plan does.
    Show {
        /// The plan.
        plan: PlanId,
    },
    /// Look at what the record keeps of a plan.
    History {
        /// The plan.
        plan: PlanId,
    },
    /// Review a plan and decide.
    Review {
        /// The plan.
        plan: PlanId,
    },
    /// Make a fresh plan of the same draft.
    Renew {
        /// The plan.
        plan: PlanId,
    },
    /// Run an approved plan.
    Run {
        /// The plan.
        plan: PlanId,
    },
    /// Request changes, which takes an approval back.
    RequestChanges {
        /// The plan.
        plan: PlanId,
    },
    /// Hand in another plan.
    ProposeAnother,
    /// Hand in the file steps alone.
    ProposeFilesAlone,
    /// Approve the plan as a whole, or request changes.
    ApproveWhole,
    /// Select these steps as well.
    SelectAlso {
        /// The steps.
        steps: Vec<String>,
    },
    /// Take a run back.
    Undo {
        /// The run.
        run: RunId,
    },
    /// Take an undo back.
    Redo {
        /// The run that was undone.
        run: RunId,
    },
    /// Find out whether a step took effect, and say so.
    Resolve {
        /// The run.
        run: RunId,
    },
    /// Every file is as it was.
    NothingChanged,
    /// Finish or roll back what was interrupted.
    Recover,
    /// Look for tampering.
    Verify,
    /// Look at the newest entries of the record.
    Log,
    /// Start a new record here.
    Adopt,
    /// Look at what is wrong with this machine or folder.
    Doctor,
    /// Look at what is wrong with the policy.
    CheckPolicy,
    /// Try again when the other process has finished.
    TryLater,
    /// Use another idempotency key.
    OtherKey,
    /// Decide at a terminal.
    AtTerminal,
    /// Show the credential.
    GiveCredential,
    /// Give the plan's full hash.
    GiveHash,
    /// The operator has to register the proposer.
    RegisterProposer,
    /// Set the clock right first.
    SetClock,
    /// Make the files readable.
    MakeReadable,
    /// Make the files and folders writable.
    MakeWritable,
    /// Make room on the file system.
    FreeSpace,
    /// The file is larger than this process or file system may write.
    TooLarge,
    /// Let the owner run it, or remove the attributes that cannot be kept.
    Ownership,
    /// Give each file one name again.
    OneName,
    /// Work in the project's own folder.
    OwnFolder,
    /// Put the key back from a copy, or start anew.
    RestoreKey,
    /// Name files or simple patterns as project configuration.
    NarrowConfiguration,
    /// Run the command again.
    Again,
    /// Please report this.
    Report,
    /// What helps stands in the message of a finding.
    Text {
        /// It.
        text: String,
    },
}

impl GateError {
    /// What to do about it.
    #[must_use]
    pub fn hints(&self) -> Vec<Hint> {
        if self.is_about_links() {
            return vec![Hint::OneName, Hint::Again];
        }
        match self {
            Self::NoSuchPlan(_) | Self::NoSuchRun(_) => vec![Hint::List],
            Self::TooShort(_) => vec![Hint::MoreOfTheId, Hint::List],
            Self::Ambiguous { .. } => vec![Hint::MoreOfTheId],
            Self::StepNotOpen { run_id, .. } => vec![Hint::ItsRun { run: Some(run_id.clone()) }],
            Self::NotARun { run_id, .. } => vec![Hint::ItsRun { run: run_id.clone() }],
            Self::NotAPlan { plan_id, .. } => vec![Hint::ItsPlan { plan: plan_id.clone() }],
            Self::KeyTaken { .. } | Self::KeyLooksSecret => vec![Hint::OtherKey],
            Self::Refusal { plan_id, refusal } => refused(plan_id, refusal),
            Self::HasRun { run_id, completed: true, .. } => {
                vec![Hint::Undo { run: run_id.clone() }]
            }
            Self::HasRun { plan_id, completed: false, .. } => {
                vec![Hint::NothingChanged, Hint::Renew { plan: plan_id.clone() }]
            }
            Self::Unresolved { run_id, .. } => vec![Hint::Resolve { run: run_id.clone() }],
            Self::NotEntitled { needed } => vec![match needed {
                Decide::Terminal => Hint::AtTerminal,
                Decide::Credential => Hint::GiveCredential,
                Decide::Hash => Hint::GiveHash,
            }],
            Self::NotSigned => vec![Hint::Text {
                text: "decide it on its page of the review room, where the passkey signs it, or \
                       sign in with a link of `exacta review --web`"
                    .into(),
            }],
            Self::Blocked { plan_id, .. } | Self::CeilingDenies { plan_id } => {
                vec![Hint::Renew { plan: plan_id.clone() }]
            }
            Self::Differs { plan_id, .. } => vec![
                Hint::NothingChanged,
                Hint::Verify,
                Hint::Recover,
                Hint::Renew { plan: plan_id.clone() },
            ],
            Self::Forgotten { plan_id } => vec![Hint::History { plan: plan_id.clone() }],
            Self::Select { fault: SelectFault::Missing(pairs), .. } => {
                let mut steps: Vec<String> = pairs.iter().map(|(_, needs)| needs.clone()).collect();
                steps.sort_unstable();
                steps.dedup();
                vec![Hint::SelectAlso { steps }]
            }
            Self::WrongHash { plan_id, .. } | Self::Select { plan_id, .. } => {
                vec![Hint::Show { plan: plan_id.clone() }]
            }
            Self::WrongPolicyHash { .. } => vec![Hint::Text {
                text: "`exacta policy show` prints the hash of the policy in force".into(),
            }],
            Self::DerivedDiffers(_) => vec![Hint::ApproveWhole],
            Self::Invalid(_) => vec![Hint::ProposeAnother],
            Self::NoSuchProposer(_) => vec![Hint::RegisterProposer],
            Self::Constraint(issue) => vec![Hint::Text { text: issue.help.clone() }],
            Self::ToolSteps(_) => vec![Hint::ProposeFilesAlone],
            Self::ChangedMeanwhile(_) => vec![Hint::NothingChanged, Hint::Again],
            Self::NotUndoable { run_id, why: NotUndoable::Undone } => {
                vec![Hint::Redo { run: run_id.clone() }]
            }
            Self::NotUndoable { .. } | Self::NoRoom | Self::Machine(_) | Self::Json(_) => {
                Vec::new()
            }
            Self::Untrusted(trust) if matches!(**trust, FolderTrust::Moved(_)) => {
                let text = "`exacta adopt` goes on with the record here".into();
                vec![Hint::Verify, Hint::Text { text }]
            }
            Self::Untrusted(_) => vec![Hint::Verify, Hint::Adopt],
            Self::Log(LogError::Unsure(_)) => vec![Hint::Log, Hint::Doctor],
            Self::Log(error) if error.is_tampering() => vec![Hint::NothingChanged, Hint::Verify],
            Self::Stage(StageError::RecoveryNeeded(_))
            | Self::Unsettled(_)
            | Self::Commit(_)
            | Self::Recover(_) => vec![Hint::Recover],
            Self::Stage(StageError::NoSpace { .. }) => {
                vec![Hint::NothingChanged, Hint::FreeSpace]
            }
            Self::Stage(StageError::Metadata(_)) => vec![Hint::NothingChanged, Hint::Ownership],
            Self::Port(error)
            | Self::Stage(StageError::Port(error))
            | Self::Log(LogError::Port(error)) => denied(error),
            Self::Stage(_) | Self::Log(_) => Vec::new(),
            Self::TrustStore(TrustError::InsideProject { .. }) => vec![Hint::OwnFolder],
            Self::TrustStore(TrustError::NoKey { .. }) => vec![Hint::RestoreKey],
            Self::TrustStore(_) | Self::Tools(_) => vec![Hint::Doctor],
            Self::Image(_) => vec![Hint::Verify],
            Self::Policy(_) => vec![Hint::CheckPolicy],
            Self::TooManyFolders { .. } => vec![Hint::NothingChanged, Hint::NarrowConfiguration],
            Self::Busy | Self::RunUnderWay { .. } => vec![Hint::TryLater],
        }
    }

    /// Whether nothing is wrong but a second name of a file.
    fn is_about_links(&self) -> bool {
        match self {
            Self::Port(error)
            | Self::Image(ImageError::Port(error))
            | Self::Log(LogError::Port(error)) => error.is_hard_link(),
            Self::Recover(RecoverError::Unsettled { obstacles }) => {
                obstacles.iter().all(PortError::is_hard_link)
            }
            _ => false,
        }
    }
}

fn refused(plan_id: &PlanId, refusal: &Refusal) -> Vec<Hint> {
    let plan = plan_id.clone();
    match refusal {
        Refusal::NotApproved => vec![Hint::Review { plan }],
        Refusal::Rejected { .. } => vec![Hint::ProposeAnother],
        Refusal::Expired { cause: Cause::Deadline { overdue: Overdue::ClockTurnedBack } } => {
            vec![Hint::SetClock]
        }
        Refusal::Expired { .. } | Refusal::Used { .. } => vec![Hint::Renew { plan }],
        Refusal::AlreadyApproved => {
            vec![Hint::Run { plan: plan.clone() }, Hint::RequestChanges { plan }]
        }
    }
}

/// What to do where the system does not let us.
fn denied(error: &PortError) -> Vec<Hint> {
    match error {
        PortError::System { act: "read", errno: Errno::ACCESS | Errno::PERM, .. } => {
            vec![Hint::NothingChanged, Hint::MakeReadable, Hint::Doctor]
        }
        PortError::System { errno: Errno::FBIG, .. } => vec![Hint::NothingChanged, Hint::TooLarge],
        PortError::System { errno: Errno::ACCESS | Errno::PERM | Errno::ROFS, .. } => {
            vec![Hint::NothingChanged, Hint::MakeWritable, Hint::Doctor]
        }
        PortError::System { errno: Errno::NOSPC | Errno::DQUOT, .. } => {
            vec![Hint::NothingChanged, Hint::FreeSpace]
        }
        PortError::Locked => vec![Hint::TryLater],
        _ => Vec::new(),
    }
}
