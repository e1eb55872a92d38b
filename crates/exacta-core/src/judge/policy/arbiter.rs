//! The port to whoever is asked about a plan beside the rules.
//!
//! A policy language needs more machinery than this crate may have. What it is asked
//! about is plain data ([`PolicyInput`]), what it answers are the same verdicts that rules
//! give, and they are weighed in the same place: an answer can only tighten.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use serde::{Serialize, Serializer};

use super::input::PolicyInput;
use super::layer::LayerName;
use super::rules::RuleVerdict;
use crate::model::digest::Digest;

/// Somebody whom one layer of policy wants to be asked.
pub trait Arbiter: fmt::Debug + Send + Sync {
    /// What it goes by; two that go by the same always answer the same.
    fn code(&self) -> ArbiterCode;

    /// Everything it has against the plan; nothing when it has nothing. What it cannot
    /// find out it denies.
    fn ask(&self, matter: &PolicyInput) -> Vec<RuleVerdict>;
}

/// The text that an arbiter goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ArbiterCode {
    /// Hash of its bytes.
    pub digest: Digest,
    /// The layer it stands in.
    pub layer: LayerName,
    /// Hash of what it can be asked about.
    pub schema: Digest,
}

/// Every arbiter of a policy. They are part of it: whoever has the policy asks them.
#[derive(Clone, Debug, Default)]
pub struct Arbiters(Vec<Arc<dyn Arbiter>>);

impl Arbiters {
    /// These, in the order of the layers.
    #[must_use]
    pub fn new(mut all: Vec<Arc<dyn Arbiter>>) -> Self {
        all.sort_by_key(|arbiter| arbiter.code().layer);
        Self(all)
    }

    /// Whether nobody is asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What each goes by, in the order of the layers.
    pub fn codes(&self) -> impl Iterator<Item = ArbiterCode> {
        self.0.iter().map(|arbiter| arbiter.code())
    }

    /// Everything that any of them has against the plan.
    #[must_use]
    pub fn ask(&self, matter: &PolicyInput) -> Vec<RuleVerdict> {
        self.0.iter().flat_map(|arbiter| arbiter.ask(matter)).collect()
    }
}

impl PartialEq for Arbiters {
    fn eq(&self, other: &Self) -> bool {
        self.codes().eq(other.codes())
    }
}

impl Eq for Arbiters {}

impl Serialize for Arbiters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.codes())
    }
}
