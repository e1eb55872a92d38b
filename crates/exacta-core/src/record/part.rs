//! What events are made of.

use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::approval::Assurance;
use crate::judge::policy::Profile;
use crate::life::binding::{ProviderClass, Source};
use crate::life::lifecycle::Deadline;
use crate::model::digest::Digest;
use crate::model::id::{CorrelationId, PlanId, RunId};

/// How a record begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Beginning {
    /// The project had none.
    Started,
    /// A person took over a project that was moved, copied or brought along.
    Adopted,
}

/// What a run does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum RunKind {
    /// It carries out an approved plan.
    Plan,
    /// It takes a run back.
    Undo {
        /// The run it takes back.
        of: RunId,
    },
    /// It takes an undo back.
    Redo {
        /// The undo it takes back.
        of: RunId,
    },
}

/// A plan as it enters the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanCreated {
    /// Hash of the binding record.
    pub binding: Digest,
    /// The intent it serves.
    pub correlation_id: CorrelationId,
    /// When it expires.
    pub deadline: Deadline,
    /// The plan whose steps it selects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived_from: Option<PlanId>,
    /// What it is for, shortened; what looks like a secret is masked.
    pub goal: String,
    /// The plan that a person wanted changed, or that this one renews.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<PlanId>,
    /// Its hash.
    pub plan_hash: Digest,
    /// Its id.
    pub plan_id: PlanId,
    /// Who handed it in, if the door knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposer: Option<String>,
    /// The object that holds it.
    pub record: Digest,
    /// The session it belongs to.
    pub session: String,
    /// The run that it takes back, when it is an undo or redo handed in as a plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<RunId>,
}

/// Who made the plan that a run carries out, as far as that is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// How far it is trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<ProviderClass>,
    /// Such as `openai`, `anthropic`, `ollama`.
    pub id: String,
    /// The model, in the provider's words.
    pub model: String,
    /// How this is known.
    pub source: Source,
    /// What the draft claims about itself, such as a tier; nobody has checked it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepEnd {
    /// It did what it promised.
    Ok,
    /// It failed, and its effect has not happened.
    Failed,
    /// It was not begun.
    Skipped,
    /// A person said no to it.
    Declined,
    /// It was stopped before its effect.
    Cancelled,
    /// A rule held it back for now.
    Suppressed,
    /// Its effect was taken back.
    Compensated,
}

/// What a tool step spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepSpend {
    /// Calls of tools.
    pub calls: u64,
    /// Pages read.
    pub pages: u64,
    /// Money, in millionths of a US dollar.
    pub micro_usd: u64,
}

impl StepSpend {
    /// The sum; it stops at the largest number instead of wrapping.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            pages: self.pages.saturating_add(other.pages),
            micro_usd: self.micro_usd.saturating_add(other.micro_usd),
        }
    }

    /// Whether nothing was spent.
    #[must_use]
    pub const fn is_nothing(&self) -> bool {
        self.calls == 0 && self.pages == 0 && self.micro_usd == 0
    }
}

/// The policy that commands met from some point on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicySeen {
    /// How sure the gate is of who changed it; absent where it only met the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assurance: Option<Assurance>,
    /// The ceiling.
    pub autonomy_ceiling: Profile,
    /// The hash of everything but profile and ceiling.
    pub policy_hash: Digest,
    /// The profile.
    pub profile: Profile,
}
