//! Whether results fit the plan they claim to be of.
//!
//! Rows may stand in any order: the contract fixes only that `__meta__` is last, and an
//! executor that runs branches side by side reports them as they end.
//!
//! A row that was taken back (`rolled_back`, `file_group_not_committed`) had satisfied
//! its dependents while they ran. It therefore counts as started, and as done for
//! those that depend on it; what became of them is theirs.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::contract::TaskStatus;
use super::findings::{Findings, quoted};
use super::outline::{OutlineStep, PlanOutline, Unrunnable};
use super::reason::Reason;
use super::rule::Rule;
use super::shape::{Meta, Row, State, Text};
use crate::model::plan::Execution;

/// Holds rows and summary against the plan.
pub(super) fn check(
    plan: &PlanOutline,
    rows: &[Row<'_>],
    meta: Option<&Meta<'_>>,
    findings: &mut Findings,
) {
    let found = pair(plan, rows, findings);
    let status = meta.and_then(|meta| TaskStatus::parse(meta.task_status?));
    match plan.order() {
        Err(fault) => {
            if let (Some(meta), Some(status)) = (meta, status) {
                unrunnable(fault, meta, status, findings);
            }
        }
        Ok(order) => {
            if let (Some(meta), Some(TaskStatus::Blocked)) = (meta, status) {
                let message = "nothing started, but the dependencies of the plan are sound";
                findings.add(Rule::PlanRunnable, meta.at.key("task_status"), None, message);
            } else {
                dependencies(plan, order, &found, findings);
                if let Some(meta) = meta {
                    blocked_steps(plan, order, &found, meta, findings);
                }
            }
            files(plan, &found, findings);
            if let (Some(Execution::Atomic), Some(meta), Some(status)) =
                (plan.execution(), meta, status)
            {
                atomic(plan, &found, meta, status, findings);
            }
        }
    }
}

/// The row of each step, by the step's place in the plan.
type Found<'r, 'a> = Vec<Option<&'r Row<'a>>>;

fn pair<'r, 'a>(plan: &PlanOutline, rows: &'r [Row<'a>], findings: &mut Findings) -> Found<'r, 'a> {
    let mut found: Found<'r, 'a> = vec![None; plan.steps().len()];
    for row in rows {
        let Some(id) = row.step_id else { continue };
        let place = plan.place(id);
        match place.and_then(|place| found.get_mut(place)) {
            Some(slot) => *slot = Some(row),
            None if id.is_empty() => {}
            None => {
                let message = format!("the plan has no step {}", quoted(id));
                findings.add(Rule::PlanStepUnknown, row.at.key("step_id"), Some(id), message);
            }
        }
        if let Some(step) = place.and_then(|place| plan.steps().get(place))
            && row.tool != Text::Unreadable
            && row.tool != planned(step)
        {
            let name = |tool| if let Text::Is(tool) = tool { quoted(tool) } else { "null".into() };
            let message =
                format!("the row says {}, the plan says {}", name(row.tool), name(planned(step)));
            findings.add(Rule::PlanTool, row.at.key("tool"), Some(id), message);
        }
    }
    for (step, row) in plan.steps().iter().zip(&found) {
        if row.is_none() {
            let message = format!("the step {} has no row", quoted(&step.step_id));
            let at = crate::text::pointer::Pointer::root();
            findings.add(Rule::PlanStepMissing, at, Some(&step.step_id), message);
        }
    }
    found
}

fn planned(step: &OutlineStep) -> Text<'_> {
    step.tool.as_deref().map_or(Text::Null, Text::Is)
}

fn unrunnable(fault: &Unrunnable, meta: &Meta<'_>, status: TaskStatus, findings: &mut Findings) {
    if status != TaskStatus::Blocked {
        let why = match fault {
            Unrunnable::UnknownDependency { step_id, dependency } => {
                format!("{} depends on {}, which is no step", quoted(step_id), quoted(dependency))
            }
            Unrunnable::Cycle { step_id } => format!("{} waits for itself", quoted(step_id)),
        };
        let message = format!("the status is {}, but {why}", status.as_str());
        findings.add(Rule::PlanUnrunnable, meta.at.key("task_status"), None, message);
    }
}

/// Whether the step had worked and was taken back.
fn withdrawn(row: &Row<'_>) -> bool {
    match row.state() {
        Some(State::Failed) => row.has_reason(Reason::RolledBack),
        Some(State::Skipped) => row.has_reason(Reason::FileGroupNotCommitted),
        _ => false,
    }
}

/// A step that started had all it depends on.
fn dependencies(
    plan: &PlanOutline,
    order: &[usize],
    found: &Found<'_, '_>,
    findings: &mut Findings,
) {
    let row_at = |place: usize| found.get(place).copied().flatten();
    for place in order {
        let Some(row) = row_at(*place) else { continue };
        let started = match row.state() {
            Some(State::Skipped) => withdrawn(row),
            Some(State::Ok | State::Failed) => true,
            None => false,
        };
        if !started {
            continue;
        }
        for dependency in plan.links(*place) {
            let Some(needed) = row_at(*dependency) else { continue };
            let unmet = match needed.state() {
                Some(State::Failed | State::Skipped) => !withdrawn(needed),
                Some(State::Ok) | None => false,
            };
            if unmet {
                let message = format!(
                    "{} started although {}, which it depends on, was not done",
                    quoted(row.step_id.unwrap_or_default()),
                    quoted(needed.step_id.unwrap_or_default())
                );
                findings.add(Rule::PlanDependency, row.at.clone(), row.step_id, message);
            }
        }
    }
}

/// Skipped because of a failure: blocked. Skipped for any other cause: not.
fn blocked_steps(
    plan: &PlanOutline,
    order: &[usize],
    found: &Found<'_, '_>,
    meta: &Meta<'_>,
    findings: &mut Findings,
) {
    let Some(said) = &meta.blocked_steps else { return };
    let states: Option<Vec<State>> = found.iter().map(|row| (*row)?.state()).collect();
    // With a step missing or unreadable, what is blocked cannot be told.
    let Some(states) = states else { return };
    let said: BTreeSet<usize> = said.iter().filter_map(|id| plan.place(id)).collect();
    let mut blocked = BTreeSet::new();
    for place in order {
        let Some(row) = found.get(*place).copied().flatten() else { continue };
        if row.state() != Some(State::Skipped) {
            continue;
        }
        let cause = plan.links(*place).iter().find(|dependency| {
            states.get(**dependency) == Some(&State::Failed) || blocked.contains(*dependency)
        });
        if cause.is_some() && !withdrawn(row) {
            blocked.insert(*place);
        }
        if blocked.contains(place) != said.contains(place) {
            let step = quoted(row.step_id.unwrap_or_default());
            let message = if said.contains(place) {
                format!("{step} is listed, but nothing it depends on failed")
            } else {
                format!("{step} waits for a step that failed and is not listed")
            };
            findings.add(Rule::PlanBlocked, meta.at.key("blocked_steps"), row.step_id, message);
        }
    }
}

/// File steps go in together, and the word for being held back means just that.
fn files(plan: &PlanOutline, found: &Found<'_, '_>, findings: &mut Findings) {
    let steps = || plan.steps().iter().zip(found).filter_map(|(step, row)| Some((step, (*row)?)));
    let files: Vec<&Row<'_>> =
        steps().filter(|(step, _)| step.tool.is_none()).map(|(_, row)| row).collect();
    let held_back = |row: &Row<'_>| row.has_reason(Reason::FileGroupNotCommitted);
    let done = files.iter().find(|row| row.state() == Some(State::Ok));
    let undone =
        files.iter().find(|row| matches!(row.state(), Some(State::Failed | State::Skipped)));
    if let (Some(done), Some(undone)) = (done, undone) {
        let message = format!(
            "the file step {} is ok although the file step {} is not",
            quoted(done.step_id.unwrap_or_default()),
            quoted(undone.step_id.unwrap_or_default())
        );
        findings.add(Rule::PlanFiles, done.at.clone(), done.step_id, message);
    }
    let cause = files
        .iter()
        .any(|row| matches!(row.state(), Some(State::Failed | State::Skipped)) && !held_back(row));
    for (step, row) in steps().filter(|(_, row)| held_back(row)) {
        let wrong = if step.tool.is_some() {
            "is not a file step"
        } else if plan.execution() == Some(Execution::Atomic) {
            "belongs to an atomic plan"
        } else if !cause {
            "is held back by no other file step"
        } else {
            continue;
        };
        let message = format!("{} {wrong}", quoted(&step.step_id));
        findings.add(Rule::PlanFileGroup, row.at.key("reason"), row.step_id, message);
    }
}

/// All of it or none of it.
fn atomic(
    plan: &PlanOutline,
    found: &Found<'_, '_>,
    meta: &Meta<'_>,
    status: TaskStatus,
    findings: &mut Findings,
) {
    if status == TaskStatus::Partial {
        let message = "the plan is atomic and the run did a part of it";
        findings.add(Rule::AtomicPartial, meta.at.key("task_status"), None, message);
    }
    let unknown = found.iter().flatten().any(|row| row.has_reason(Reason::OutcomeUnknown));
    if status != TaskStatus::Failed || unknown {
        return;
    }
    for (step, row) in plan.steps().iter().zip(found) {
        if let Some(row) = row
            && step.tool.is_none()
            && row.state() == Some(State::Ok)
        {
            let message =
                format!("the run failed and the file step {} was kept", quoted(&step.step_id));
            findings.add(Rule::AtomicKept, row.at.key("ok"), row.step_id, message);
        }
    }
}
