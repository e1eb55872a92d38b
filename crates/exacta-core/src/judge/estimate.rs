//! Estimates: tokens, cost, runtime. Pure arithmetic on what the plan does.

use alloc::collections::BTreeMap;
use alloc::string::String;

use crate::model::plan::{Action, Bucket, Confidence, CostBand, Draft, Estimates, ToolCall};
use crate::model::registry::{self, Primitive};
use crate::read::dry_run::Totals;
use crate::read::parse::json::{Json, MAX_INTEGER};
use crate::read::validate::reach;

/// Estimates stop here: they are hashed, and beyond it readers disagree on numbers.
const MOST: u64 = MAX_INTEGER.unsigned_abs();
const TOKENS_PER_PLAN: u64 = 1200;
const TOKENS_PER_STEP: u64 = 220;
const TOKENS_PER_WEIGHTED_CALL: u64 = 320;
const TOKENS_PER_PAGE: u64 = 85;
const BYTES_PER_TOKEN: u64 = 4;
const SECONDS_PER_TOOL_STEP: u64 = 8;
const SECONDS_PER_CALL: u64 = 4;
const SECONDS_AT_LEAST: u64 = 20;
/// File plans: milliseconds for each file and for each mebibyte written.
const MS_PER_FILE: u64 = 2;
const MS_PER_MIB: u64 = 20;

/// Estimates a plan. The planner's own numbers count only where they are larger.
///
/// `price` is what a million tokens cost, in millionths of a US dollar.
#[must_use]
pub fn estimate(draft: &Draft, totals: &Totals, price: u64) -> Estimates {
    let mut calls: BTreeMap<String, u64> = BTreeMap::new();
    let (mut weighted, mut step_pages, mut tool_steps, mut explicit) = (0u64, 0u64, 0u64, 0u64);
    for (index, step) in draft.steps.iter().enumerate() {
        let Action::Tool(call) = &step.action else {
            // What a file step does is known exactly.
            explicit += 1;
            continue;
        };
        tool_steps += 1;
        let primitive = registry::find(&call.name);
        let asked = number(call, &["calls", "max_calls"]);
        let pages = number(call, &["pages", "max_pages"]);
        explicit += u64::from(asked.is_some() || pages.is_some());
        // A planner can ask for more calls than the addresses imply, never for fewer.
        let count = asked.unwrap_or(0).max(implied_calls(draft, index, call, primitive));
        let weight = primitive.map_or(6, |primitive| primitive.weight);
        weighted = weighted.saturating_add(count.saturating_mul(weight));
        step_pages = step_pages.saturating_add(pages.unwrap_or(0));
        let total = calls.entry(call.name.clone()).or_default();
        *total = total.saturating_add(count);
    }
    let input_pages = draft.inputs.get("pages").map_or(0, |pages| match pages {
        Json::Arr(pages) => pages.len() as u64,
        Json::Int(pages) => u64::try_from(*pages).unwrap_or(0),
        _ => 0,
    });
    let pages = step_pages.max(input_pages).min(MOST);
    for count in calls.values_mut() {
        *count = (*count).min(MOST);
    }
    let steps = draft.steps.len() as u64;
    let ours = TOKENS_PER_PLAN
        .saturating_add(TOKENS_PER_STEP.saturating_mul(steps))
        .saturating_add(TOKENS_PER_WEIGHTED_CALL.saturating_mul(weighted))
        .saturating_add(TOKENS_PER_PAGE.saturating_mul(pages))
        .saturating_add(totals.changed_bytes / BYTES_PER_TOKEN);
    let tokens = ours.max(draft.estimated_tokens.unwrap_or(0)).min(MOST);
    let cost = micro_usd(tokens, price).min(MOST);
    let all_calls = calls.values().fold(0u64, |sum, count| sum.saturating_add(*count));
    Estimates {
        estimated_pages: pages,
        estimated_runtime_sec: runtime(tool_steps, all_calls, totals).min(MOST),
        estimated_tool_calls: calls,
        estimated_tokens: tokens,
        estimated_tokens_bucket: match tokens {
            0..4_000 => Bucket::Low,
            4_000..12_000 => Bucket::Medium,
            _ => Bucket::High,
        },
        estimated_cost_micro_usd: cost,
        estimated_cost_usd_band: match cost {
            0..500_000 => CostBand::Low,
            500_000..2_000_000 => CostBand::Medium,
            _ => CostBand::High,
        },
        confidence_band: confidence(explicit, steps),
    }
}

impl Estimates {
    /// The same where no model is asked: no tokens, and so no cost.
    #[must_use]
    pub fn without_model(self) -> Self {
        Self {
            estimated_tokens: 0,
            estimated_tokens_bucket: Bucket::Low,
            estimated_cost_micro_usd: 0,
            estimated_cost_usd_band: CostBand::Low,
            ..self
        }
    }
}

fn runtime(tool_steps: u64, calls: u64, totals: &Totals) -> u64 {
    let mut seconds = 0u64;
    if tool_steps > 0 {
        let busy = (SECONDS_PER_TOOL_STEP * tool_steps)
            .saturating_add(SECONDS_PER_CALL.saturating_mul(calls));
        seconds = busy.max(SECONDS_AT_LEAST);
    }
    if totals.files > 0 {
        let ms = MS_PER_FILE * totals.files + MS_PER_MIB * totals.image_bytes.div_ceil(1024 * 1024);
        seconds = seconds.saturating_add(ms.div_ceil(1000));
    }
    seconds
}

fn micro_usd(tokens: u64, per_million: u64) -> u64 {
    let micro = u128::from(tokens) * u128::from(per_million) / 1_000_000;
    u64::try_from(micro).unwrap_or(u64::MAX)
}

fn confidence(explicit: u64, steps: u64) -> Confidence {
    match (explicit * 3).checked_div(steps) {
        Some(2..) => Confidence::High,
        Some(1) => Confidence::Medium,
        Some(0) | None => Confidence::Low,
    }
}

/// The largest explicit count among the arguments: a number, or the length of a list.
/// Any other value is refused by validation.
fn number(call: &ToolCall, names: &[&str]) -> Option<u64> {
    let counts = names.iter().filter_map(|name| match call.args.get(name)? {
        Json::Int(count) => u64::try_from(*count).ok(),
        Json::Arr(list) => Some(list.len() as u64),
        _ => None,
    });
    counts.max()
}

/// Without a count: a call for each address, and at least one.
fn implied_calls(
    draft: &Draft,
    index: usize,
    call: &ToolCall,
    primitive: Option<&'static Primitive>,
) -> u64 {
    primitive.map_or(1, |primitive| (reach(draft, index, call, primitive).urls.len() as u64).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::parse::{Limits, draft};

    fn of(text: &str) -> Estimates {
        let draft = draft(text.as_bytes(), Limits::default()).unwrap();
        estimate(&draft, &Totals::default(), 2_000_000)
    }

    #[test]
    fn the_two_worked_plans() {
        let two_reads = of(r#"{"inputs":{"pages":20},"steps":[
            {"step_id":"a","tool":{"name":"ReadWeb","args":{"calls":1}}},
            {"step_id":"b","tool":{"name":"ReadSources","args":{"calls":2}}}]}"#);
        assert_eq!((two_reads.estimated_tokens, two_reads.estimated_runtime_sec), (4940, 28));
        let one_bulk = of(r#"{"inputs":{"pages":10},"steps":[
            {"step_id":"a","tool":{"name":"CallApi","args":{"calls":1}}}]}"#);
        assert_eq!((one_bulk.estimated_tokens, one_bulk.estimated_runtime_sec), (4190, 20));
    }

    #[test]
    fn huge_claims_saturate_and_small_ones_do_not_lower() {
        let huge = of(r#"{"estimated_tokens":9007199254740991,"steps":[
            {"step_id":"a","tool":{"name":"ReadWeb","args":{"calls":9007199254740991,"pages":9007199254740991}}},
            {"step_id":"b","tool":{"name":"ReadWeb","args":{"calls":9007199254740991}}}]}"#);
        assert_eq!(huge.estimated_tokens, MOST);
        assert!(huge.estimated_tool_calls.values().all(|count| *count <= MOST));
        let none =
            of(r#"{"steps":[{"step_id":"a","tool":{"name":"ReadWeb","args":{"calls":0}}}]}"#);
        assert_eq!(none.estimated_tool_calls.get("ReadWeb"), Some(&1));
    }
}
