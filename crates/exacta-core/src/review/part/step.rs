//! One step by itself, for whoever chooses steps: what it needs, its title, what it does.

use alloc::vec::Vec;

use super::steps::{head, named, tool};
use super::{Sheet, changes, quote};
use crate::model::change::Change;
use crate::model::plan::Action;
use crate::read::validate;
use crate::review::compose::Work;
use crate::review::subject::Subject;

/// Everything about one step.
pub(in crate::review) fn step(work: &Work<'_>, id: &str, sheet: &mut Sheet) {
    let subject = work.subject;
    let Some(index) = subject.draft.steps.iter().position(|step| step.step_id == id) else {
        return;
    };
    let Some(step) = subject.draft.steps.get(index) else { return };
    let graph = validate::graph(subject.draft, &mut Vec::new());
    sheet.row(head(step, &named(subject.draft, &graph, index)));
    if let Some(title) = &step.title {
        quote(title, sheet);
    }
    if let Action::Tool(call) = &step.action {
        tool(call, sheet);
    }
    let of_step = subject.changes.iter().filter(|change| change.step == id);
    let of_step: Vec<Change> = of_step.cloned().collect();
    if !of_step.is_empty() {
        let subject = Subject { changes: &of_step, ..*subject };
        changes(&mut Work::new(&subject, work.syntax), sheet);
    }
}
