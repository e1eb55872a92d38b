//! Risk as data.

use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::Serialize;

use crate::judge::score::class::Classed;
use crate::judge::score::evidence::Evidence;
use crate::judge::score::table::{HIGH_FROM, MAX_RISK, MEDIUM_FROM};
use crate::model::plan::RiskTier;

/// How much can go wrong, 0 to 100, and why. Made only by the assessment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Risk {
    /// What the plan does to files; absent where it touches none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<Classed>,
    /// The six factors.
    pub factors: Vec<FactorScore>,
    /// What keeps the score up.
    pub floors: Vec<Floor>,
    /// The score in three sizes.
    pub level: Level,
    /// The sum of the factors, at most 100, and at least every floor.
    pub score: u32,
    /// The same in the words of tool plans.
    pub tier: RiskTier,
}

/// Risk in three sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Little can go wrong.
    Low,
    /// Something can.
    Medium,
    /// Much can.
    High,
}

impl Level {
    /// The level of a score.
    #[must_use]
    pub const fn of(score: u32) -> Self {
        match score {
            0..MEDIUM_FROM => Self::Low,
            MEDIUM_FROM..HIGH_FROM => Self::Medium,
            HIGH_FROM.. => Self::High,
        }
    }

    /// The same as a tier.
    #[must_use]
    pub const fn tier(self) -> RiskTier {
        match self {
            Self::Low => RiskTier::Low,
            Self::Medium => RiskTier::Medium,
            Self::High => RiskTier::High,
        }
    }
}

impl Risk {
    /// The sum of the factors, at most 100, whatever the floors say.
    #[must_use]
    pub fn points(&self) -> u32 {
        self.factors.iter().map(|factor| factor.score).sum::<u32>().min(MAX_RISK)
    }
}

/// One factor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct FactorScore {
    /// Every finding with its own points; they may add up to more than `score`.
    pub evidence: Vec<Evidence>,
    /// The most it can add.
    pub max: u32,
    /// Its stable name.
    pub name: &'static str,
    /// Its points, at most `max`.
    pub score: u32,
}

/// Why the risk is at least some number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Floor {
    /// The least risk of a plan with this step.
    pub at_least: u32,
    /// Why.
    pub reason: String,
    /// The step.
    pub step_id: String,
}
