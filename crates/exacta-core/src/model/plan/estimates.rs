//! What a plan will cost, computed here and never taken from the planner.

use alloc::collections::BTreeMap;
use alloc::string::String;

use schemars::JsonSchema;
use serde::Serialize;

/// Deterministic estimates: integers only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Estimates {
    /// How much of the estimate rests on explicit numbers.
    pub confidence_band: Confidence,
    /// Cost in millionths of a US dollar.
    pub estimated_cost_micro_usd: u64,
    /// Cost in three sizes.
    pub estimated_cost_usd_band: CostBand,
    /// Pages read.
    pub estimated_pages: u64,
    /// Runtime in seconds.
    pub estimated_runtime_sec: u64,
    /// Tokens; the larger of ours and the planner's claim.
    pub estimated_tokens: u64,
    /// Tokens in three sizes.
    pub estimated_tokens_bucket: Bucket,
    /// Calls per tool.
    pub estimated_tool_calls: BTreeMap<String, u64>,
}

/// Token sizes: low below 4,000, high from 12,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Bucket {
    /// Below 4,000.
    Low,
    /// Below 12,000.
    Medium,
    /// 12,000 or more.
    High,
}

/// Cost sizes: low below 0.5 USD, high from 2 USD.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CostBand {
    /// Below 0.5 USD.
    Low,
    /// Below 2 USD.
    Medium,
    /// 2 USD or more.
    High,
}

/// How sure an estimate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Fewer than a third of the steps give explicit numbers.
    Low,
    /// Fewer than two thirds do.
    Medium,
    /// Two thirds or more do.
    High,
}
