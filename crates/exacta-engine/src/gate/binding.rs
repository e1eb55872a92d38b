//! Who a plan comes from, as the door and policy tell.

use exacta_core::judge::policy::Policy;
use exacta_core::life::binding::{Current, PlanBinding, Source};
use exacta_core::model::digest::Digest;
use serde_json::Value;

use super::error::GateError;

/// What is recorded for a plan that a person hands in.
const PERSON: &str = "person";
/// A person needs no model.
const NO_MODEL: &str = "none";
const LOCAL: &str = "LOCAL_ONLY";

struct Origin {
    source: Source,
    provider: String,
    model: String,
    class: String,
}

fn origin(proposer: Option<&str>, policy: &Policy) -> Result<Origin, GateError> {
    let Some(name) = proposer else {
        return Ok(Origin {
            source: Source::Human,
            provider: PERSON.into(),
            model: NO_MODEL.into(),
            class: LOCAL.into(),
        });
    };
    let known = policy.proposers.get(name);
    let known = known.ok_or_else(|| GateError::NoSuchProposer(name.into()))?;
    Ok(Origin {
        source: Source::Claimed,
        provider: known.provider.clone(),
        model: known.model.clone(),
        class: word(&known.class)?,
    })
}

/// The record for a plan of `proposer` made from `text` at `time`.
pub(super) fn record(
    proposer: Option<&str>,
    policy: &Policy,
    text: Digest,
    time: String,
) -> Result<PlanBinding, GateError> {
    let origin = origin(proposer, policy)?;
    let state = policy.record()?;
    Ok(PlanBinding {
        active_profile: word(&state.active_profile)?,
        autonomy_ceiling: word(&state.autonomy_ceiling)?,
        model_id: origin.model,
        model_version: None,
        provider_class: origin.class,
        provider_id: origin.provider,
        provider_request_id: None,
        request_hash: text,
        safety_policy_hash: state.safety_policy_hash,
        safety_policy_version: state.safety_policy_version,
        source: origin.source,
        timestamp: time,
    })
}

/// The state of things now, told in the same way.
pub(super) fn current(
    proposer: Option<&str>,
    policy: &Policy,
    age_ms: u64,
    ttl_ms: u64,
) -> Result<Current, GateError> {
    // A proposer that is no longer registered is another provider than the recorded one.
    let origin = match origin(proposer, policy) {
        Ok(origin) => origin,
        Err(GateError::NoSuchProposer(name)) => Origin {
            source: Source::Claimed,
            provider: format!("(`{name}` is not registered)"),
            model: String::new(),
            class: String::new(),
        },
        Err(error) => return Err(error),
    };
    let state = policy.record()?;
    Ok(Current {
        source: origin.source,
        provider_id: origin.provider,
        model_id: origin.model,
        provider_class: origin.class,
        safety_policy_hash: state.safety_policy_hash,
        active_profile: word(&state.active_profile)?,
        autonomy_ceiling: word(&state.autonomy_ceiling)?,
        age_ms,
        ttl_ms,
    })
}

/// The written form of a word of policy.
fn word<T: serde::Serialize>(value: &T) -> Result<String, GateError> {
    match serde_json::to_value(value)? {
        Value::String(word) => Ok(word),
        other => Ok(other.to_string()),
    }
}
