//! What the `exacta policy` commands print with `--json`.

use exacta_core::judge::policy::{LayerName, Loosening, PolicyRecord, Row};
use exacta_core::model::diagnostic::Issue;
use schemars::JsonSchema;
use serde::Serialize;

/// The policy in force.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PolicyReport {
    /// What a plan's binding would record.
    pub(crate) record: PolicyRecord,
    /// The files that were read.
    pub(crate) files: Vec<PolicyFile>,
    /// The policies for Cedar, in the order of the layers and files.
    pub(crate) cedar: Vec<CedarPolicyRow>,
    /// Every key with its value and where that came from.
    pub(crate) keys: Vec<Row>,
    /// Values that would have loosened the policy.
    pub(crate) ignored: Vec<Loosening>,
}

/// A policy file.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PolicyFile {
    /// Its layer.
    pub(crate) layer: LayerName,
    /// Where it lies.
    pub(crate) path: String,
}

/// One policy for Cedar.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CedarPolicyRow {
    /// Its layer.
    pub(crate) layer: LayerName,
    /// The line of `policy.cedar` at which it begins.
    pub(crate) line: u32,
    /// What it does where it applies.
    pub(crate) effect: CedarEffect,
    /// Its `@id`, or its number in the file.
    pub(crate) name: String,
    /// Its `@reason`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

/// What a policy for Cedar does.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CedarEffect {
    /// It permits.
    Permit,
    /// It forbids, whatever others permit.
    Forbid,
}

impl CedarEffect {
    /// The written form.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Permit => "permit",
            Self::Forbid => "forbid",
        }
    }
}

/// The outcome of checking policy files.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PolicyCheckReport {
    /// Whether every file can be used.
    pub(crate) ok: bool,
    /// The exit code of the command.
    pub(crate) exit_code: u8,
    /// The files that were looked at.
    pub(crate) files: Vec<CheckedFile>,
}

/// One policy file and what is wrong with it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckedFile {
    /// Its layer.
    pub(crate) layer: LayerName,
    /// Where it lies.
    pub(crate) path: String,
    /// Whether it exists.
    pub(crate) found: bool,
    /// What is wrong; warnings do not block.
    pub(crate) issues: Vec<Issue>,
}

/// The outcome of a table of cases.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PolicyTestReport {
    /// Whether every case came out as expected.
    pub(crate) ok: bool,
    /// The exit code of the command.
    pub(crate) exit_code: u8,
    /// The cases, in the order of the file.
    pub(crate) cases: Vec<TestedCase>,
}

/// One case and how it came out.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TestedCase {
    /// Its name.
    pub(crate) name: String,
    /// Whether it came out as expected.
    pub(crate) ok: bool,
    /// What was expected.
    pub(crate) expected: String,
    /// What came out.
    pub(crate) actual: String,
    /// The codes of all findings.
    pub(crate) codes: Vec<String>,
    /// The reasons of all rules that apply.
    pub(crate) reasons: Vec<String>,
    /// What differs, in words.
    pub(crate) differences: Vec<String>,
}
