//! What the guard says about tool steps, as findings: before a plan is made, and before a run of
//! it spends anything.

use exacta_core::judge::examine::Examined;
use exacta_core::judge::policy::Policy;
use exacta_core::model::code::Code;
use exacta_core::model::diagnostic::Issue;
use exacta_core::model::plan::{Action, Draft};

use super::carry::calls_tools;
use super::graph::{StepRun, graph_to_check};
use crate::gate::error::GateError;
use crate::gate::handle::Gate;
use crate::project::StartTools;
use crate::tools::GuardFinding;

/// Adds what the guard says about the arguments of tool steps to what was found out about a
/// draft. Whether a tool is installed is looked at when the plan is run.
///
/// # Errors
/// When the tools cannot be set up: what was not looked at is not sound.
pub fn guard_arguments(
    examined: &mut Examined,
    policy: &Policy,
    start: &StartTools,
) -> Result<(), GateError> {
    if !examined.is_sound() || calls_tools(examined.draft()).is_none() {
        return Ok(());
    }
    let runner = start().map_err(GateError::Tools)?;
    let graph = graph_to_check(examined.draft(), policy, runner.as_ref())?;
    let findings = runner.check(&graph).into_iter();
    let wrong: Vec<Issue> = findings
        .filter(|finding| finding.code == "ARGS_INVALID")
        .map(|finding| issue(examined.draft(), &finding))
        .collect();
    examined.add(wrong);
    Ok(())
}

impl Gate<'_> {
    /// Holds every tool step against the guard before anything is spent.
    pub(in crate::gate) fn guarded(&self, run: &StepRun<'_>) -> Result<(), GateError> {
        let findings = run.runner.check(&self.graph(run, &[])?);
        if let Some(missing) = findings.iter().find(|finding| finding.code == "TOOL_NOT_FOUND") {
            let step = run.draft.steps.iter().find(|step| missing.step_id == step.step_id.as_str());
            let name = step.and_then(|step| match &step.action {
                Action::Tool(call) => Some(call.name.clone()),
                Action::File(_) => None,
            });
            return Err(GateError::ToolSteps(name.unwrap_or_default()));
        }
        if findings.is_empty() {
            return Ok(());
        }
        Err(GateError::Invalid(findings.iter().map(|finding| issue(run.draft, finding)).collect()))
    }

    /// The same as [`guard_arguments`], with this project's tools; without any there is nothing
    /// to ask.
    pub(in crate::gate) fn guard_findings(
        &self,
        examined: &mut Examined,
        policy: &Policy,
    ) -> Result<(), GateError> {
        self.ports.tools.map_or(Ok(()), |start| guard_arguments(examined, policy, start))
    }
}

/// A finding of the guard as every other finding is told.
fn issue(draft: &Draft, finding: &GuardFinding) -> Issue {
    let (code, rule) = match finding.code.as_str() {
        "ARGS_INVALID" => (Code::PlanSchemaInvalid, "tool_args"),
        "TOOL_NOT_FOUND" => (Code::PlanInvalidTool, "tool_installed"),
        "EFFECT_EXCEEDED" => (Code::PlanToolNotAllowed, "tool_effect"),
        _ => (Code::PlanToolNotAllowed, "tool_allowed"),
    };
    let place = draft.steps.iter().position(|step| finding.step_id == step.step_id.as_str());
    let mut at = Draft::step_pointer(place.unwrap_or_default());
    if finding.code == "ARGS_INVALID" {
        at = at.key("tool").key("args");
        for part in finding.pointer.split('/').skip(1) {
            at = at.key(&part.replace("~1", "/").replace("~0", "~"));
        }
    }
    Issue::error(code, rule, finding.message.clone())
        .step(finding.step_id.as_str())
        .at(at)
        .help("`exacta schema` and the page of the tool say what it takes")
}
