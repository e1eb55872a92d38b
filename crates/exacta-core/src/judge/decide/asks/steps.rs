//! Questions that steps raise: tools, their arguments and addresses, and steps that ask.

use alloc::string::String;

use super::collect::Asks;
use crate::judge::decide::input::DecideInput;
use crate::judge::decide::reason::ReasonKind;
use crate::judge::score::Evidence;
use crate::judge::score::table::LONG_URL_BYTES;
use crate::model::path::is_hidden;
use crate::model::plan::{Action, Execution, Recipe, Step, ToolCall};
use crate::model::registry::{self, Effect};
use crate::read::validate::reach;
use crate::text::shown::{shown, visible};

/// Looks at every step.
pub(super) fn ask(input: &DecideInput<'_>, asks: &mut Asks) {
    let draft = input.subject.draft;
    for (index, step) in draft.steps.iter().enumerate() {
        let mut add = |kind: ReasonKind, finding: String| {
            asks.entry(kind).or_default().push(Evidence::of_step(&step.step_id, finding, 0));
        };
        if step.requires_approval == Some(true) {
            add(ReasonKind::StepAsks, "the step asks for a person".into());
        }
        if draft.execution == Execution::Contract && !only_reads(step) {
            add(ReasonKind::ContractExecution, "the step does more than read".into());
        }
        let Action::Tool(call) = &step.action else { continue };
        if !only_reads(step) && !unasked(input, call) {
            let name = shown(call.name.as_bytes());
            add(ReasonKind::NonReadTool, format!("`{name}` does more than read"));
        }
        if let Some(text) = call.args.strings().find(|text| has_hidden(text)) {
            let text = shown(text.as_bytes());
            add(ReasonKind::HiddenCharacters, format!("hidden characters in `{text}`"));
        }
        let Some(primitive) = registry::find(&call.name) else { continue };
        for (url, _) in reach(draft, index, call, primitive).urls {
            if let Some(kind) = address(input, url) {
                // What leaves with the address must be seen in full.
                add(kind, format!("`{}`", visible(url.as_bytes())));
            }
        }
    }
}

/// What is not in the registry could do anything.
fn only_reads(step: &Step) -> bool {
    match &step.action {
        Action::File(_) => false,
        Action::Tool(call) => {
            registry::find(&call.name).is_some_and(|primitive| primitive.effect == Effect::Read)
        }
    }
}

/// Whether the operator lets a preset recipe write this kind of draft unasked. What a
/// planner composed itself always asks, and so does a schedule, which runs again later.
fn unasked(input: &DecideInput<'_>, call: &ToolCall) -> bool {
    let preset = input.subject.draft.recipe.is_some_and(|recipe| !matches!(recipe, Recipe::Custom));
    let draft = registry::find(&call.name)
        .is_some_and(|tool| tool.effect == Effect::DraftWrite && tool.in_custom);
    preset && draft && input.unasked_tools.contains(&call.name)
}

fn has_hidden(text: &str) -> bool {
    text.chars().any(|c| is_hidden(c) && !matches!(c, '\n' | '\r' | '\t'))
}

fn address(input: &DecideInput<'_>, url: &str) -> Option<ReasonKind> {
    let Some(rest) = url.strip_prefix("https://") else {
        return Some(ReasonKind::PlainHttp);
    };
    let tail = rest.find(['/', '?', '#']).and_then(|at| rest.get(at..)).unwrap_or_default();
    let given = input.subject.intent.is_some_and(|intent| intent.contains(url))
        || input.listed_urls.iter().any(|listed| listed == url);
    (tail.len() > LONG_URL_BYTES && !given).then_some(ReasonKind::LongUrl)
}
