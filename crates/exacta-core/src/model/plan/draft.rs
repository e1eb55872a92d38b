//! The draft: what a planner wrote, in its one normalised form. Untrusted.

use alloc::string::String;
use alloc::vec::Vec;

use data_encoding::BASE64;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use super::action::Action;
use super::constraint::Constraint;
use super::form::StepForm;
use crate::model::digest::Blob;
use crate::read::parse::json::Json;
use crate::text::pointer::Pointer;

/// Planner output whose shape is sound. Serialising it gives the normalised form that
/// the plan hash covers: aliases resolved, absent fields left out.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Draft {
    /// Claim: the primitives the steps use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_primitives: Option<Vec<String>>,
    /// What the planner took for granted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub assumptions: Vec<String>,
    /// Constraints the planner adds; they can only tighten.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub constraints: Vec<Constraint>,
    /// Claim: duration in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_duration: Option<u64>,
    /// Claim: tokens; the larger of this and our estimate counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_tokens: Option<u64>,
    /// Whether the plan is all or nothing, or runs branch by branch.
    #[schemars(default)]
    pub execution: Execution,
    /// What the plan is for, in the planner's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// Values that the steps use.
    #[serde(skip_serializing_if = "is_empty_object")]
    #[schemars(default = "empty_object", with = "serde_json::Map<String, serde_json::Value>")]
    pub inputs: Json,
    /// Claim: what the user asked, as the planner remembers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intent: Option<Json>,
    /// The git patch that the draft was imported from; never accepted from a planner.
    #[serde(
        rename = "patch_base64",
        skip_serializing_if = "Option::is_none",
        serialize_with = "as_base64"
    )]
    #[schemars(skip)]
    pub patch: Option<Blob>,
    /// Version of the draft format.
    #[schemars(range(min = 1, max = 1), default = "one")]
    pub plan_version: u32,
    /// Claim: who made the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<Json>,
    /// The recipe the plan follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipe: Option<Recipe>,
    /// Claim: the recipients the steps write to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipient_hints: Option<Vec<String>>,
    /// The skill the planner worked under.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill_id: Option<String>,
    /// The steps.
    pub steps: Vec<Step>,
    /// Claim: every file the steps touch; must be exactly that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_files: Option<Vec<String>>,
    /// Claim: the domains the steps read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub web_allowed_domains: Option<Vec<String>>,
}

impl Draft {
    /// An empty draft of the current version.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            plan_version: one(),
            goal: None,
            assumptions: Vec::new(),
            inputs: empty_object(),
            skill_id: None,
            constraints: Vec::new(),
            execution: Execution::Atomic,
            recipe: None,
            intent: None,
            provider: None,
            estimated_tokens: None,
            estimated_duration: None,
            target_files: None,
            allowed_primitives: None,
            web_allowed_domains: None,
            recipient_hints: None,
            patch: None,
            steps: Vec::new(),
        }
    }

    /// Whether the steps follow each other: none of them names a dependency.
    pub(crate) fn is_chain(&self) -> bool {
        self.steps.iter().all(|step| step.dependencies.is_none())
    }

    /// The ids that step `index` needs, where `chain` says whether steps follow each other.
    pub(crate) fn needs_of(&self, index: usize, chain: bool) -> impl Iterator<Item = &str> {
        let before = index.checked_sub(1).filter(|_| chain).and_then(|at| self.steps.get(at));
        let named = self.steps.get(index).and_then(|step| step.dependencies.as_ref());
        let named = named.into_iter().flatten().map(String::as_str);
        before.map(|step| step.step_id.as_str()).into_iter().chain(named)
    }

    /// Where step `index` stands in the draft.
    #[must_use]
    pub fn step_pointer(index: usize) -> Pointer {
        Pointer::root().key("steps").index(index)
    }
}

#[expect(clippy::ref_option, reason = "the signature that serde calls")]
fn as_base64<S: Serializer>(blob: &Option<Blob>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&BASE64.encode(blob.as_ref().map_or(&[], Blob::bytes)))
}

fn one() -> u32 {
    1
}

fn empty_object() -> Json {
    Json::Obj(Vec::new())
}

fn is_empty_object(value: &Json) -> bool {
    matches!(value, Json::Obj(members) if members.is_empty())
}

/// How a failing step affects the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Execution {
    /// All of it or none of it.
    #[default]
    Atomic,
    /// Independent branches go on after a failure.
    Contract,
}

/// The shared recipes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Recipe {
    /// Watch a page.
    WebsiteMonitor,
    /// Sort mail.
    InboxTriage,
    /// Summarise sources.
    DailyBrief,
    /// Steps written by a planner.
    Custom,
}

/// A step's risk as the planner claims it; counts only where it is stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum RiskTier {
    /// Reads only.
    Low,
    /// Writes drafts.
    Medium,
    /// Publishes or sends.
    High,
}

/// One step, shape-checked but not yet validated.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its id, unique in the plan.
    pub step_id: String,
    /// Its title, untrusted.
    pub title: Option<String>,
    /// Its description, untrusted.
    pub description: Option<String>,
    /// Its position, when the planner numbers the steps.
    pub order: Option<u64>,
    /// The steps it needs; `None` when the draft does not say.
    pub dependencies: Option<Vec<String>>,
    /// Claim: asks for a person.
    pub requires_approval: Option<bool>,
    /// Claim: how risky it is.
    pub risk_tier: Option<RiskTier>,
    /// What it does.
    pub action: Action,
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        StepForm::of(self).serialize(serializer)
    }
}

impl JsonSchema for Step {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        StepForm::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        StepForm::json_schema(generator)
    }
}
