//! Why a command was not carried out.

use exacta_core::binding::Difference;
use exacta_core::diagnostic::Issue;
use exacta_core::digest::Digest;
use exacta_core::lifecycle::Refusal;
use exacta_core::path::RelPath;
use exacta_core::plan::SelectFault;
use exacta_core::policy::Decide;
use exacta_core::tree::TreeFault;

use rustix::io::Errno;

use crate::log::{AppendError, LogError};
use crate::machine::MachineError;
use crate::outer::{OuterError, Standing};
use crate::policy::PolicyError;
use crate::run::{CommitError, ImageError, RecoverError, StageError, UndoError};
use crate::workspace::PortError;

/// An id may be cut to this many characters, from its beginning or its end.
pub(super) const FEWEST: usize = 4;

/// What kind of failure it is; doors turn it into exit codes and HTTP answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Our fault or the machine's.
    Internal,
    /// The words make no sense.
    Usage,
    /// Refused: validation, quality, policy, missing dependency.
    Refused,
    /// A person has to decide first.
    Waits,
    /// Expired, stale, wrong hash, used approval, binding mismatch.
    Stale,
    /// The run failed or went back.
    Failed,
    /// Recovery is needed.
    Unsettled,
    /// The record does not verify.
    Unverified,
}

/// Nothing happened, unless the message says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// Nobody knows a plan of this name.
    #[error("there is no plan `{0}`")]
    NoSuchPlan(String),
    /// A command had an outcome that it cannot have.
    #[error("internal error: the outcome is not one of this command")]
    Unexpected,
    /// It neither happened nor went back whole.
    #[error("{0}")]
    Unsettled(String),
    /// A pattern of the policy reaches further than anybody looks.
    #[error("the project has more than {most} folders, so `project_config` cannot be followed")]
    TooManyFolders {
        /// So many are looked at.
        most: usize,
    },
    /// What the plan was made of was given up.
    #[error("what the plan `{0}` was made of was given up")]
    Forgotten(String),
    /// Nobody knows a run of this name.
    #[error("there is no run `{0}`")]
    NoSuchRun(String),
    /// So little of a name is no name.
    #[error("`{0}` is too short for an id: {FEWEST} characters are needed at least")]
    TooShort(String),
    /// It is the name of a plan.
    #[error("`{plan_id}` is a plan, not a run")]
    NotARun {
        /// The plan.
        plan_id: String,
        /// Its run, if it has one.
        run_id: Option<String>,
    },
    /// It is the name of a run.
    #[error("`{run_id}` is a run, not a plan")]
    NotAPlan {
        /// The run.
        run_id: String,
        /// Its plan.
        plan_id: String,
    },
    /// The plan has run, so that there is nothing left to decide about it.
    #[error("the plan has run already, as {run_id}, so there is nothing to decide any more")]
    HasRun {
        /// The run.
        run_id: String,
        /// Whether it did what it should.
        completed: bool,
    },
    /// Several names begin or end like this.
    #[error("`{name}` could be any of {}", several(.candidates))]
    Ambiguous {
        /// What was written.
        name: String,
        /// What it could be.
        candidates: Vec<String>,
    },
    /// Another command was carried out under this idempotency key.
    #[error("another command was carried out with the key `{0}`")]
    KeyTaken(String),
    /// The life of the plan does not allow it.
    #[error("{0}")]
    Refusal(Refusal),
    /// The hash is another plan's.
    #[error("the hash is not that of the plan: it is {plan_hash}, and {given} was given")]
    WrongHash {
        /// The plan's.
        plan_hash: Digest,
        /// What was given.
        given: Digest,
    },
    /// Whoever asks has not shown that they may decide.
    #[error("{}", entitled(*.needed))]
    NotEntitled {
        /// What policy wants.
        needed: Decide,
    },
    /// The binding does not hold any more.
    #[error("blocked: {}: recorded `{}`, now `{}`", row(.0), .0.recorded, .0.current)]
    Blocked(Box<Difference>),
    /// Under the stricter ceiling the plan would not have passed alone.
    #[error("the ceiling is stricter now, and under it the plan is not approved without a person")]
    CeilingDenies,
    /// What is stored or computed now is not what was approved.
    #[error("{what} differs: {how}")]
    Differs {
        /// What.
        what: String,
        /// How.
        how: String,
    },
    /// Steps cannot be selected like this.
    #[error("{0}")]
    Select(#[from] SelectFault),
    /// The selected steps alone do something else than what was shown.
    #[error("{0}")]
    DerivedDiffers(String),
    /// The text is no sound plan any more.
    #[error("{}", first(.0))]
    Invalid(Vec<Issue>),
    /// The proposer is not registered.
    #[error("policy knows no proposer `{0}`")]
    NoSuchProposer(String),
    /// A constraint makes no sense.
    #[error("{}", .0.message)]
    Constraint(Box<Issue>),
    /// The plan has steps that call tools, which cannot be run yet.
    #[error("the plan calls tools (`{0}`), which this version cannot run")]
    ToolSteps(String),
    /// Policy names checks, and this door has nowhere to run them.
    #[error("policy names checks, which cannot be run here; nothing was changed")]
    NoRoom,
    /// Files are not what they were when a captured command started.
    #[error("{} changed while the command's changes were looked at; nothing is proposed", named(.0))]
    ChangedMeanwhile(Vec<RelPath>),
    /// The run cannot be undone.
    #[error("the run stays as it is: {0}")]
    NotUndoable(String),
    /// A policy file blocks everything.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The folder is not the project it says it is.
    #[error("{}", .0.explain())]
    Standing(Box<Standing>),
    /// The record cannot be trusted or written.
    #[error(transparent)]
    Log(LogError),
    /// What lies outside the project cannot be used.
    #[error(transparent)]
    Outer(#[from] OuterError),
    /// The machine does not answer.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// An operation failed.
    #[error(transparent)]
    Port(#[from] PortError),
    /// The run could not be staged; nothing has changed.
    #[error(transparent)]
    Stage(StageError),
    /// The tree could not be brought to one side.
    #[error(transparent)]
    Commit(CommitError),
    /// Recovery could not bring the project to one side.
    #[error(transparent)]
    Recover(#[from] RecoverError),
    /// An object is missing or has other bytes.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// A value of ours has no JSON form.
    #[error("internal error: {0}")]
    Json(#[from] serde_json::Error),
    /// The record keeps moving on under our feet.
    #[error("other processes keep changing the record; nothing was done")]
    Busy,
}

/// What to do where the system does not let us.
fn denied(error: &PortError) -> &'static str {
    match error {
        PortError::System { act: "read", errno: Errno::ACCESS | Errno::PERM, .. } => {
            "nothing was changed; make the project's files readable for you, or work as their \
             owner; `exacta doctor` looks"
        }
        PortError::System { errno: Errno::FBIG, .. } => {
            "nothing was changed; the file is larger than this process or file system may write"
        }
        PortError::System { errno: Errno::ACCESS | Errno::PERM | Errno::ROFS, .. } => {
            "nothing was changed; make the project's files and folders writable for you, or work \
             as their owner; `exacta doctor` looks"
        }
        PortError::System { errno: Errno::NOSPC | Errno::DQUOT, .. } => {
            "nothing was changed; make room on the file system"
        }
        PortError::Locked => "wait until it has ended, then try again",
        _ => "",
    }
}

fn entitled(needed: Decide) -> &'static str {
    match needed {
        Decide::Terminal => "deciding needs a confirmation typed at the terminal",
        Decide::Credential => "deciding needs the credential",
        Decide::Hash => "deciding needs the full hash of the plan",
    }
}

/// Enough of them to choose from.
fn several(candidates: &[String]) -> String {
    const MOST: usize = 10;
    let shown: Vec<&str> = candidates.iter().rev().take(MOST).map(String::as_str).collect();
    let more = candidates.len().saturating_sub(MOST);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}

fn named(paths: &[RelPath]) -> String {
    let names: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
    several(&names)
}

fn row(difference: &Difference) -> String {
    format!("{:?}", difference.row)
        .chars()
        .flat_map(|c| {
            let space = c.is_uppercase().then_some(' ');
            space.into_iter().chain(c.to_lowercase())
        })
        .collect::<String>()
        .trim()
        .into()
}

fn first(issues: &[Issue]) -> String {
    issues.iter().find(|issue| issue.is_error()).map_or_else(
        || "the text is no sound plan".into(),
        |issue| format!("the text is no sound plan: {}", issue.message),
    )
}

impl GateError {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::NoSuchPlan(_)
            | Self::NoSuchRun(_)
            | Self::TooShort(_)
            | Self::NotARun { .. }
            | Self::NotAPlan { .. }
            | Self::Ambiguous { .. }
            | Self::KeyTaken(_)
            | Self::Constraint(_) => Kind::Usage,
            Self::Refusal(Refusal::NotApproved)
            | Self::NotEntitled { .. }
            | Self::CeilingDenies => Kind::Waits,
            Self::Refusal(Refusal::Rejected { .. })
            | Self::Select(_)
            | Self::DerivedDiffers(_)
            | Self::Invalid(_)
            | Self::NoSuchProposer(_)
            | Self::ToolSteps(_)
            | Self::NoRoom
            | Self::NotUndoable(_)
            | Self::Forgotten(_)
            | Self::TooManyFolders { .. }
            | Self::Policy(_) => Kind::Refused,
            Self::Refusal(_)
            | Self::HasRun { .. }
            | Self::WrongHash { .. }
            | Self::Blocked(_)
            | Self::Differs { .. }
            | Self::Image(ImageError::Missing(_) | ImageError::Changed(_))
            | Self::Stage(StageError::Drift(_)) => Kind::Stale,
            Self::Stage(StageError::RecoveryNeeded(_))
            | Self::ChangedMeanwhile(_)
            | Self::Unsettled(_)
            | Self::Commit(_)
            | Self::Recover(_) => Kind::Unsettled,
            Self::Stage(_) => Kind::Failed,
            Self::Standing(_) => Kind::Unverified,
            Self::Log(error) if error.is_tampering() => Kind::Unverified,
            Self::Log(_)
            | Self::Outer(_)
            | Self::Machine(_)
            | Self::Port(_)
            | Self::Image(_)
            | Self::Json(_)
            | Self::Unexpected
            | Self::Busy => Kind::Internal,
        }
    }

    /// Whether nothing is wrong but a second name of a file.
    fn is_about_links(&self) -> bool {
        let linked = |error: &PortError| {
            matches!(error, PortError::Refused { fault: TreeFault::HardLinked(_), .. })
        };
        match self {
            Self::Port(error)
            | Self::Image(ImageError::Port(error))
            | Self::Log(LogError::Port(error)) => linked(error),
            Self::Recover(RecoverError::Unsettled { obstacles }) => obstacles.iter().all(linked),
            _ => false,
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> String {
        if self.is_about_links() {
            return "give each file one name again, as backups by hard links give it a second; then \
                    run the command again"
                .into();
        }
        match self {
            Self::Outer(OuterError::InsideProject { .. }) => {
                "work in the project's own folder (`-C DIR`); nothing was made here".into()
            }
            Self::Outer(OuterError::NoKey { .. }) => {
                "put it back from a copy; without one, `exacta adopt` makes a new key and a new \
                 record in each project"
                    .into()
            }
            Self::ChangedMeanwhile(_) => {
                "the project is as you left it; run the command again".into()
            }
            Self::NoSuchPlan(_) => "`exacta list` shows every plan".into(),
            Self::Forgotten(_) => {
                "`exacta status ID` and `exacta log --plan ID` tell what the record keeps".into()
            }
            Self::TooShort(_) => {
                "write the beginning or the end of the id; `exacta list` shows every plan and run"
                    .into()
            }
            Self::NoSuchRun(_) => "`exacta list` shows the run of each plan".into(),
            Self::NotARun { run_id: Some(run_id), .. } => format!("its run is `{run_id}`"),
            Self::NotARun { run_id: None, .. } => "it has not run".into(),
            Self::NotAPlan { plan_id, .. } => format!("its plan is `{plan_id}`"),
            Self::HasRun { run_id, completed: true } => {
                format!("`exacta undo {run_id}` takes it back")
            }
            Self::HasRun { completed: false, .. } => {
                "it went back, so every file is as it was; `exacta renew ID` makes a fresh plan of \
                 the same draft"
                    .into()
            }
            Self::Ambiguous { .. } => {
                "write more of it; the ends of names differ more than their beginnings".into()
            }
            Self::KeyTaken(_) => "give each command a key of its own".into(),
            Self::Refusal(refusal) => refusal.help().into(),
            Self::WrongHash { .. } => "look at the plan again: `exacta show ID`".into(),
            Self::NotEntitled { needed: Decide::Terminal } => {
                "run the command at a terminal; `decide` in policy chooses another way".into()
            }
            Self::NotEntitled { needed: Decide::Credential } => {
                "name the file that holds it with `--credential FILE`".into()
            }
            Self::NotEntitled { needed: Decide::Hash } => "give it with `--hash`".into(),
            Self::Blocked(difference) => difference.remedy.into(),
            Self::CeilingDenies => "`exacta renew ID`, then approve the fresh plan".into(),
            Self::Differs { .. } => {
                "nothing was run; `exacta verify` looks for tampering, `exacta recover` writes \
                 missing files again, `exacta renew ID` makes a fresh plan"
                    .into()
            }
            Self::Select(SelectFault::Missing(pairs)) => {
                let mut needed: Vec<&str> = pairs.iter().map(|(_, needs)| needs.as_str()).collect();
                needed.sort_unstable();
                needed.dedup();
                format!("select {} as well", needed.join(", "))
            }
            Self::Select(_) => "`exacta show ID` says what each step does".into(),
            Self::DerivedDiffers(_) => "approve the whole plan, or request changes".into(),
            Self::Invalid(_) => "propose a plan for the files as they are now".into(),
            Self::NoSuchProposer(_) => "the operator registers it under `[proposers]`".into(),
            Self::Constraint(issue) => issue.help.clone(),
            Self::ToolSteps(_) => "propose the file steps alone".into(),
            Self::Standing(_) => {
                "`exacta verify` says more; `exacta adopt` starts a new record here".into()
            }
            Self::Log(LogError::Unsure(_)) => {
                "`exacta log` says whether it counts; look at the disk first".into()
            }
            Self::Log(error) if error.is_tampering() => {
                "nothing was done; `exacta verify` says what was changed".into()
            }
            Self::Stage(StageError::RecoveryNeeded(_))
            | Self::Unsettled(_)
            | Self::Commit(_)
            | Self::Recover(_) => "`exacta recover` brings the project to one side".into(),
            Self::Stage(StageError::NoSpace { .. }) => {
                "nothing was changed; make room on the file system".into()
            }
            Self::Stage(StageError::Metadata(_)) => {
                "nothing was changed; let the files' owner run the plan, or take those attributes \
                 off first"
                    .into()
            }
            Self::Port(error)
            | Self::Stage(StageError::Port(error))
            | Self::Log(LogError::Port(error)) => denied(error).into(),
            Self::Image(_) => "`exacta verify` says what is missing".into(),
            Self::Policy(_) => "`exacta policy check` shows what is wrong".into(),
            Self::Unexpected => "`exacta log` says what was done; please report this".into(),
            Self::TooManyFolders { .. } => {
                "nothing was done; name the files in `project_config`, or patterns without `/` \
                 and `**`"
                    .into()
            }
            _ => String::new(),
        }
    }
}

impl From<LogError> for GateError {
    fn from(error: LogError) -> Self {
        Self::Log(error)
    }
}

impl From<AppendError> for GateError {
    fn from(error: AppendError) -> Self {
        match error {
            AppendError::Log(error) => Self::Log(error),
            AppendError::Moved | AppendError::Done { .. } => Self::Busy,
        }
    }
}

impl From<UndoError> for GateError {
    fn from(error: UndoError) -> Self {
        match error {
            UndoError::Stage(error) => Self::Stage(error),
            other => Self::NotUndoable(other.to_string()),
        }
    }
}
