//! An approval: signed, for one plan, for one run, until a deadline.

use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::Actor;
use crate::life::lifecycle::Deadline;
use crate::model::digest::Digest;
use crate::model::id::PlanId;

/// How sure the gate is of who approved.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Assurance {
    /// The decision table approved; nobody was asked.
    Table,
    /// Whoever it was knew the plan's hash.
    Hash,
    /// Somebody typed at the controlling terminal.
    Terminal,
    /// Somebody showed the credential.
    Credential,
    /// Somebody who had signed in at the review room, after one of the two above.
    #[serde(rename = "signed_in")]
    SignedIn,
    /// Somebody signed in there whose passkey signed this very act.
    Passkey,
    /// Somebody chose in their editor, which showed the whole effect, where the operator's
    /// policy lets that decide.
    Editor,
}

/// What a passkey signed, as it came: anybody can check it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PasskeyAssertion {
    /// The text whose SHA-256 was the challenge; it names the act, the plan and its hash.
    pub act: String,
    /// What the authenticator said of itself, in base64url.
    pub authenticator_data: String,
    /// What the browser said it was asked for, in base64url. The part of the room's name that is
    /// another one at each start stands there as `*`.
    pub client_data: String,
    /// SHA-256 of what it said, word for word, in base64url, where a part stands as `*`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_data_hash: Option<String>,
    /// Names the passkey.
    pub key_id: String,
    /// Its public key, DER in base64url.
    pub public_key: String,
    /// Over the authenticator data and the hash of the client data, in base64url.
    pub signature: String,
}

/// Some hunks of what a step does to its file, as the review numbers them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PickedHunks {
    /// Their numbers.
    pub hunks: Vec<u32>,
    /// The image before with these hunks: what the file becomes.
    pub image: Digest,
    /// The step.
    pub step: String,
}

/// What is signed, and its signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// Names the act; a derived plan's approval names the act of selecting.
    pub act: String,
    /// Who.
    pub approver: Actor,
    /// How sure that is.
    pub assurance: Assurance,
    /// Hash of the plan's binding record.
    pub binding: Digest,
    /// Until when a run may start.
    pub deadline: Deadline,
    /// The hunks a person selected, where not whole steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<PickedHunks>,
    /// What a passkey signed of the act, where it was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passkey: Option<PasskeyAssertion>,
    /// The plan.
    pub plan_id: PlanId,
    /// Its hash.
    pub plan_hash: Digest,
    /// The steps a person selected, when they selected some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<String>>,
    /// Ed25519 over all of the above.
    pub signature: String,
}

impl Approval {
    /// The bytes that the signature covers: the approval with an empty signature, for one
    /// project.
    ///
    /// # Errors
    /// Never for values of this type; the serialiser's error is passed on.
    pub fn message(&self, project: &str) -> Result<Vec<u8>, serde_json::Error> {
        let unsigned = Self { signature: String::new(), ..self.clone() };
        serde_json::to_vec(&("exacta/approval/v1", project, unsigned))
    }
}
