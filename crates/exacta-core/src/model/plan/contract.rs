//! The plan: the immutable contract made from a draft, and its hashes.

use alloc::string::String;
use alloc::vec::Vec;

use hashbrown::HashMap;
use schemars::JsonSchema;
use serde::Serialize;

use super::constraint::Effective;
use super::draft::Draft;
use super::effect::EffectForm;
use super::estimates::Estimates;
use crate::judge::facts::Answers;
use crate::judge::policy::{Caps, Profile};
use crate::judge::score::{Quality, Risk};
use crate::model::change::Change;
use crate::model::digest::{Blob, Digest};
use crate::read::dry_run::Comparisons;
use crate::read::parse::json::Json;
use crate::text::pointer::Pointer;

/// The rules of assessment. A plan scored under another version is re-assessed, and a
/// difference is called that, never tampering.
pub const ASSESSOR_VERSION: &str = "14";

/// A plan that passed every rule: content, changes, everything computed.
///
/// Built only by [`examine`](crate::judge::examine::examine); there is no way to read one from
/// disk without examining it again.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_field_names, reason = "`plan_hash` is the name of the format")]
pub struct Plan {
    pub(crate) draft: Draft,
    pub(crate) changes: Vec<Change>,
    pub(crate) images: HashMap<Digest, Blob>,
    pub(crate) comparisons: Comparisons,
    pub(crate) order: Vec<usize>,
    pub(crate) plan_hash: Digest,
    pub(crate) effect_hash: Digest,
}

impl Plan {
    /// The draft it was made from.
    #[must_use]
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// Every file effect, in execution order.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The bytes of an image that a change names.
    #[must_use]
    pub fn image(&self, digest: &Digest) -> Option<&Blob> {
        self.images.get(digest)
    }

    /// How many lines differ between the images of each change.
    #[must_use]
    pub fn comparisons(&self) -> &Comparisons {
        &self.comparisons
    }

    /// Positions of the steps in execution order.
    #[must_use]
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Names everything about the plan: no ids, no times.
    #[must_use]
    pub fn plan_hash(&self) -> Digest {
        self.plan_hash
    }

    /// Names what the plan does: changes, tool calls, constraints.
    #[must_use]
    pub fn effect_hash(&self) -> Digest {
        self.effect_hash
    }
}

/// What `plan_hash` covers; also the JSON form of a plan.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Plan")]
pub struct PlanForm<'a> {
    /// What the project was asked while the plan was judged, and what it answered.
    pub answers: &'a Answers,
    /// Version of the assessment rules.
    pub assessor_version: &'static str,
    /// Caps in force.
    pub caps: Caps,
    /// File effects, or null when the dry run failed.
    pub changes: Option<&'a [Change]>,
    /// Constraints in force.
    pub constraints: &'a [Effective],
    /// The plan this one selects steps from.
    pub derived_from: Option<Digest>,
    /// The normalised draft.
    pub draft: &'a Draft,
    /// Estimates.
    pub estimates: &'a Estimates,
    /// Hash of the policy in force.
    pub policy_hash: Digest,
    /// The profile in force.
    pub profile: Profile,
    /// How good the plan is; null when it was not assessed.
    pub quality: Option<&'a Quality>,
    /// How much can go wrong; null when the plan was not assessed.
    pub risk: Option<&'a Risk>,
    /// Always `exacta/plan/v1`.
    #[serde(rename = "type")]
    pub kind: &'static str,
}

impl PlanForm<'_> {
    /// The value of `type`.
    pub const KIND: &'static str = "exacta/plan/v1";

    /// The plan hash.
    ///
    /// # Errors
    /// Never for values of this type; the canonicaliser's error is passed on.
    pub fn hash(&self) -> Result<Digest, serde_json::Error> {
        Digest::of_canonical(self)
    }

    /// The hash of the effects alone.
    ///
    /// # Errors
    /// As [`PlanForm::hash`].
    pub fn effect_hash(&self) -> Result<Digest, serde_json::Error> {
        let constraints = self.constraints.iter().map(|effective| &effective.constraint).collect();
        Digest::of_canonical(&EffectForm::of(self.draft, self.changes, constraints))
    }
}

/// Names the first part in which two plan forms differ, or `None` when they are equal.
///
/// Used when a stored plan no longer hashes to its name, so that the message can say
/// what was altered.
#[must_use]
pub fn differing_part(stored: &Json, computed: &Json) -> Option<(Pointer, String)> {
    let mut stack = vec![(Pointer::root(), stored, computed)];
    while let Some((pointer, a, b)) = stack.pop() {
        match (a, b) {
            (Json::Obj(left), Json::Obj(right)) => {
                if let Some((name, _)) = right.iter().find(|(name, _)| a.get(name).is_none()) {
                    return Some((pointer.key(name), "is missing".into()));
                }
                for (name, value) in left.iter().rev() {
                    match b.get(name) {
                        None => return Some((pointer.key(name), "was added".into())),
                        Some(other) => stack.push((pointer.key(name), value, other)),
                    }
                }
            }
            (Json::Arr(left), Json::Arr(right)) => {
                if left.len() != right.len() {
                    let text = format!("has {} elements, not {}", left.len(), right.len());
                    return Some((pointer, text));
                }
                let pairs = left.iter().zip(right).enumerate().rev();
                stack.extend(pairs.map(|(i, (x, y))| (pointer.index(i), x, y)));
            }
            (a, b) if a != b => return Some((pointer, "has another value".into())),
            _ => {}
        }
    }
    None
}
