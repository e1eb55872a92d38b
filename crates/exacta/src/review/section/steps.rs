//! The steps in the order they run, told by what they do and not by what they are called.

use std::collections::BTreeMap;

use exacta_core::change::Change;
use exacta_core::digest::Blob;
use exacta_core::plan::{Action, Draft, Execution, Step, ToolCall};
use exacta_core::registry::{self, Effect};
use exacta_core::validate::{self, Graph};

use crate::render::style;
use crate::review::diff::counts;
use crate::review::document::Document;
use crate::review::look::Signs;
use crate::review::{ReviewPlan, text};

pub(super) fn add(plan: &ReviewPlan<'_>, signs: Signs, document: &mut Document) {
    let draft = plan.draft;
    let graph = validate::graph(draft, &mut Vec::new());
    let manner = match draft.execution {
        Execution::Atomic => "what is approved happens whole or not at all",
        Execution::Contract => "independent branches go on after a failure",
    };
    let count = draft.steps.len();
    document.heading(&format!("Steps ({count}; {manner})"));
    // A draft with a cycle has no order; its steps are shown as they stand.
    let complete = graph.order.len() == count;
    let order = if complete { graph.order.clone() } else { (0..count).collect() };
    let mut changes: BTreeMap<&str, Vec<&Change>> = BTreeMap::new();
    for change in plan.changes {
        changes.entry(&change.step).or_default().push(change);
    }
    for index in order {
        let Some(step) = draft.steps.get(index) else { continue };
        head(step, &named(draft, &graph, index, signs), signs, document);
        match &step.action {
            Action::Tool(call) => tool(call, signs, document),
            Action::File(_) => match changes.get(step.step_id.as_str()) {
                None => document.line("      no effect is known"),
                Some(changes) => {
                    for change in changes {
                        document.content(format!("      {}", effect(plan, change, signs)));
                    }
                }
            },
        }
    }
}

/// The steps that a step needs.
pub(super) fn needs(draft: &Draft, index: usize, signs: Signs) -> Vec<String> {
    named(draft, &validate::graph(draft, &mut Vec::new()), index, signs)
}

fn named(draft: &Draft, graph: &Graph, index: usize, signs: Signs) -> Vec<String> {
    let needs = graph.needs.get(index).map(Vec::as_slice).unwrap_or_default();
    let needs = needs.iter().filter_map(|need| draft.steps.get(*need));
    needs.map(|step| text::line(step.step_id.as_bytes(), signs)).collect()
}

/// The step's id and what it needs.
pub(super) fn head(step: &Step, needs: &[String], signs: Signs, document: &mut Document) {
    let (strong, quiet) = (style::STRONG, style::QUIET);
    let id = text::line(step.step_id.as_bytes(), signs);
    let after = if needs.is_empty() {
        String::new()
    } else {
        format!("  {quiet}needs {}{quiet:#}", needs.join(", "))
    };
    document.line(format!("  {strong}{id}{strong:#}{after}"));
}

/// What one step does, in a line.
pub(in crate::review) fn effects(plan: &ReviewPlan<'_>, id: &str, signs: Signs) -> String {
    let call = plan.draft.steps.iter().find(|step| step.step_id == id);
    if let Some(Action::Tool(call)) = call.map(|step| &step.action) {
        return format!("call {}", text::line(call.name.as_bytes(), signs));
    }
    let changes = plan.changes.iter().filter(|change| change.step == id);
    changes.map(|change| effect(plan, change, signs)).collect::<Vec<_>>().join("; ")
}

/// What one change does, in a line.
pub(super) fn effect(plan: &ReviewPlan<'_>, change: &Change, signs: Signs) -> String {
    let (word, tone) = match (change.before, change.after) {
        (None, _) => ("create", style::GOOD),
        (_, None) => ("delete", style::ERROR),
        _ => ("modify", style::WARNING),
    };
    let quiet = style::QUIET;
    let image = |digest| plan.blob(&digest);
    let (old, new) = (plan.before(change).and_then(image), change.after.and_then(image));
    let (added, removed) = counts(bytes(old.as_ref()), bytes(new.as_ref()));
    let other = match (&change.renamed_from, plan.renamed_to(change)) {
        (Some(from), _) => Some(("from", from)),
        (None, to) => to.map(|to| ("to", to)),
    };
    let renamed = other.map_or_else(String::new, |(word, name)| {
        let name = text::line(name.as_str().as_bytes(), signs);
        format!("  {quiet}renamed {word} {name}{quiet:#}")
    });
    format!(
        "{tone}{word}{tone:#} {}  {}  {quiet}+{added} -{removed}{quiet:#}{renamed}",
        text::line(change.path.as_str().as_bytes(), signs),
        modes(change, signs),
    )
}

/// The bytes of an image; none where there is none.
pub(super) fn bytes(image: Option<&Blob>) -> &[u8] {
    image.map_or(&[], Blob::bytes)
}

/// The permission bits; both where they change.
pub(super) fn modes(change: &Change, signs: Signs) -> String {
    match (change.mode_before, change.mode_after) {
        (Some(was), Some(becomes)) if was != becomes => {
            let warning = style::WARNING;
            format!("{warning}mode {was} {} {becomes}{warning:#}", signs.becomes)
        }
        (_, Some(mode)) | (Some(mode), None) => mode.to_string(),
        (None, None) => String::new(),
    }
}

pub(super) fn tool(call: &ToolCall, signs: Signs, document: &mut Document) {
    let effect = match registry::find(&call.name).map(|primitive| primitive.effect) {
        Some(Effect::Read) => "only reads",
        Some(Effect::DraftWrite) => "writes something that can be taken back",
        Some(Effect::BulkWrite) => "writes many things",
        Some(Effect::Publish) => "publishes",
        Some(Effect::Send) => "sends",
        None => "unknown tool",
    };
    let warning = style::WARNING;
    let name = text::line(call.name.as_bytes(), signs);
    document.line(format!("      {warning}call{warning:#} {name}  ({effect})"));
    super::words::json(&call.args, "        ", signs, document);
}
