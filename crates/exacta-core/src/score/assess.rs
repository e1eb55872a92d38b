//! Risk and quality of one subject.

use schemars::JsonSchema;
use serde::Serialize;

use super::basis::Basis;
use super::quality::{self, Quality};
use super::risk::{self, Risk};
use super::subject::Subject;

/// What was found out about a plan. Made only by [`assess`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Assessment {
    /// How good the plan is.
    pub quality: Quality,
    /// How much can go wrong.
    pub risk: Risk,
}

/// Assesses a subject.
#[must_use]
pub fn assess(subject: &Subject<'_>) -> Assessment {
    let basis = Basis::of(subject);
    Assessment { risk: risk::of(&basis), quality: quality::of(&basis) }
}
