//! One point of a score and what it rests on.

use alloc::string::String;

use schemars::JsonSchema;
use serde::Serialize;

use crate::judge::facts::Fact;
use crate::model::change::Change;
use crate::model::path::RelPath;

/// A finding with its place and its points.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Evidence {
    /// The line as a person may safely see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// What was found.
    pub finding: String,
    /// Line from 1, in the image after the step; for what was removed, before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<RelPath>,
    /// What it adds to a risk factor, or takes from a quality dimension in thousandths.
    pub points: u32,
    /// The step; absent when the finding is about the plan as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_id: Option<String>,
}

impl Evidence {
    /// A fact.
    pub(crate) fn of_fact(fact: &Fact, points: u32) -> Self {
        Self {
            step_id: Some(fact.step.clone()),
            path: Some(fact.path.clone()),
            line: fact.line,
            finding: format!("{}", fact.kind),
            points,
            excerpt: (!fact.excerpt.is_empty()).then(|| fact.excerpt.clone()),
        }
    }

    /// Something about one change of one file.
    pub(crate) fn of_change(change: &Change, finding: impl Into<String>, points: u32) -> Self {
        Self {
            step_id: Some(change.step.clone()),
            path: Some(change.path.clone()),
            line: None,
            finding: finding.into(),
            points,
            excerpt: None,
        }
    }

    /// Something about one step.
    pub(crate) fn of_step(step_id: &str, finding: impl Into<String>, points: u32) -> Self {
        Self { step_id: Some(step_id.into()), ..Self::of_plan(finding, points) }
    }

    /// Something about the plan as a whole.
    pub(crate) fn of_plan(finding: impl Into<String>, points: u32) -> Self {
        Self {
            step_id: None,
            path: None,
            line: None,
            finding: finding.into(),
            points,
            excerpt: None,
        }
    }
}
