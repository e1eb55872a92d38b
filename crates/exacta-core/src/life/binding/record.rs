//! The record itself.

use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::digest::Digest;

/// Who and what a plan comes from. Stored with the plan; its hash is part of every
/// approval.
///
/// Class, profile and ceiling are kept as they were written: a word that this version
/// does not know must reach the comparison, which blocks on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanBinding {
    /// The profile when the plan was made.
    pub active_profile: String,
    /// The ceiling when the plan was made.
    pub autonomy_ceiling: String,
    /// The model, in the provider's words.
    pub model_id: String,
    /// Its version, if the provider tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_version: Option<String>,
    /// `LOCAL_ONLY`, `TRUSTED_CLOUD` or `UNTRUSTED_CLOUD`.
    pub provider_class: String,
    /// Such as `openai`, `anthropic`, `ollama`.
    pub provider_id: String,
    /// What the provider called the request, where our own planner asked and was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_request_id: Option<String>,
    /// SHA-256 of the request that the plan answers.
    pub request_hash: Digest,
    /// SHA-256 of the policy.
    pub safety_policy_hash: Digest,
    /// The policy's version.
    pub safety_policy_version: String,
    /// How the model binding is known.
    pub source: Source,
    /// When the plan was made.
    pub timestamp: String,
}

impl PlanBinding {
    /// The record's name, which approvals sign.
    ///
    /// # Errors
    /// Never for values of this type; the canonicaliser's error is passed on.
    pub fn hash(&self) -> Result<Digest, serde_json::Error> {
        Digest::of_canonical(self)
    }

    /// The request of our own planner, if it was one.
    #[must_use]
    pub fn measured(&self) -> Option<PlannerRequest> {
        let provider_id = self.provider_request_id.clone();
        let request = PlannerRequest { hash: self.request_hash, provider_id };
        (self.source == Source::Measured).then_some(request)
    }
}

/// A request that our own planner sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlannerRequest {
    /// SHA-256 of what was sent, without the key.
    pub hash: Digest,
    /// What the provider calls it, if it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<String>,
}

/// How the model binding is known.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// From the request that our own planner sent.
    Measured,
    /// From what policy says about the proposer.
    Claimed,
    /// A person made the plan.
    Human,
}

impl Source {
    /// The written form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Claimed => "claimed",
            Self::Human => "human",
        }
    }
}

/// How far a provider is trusted, strictest first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ProviderClass {
    /// Nothing leaves the machine.
    LocalOnly,
    /// A service the operator trusts.
    TrustedCloud,
    /// Any other service.
    UntrustedCloud,
}

impl ProviderClass {
    /// Reads the written form.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        match text {
            "LOCAL_ONLY" => Some(Self::LocalOnly),
            "TRUSTED_CLOUD" => Some(Self::TrustedCloud),
            "UNTRUSTED_CLOUD" => Some(Self::UntrustedCloud),
            _ => None,
        }
    }
}
