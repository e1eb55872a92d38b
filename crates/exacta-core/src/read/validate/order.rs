//! `order`: all or none, 1 to N, and in agreement with the dependencies.

use alloc::vec::Vec;

use super::graph::Graph;
use crate::model::code::Code;
use crate::model::diagnostic::Issue;
use crate::model::plan::Draft;

/// Checks `order` against itself and against the graph. It adds no edges.
pub fn order(draft: &Draft, graph: &Graph, derived: bool, issues: &mut Vec<Issue>) {
    let steps = &draft.steps;
    if derived || steps.iter().all(|step| step.order.is_none()) {
        return;
    }
    let count = steps.len();
    let mut taken: Vec<Option<usize>> = vec![None; count];
    let mut whole = true;
    for (index, step) in steps.iter().enumerate() {
        let finding = |message| {
            Issue::error(Code::PlanOrderInvalid, "order", message)
                .step(step.step_id.clone())
                .at(Draft::step_pointer(index).key("order"))
                .help(format!(
                    "number every step from 1 to {count}, or leave `order` out everywhere"
                ))
        };
        let Some(number) = step.order else {
            issues.push(finding("the step has no `order`, but others have".into()));
            whole = false;
            continue;
        };
        let slot = usize::try_from(number)
            .ok()
            .and_then(|n| n.checked_sub(1))
            .and_then(|n| taken.get_mut(n));
        match slot {
            None => {
                issues.push(finding(format!("`order` {number} is not between 1 and {count}")));
                whole = false;
            }
            Some(Some(first)) => {
                let message = format!("`order` {number} is used again; step {} has it", *first + 1);
                issues.push(finding(message));
                whole = false;
            }
            Some(free) => *free = Some(index),
        }
    }
    if whole {
        against_dependencies(draft, graph, issues);
    }
}

fn against_dependencies(draft: &Draft, graph: &Graph, issues: &mut Vec<Issue>) {
    let steps = &draft.steps;
    for (index, step) in steps.iter().enumerate() {
        for need in graph.needs.get(index).into_iter().flatten().filter_map(|need| steps.get(*need))
        {
            if need.order >= step.order {
                issues.push(
                    Issue::error(
                        Code::PlanOrderInvalid,
                        "order",
                        format!("the step comes before `{}`, which it depends on", need.step_id),
                    )
                    .step(step.step_id.clone())
                    .at(Draft::step_pointer(index).key("order"))
                    .help("give dependencies a smaller `order`, or leave `order` out everywhere"),
                );
            }
        }
    }
}
