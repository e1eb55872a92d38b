//! From the outcomes of steps to the result list of a run.

use exacta_core::model::plan::Execution;
use exacta_core::read::parse::json;
use exacta_core::results::{
    self, Outcome, OutlineFault, OutlineStep, PlanOutline, RecordFault, ResultList, Results,
};

use super::graph::{StepAction, ToolGraph};
use super::outcome::StepOutcome;
use super::runner::ToolRun;

/// Why there is no result list. All of these are faults of ours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResultsFault {
    /// The steps have ids that make rows ambiguous.
    #[error(transparent)]
    Outline(#[from] OutlineFault),
    /// The outcomes cannot all be true.
    #[error(transparent)]
    Record(#[from] RecordFault),
    /// The list breaks the contract.
    #[error("the result list breaks the contract: {0}")]
    Broken(String),
}

/// The outline of a graph, with how it is run.
///
/// # Errors
/// When ids make rows ambiguous.
pub fn outline(graph: &ToolGraph) -> Result<PlanOutline, OutlineFault> {
    let steps = graph.steps.iter().map(|step| OutlineStep {
        step_id: step.step_id.as_str().into(),
        tool: match &step.action {
            StepAction::Tool { name, .. } => Some(name.clone()),
            StepAction::File => None,
        },
        dependencies: step.dependencies.iter().map(|id| id.as_str().into()).collect(),
    });
    Ok(PlanOutline::new(steps.collect())?.with_execution(graph.execution))
}

/// The result list of a run, held against the contract before it is given out. File steps
/// of the run count as its outcomes say: what a commit did with them is the caller's to
/// put in first.
///
/// # Errors
/// When outcomes contradict each other or the list breaks the contract.
pub fn result_list(
    outline: &PlanOutline,
    execution: Execution,
    run: &ToolRun,
) -> Result<Results, ResultsFault> {
    let mut list = ResultList::new(outline, execution);
    for at in outline.order().unwrap_or_default() {
        let Some(end) = run.steps.get(*at) else { continue };
        let outcome = match &end.outcome {
            StepOutcome::Ok { output } => {
                Outcome::Done { output: json::read(&output.to_string()).ok() }
            }
            StepOutcome::RolledBack => Outcome::Done { output: None },
            StepOutcome::Failed { code, message } => {
                Outcome::Failed { error: format!("{code}: {message}") }
            }
            StepOutcome::OutcomeUnknown { message } => {
                Outcome::Unknown { error: Some(message.clone()) }
            }
            StepOutcome::Declined { .. } => Outcome::Declined,
            StepOutcome::Suppressed { .. } => Outcome::Suppressed,
            StepOutcome::Cancelled => Outcome::Cancelled,
            StepOutcome::Skipped { .. } | StepOutcome::Waiting | StepOutcome::Held => continue,
        };
        list.record(&end.step_id, outcome)?;
    }
    // What went back was there while later steps had their turn.
    for end in run.steps.iter().filter(|end| end.outcome == StepOutcome::RolledBack) {
        list.roll_back(&end.step_id)?;
    }
    let finished = list.finish();
    let text =
        serde_json::to_vec(&finished).map_err(|error| ResultsFault::Broken(error.to_string()))?;
    match results::check(&text, Some(outline)).into_iter().next() {
        None => Ok(finished),
        Some(issue) => Err(ResultsFault::Broken(format!("{}: {}", issue.rule, issue.message))),
    }
}
