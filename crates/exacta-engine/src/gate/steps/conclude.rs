//! How a run with tool steps ends: its result list, checked before it is sealed, and its state.

use std::collections::BTreeSet;

use exacta_core::life::ledger::RunState;
use exacta_core::model::id::StepId;
use exacta_core::model::plan::{Action, Execution};
use exacta_core::model::registry::Effect;
use exacta_core::record::Event;
use exacta_core::results::{PlanOutline, Results, TaskStatus};
use serde_json::Value;

use super::graph::{StepRun, primitive};
use crate::checks;
use crate::gate::command::Caller;
use crate::gate::error::GateError;
use crate::gate::handle::Gate;
use crate::gate::results::RunOf;
use crate::gate::run::{Ran, RunReceipt};
use crate::run::Receipt;
use crate::tools::{SkipCause, StepAction, StepEnd, StepOutcome, ToolGraph, ToolRun, result_list};

/// What became of the files of a run.
pub(super) enum Files {
    /// It has none.
    None,
    /// They are in place.
    InPlace,
    /// They are as they were before.
    Back {
        /// Why, when it was not a step.
        why: Option<String>,
    },
}

/// A run that is over and not yet sealed.
pub(super) struct Closing {
    pub(super) tools: ToolRun,
    pub(super) files: Files,
    pub(super) receipt: Option<Receipt>,
    pub(super) checks: Vec<checks::Outcome>,
    pub(super) conflicts: Vec<String>,
    /// What goes on the record right before the result list.
    pub(super) before: Vec<Event>,
    /// Whether the end is on the record.
    pub(super) sealed: bool,
}

impl Closing {
    pub(super) fn of(tools: ToolRun, files: Files) -> Self {
        Self {
            tools,
            files,
            receipt: None,
            checks: Vec::new(),
            conflicts: Vec::new(),
            before: Vec::new(),
            sealed: false,
        }
    }
}

/// The outcomes that the record has, and the rest never had its turn.
pub(super) fn as_recorded(graph: &ToolGraph, files_in_place: bool) -> ToolRun {
    let of_files = |id: &StepId| {
        graph
            .steps
            .iter()
            .any(|step| &step.step_id == id && matches!(step.action, StepAction::File))
    };
    // What depends on files has its turn only after they were put in place.
    let went_back = graph
        .steps
        .iter()
        .any(|step| step.known.ended.is_some() && step.dependencies.iter().any(of_files));
    let steps = graph.steps.iter().map(|step| {
        let otherwise = match step.action {
            StepAction::File if files_in_place => StepOutcome::Ok { output: Value::Null },
            StepAction::File if went_back => StepOutcome::RolledBack,
            _ => StepOutcome::Skipped { because: SkipCause::RunEnded },
        };
        let outcome = step.known.ended.clone().unwrap_or(otherwise);
        StepEnd { step_id: step.step_id.clone(), outcome, left_behind: None }
    });
    ToolRun { steps: steps.collect(), spent: graph.spent }
}

impl Gate<'_> {
    /// A run that has not ended.
    pub(super) fn waiting(&self, run: &StepRun<'_>) -> Result<Ran, GateError> {
        let entry = self.run_entry(run.run_id)?;
        let asks = self.questions(&entry)?;
        Ok(Ran {
            run_id: run.run_id.clone(),
            plan_id: run.plan.id().clone(),
            state: RunState::Waiting,
            results: None,
            receipt: None,
            reason: None,
            conflicts: Vec::new(),
            checks: Vec::new(),
            asks,
            recovered: self.recovered(),
        })
    }

    /// Puts the end of a run on the record.
    pub(super) fn conclude_steps(
        &self,
        caller: &Caller<'_>,
        run: &StepRun<'_>,
        closing: Closing,
    ) -> Result<Ran, GateError> {
        let Closing { tools, files, receipt, checks, conflicts, before, sealed } = closing;
        let tools = settled(run, tools, &files)?;
        let (results, state) = results_of_steps(run, &tools, &files)?;
        let stopped = match &files {
            Files::Back { why: Some(why) } => Some(why.clone()),
            _ => None,
        };
        let reason = stopped.or_else(|| why_of_steps(&tools, state, &conflicts));
        if !sealed {
            let kept = reason.as_deref().map(|why| self.reason_kept(why, &checks));
            let of = RunOf { plan_id: run.plan.id(), run_id: run.run_id };
            let (actor, back) = (caller.actor.clone(), state == RunState::RolledBack);
            self.put_results_after(actor, of, &results, kept, before, back)?;
        }
        Ok(Ran {
            run_id: run.run_id.clone(),
            plan_id: run.plan.id().clone(),
            state,
            results: Some(results),
            receipt: receipt.map(|receipt| RunReceipt::of(receipt, run.plan.created.plan_hash)),
            reason,
            conflicts,
            checks,
            asks: Vec::new(),
            recovered: self.recovered(),
        })
    }
}

/// The result list of outcomes, held against the contract, and the state that follows.
pub(super) fn results_of_steps(
    run: &StepRun<'_>,
    tools: &ToolRun,
    files: &Files,
) -> Result<(Results, RunState), GateError> {
    let results = result_list(&run.outline()?, run.draft.execution, tools).map_err(|error| {
        GateError::Differs {
            plan_id: run.plan.id().clone(),
            what: "the result list".into(),
            how: error.to_string(),
        }
    })?;
    let state = state_of(run, results.meta().task_status(), tools, files);
    Ok((results, state))
}

/// The first thing that went wrong, in words.
pub(super) fn why_of_steps(
    tools: &ToolRun,
    state: RunState,
    conflicts: &[String],
) -> Option<String> {
    if state == RunState::Completed {
        return None;
    }
    let wrong = tools.steps.iter().find_map(|step| {
        let id = &step.step_id;
        match &step.outcome {
            StepOutcome::Failed { code, message } => {
                Some(format!("`{id}` failed: {code}: {message}"))
            }
            StepOutcome::OutcomeUnknown { message } => {
                Some(format!("whether `{id}` happened is not known: {message}"))
            }
            StepOutcome::Declined { reason } if reason.is_empty() => {
                Some(format!("`{id}` was declined"))
            }
            StepOutcome::Declined { reason } => Some(format!("`{id}` was declined: {reason}")),
            StepOutcome::Suppressed { reason } => Some(format!("`{id}` is held back: {reason}")),
            StepOutcome::Cancelled => Some(format!("the run was stopped at `{id}`")),
            _ => None,
        }
    });
    let left = tools.steps.iter().filter_map(|step| {
        let why = step.left_behind.as_ref()?;
        Some(format!("what `{}` did could not be taken back: {why}", step.step_id))
    });
    let all: Vec<String> = wrong.into_iter().chain(left).chain(conflicts.iter().cloned()).collect();
    Some(if all.is_empty() { "the run was stopped".into() } else { all.join("; ") })
}

/// The outcomes with what became of the files.
pub(super) fn settled(
    run: &StepRun<'_>,
    mut tools: ToolRun,
    files: &Files,
) -> Result<ToolRun, GateError> {
    stage_what_others_saw(run, &run.outline()?, &mut tools, files);
    let Files::Back { why } = files else { return Ok(tools) };
    let mut first = true;
    for (step, end) in run.draft.steps.iter().zip(&mut tools.steps) {
        if !matches!(step.action, Action::File(_)) || !end.outcome.is_ok() {
            continue;
        }
        match (run.draft.execution, why) {
            (Execution::Atomic, _) => end.outcome = StepOutcome::RolledBack,
            // Of a group that is not committed one file speaks for all.
            (Execution::Contract, Some(why)) if first => {
                let (code, message) = ("FILES_NOT_COMMITTED".to_owned(), why.clone());
                end.outcome = StepOutcome::Failed { code, message };
            }
            (Execution::Contract, Some(_)) => {
                end.outcome = StepOutcome::Skipped { because: SkipCause::RunEnded };
            }
            (Execution::Contract, None) => {}
        }
        first = false;
    }
    Ok(tools)
}

/// A runner that stops at once says nothing of file steps. Those in place are done, and so were
/// those that a step with a turn of its own depends on.
fn stage_what_others_saw(
    run: &StepRun<'_>,
    outline: &PlanOutline,
    tools: &mut ToolRun,
    files: &Files,
) {
    let had_turn = |outcome: &StepOutcome| {
        outcome.is_final() && !matches!(outcome, StepOutcome::Skipped { .. })
    };
    let needed: BTreeSet<&str> = tools
        .steps
        .iter()
        .zip(outline.steps())
        .filter(|(end, _)| had_turn(&end.outcome))
        .flat_map(|(_, step)| step.dependencies.iter().map(String::as_str))
        .collect();
    let silent =
        |outcome: &StepOutcome| matches!(outcome, StepOutcome::Skipped { .. } | StepOutcome::Held);
    for (step, end) in run.draft.steps.iter().zip(&mut tools.steps) {
        let seen = matches!(files, Files::InPlace) || needed.contains(step.step_id.as_str());
        if matches!(step.action, Action::File(_)) && silent(&end.outcome) && seen {
            end.outcome = StepOutcome::Ok { output: Value::Null };
        }
    }
}

fn state_of(run: &StepRun<'_>, status: TaskStatus, tools: &ToolRun, files: &Files) -> RunState {
    let lost = |end: &StepEnd| matches!(end.outcome, StepOutcome::OutcomeUnknown { .. });
    match status {
        TaskStatus::Completed => RunState::Completed,
        TaskStatus::Partial => RunState::Partial,
        TaskStatus::Blocked => RunState::Blocked,
        TaskStatus::Failed if tools.steps.iter().any(lost) => RunState::Unknown,
        TaskStatus::Failed if run.draft.execution == Execution::Contract => RunState::Failed,
        TaskStatus::Failed => {
            let stays = tools.steps.iter().enumerate().any(|(at, end)| {
                let acts = primitive(run.draft, at).is_some_and(|tool| tool.effect != Effect::Read);
                end.left_behind.is_some() || (acts && end.outcome.is_ok())
            });
            let in_place = matches!(files, Files::InPlace);
            if stays || in_place { RunState::Failed } else { RunState::RolledBack }
        }
    }
}
