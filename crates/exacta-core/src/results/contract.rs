//! The shapes of the contract: one row a step, then the `__meta__` entry.
//!
//! Fields are private: a value exists only when [`ResultList`](super::ResultList) made
//! it, so what serialises meets the contract. Foreign lists are checked as JSON and
//! never become these types.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeSeq as _;
use serde::{Deserialize, Serialize, Serializer};

use crate::read::parse::json::Json;

/// The version of the result contract. Any change of a rule changes it.
pub const CONTRACT_VERSION: &str = "1.0.0";

/// The step id that marks the summary entry.
pub const META_ID: &str = "__meta__";

/// What became of one step.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StepResult {
    /// The step.
    #[schemars(length(min = 1))]
    pub(super) step_id: String,
    /// The tool it called; null for a file step.
    #[schemars(length(min = 1))]
    pub(super) tool: Option<String>,
    /// Whether it did what it promised.
    pub(super) ok: bool,
    /// Whether it was left out.
    pub(super) skipped: bool,
    /// Why it was left out or failed, as a short stable word.
    pub(super) reason: Option<String>,
    /// What went wrong, in the words of the tool.
    pub(super) error: Option<String>,
    /// What the step gave back; anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) output: Option<Json>,
}

impl StepResult {
    /// The step.
    pub fn step_id(&self) -> &str {
        &self.step_id
    }

    /// The tool it called; none for a file step.
    pub fn tool(&self) -> Option<&str> {
        self.tool.as_deref()
    }

    /// Whether it did what it promised.
    pub fn ok(&self) -> bool {
        self.ok
    }

    /// Whether it was left out.
    pub fn skipped(&self) -> bool {
        self.skipped
    }

    /// Whether it started and did not do what it promised.
    pub fn failed(&self) -> bool {
        !self.ok && !self.skipped
    }

    /// Why it was left out or failed.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// What went wrong.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// What the step gave back.
    pub fn output(&self) -> Option<&Json> {
        self.output.as_ref()
    }
}

/// How the whole run ended.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "UPPERCASE")]
pub enum TaskStatus {
    /// Every step did what it promised.
    Completed,
    /// Some steps were skipped; none failed, none was blocked.
    Partial,
    /// At least one step failed.
    Failed,
    /// The dependencies could not be resolved; nothing started.
    Blocked,
}

impl TaskStatus {
    /// Every status, in the order of the contract.
    pub const ALL: [Self; 4] = [Self::Completed, Self::Partial, Self::Failed, Self::Blocked];

    /// The written form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "COMPLETED",
            Self::Partial => "PARTIAL",
            Self::Failed => "FAILED",
            Self::Blocked => "BLOCKED",
        }
    }

    /// Reads the written form; nothing else is a status.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

/// How many rows there are of each kind; `total_steps` is the sum of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Stats {
    /// All rows.
    pub total_steps: u64,
    /// Rows with `ok: true`.
    pub ok: u64,
    /// Rows with `skipped: true`.
    pub skipped: u64,
    /// The other rows.
    pub failed: u64,
}

/// The summary: the last entry of every result list.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct MetaResult {
    /// Always `__meta__`.
    #[schemars(extend("const" = META_ID))]
    pub(super) step_id: &'static str,
    /// Whether the run is complete.
    pub(super) ok: bool,
    /// Always false.
    #[schemars(extend("const" = false))]
    pub(super) skipped: bool,
    /// Why the run is not complete.
    pub(super) reason: Option<String>,
    /// How the run ended.
    pub(super) task_status: TaskStatus,
    /// The counts.
    pub(super) stats: Stats,
    /// Skipped steps that could not start because of what they depend on.
    pub(super) blocked_steps: Vec<String>,
    /// Steps that failed, in the order of the rows.
    pub(super) failed_steps: Vec<String>,
}

impl MetaResult {
    /// Whether the run is complete.
    pub fn ok(&self) -> bool {
        self.ok
    }

    /// Why the run is not complete.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// How the run ended.
    pub fn task_status(&self) -> TaskStatus {
        self.task_status
    }

    /// The counts.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// Skipped steps that could not start because of what they depend on.
    pub fn blocked_steps(&self) -> &[String] {
        &self.blocked_steps
    }

    /// Steps that failed, in the order of the rows.
    pub fn failed_steps(&self) -> &[String] {
        &self.failed_steps
    }
}

/// A finished result list. It serialises as one array: the rows, then the summary.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    pub(super) rows: Vec<StepResult>,
    pub(super) meta: MetaResult,
}

impl Results {
    /// One row a step, in the order of the plan.
    pub fn rows(&self) -> &[StepResult] {
        &self.rows
    }

    /// The summary.
    pub fn meta(&self) -> &MetaResult {
        &self.meta
    }
}

impl Serialize for Results {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.rows.len().saturating_add(1)))?;
        for row in &self.rows {
            list.serialize_element(row)?;
        }
        list.serialize_element(&self.meta)?;
        list.end()
    }
}

impl JsonSchema for Results {
    fn schema_name() -> Cow<'static, str> {
        "Results".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let row = generator.subschema_for::<StepResult>();
        let meta = generator.subschema_for::<MetaResult>();
        json_schema!({
            "description": "One row a step, then the `__meta__` entry as the last item.",
            "type": "array",
            "minItems": 1,
            "items": { "anyOf": [row, meta] },
            "contains": meta,
            "minContains": 1,
            "maxContains": 1,
            "x-contract-version": CONTRACT_VERSION
        })
    }
}

/// The JSON Schema of a result list, as written: every field but `output` is required.
pub fn schema() -> Schema {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<Results>()
}
