//! The steps in the order they run, told by what they do and not by what they are called.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::words::json;
use super::{Sheet, titled};
use crate::model::change::Change;
use crate::model::plan::{Action, Draft, Execution, Step, ToolCall};
use crate::model::registry::{self, Effect};
use crate::read::validate::{self, Graph};
use crate::review::compose::Work;
use crate::review::model::{Part, PartKind, ReviewedStep};
use crate::review::row::{Role, Row};

/// The steps as data, and the part that shows them.
pub(in crate::review) fn steps(work: &mut Work<'_>) -> (Vec<ReviewedStep>, Part) {
    let draft = work.subject.draft;
    let graph = validate::graph(draft, &mut Vec::new());
    let manner = match draft.execution {
        Execution::Atomic => "what is approved happens whole or not at all",
        Execution::Contract => "independent branches go on after a failure",
    };
    let count = draft.steps.len();
    // A draft with a cycle has no order; its steps are shown as they stand.
    let complete = graph.order.len() == count;
    let order = if complete { graph.order.clone() } else { (0..count).collect() };
    let mut places = vec![0; count];
    for (place, index) in order.iter().enumerate() {
        places.get_mut(*index).into_iter().for_each(|at| *at = place);
    }
    let mut changes: BTreeMap<&str, Vec<&Change>> = BTreeMap::new();
    for change in work.subject.changes {
        changes.entry(&change.step).or_default().push(change);
    }
    let mut list = Vec::new();
    let part = titled(PartKind::Steps, format!("Steps ({count}; {manner})"), |sheet| {
        for index in order {
            let Some(step) = draft.steps.get(index) else { continue };
            sheet.row(head(step, &named(draft, &graph, index)));
            let of_step = changes.get(step.step_id.as_str()).map(Vec::as_slice).unwrap_or_default();
            let effects: Vec<Row> = match &step.action {
                Action::Tool(call) => {
                    tool(call, sheet);
                    vec![Row::content(0).say("call ").show(Role::Plain, call.name.as_bytes())]
                }
                Action::File(_) => {
                    let mut rows: Vec<Row> = Vec::new();
                    for one in of_step {
                        let other = |half: &&Change| is_rename(half, one) || is_rename(one, half);
                        match of_step.iter().copied().find(other) {
                            // Both halves of a rename are one thing that happens.
                            Some(new) if one.after.is_none() => {
                                rows.push(rename(work, one, new, Row::content(0)));
                            }
                            Some(_) => {}
                            None => rows.push(effect(work, one, Row::content(0))),
                        }
                    }
                    sheet.rows(rows.iter().map(|row| Row { indent: 6, ..row.clone() }));
                    if rows.is_empty() {
                        sheet.row(Row::prose(6).say("no effect is known"));
                    }
                    rows
                }
            };
            let needs = graph.needs.get(index).map(Vec::as_slice).unwrap_or_default();
            list.push(ReviewedStep {
                id: step.step_id.clone(),
                needs: needs.iter().filter_map(|need| places.get(*need).copied()).collect(),
                paths: of_step.iter().map(|change| change.path.clone()).collect(),
                effects,
            });
        }
    });
    (list, part)
}

/// The steps that a step needs.
pub(super) fn named<'d>(draft: &'d Draft, graph: &Graph, index: usize) -> Vec<&'d str> {
    let needs = graph.needs.get(index).map(Vec::as_slice).unwrap_or_default();
    let needs = needs.iter().filter_map(|need| draft.steps.get(*need));
    needs.map(|step| step.step_id.as_str()).collect()
}

/// The step's id and what it needs.
pub(super) fn head(step: &Step, needs: &[&str]) -> Row {
    let mut row = Row::prose(2).show(Role::Strong, step.step_id.as_bytes());
    for (at, need) in needs.iter().enumerate() {
        row = row.with(Role::Quiet, if at == 0 { "  needs " } else { ", " });
        row = row.show(Role::Quiet, need.as_bytes());
    }
    row
}

/// Whether these two changes are a file that goes and comes again under another name.
fn is_rename(old: &Change, new: &Change) -> bool {
    old.after.is_none() && new.before.is_none() && new.renamed_from.as_ref() == Some(&old.path)
}

/// Adds what a rename does.
pub(super) fn rename(work: &mut Work<'_>, old: &Change, new: &Change, row: Row) -> Row {
    let lines = work.lines(new);
    let row = row.with(Role::Warning, "rename").say(" ");
    let row = row.show(Role::Plain, old.path.as_str().as_bytes()).say(" ").with(Role::Becomes, "→");
    let row = row.say(" ").show(Role::Plain, new.path.as_str().as_bytes()).say("  ");
    let modes_of = Change { mode_before: old.mode_before, ..new.clone() };
    let counts = format!("  +{} -{}", lines.added, lines.removed);
    modes(&modes_of, row).with(Role::Quiet, counts)
}

/// Adds what one change does.
pub(super) fn effect(work: &mut Work<'_>, change: &Change, row: Row) -> Row {
    let (verb, role) = match (change.before, change.after) {
        (None, _) => ("create", Role::Good),
        (_, None) => ("delete", Role::Error),
        _ => ("modify", Role::Warning),
    };
    let lines = work.lines(change);
    let row = row.with(role, verb).say(" ").show(Role::Plain, change.path.as_str().as_bytes());
    let row = modes(change, row.say("  "));
    let other = match (&change.renamed_from, work.subject.renamed_to(change)) {
        (Some(from), _) => Some(("from", from)),
        (None, to) => to.map(|to| ("to", to)),
    };
    // The lines of a file that goes on under another name are counted there.
    let row = if matches!(other, Some(("to", _))) {
        row
    } else {
        row.say("  ").with(Role::Quiet, format!("+{} -{}", lines.added, lines.removed))
    };
    let Some((direction, name)) = other else { return row };
    let row = row.with(Role::Quiet, format!("  renamed {direction} "));
    row.show(Role::Quiet, name.as_str().as_bytes())
}

/// Adds the permission bits; both where they change.
fn modes(change: &Change, row: Row) -> Row {
    match (change.mode_before, change.mode_after) {
        (Some(was), Some(becomes)) if was != becomes => {
            let row = row.with(Role::Warning, format!("mode {was} ")).with(Role::Becomes, "→");
            row.with(Role::Warning, format!(" {becomes}"))
        }
        (_, Some(mode)) | (Some(mode), None) => row.say(format!("{mode}")),
        (None, None) => row,
    }
}

/// Adds what a tool step calls.
pub(super) fn tool(call: &ToolCall, sheet: &mut Sheet) {
    let effect = match registry::find(&call.name).map(|primitive| primitive.effect) {
        Some(Effect::Read) => "only reads",
        Some(Effect::DraftWrite) => "writes something that can be taken back",
        Some(Effect::BulkWrite) => "writes many things",
        Some(Effect::Publish) => "publishes",
        Some(Effect::Send) => "sends",
        None => "unknown tool",
    };
    let row = Row::prose(6).with(Role::Warning, "call").say(" ");
    sheet.row(row.show(Role::Plain, call.name.as_bytes()).say(format!("  ({effect})")));
    json(&call.args, &Row::content(8), sheet);
}
