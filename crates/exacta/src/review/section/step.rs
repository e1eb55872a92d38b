//! One step by itself, for whoever chooses steps: what it needs, its title, what it does.

use exacta_core::change::Change;
use exacta_core::plan::Action;

use super::steps::{head, needs, tool};
use super::{changes, words};
use crate::review::ReviewPlan;
use crate::review::diff::Colours;
use crate::review::document::Document;
use crate::review::look::Signs;

/// Everything about one step.
pub(in crate::review) fn step(
    plan: &ReviewPlan<'_>,
    id: &str,
    signs: Signs,
    colours: &Colours,
) -> Document {
    let mut document = Document::default();
    let steps = &plan.draft.steps;
    let Some(index) = steps.iter().position(|step| step.step_id == id) else { return document };
    let Some(step) = steps.get(index) else { return document };
    head(step, &needs(plan.draft, index, signs), signs, &mut document);
    if let Some(title) = &step.title {
        words::quote(title, signs, &mut document);
    }
    if let Action::Tool(call) = &step.action {
        tool(call, signs, &mut document);
    }
    let of_step = plan.changes.iter().filter(|change| change.step == id);
    let of_step: Vec<Change> = of_step.cloned().collect();
    if !of_step.is_empty() {
        changes(&ReviewPlan { changes: &of_step, ..*plan }, signs, colours, &mut document);
    }
    document
}
