//! Why a command was not carried out.
//!
//! An error has a stable code with a page, a kind that doors turn into exit codes and HTTP
//! answers, a message, and hints as data. Its serialised form is the wire shape.

mod code;

use exacta_core::judge::policy::Decide;
use exacta_core::life::binding::Difference;
use exacta_core::life::lifecycle::Refusal;
use exacta_core::model::code::Code;
use exacta_core::model::diagnostic::Issue;
use exacta_core::model::digest::Digest;
use exacta_core::model::id::{PlanId, RunId};
use exacta_core::model::path::RelPath;
use exacta_core::model::plan::SelectFault;
use serde::{Serialize, Serializer};

use super::hint::Hint;
use crate::log::{AppendError, LogError};
use crate::machine::MachineError;
use crate::policy::PolicyError;
use crate::run::{CommitError, ImageError, RecoverError, StageError, UndoError};
use crate::tools::ToolRunFault;
use crate::trust::{FolderTrust, TrustError};
use crate::workspace::PortError;

/// An id may be cut to this many characters, from its beginning or its end.
pub(super) const FEWEST: usize = 4;

/// What kind of failure it is; doors turn it into exit codes and HTTP answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
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
    /// The run failed or was rolled back.
    Failed,
    /// Recovery is needed.
    Unsettled,
    /// The record does not verify.
    Unverified,
}

/// Nothing happened, unless the message says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// There is no such plan.
    #[error("there is no plan `{0}`")]
    NoSuchPlan(String),
    /// There is no such run.
    #[error("there is no run `{0}`")]
    NoSuchRun(String),
    /// So little of an id could be anything.
    #[error("`{0}` is too short for an id: give at least {FEWEST} characters")]
    TooShort(String),
    /// It is the id of a plan.
    #[error("`{plan_id}` is a plan, not a run")]
    NotARun {
        /// The plan.
        plan_id: PlanId,
        /// Its run, if it has one.
        run_id: Option<RunId>,
    },
    /// It is the id of a run.
    #[error("`{run_id}` is a run, not a plan")]
    NotAPlan {
        /// The run.
        run_id: RunId,
        /// Its plan.
        plan_id: PlanId,
    },
    /// Several ids begin or end like this.
    #[error("`{name}` could be any of {}", several(.candidates))]
    Ambiguous {
        /// What was written.
        name: String,
        /// What it could be.
        candidates: Vec<String>,
    },
    /// Another command was carried out under this idempotency key.
    #[error("another command was carried out with the key `{key}`")]
    KeyTaken {
        /// The key.
        key: String,
    },
    /// An idempotency key goes on the record, and this one looks like a secret.
    #[error("the idempotency key looks like a secret, and it would go on the record as it is")]
    KeyLooksSecret,
    /// The life of the plan does not allow it.
    #[error("{refusal}")]
    Refusal {
        /// The plan.
        plan_id: PlanId,
        /// Why.
        refusal: Refusal,
    },
    /// The plan has run, so there is nothing left to decide about it.
    #[error("the plan has already run, as {run_id}; there is nothing left to decide")]
    HasRun {
        /// The plan.
        plan_id: PlanId,
        /// The run.
        run_id: RunId,
        /// Whether it did what it should.
        completed: bool,
    },
    /// The plan has run, and what became of one of its outside effects is not known.
    #[error(
        "the approval was spent on the run {run_id}, and whether one of its steps took effect is \
         not known; a second run could do it twice"
    )]
    Unresolved {
        /// The plan.
        plan_id: PlanId,
        /// The run.
        run_id: RunId,
    },
    /// The hash is another plan's.
    #[error("the hash is not that of the plan: it is {plan_hash}, and {given} was given")]
    WrongHash {
        /// The plan.
        plan_id: PlanId,
        /// The plan's.
        plan_hash: Digest,
        /// What was given.
        given: Digest,
    },
    /// The hash is another policy's.
    #[error("the hash is not that of the policy in force: it is {now}, and {given} was given")]
    WrongPolicyHash {
        /// The policy's.
        now: Digest,
        /// What was given.
        given: Digest,
    },
    /// Whoever asks has not shown that they may decide.
    #[error("{}", entitled(*.needed))]
    NotEntitled {
        /// What policy wants.
        needed: Decide,
    },
    /// A passkey has to sign exactly this, and did not.
    #[error(
        "a passkey has to sign exactly what is decided, and it signed something else or nothing"
    )]
    NotSigned,
    /// The binding does not hold any more.
    #[error("blocked: {}: recorded `{}`, now `{}`", .difference.row.words(), .difference.recorded, .difference.current)]
    Blocked {
        /// The plan.
        plan_id: PlanId,
        /// What differs.
        difference: Box<Difference>,
    },
    /// Under the stricter ceiling the plan would not have run alone.
    #[error("the ceiling is stricter now; under it a person has to approve the plan")]
    CeilingDenies {
        /// The plan.
        plan_id: PlanId,
    },
    /// What is stored or computed now is not what was approved.
    #[error("{what} differs: {how}")]
    Differs {
        /// The plan.
        plan_id: PlanId,
        /// What.
        what: String,
        /// How.
        how: String,
    },
    /// What the plan was made of was deleted.
    #[error("what the plan `{plan_id}` was made of was deleted")]
    Forgotten {
        /// The plan.
        plan_id: PlanId,
    },
    /// Steps cannot be selected like this.
    #[error("{fault}")]
    Select {
        /// The plan.
        plan_id: PlanId,
        /// Why not.
        fault: SelectFault,
    },
    /// The selected steps alone do something other than what was shown.
    #[error("{0}")]
    DerivedDiffers(String),
    /// The text is not a sound plan any more.
    #[error("{}", first(.0))]
    Invalid(Vec<Issue>),
    /// The proposer is not registered.
    #[error("policy does not know the proposer `{0}`")]
    NoSuchProposer(String),
    /// A constraint makes no sense.
    #[error("{}", .0.message)]
    Constraint(Box<Issue>),
    /// The plan has steps that call tools, and this door has nothing to run them with.
    #[error("the plan calls tools (`{0}`), which cannot be run here")]
    ToolSteps(String),
    /// What runs tool steps cannot.
    #[error(transparent)]
    Tools(ToolRunFault),
    /// Somebody else is at the run right now.
    #[error("the run {run_id} is under way")]
    RunUnderWay {
        /// The run.
        run_id: RunId,
    },
    /// A step of the run does not wait for what was said about it.
    #[error("nothing was done: {why}")]
    StepNotOpen {
        /// The run.
        run_id: RunId,
        /// Why.
        why: String,
    },
    /// Policy names checks, and this door has nowhere to run them.
    #[error("policy names checks, which cannot be run here; nothing was changed")]
    NoRoom,
    /// A pattern of the policy reaches further than anybody looks.
    #[error("the project has more than {most} folders, so `project_config` cannot be followed")]
    TooManyFolders {
        /// So many are looked at.
        most: usize,
    },
    /// Files are not what they were when a captured command started.
    #[error("{} changed while the changes were being collected; nothing is proposed", named(.0))]
    ChangedMeanwhile(Vec<RelPath>),
    /// The run cannot be undone.
    #[error("the run stays as it is: {why}")]
    NotUndoable {
        /// The run.
        run_id: RunId,
        /// Why.
        why: NotUndoable,
    },
    /// It neither happened nor was rolled back as a whole.
    #[error("{0}")]
    Unsettled(String),
    /// A policy file blocks everything.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The folder is not the project it says it is.
    #[error("{}", .0.explain())]
    Untrusted(Box<FolderTrust>),
    /// The record cannot be trusted or written.
    #[error(transparent)]
    Log(LogError),
    /// What lies outside the project cannot be used.
    #[error(transparent)]
    TrustStore(#[from] TrustError),
    /// The machine does not answer.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// An operation on the project's files failed.
    #[error(transparent)]
    Port(#[from] PortError),
    /// The run could not be staged; nothing has changed.
    #[error(transparent)]
    Stage(StageError),
    /// The run could be neither finished nor rolled back.
    #[error(transparent)]
    Commit(CommitError),
    /// Recovery could neither finish nor roll back.
    #[error(transparent)]
    Recover(#[from] RecoverError),
    /// An object is missing or has other bytes.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// A value of ours has no JSON form.
    #[error("internal error: {0}")]
    Json(#[from] serde_json::Error),
    /// The record keeps moving on.
    #[error("other processes keep changing the record; nothing was done")]
    Busy,
}

/// Why a run cannot be undone or redone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotUndoable {
    /// It was undone.
    #[error("it was already undone")]
    Undone,
    /// It was not undone.
    #[error("it was not undone, so there is nothing to redo")]
    NotUndone,
    /// Its backup was deleted.
    #[error("its backup was deleted")]
    Forgotten,
    /// It changed nothing.
    #[error("it did not complete, so it changed nothing")]
    Incomplete,
    /// Somebody saved a file meanwhile.
    #[error("files were changed while it was looked at; nothing was done")]
    Changed,
    /// A plan cannot set this permission.
    #[error("`{path}` had mode {mode}, which a plan cannot set; a person's undo restores it")]
    Mode {
        /// The file.
        path: RelPath,
        /// Its permission.
        mode: String,
    },
    /// The transaction says so.
    #[error("{0}")]
    Other(String),
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

fn first(issues: &[Issue]) -> String {
    issues.iter().find(|issue| issue.is_error()).map_or_else(
        || "the text is not a sound plan".into(),
        |issue| format!("the text is not a sound plan: {}", issue.message),
    )
}

impl GateError {
    /// A plan's life does not allow what was asked.
    pub(super) fn refused(plan_id: &PlanId, refusal: Refusal) -> Self {
        Self::Refusal { plan_id: plan_id.clone(), refusal }
    }
}

/// The wire shape of an error.
#[derive(Serialize)]
struct ErrorForm<'e> {
    code: Code,
    message: String,
    hints: Vec<Hint>,
    #[serde(skip_serializing_if = "Option::is_none")]
    issues: Option<&'e [Issue]>,
}

impl Serialize for GateError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let issues = match self {
            Self::Invalid(issues) => Some(issues.as_slice()),
            _ => None,
        };
        let (code, message, hints) = (self.code(), self.to_string(), self.hints());
        ErrorForm { code, message, hints, issues }.serialize(serializer)
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

impl GateError {
    /// An undo that was not begun.
    pub(super) fn not_undone(run_id: &RunId, error: UndoError) -> Self {
        match error {
            UndoError::Stage(error) => Self::Stage(error),
            other => {
                let why = NotUndoable::Other(other.to_string());
                Self::NotUndoable { run_id: run_id.clone(), why }
            }
        }
    }
}
