//! What the commands around the gate print as JSON.

use exacta_core::judge::policy::{PolicyRecord, Profile};
use exacta_core::model::code::Code;
use exacta_core::model::digest::Digest;
use exacta_core::model::id::ProjectId;
use exacta_engine::gate::Hint;
use schemars::JsonSchema;
use serde::Serialize;

/// What `init --json` and `adopt --json` print.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProjectReport {
    /// The project, as the record names it.
    pub(crate) project: ProjectId,
    /// The newest head of the record.
    pub(crate) head: Digest,
    /// Whether the record was made by this command.
    pub(crate) made: bool,
}

/// What `policy credential --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CredentialReport {
    /// Always true: a credential that is not set is an error.
    pub(crate) set: bool,
}

/// What `policy set --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PolicySetReport {
    /// The key.
    pub(crate) key: String,
    /// What the operator's policy says now.
    pub(crate) value: Profile,
    /// The policy in force.
    pub(crate) record: PolicyRecord,
}

/// What `policy confirm --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PolicyConfirmReport {
    /// Whether there was something to confirm.
    pub(crate) confirmed: bool,
    /// The policy in force.
    pub(crate) record: PolicyRecord,
}

/// How a finding of `doctor` is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mood {
    /// It works.
    Good,
    /// Worth knowing.
    Know,
    /// It does not work.
    Bad,
}

/// One finding of `doctor`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DoctorFinding {
    /// How it is meant.
    pub(crate) mood: Mood,
    /// What was found.
    pub(crate) message: String,
}

/// What `doctor --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DoctorReport {
    /// Whether everything works.
    pub(crate) ok: bool,
    /// Everything that was looked at.
    pub(crate) findings: Vec<DoctorFinding>,
}

/// What `explain CODE --json` prints; of a plan it prints the check.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CodeReport {
    /// The code.
    pub(crate) code: &'static str,
    /// It in a line.
    pub(crate) summary: &'static str,
    /// Its page, in Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) page: Option<&'static str>,
}

impl CodeReport {
    pub(crate) fn of(code: Code, page: Option<&'static str>) -> Self {
        Self { code: code.as_str(), summary: code.summary(), page }
    }
}

/// What every command prints with `--json` when it cannot do what it was asked for.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ErrorReport {
    /// Always false.
    pub(crate) ok: bool,
    /// How the command ends.
    pub(crate) exit_code: u8,
    /// The stable code; `exacta explain CODE` prints its page.
    pub(crate) code: Code,
    /// What is wrong.
    pub(crate) error: String,
    /// What to do, in words; empty when nothing can be said.
    pub(crate) help: String,
    /// What to do, as data.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) hints: Vec<Hint>,
    /// The plan it is about, as far as it is known; as it was typed, where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plan_id: Option<String>,
    /// The files that are in the way of a merge.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) files: Vec<RefusedFile>,
}

/// A file that is in the way.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RefusedFile {
    /// Its path; nothing hidden in it.
    pub(crate) path: String,
    /// Why.
    pub(crate) why: String,
}
