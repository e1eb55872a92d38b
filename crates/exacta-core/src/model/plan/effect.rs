//! What a plan does, apart from how it was written down: the form that `effect_hash` covers.

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use serde::Serialize;

use super::action::{Action, FileAction, Payload, ToolCall};
use super::constraint::Constraint;
use super::draft::{Draft, Execution};
use crate::model::change::Change;
use crate::model::path::fold_key;
use crate::model::registry;
use crate::read::parse::json::Json;
use crate::read::validate::reach;

/// Every effect of a plan, and the limits that it keeps.
#[derive(Serialize)]
pub(super) struct EffectForm<'a> {
    changes: Option<Cow<'a, [Change]>>,
    constraints: Vec<&'a Constraint>,
    execution: Execution,
    tool_calls: Vec<EffectCall<'a>>,
    #[serde(rename = "type")]
    kind: &'static str,
}

impl<'a> EffectForm<'a> {
    pub(super) fn of(
        draft: &'a Draft,
        changes: Option<&'a [Change]>,
        constraints: Vec<&'a Constraint>,
    ) -> Self {
        let chain = draft.is_chain();
        let calls = draft.steps.iter().enumerate().filter_map(|(index, step)| {
            let Action::Tool(call) = &step.action else { return None };
            let dependencies = draft.needs_of(index, chain).collect();
            Some(EffectCall { dependencies, ..EffectCall::of(draft, index, &step.step_id, call) })
        });
        Self {
            kind: "exacta/effect/v1",
            changes: changes.map(|changes| file_by_file(draft, changes)),
            execution: draft.execution,
            tool_calls: calls.collect(),
            constraints,
        }
    }
}

/// The changes of a patch as if it had one section for each file. Renames and copies are a way
/// to write a patch down: the same commit without them is the same effect.
fn file_by_file<'a>(draft: &Draft, changes: &'a [Change]) -> Cow<'a, [Change]> {
    let from_another = draft.steps.iter().any(|step| match &step.action {
        Action::File(FileAction { payload: Payload::Patch(section), .. }) => {
            section.renamed_from().or(section.copied_from()).is_some()
        }
        _ => false,
    });
    let paths: BTreeSet<&str> = changes.iter().map(|change| change.path.as_str()).collect();
    if !from_another || paths.len() < changes.len() {
        return Cow::Borrowed(changes);
    }
    let mut alone = changes.to_vec();
    alone.sort_by(|one, other| one.path.as_str().cmp(other.path.as_str()));
    let mut freed = BTreeMap::new();
    for (index, change) in alone.iter_mut().enumerate() {
        change.step = format!("step_{}", index + 1);
        change.renamed_from = None;
        if change.after.is_none() {
            freed.insert(fold_key(change.path.as_str()).into_owned(), index);
        }
    }
    // A name that some systems take for the one that goes is taken once that one is gone.
    let place = |(index, change): (usize, &Change)| {
        let waits = freed.get(&*fold_key(change.path.as_str()));
        (waits.map_or(index, |before| index.max(*before)), change.after.is_some(), index)
    };
    let mut places: Vec<_> = alone.iter().enumerate().map(place).collect();
    places.sort_unstable();
    let ordered = places.into_iter().filter_map(|(_, _, index)| alone.get(index));
    Cow::Owned(ordered.cloned().collect())
}

#[derive(Serialize)]
struct EffectCall<'a> {
    call: &'a ToolCall,
    dependencies: BTreeSet<&'a str>,
    /// The plan inputs that the primitive reads.
    inputs: BTreeMap<&'static str, &'a Json>,
    step: &'a str,
    /// Every address it contacts, wherever the address was given.
    urls: Vec<&'a str>,
}

impl<'a> EffectCall<'a> {
    fn of(draft: &'a Draft, index: usize, step: &'a str, call: &'a ToolCall) -> Self {
        let primitive = registry::find(&call.name);
        let urls = primitive.map(|primitive| reach(draft, index, call, primitive).urls);
        let read = primitive.map_or(&[][..], |primitive| primitive.inputs).iter();
        Self {
            call,
            dependencies: BTreeSet::new(),
            inputs: read.filter_map(|name| Some((*name, draft.inputs.get(name)?))).collect(),
            step,
            urls: urls.into_iter().flatten().map(|(url, _)| url).collect(),
        }
    }
}
