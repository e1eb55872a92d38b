//! Size caps and the token budget (PV-5).

use alloc::vec::Vec;

use crate::judge::policy::Policy;
use crate::model::code::Code;
use crate::model::diagnostic::Issue;
use crate::model::plan::{Action, Draft, Estimates};
use crate::read::dry_run::Totals;
use crate::text::pointer::Pointer;

/// Compares what the plan needs with what policy allows.
pub fn caps(
    draft: &Draft,
    totals: &Totals,
    estimates: &Estimates,
    policy: &Policy,
    issues: &mut Vec<Issue>,
) {
    let caps = policy.caps_for(draft.skill_id.as_deref());
    let tool_steps =
        draft.steps.iter().filter(|step| matches!(step.action, Action::Tool(_))).count() as u64;
    let calls =
        estimates.estimated_tool_calls.values().fold(0u64, |sum, count| sum.saturating_add(*count));
    for (code, rule, what, need, cap) in [
        (Code::PlanStepCapExceeded, "max_steps", "tool steps", tool_steps, caps.max_steps),
        (Code::PlanToolCallCapExceeded, "max_tool_calls", "tool calls", calls, caps.max_tool_calls),
        (
            Code::PlanPageCapExceeded,
            "max_pages",
            "pages",
            estimates.estimated_pages,
            caps.max_pages,
        ),
        (Code::PlanFileCapExceeded, "max_files", "files", totals.files, caps.max_files),
        (
            Code::PlanLineCapExceeded,
            "max_changed_lines",
            "changed lines",
            totals.changed_lines,
            caps.max_changed_lines,
        ),
    ] {
        if need > cap {
            issues.push(
                Issue::error(code, rule, format!("the plan needs {need} {what}; {cap} is the cap"))
                    .at(Pointer::root().key("steps"))
                    .help(format!("split the plan, or let the operator raise `caps.{rule}`")),
            );
        }
    }
    if estimates.estimated_cost_micro_usd > caps.max_cost_micro_usd {
        issues.push(
            Issue::error(
                Code::PlanCostCapExceeded,
                "max_cost_usd",
                format!(
                    "the plan costs an estimated {} USD; {} is the cap",
                    usd(estimates.estimated_cost_micro_usd),
                    usd(caps.max_cost_micro_usd)
                ),
            )
            .help("split the plan, or let the operator raise `caps.max_cost_usd`"),
        );
    }
    if estimates.estimated_tokens > policy.token_budget {
        issues.push(
            Issue::error(
                Code::PlanTokenBudgetExceeded,
                "PV-5",
                format!(
                    "the plan needs an estimated {} tokens; {} is the budget",
                    estimates.estimated_tokens, policy.token_budget
                ),
            )
            .help("hand the work in as several smaller plans or patches, or let the operator raise `token_budget` in the policy"),
        );
    }
}

fn usd(micro: u64) -> alloc::string::String {
    format!("{}.{:02}", micro / 1_000_000, micro % 1_000_000 / 10_000)
}
