//! What the record says about one run.

use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::record::RunKind;
use crate::results::TaskStatus;

/// How far a run came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunStage {
    /// It was decided on; nothing has moved.
    Decided,
    /// Targets may have moved.
    Started,
    /// Every target has its after image.
    Completed,
    /// Every target has its before image.
    Aborted,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunEntry {
    /// Its name.
    pub run_id: String,
    /// The plan.
    pub plan_id: String,
    /// What it does.
    pub kind: RunKind,
    /// How many entries are about it.
    pub version: u64,
    /// How far it came.
    pub stage: RunStage,
    /// Hash of its manifest, once staged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Digest>,
    /// How it ended, for runs of plans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<TaskStatus>,
    /// Hash of its result list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results: Option<Digest>,
    /// Hash of the text that says why it did not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Digest>,
    /// The completed run that took it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undone_by: Option<String>,
    /// Whether its way back was given up.
    pub forgotten: bool,
    /// When it was first on the record, for people.
    pub time: String,
}
