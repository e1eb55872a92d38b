//! Whether a plan can be all or nothing although tools reach outside.

use alloc::string::String;
use alloc::vec::Vec;

use super::graph::Graph;
use crate::model::code::Code;
use crate::model::diagnostic::Issue;
use crate::model::plan::{Action, Draft};
use crate::model::registry;

/// An all-or-nothing plan has at most one step that cannot be taken back, as its end.
pub(super) fn atomic(draft: &Draft, graph: &Graph, issues: &mut Vec<Issue>) {
    let primitive = |step: usize| match &draft.steps.get(step)?.action {
        Action::Tool(call) => registry::find(&call.name),
        Action::File(_) => None,
    };
    let mut final_step: Option<usize> = None;
    for (index, step) in draft.steps.iter().enumerate() {
        let finding = |message: String| {
            Issue::error(Code::PlanNotAtomic, "atomic", message)
                .step(step.step_id.clone())
                .at(Draft::step_pointer(index))
                .help("give a tool that needs no file `\"dependencies\": []`, split the plan, or ask for `\"execution\": \"contract\"`")
        };
        let own = primitive(index);
        if own.is_some_and(|p| !p.reversible) {
            if let Some(first) = final_step.and_then(|first| draft.steps.get(first)) {
                issues.push(finding(format!(
                    "this step and `{}` both cannot be taken back",
                    first.step_id
                )));
            }
            final_step = final_step.or(Some(index));
        }
        for &need in graph.needs.get(index).into_iter().flatten() {
            let Some(needed) = draft.steps.get(need) else { continue };
            if primitive(need).is_some_and(|p| !p.reversible) {
                issues.push(finding(format!(
                    "the step waits for `{}`, which cannot be taken back",
                    needed.step_id
                )));
            }
            if own.is_some_and(|p| p.reversible) && matches!(needed.action, Action::File(_)) {
                issues.push(finding(format!(
                    "the tool waits for the file step `{}`, but files are committed after the tools have run",
                    needed.step_id
                )));
            }
        }
    }
}
