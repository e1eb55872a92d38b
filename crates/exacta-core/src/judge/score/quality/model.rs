//! Quality as data.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::Serialize;

use crate::judge::score::evidence::Evidence;
use crate::judge::score::table::Dimension;
use crate::judge::score::thousandths::Thousandths;

/// How good a plan is, and why. Made only by the assessment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Quality {
    /// The dimensions.
    pub dimensions: Dimensions,
    /// The weighted mean, rounded down, under the caps.
    pub overall: Thousandths,
}

/// The five dimensions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Dimensions {
    /// Can a person follow it?
    pub clarity: Scored,
    /// Does it do what was asked?
    pub completeness: Scored,
    /// Can it be done?
    pub feasibility: Scored,
    /// Does it leave things safe?
    pub safety: Scored,
    /// Is it said in full?
    pub specificity: Scored,
}

impl Dimensions {
    /// Each dimension with its score.
    pub fn each(&self) -> [(Dimension, &Scored); 5] {
        [
            (Dimension::Completeness, &self.completeness),
            (Dimension::Specificity, &self.specificity),
            (Dimension::Feasibility, &self.feasibility),
            (Dimension::Safety, &self.safety),
            (Dimension::Clarity, &self.clarity),
        ]
    }
}

/// One dimension.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Scored {
    /// Whether it counts; the weight of one that does not is shared out.
    pub applicable: bool,
    /// Every finding with the thousandths it costs.
    pub findings: Vec<Evidence>,
    /// What is left of 1.000 after the worst step and the findings about the plan.
    pub score: Thousandths,
    /// Its share of the overall, in hundredths.
    pub weight: u32,
}
