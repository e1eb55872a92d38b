//! What there is to do: the steps of a plan as the runner takes them, with all that the record
//! says of each.

use std::collections::BTreeSet;

use exacta_core::judge::policy::Policy;
use exacta_core::life::ledger::{PlanEntry, RunEntry, StepEntry};
use exacta_core::model::id::{RunId, StepId};
use exacta_core::model::plan::{Action, Draft, Effective, Execution, Plan};
use exacta_core::model::registry::{self, Effect};
use exacta_core::record::{StepEnd, StepSpend};
use exacta_core::results::PlanOutline;
use serde_json::Value;

use crate::gate::error::GateError;
use crate::gate::handle::Gate;
use crate::machine::time_text;
use crate::tools::{
    Known, StepAction, StepDecision, StepOutcome, ToolCaps, ToolGraph, ToolRunner, ToolStep,
};

/// The most steps that run side by side.
const PARALLEL: usize = 4;
/// A step that takes longer has failed.
const STEP_TIMEOUT_MS: u64 = 120_000;

/// A run of tool steps and what it is made of.
#[derive(Clone, Copy)]
pub(in crate::gate) struct StepRun<'r> {
    pub(in crate::gate) plan: &'r PlanEntry,
    pub(in crate::gate) run_id: &'r RunId,
    pub(in crate::gate) draft: &'r Draft,
    /// The plan with its images, when it has files to commit.
    pub(in crate::gate) sound: Option<&'r Plan>,
    /// The constraints in force, which may name checks.
    pub(in crate::gate) constraints: &'r [Effective],
    pub(in crate::gate) intent: Option<&'r str>,
    pub(in crate::gate) policy: &'r Policy,
    pub(in crate::gate) runner: &'r dyn ToolRunner,
}

/// What stands in a plan about one step.
pub(super) fn primitive(draft: &Draft, at: usize) -> Option<&'static registry::Primitive> {
    match &draft.steps.get(at)?.action {
        Action::Tool(call) => registry::find(&call.name),
        Action::File(_) => None,
    }
}

impl StepRun<'_> {
    /// The outline of the plan, with how it is run.
    pub(super) fn outline(&self) -> Result<PlanOutline, GateError> {
        outline(self.plan, self.draft)
    }

    /// The places of the steps that wait until files are committed: in an atomic run the one
    /// that cannot be taken back, in a contract run every tool that comes after a file step.
    pub(super) fn after_files(&self, outline: &PlanOutline) -> Vec<usize> {
        let is_file = |at: usize| {
            self.draft.steps.get(at).is_some_and(|step| matches!(step.action, Action::File(_)))
        };
        if self.draft.execution == Execution::Atomic {
            let last = |at: &usize| primitive(self.draft, *at).is_some_and(|tool| !tool.reversible);
            return (0..self.draft.steps.len()).filter(last).collect();
        }
        let place = |id: &str| outline.steps().iter().position(|step| step.step_id == id);
        let mut after = vec![false; outline.steps().len()];
        for at in outline.order().unwrap_or_default() {
            let needs = outline.steps().get(*at).map(|step| step.dependencies.as_slice());
            let mut needs = needs.unwrap_or_default().iter().filter_map(|id| place(id));
            let waits = needs.any(|need| is_file(need) || after.get(need) == Some(&true));
            if let Some(slot) = after.get_mut(*at) {
                *slot = waits && !is_file(*at);
            }
        }
        after.iter().enumerate().filter(|(_, after)| **after).map(|(at, _)| at).collect()
    }
}

pub(super) fn outline(plan: &PlanEntry, draft: &Draft) -> Result<PlanOutline, GateError> {
    let outline = PlanOutline::of(draft).map_err(|error| GateError::Differs {
        plan_id: plan.id().clone(),
        what: "the result list".into(),
        how: error.to_string(),
    })?;
    Ok(outline.with_execution(draft.execution))
}

/// The graph of a draft that nobody has run, to be held against the guard.
pub(super) fn graph_to_check(
    draft: &Draft,
    policy: &Policy,
    runner: &dyn ToolRunner,
) -> Result<ToolGraph, GateError> {
    let mut steps = Vec::with_capacity(draft.steps.len());
    for (at, step) in draft.steps.iter().enumerate() {
        steps.push(ToolStep {
            step_id: step.step_id.as_str().into(),
            dependencies: ids(step.dependencies.as_deref().unwrap_or_default()),
            action: action(draft, at)?,
            held: false,
            known: Known::default(),
        });
    }
    let skill = draft.skill_id.as_deref();
    Ok(ToolGraph {
        run_id: String::new(),
        plan_id: String::new(),
        execution: draft.execution,
        steps,
        usable: usable(runner, policy, skill),
        inputs: serde_json::to_value(&draft.inputs)?,
        intent: None,
        parallel: PARALLEL,
        caps: ToolCaps::of(&policy.caps_for(skill), policy.tools.daily_cost_micro_usd),
        spent: StepSpend::default().into(),
        spent_today: StepSpend::default().into(),
    })
}

fn usable(runner: &dyn ToolRunner, policy: &Policy, skill: Option<&str>) -> BTreeSet<String> {
    let tools = runner.tools().into_iter().map(|tool| tool.name);
    tools.filter(|name| policy.allows_primitive(name, skill)).collect()
}

/// What the step at a place does.
fn action(draft: &Draft, at: usize) -> Result<StepAction, GateError> {
    let Some(Action::Tool(call)) = draft.steps.get(at).map(|step| &step.action) else {
        return Ok(StepAction::File);
    };
    // A tool that nobody knows is taken for the worst.
    let effect = primitive(draft, at).map_or(Effect::Send, |tool| tool.effect);
    Ok(StepAction::Tool {
        name: call.name.clone(),
        args: serde_json::to_value(&call.args)?,
        effect,
        timeout_ms: STEP_TIMEOUT_MS,
        asks: effect >= Effect::BulkWrite,
    })
}

fn ids(names: &[String]) -> Vec<StepId> {
    names.iter().map(|name| name.as_str().into()).collect()
}

impl Gate<'_> {
    /// The graph of a run as the record has it now; the steps at `held` are not started.
    pub(in crate::gate) fn graph(
        &self,
        run: &StepRun<'_>,
        held: &[usize],
    ) -> Result<ToolGraph, GateError> {
        let outline = run.outline()?;
        let entry = self.log.ledger().run(run.run_id).cloned();
        let skill = run.draft.skill_id.as_deref();
        let mut steps = Vec::with_capacity(run.draft.steps.len());
        for (at, (step, outlined)) in run.draft.steps.iter().zip(outline.steps()).enumerate() {
            let said = entry.as_ref().and_then(|entry| entry.steps.get(step.step_id.as_str()));
            steps.push(ToolStep {
                step_id: step.step_id.as_str().into(),
                dependencies: ids(&outlined.dependencies),
                action: action(run.draft, at)?,
                held: held.contains(&at),
                known: said.map_or_else(|| Ok(Known::default()), |said| self.known(said))?,
            });
        }
        let usable = usable(run.runner, run.policy, skill);
        let day = run.policy.tools.daily_cost_micro_usd;
        let caps = ToolCaps::of(&run.policy.caps_for(skill), day);
        let spent = entry.as_ref().map_or_else(StepSpend::default, |entry| entry.spent);
        Ok(ToolGraph {
            run_id: run.run_id.to_string(),
            plan_id: run.plan.id().to_string(),
            execution: run.draft.execution,
            steps,
            usable,
            inputs: serde_json::to_value(&run.draft.inputs)?,
            intent: run.intent.map(ToOwned::to_owned),
            parallel: PARALLEL,
            caps,
            spent: spent.into(),
            spent_today: self.spent_today(entry.as_ref())?.into(),
        })
    }

    /// What other runs spent today.
    fn spent_today(&self, own: Option<&RunEntry>) -> Result<StepSpend, GateError> {
        let time = time_text(self.now()?.wall_ms);
        let today = time.split('T').next().unwrap_or_default();
        let all = self.log.ledger().spent_on(today);
        // A run of another day may have spent some of it then; it is not taken off.
        let own = own.filter(|run| run.time.starts_with(today)).map(|run| run.spent);
        let own = own.unwrap_or_default();
        Ok(StepSpend {
            calls: all.calls.saturating_sub(own.calls),
            pages: all.pages.saturating_sub(own.pages),
            micro_usd: all.micro_usd.saturating_sub(own.micro_usd),
        })
    }

    /// What the record says of a step.
    fn known(&self, step: &StepEntry) -> Result<Known, GateError> {
        let text = || self.text_of(step);
        let ended = match step.end {
            _ if step.unknown => Some(StepOutcome::OutcomeUnknown { message: text()? }),
            None | Some(StepEnd::Skipped | StepEnd::Compensated) => None,
            Some(StepEnd::Ok) => Some(StepOutcome::Ok { output: self.output_of(step)? }),
            Some(StepEnd::Failed) => Some(StepOutcome::Failed {
                code: step.reason.clone().unwrap_or_else(|| "NOT_HAPPENED".into()),
                message: text()?,
            }),
            Some(StepEnd::Declined) => Some(StepOutcome::Declined { reason: text()? }),
            Some(StepEnd::Suppressed) => Some(StepOutcome::Suppressed { reason: text()? }),
            Some(StepEnd::Cancelled) => Some(StepOutcome::Cancelled),
        };
        let decided = step.decided.map(|(arguments, approved)| {
            let decision = if approved {
                StepDecision::Approved
            } else {
                StepDecision::Declined { reason: step.reason.clone().unwrap_or_default() }
            };
            (decision, arguments.to_string())
        });
        Ok(Known {
            decided,
            started: (step.attempts > 0).then(|| step.idempotency_key.clone().unwrap_or_default()),
            ended,
            rolled_back: step.compensated,
        })
    }

    /// What a step that did what it promised put out.
    fn output_of(&self, step: &StepEntry) -> Result<Value, GateError> {
        match step.output {
            None => Ok(Value::Null),
            Some(digest) => Ok(serde_json::from_slice(self.objects.get(&digest)?.bytes())?),
        }
    }

    /// What is known of a step that did not.
    fn text_of(&self, step: &StepEntry) -> Result<String, GateError> {
        match step.output {
            None if step.end == Some(StepEnd::Failed) => {
                Ok("a person found that it did not happen".into())
            }
            None => Ok(String::new()),
            Some(digest) => {
                Ok(String::from_utf8_lossy(self.objects.get(&digest)?.bytes()).into_owned())
            }
        }
    }
}
