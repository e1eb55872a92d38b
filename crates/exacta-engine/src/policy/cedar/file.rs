//! One `policy.cedar` that passed every check.

use cedar_policy::{PolicyId, PolicySet};
use exacta_core::judge::policy::{Arbiter, ArbiterCode, LayerName, PolicyInput, RuleVerdict};
use exacta_core::model::code::Code;
use exacta_core::model::diagnostic::{Issue, Place};
use exacta_core::model::digest::Digest;

use super::{ask, schema};

/// The policies of one layer. Made only by reading its file.
#[derive(Debug)]
pub struct CedarFile {
    pub(super) layer: LayerName,
    pub(super) digest: Digest,
    pub(super) set: PolicySet,
    pub(super) policies: Vec<CedarPolicy>,
    pub(super) warnings: Vec<Issue>,
}

/// One policy.
#[derive(Clone, Debug)]
pub struct CedarPolicy {
    /// Its `@id`, or its number in the file, from 1.
    pub name: String,
    /// Its `@reason`.
    pub reason: Option<String>,
    /// Whether it permits or forbids.
    pub permits: bool,
    /// Where it begins.
    pub place: Place,
    pub(super) id: PolicyId,
}

impl CedarFile {
    /// Its layer.
    #[must_use]
    pub fn layer(&self) -> LayerName {
        self.layer
    }

    /// Its policies, from the top of the file to its end.
    #[must_use]
    pub fn policies(&self) -> &[CedarPolicy] {
        &self.policies
    }

    /// What its author should look at although it can be used.
    #[must_use]
    pub fn warnings(&self) -> &[Issue] {
        &self.warnings
    }

    pub(super) fn warn_if_nothing_is_permitted(&mut self) {
        if !self.policies.iter().any(|policy| policy.permits) {
            let message = "the file permits nothing, so every plan is refused";
            self.warnings
                .push(Issue::warning(Code::PolicyInvalid, "doubt", message).place(1, 1).help(
                "to forbid only some plans, begin it with `permit (principal, action, resource);`",
            ));
        }
    }
}

impl Arbiter for CedarFile {
    fn code(&self) -> ArbiterCode {
        ArbiterCode { digest: self.digest, layer: self.layer, schema: schema::digest() }
    }

    fn ask(&self, matter: &PolicyInput) -> Vec<RuleVerdict> {
        ask::ask(self, matter)
    }
}
