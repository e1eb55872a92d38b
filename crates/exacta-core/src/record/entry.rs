//! An entry of the record: what happened, who did it, when.

use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::event::Event;
use crate::life::lifecycle::Moment;
use crate::model::digest::Digest;

/// What kind of actor it is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum ActorKind {
    /// Someone at a keyboard, as far as can be told.
    Person,
    /// A program that hands in plans.
    Agent,
    /// The gate itself.
    System,
}

/// Who did something.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Actor {
    /// What kind.
    pub kind: ActorKind,
    /// The name they go by.
    pub name: String,
}

impl Actor {
    /// The gate.
    #[must_use]
    pub fn system() -> Self {
        Self { kind: ActorKind::System, name: "exacta".into() }
    }
}

/// The idempotency key of a command, and the name of everything that the command said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandKey {
    /// The key.
    pub key: String,
    /// The command: the same key with another one is refused.
    pub command: Digest,
}

/// One line of the record. `prev` stands first, so that the chain can be checked without
/// reading JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// SHA-256 of the line before, without its newline.
    pub prev: Digest,
    /// 1 for the first entry.
    pub seq: u64,
    /// The wall clock, for people.
    pub time: String,
    /// Both clocks, for deadlines.
    pub at: Moment,
    /// Who.
    pub actor: Actor,
    /// The idempotency key of the command, if it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The name of everything that the command with this key said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Digest>,
    /// What happened.
    pub event: Event,
    /// Ed25519 over everything before it; on the last entry of each append.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sig: Option<String>,
}
