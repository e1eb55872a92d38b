//! Counts that the estimate reads: whole numbers, so that none slips past a cap.

use alloc::vec::Vec;

use super::findings::Findings;
use super::reach::args_pointer;
use crate::model::code::Code;
use crate::model::diagnostic::Issue;
use crate::model::plan::{Draft, Step, ToolCall};
use crate::read::parse::json::Json;
use crate::text::pointer::Pointer;

/// Checks the counts among the arguments of a step.
pub(super) fn of_step(index: usize, step: &Step, call: &ToolCall, findings: &mut Findings<'_>) {
    for (name, list) in
        [("calls", false), ("max_calls", false), ("pages", true), ("max_pages", true)]
    {
        if call.args.get(name).is_some_and(|value| !counts(value, list)) {
            findings.add(|| refused(name, list, &args_pointer(index)).step(step.step_id.clone()));
        }
    }
}

/// Checks the count among the inputs.
pub(super) fn of_inputs(draft: &Draft, issues: &mut Vec<Issue>) {
    if draft.inputs.get("pages").is_some_and(|value| !counts(value, true)) {
        issues.push(refused("pages", true, &Pointer::root().key("inputs")));
    }
}

fn counts(value: &Json, list: bool) -> bool {
    match value {
        Json::Int(count) => *count >= 0,
        Json::Arr(_) => list,
        _ => false,
    }
}

fn refused(name: &str, list: bool, around: &Pointer) -> Issue {
    let expected = if list { "a whole number from 0 or an array" } else { "a whole number from 0" };
    Issue::error(Code::PlanSchemaInvalid, "tool_args", format!("`{name}` must be {expected}"))
        .at(around.key(name))
        .help(format!("write {expected}, or leave `{name}` out"))
}
