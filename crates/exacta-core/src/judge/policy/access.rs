//! Questions that other stages put to a policy.

use alloc::string::String;

use super::caps::Caps;
use super::model::Policy;

/// Why a proposer may not hand in a plan under a skill.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SkillFault {
    /// The proposer is bound to a list and the plan names no skill.
    #[error("a plan of `{0}` must name one of its skills")]
    Missing(String),
    /// The skill is not on the proposer's list.
    #[error("`{proposer}` may not name the skill `{skill}`")]
    NotListed {
        /// The proposer.
        proposer: String,
        /// The skill.
        skill: String,
    },
    /// The skill is on the list, but no layer says what it allows.
    #[error("no policy layer defines the skill `{0}`")]
    Undefined(String),
}

impl Policy {
    /// The caps of a plan under `skill`: the smaller of the policy's and the skill's.
    #[must_use]
    pub fn caps_for(&self, skill: Option<&str>) -> Caps {
        let mut caps = self.caps;
        for (cap, most) in skill.and_then(|id| self.skills.get(id)).iter().flat_map(|s| &s.caps) {
            let slot = cap.slot(&mut caps);
            *slot = (*slot).min(*most);
        }
        caps
    }

    /// Whether a plan under `skill` may use a primitive.
    #[must_use]
    pub fn allows_primitive(&self, primitive: &str, skill: Option<&str>) -> bool {
        let listed = skill.and_then(|id| self.skills.get(id)).and_then(|s| s.primitives.as_ref());
        self.primitives.contains(primitive) && listed.is_none_or(|list| list.contains(primitive))
    }

    /// Whether an authenticated proposer may hand in a plan under `skill`.
    ///
    /// # Errors
    /// Why not.
    pub fn check_skill(
        &self,
        proposer: Option<&str>,
        skill: Option<&str>,
    ) -> Result<(), SkillFault> {
        let registered = proposer.and_then(|id| self.proposers.get_key_value(id));
        let Some((proposer, list)) =
            registered.and_then(|(id, entry)| entry.skills.as_ref().map(|list| (id, list)))
        else {
            return Ok(());
        };
        let Some(skill) = skill else { return Err(SkillFault::Missing(proposer.clone())) };
        if !list.contains(skill) {
            return Err(SkillFault::NotListed { proposer: proposer.clone(), skill: skill.into() });
        }
        if !self.skills.contains_key(skill) {
            return Err(SkillFault::Undefined(skill.into()));
        }
        Ok(())
    }

    /// Millionths of a US dollar for a million tokens of a model.
    #[must_use]
    pub fn price_for(&self, model: Option<&str>) -> u64 {
        model
            .and_then(|model| self.prices.get(model).copied())
            .unwrap_or(self.micro_usd_per_million_tokens)
    }

    /// The price that a plan of this proposer is estimated at: that of its model.
    #[must_use]
    pub fn price_of(&self, proposer: Option<&str>) -> u64 {
        let registered = proposer.and_then(|id| self.proposers.get(id));
        self.price_for(registered.map(|proposer| proposer.model.as_str()))
    }
}
