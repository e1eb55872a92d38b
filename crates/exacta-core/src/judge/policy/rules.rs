//! Asks the rules about one plan.
//!
//! A rule that cannot be evaluated denies: an error lowers the verdict, never raises it.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::Serialize;

use super::layer::LayerName;
use super::model::Policy;
use super::rule::{ANONYMOUS, Condition, Rule, Then};
use crate::model::change::{Change, Op};
use crate::model::code::Code;
use crate::model::diagnostic::Issue;
use crate::model::plan::{Action, Draft};
use crate::model::registry::{self, Effect};
use crate::read::dry_run::Totals;
use crate::text::glob::{self, GlobFault};
use crate::text::shown::shown;

/// What rules can see of a plan.
#[derive(Clone, Debug)]
pub struct PlanView<'a> {
    /// The draft: its tool calls and its recipe. Its words about itself are not looked at.
    pub draft: &'a Draft,
    /// File effects.
    pub changes: &'a [Change],
    /// What they come to: lines added and removed, files left without content.
    pub totals: &'a Totals,
    /// The risk score; while it is not known it counts as the highest.
    pub risk: Option<u64>,
    /// The authenticated proposer, never a claim.
    pub proposer: Option<&'a str>,
}

/// A rule that applies to a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RuleVerdict {
    /// Whether the plan is refused or a person is asked.
    pub then: Then,
    /// The rule's reason, or why it could not be evaluated.
    pub reason: String,
    /// The layer of the rule.
    pub layer: LayerName,
    /// Which rule of that layer.
    pub clause: Clause,
    /// The steps that the rule applies to; none when it is about the plan.
    pub steps: Vec<String>,
    /// The first file or tool that the rule applies to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched: Option<String>,
    /// How many files and calls the rule applies to.
    pub count: usize,
}

/// What in a layer a verdict comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Clause {
    /// A `[[rule]]`, by its number in the layer, from 1.
    Rule(usize),
    /// A policy of an arbiter's text.
    Policy {
        /// Its name, or its number.
        name: String,
        /// The file.
        file: &'static str,
        /// Where it begins.
        line: u32,
    },
    /// A check, whose command names a file that the plan changes.
    Check {
        /// Its name.
        name: String,
    },
    /// An arbiter's text as a whole.
    Text {
        /// The file.
        file: &'static str,
    },
}

impl<'a> PlanView<'a> {
    /// The view of a draft and its changes, before anything is known about its risk.
    #[must_use]
    pub fn new(draft: &'a Draft, changes: &'a [Change], totals: &'a Totals) -> Self {
        Self { draft, changes, totals, risk: None, proposer: None }
    }
}

/// Every rule that applies to the plan, in the order of the layers.
#[must_use]
pub fn rules(policy: &Policy, plan: &PlanView<'_>) -> Vec<RuleVerdict> {
    policy.rules.iter().filter_map(|rule| verdict(rule, plan)).collect()
}

fn verdict(rule: &Rule, plan: &PlanView<'_>) -> Option<RuleVerdict> {
    let (then, reason, hits) = match applies(&rule.condition, plan) {
        Ok(hits) => (rule.then, rule.reason.clone(), hits?),
        Err(error) => (Then::Deny, format!("the rule cannot be evaluated: {error}"), Vec::new()),
    };
    let first = hits.first();
    let steps: BTreeSet<&str> = hits.iter().map(|hit| hit.step_id).collect();
    Some(RuleVerdict {
        then,
        reason,
        layer: rule.layer,
        clause: Clause::Rule(rule.number),
        matched: first.map(|hit| hit.what.into()),
        steps: steps.into_iter().map(Into::into).collect(),
        count: hits.len(),
    })
}

/// A file or call that a condition is about.
struct Hit<'a> {
    step_id: &'a str,
    what: &'a str,
}

/// What the condition applies to, or `None` when it does not hold.
fn applies<'a>(
    condition: &Condition,
    plan: &PlanView<'a>,
) -> Result<Option<Vec<Hit<'a>>>, GlobFault> {
    let Condition { paths, ops, tools, effects, min_risk, min_changed_lines, proposers, recipes } =
        condition;
    // Compiled first, so that a broken glob denies whatever the other conditions say.
    let globs = paths.as_deref().map(glob::compile_any_case).transpose()?;
    let proposer = plan.proposer.unwrap_or(ANONYMOUS);
    let about_the_plan = min_risk.is_none_or(|least| plan.risk.is_none_or(|risk| risk >= least))
        && min_changed_lines.is_none_or(|least| plan.totals.changed_lines >= least)
        && listed(proposers.as_deref(), |name| name == proposer)
        && listed(recipes.as_deref(), |recipe| plan.draft.recipe == Some(*recipe));
    if !about_the_plan {
        return Ok(None);
    }
    let mut hits = Vec::new();
    if globs.is_some() || ops.is_some() {
        hits.extend(plan.changes.iter().filter_map(|change| {
            let on_path = globs.as_ref().is_none_or(|globs| globs.is_match(change.path.as_str()));
            let hit =
                on_path && listed(ops.as_deref(), |op| is_operation(change, *op, plan.totals));
            hit.then_some(Hit { step_id: &change.step, what: change.path.as_str() })
        }));
        if hits.is_empty() {
            return Ok(None);
        }
    }
    if tools.is_some() || effects.is_some() {
        let before = hits.len();
        hits.extend(plan.draft.steps.iter().filter_map(|step| {
            let Action::Tool(call) = &step.action else { return None };
            let hit = listed(tools.as_deref(), |tool| *tool == call.name)
                && listed(effects.as_deref(), |effect| has_effect(&call.name, *effect));
            hit.then_some(Hit { step_id: &step.step_id, what: &call.name })
        }));
        if hits.len() == before {
            return Ok(None);
        }
    }
    Ok(Some(hits))
}

/// Whether some entry holds; a list that is not given always does.
fn listed<T>(list: Option<&[T]>, holds: impl Fn(&T) -> bool) -> bool {
    list.is_none_or(|list| list.iter().any(holds))
}

fn is_operation(change: &Change, op: Op, totals: &Totals) -> bool {
    match op {
        Op::Create => change.before.is_none(),
        Op::Modify => change.before.is_some() && change.after.is_some(),
        Op::Delete => change.after.is_none() || totals.emptied(change),
    }
}

/// A primitive that does not exist is taken to have every effect.
fn has_effect(tool: &str, effect: Effect) -> bool {
    registry::find(tool).is_none_or(|primitive| primitive.effect == effect)
}

impl RuleVerdict {
    /// Which rule it was, for messages.
    #[must_use]
    pub fn name(&self) -> String {
        let layer = self.layer.as_str();
        match &self.clause {
            Clause::Rule(number) => format!("rule {number} of the {layer} policy"),
            Clause::Policy { name, file, line } => {
                let name = shown(name.as_bytes());
                format!("policy `{name}` (line {line}) of the {layer} `{file}`")
            }
            Clause::Check { name } => format!("the check `{}`", shown(name.as_bytes())),
            Clause::Text { file } => format!("the {layer} `{file}`"),
        }
    }

    /// The finding of a rule that denies; `None` when a person decides.
    #[must_use]
    pub fn issue(&self) -> Option<Issue> {
        if self.then == Then::Ask {
            return None;
        }
        let what = self.matched.as_ref().map(|what| format!(" (`{what}`)")).unwrap_or_default();
        let message = format!("{} refuses the plan{what}: {}", self.name(), self.reason);
        let rule = match self.clause {
            Clause::Rule(_) | Clause::Check { .. } => "rule",
            Clause::Policy { .. } | Clause::Text { .. } => "cedar",
        };
        let mut issue = Issue::error(Code::PlanRuleDenied, rule, message)
            .help("leave this out of the plan, or let the owner of that policy change the rule");
        issue.step_id = self.steps.first().cloned();
        Some(issue)
    }
}
