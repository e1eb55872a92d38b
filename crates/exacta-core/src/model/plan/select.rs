//! Selecting steps: a draft of some steps of another, closed under dependencies.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use super::action::{Action, Content, DraftMode, Payload};
use super::draft::Draft;
use crate::model::digest::Blob;
use crate::read::diff::{FileOp, GitMode};
use crate::text::shown::shown;

/// Why steps cannot be selected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectFault {
    /// Nothing is selected.
    #[error("no step is selected")]
    Empty,
    /// The plan has no such step.
    #[error("the plan has no step `{}`; its steps are {}", shown(.step.as_bytes()), steps(.known))]
    NoSuchStep {
        /// What was asked for.
        step: String,
        /// What there is.
        known: Vec<String>,
    },
    /// Selected steps need steps that are not selected.
    #[error("{}", missing(.0))]
    Missing(Vec<(String, String)>),
    /// Hunks of a step are selected that has none to select from.
    #[error("hunks of `{}` cannot be selected: {why}", shown(.step.as_bytes()))]
    NoHunks {
        /// The step.
        step: String,
        /// Why not.
        why: &'static str,
    },
    /// The step has no such hunk.
    #[error("`{}` has no hunk {number}; it has {count}", shown(.step.as_bytes()))]
    NoSuchHunk {
        /// The step.
        step: String,
        /// What was asked for.
        number: u32,
        /// How many there are.
        count: usize,
    },
    /// Selected steps need all of a step of which only hunks are selected.
    #[error("{}", needs_whole(.0))]
    NeedsWhole(Vec<(String, String)>),
}

fn needs_whole(pairs: &[(String, String)]) -> String {
    let each = pairs.iter().map(|(step, needs)| format!("`{step}` needs all of `{needs}`"));
    format!("the selection is not whole: {}", each.collect::<Vec<_>>().join(", "))
}

/// Enough of them to choose from.
fn steps(known: &[String]) -> String {
    const MOST: usize = 20;
    let names: Vec<String> = known.iter().take(MOST).map(|step| shown(step.as_bytes())).collect();
    let more = known.len().saturating_sub(MOST);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", names.join(", "))
}

fn missing(pairs: &[(String, String)]) -> String {
    let each = pairs.iter().map(|(step, needs)| format!("`{step}` needs `{needs}`"));
    format!("the selection is not whole: {}", each.collect::<Vec<_>>().join(", "))
}

/// The draft of the selected steps, in the order and with the ids of the original.
///
/// What the planner claims about the whole (files, tokens) does not hold for a part and
/// is left out; the parts' own claims stay.
///
/// # Errors
/// See [`SelectFault`].
pub fn select(draft: &Draft, steps: &[String]) -> Result<Draft, SelectFault> {
    if steps.is_empty() {
        return Err(SelectFault::Empty);
    }
    let wanted: BTreeSet<&str> = steps.iter().map(String::as_str).collect();
    let known: BTreeSet<&str> = draft.steps.iter().map(|step| step.step_id.as_str()).collect();
    if let Some(unknown) = wanted.difference(&known).next() {
        let known = draft.steps.iter().map(|step| step.step_id.clone()).collect();
        return Err(SelectFault::NoSuchStep { step: (*unknown).into(), known });
    }
    let chain = draft.is_chain();
    let mut missing = Vec::new();
    let mut selected = Draft { steps: Vec::new(), ..draft.clone() };
    (selected.target_files, selected.estimated_tokens) = (None, None);
    for (index, step) in draft.steps.iter().enumerate() {
        if !wanted.contains(step.step_id.as_str()) {
            continue;
        }
        let needs: Vec<String> = draft.needs_of(index, chain).map(Into::into).collect();
        let lacking = needs.iter().filter(|needed| !wanted.contains(needed.as_str()));
        missing.extend(lacking.map(|needed| (step.step_id.clone(), needed.clone())));
        let mut step = step.clone();
        // An order that followed from the draft is written out, so that it stays.
        step.dependencies = Some(needs);
        selected.steps.push(step);
    }
    if missing.is_empty() {
        return Ok(selected);
    }
    // What is needed needs more; all of it is said at once.
    let ids = draft.steps.iter().enumerate();
    let places: BTreeMap<&str, usize> =
        ids.map(|(index, step)| (step.step_id.as_str(), index)).collect();
    let (mut seen, mut at) = (BTreeSet::new(), 0);
    while let Some((_, needed)) = missing.get(at).cloned() {
        at += 1;
        if let Some(index) = places.get(needed.as_str())
            && seen.insert(*index)
        {
            let more = draft.needs_of(*index, chain).filter(|more| !wanted.contains(more));
            missing.extend(more.map(|more| (needed.clone(), more.into())));
        }
    }
    Err(SelectFault::Missing(missing))
}

/// The draft with other content in place of what one of its steps makes of its file: what
/// the selected hunks of that step stand for.
///
/// # Errors
/// When the step does not modify a file, or others of the draft need all of it.
pub fn replace(draft: &mut Draft, step_id: &str, image: Blob) -> Result<(), SelectFault> {
    let fault = |why| SelectFault::NoHunks { step: step_id.into(), why };
    let chain = draft.is_chain();
    let dependents = (0..draft.steps.len()).filter_map(|index| {
        let needs = draft.needs_of(index, chain).any(|needed| needed == step_id);
        needs.then(|| draft.steps.get(index).map(|step| step.step_id.clone())).flatten()
    });
    let dependents: Vec<_> = dependents.map(|step| (step, step_id.into())).collect();
    if !dependents.is_empty() {
        return Err(SelectFault::NeedsWhole(dependents));
    }
    let step = draft.steps.iter_mut().find(|step| step.step_id == step_id);
    let Some(Action::File(action)) = step.map(|step| &mut step.action) else {
        return Err(fault("it does not change a file"));
    };
    match &action.payload {
        Payload::Replace(_) | Payload::ModifyDiff(_) | Payload::Edit(_) => {}
        Payload::Patch(section) if matches!(section.op, FileOp::Modify) => {
            action.mode = section.new_mode.map(|mode| match mode {
                GitMode::Executable => DraftMode::Executable,
                GitMode::Regular => DraftMode::Regular,
            });
        }
        _ => return Err(fault("it does not modify a file that stays in its place")),
    }
    let is_text = core::str::from_utf8(image.bytes()).is_ok();
    let content = if is_text { Content::Text } else { Content::Binary };
    action.payload = Payload::Replace(content(image));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::parse::{self, Limits};

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).into()).collect()
    }

    #[test]
    fn a_selection_is_closed_keeps_its_ids_and_its_order() {
        let text = br#"{"target_files":["a","b","c"],"steps":[
            {"step_id":"step_1","type":"file_create","target":"a","content":"x"},
            {"step_id":"step_2","type":"file_create","target":"b","content":"x","dependencies":["step_1"]},
            {"step_id":"step_3","type":"file_create","target":"c","content":"x"}]}"#;
        let draft = parse::draft(text, Limits::default()).unwrap();
        let chosen = select(&draft, &names(&["step_3", "step_1"])).unwrap();
        let ids: Vec<&str> = chosen.steps.iter().map(|step| step.step_id.as_str()).collect();
        assert_eq!(ids, ["step_1", "step_3"]);
        assert_eq!(chosen.target_files, None);
        assert_eq!(select(&draft, &[]), Err(SelectFault::Empty));
        let unknown = select(&draft, &names(&["x"])).unwrap_err();
        let known: Vec<&str> = draft.steps.iter().map(|step| step.step_id.as_str()).collect();
        let message = format!("the plan has no step `x`; its steps are {}", known.join(", "));
        assert_eq!(format!("{unknown}"), message);
        let pair = vec![("step_2".into(), "step_1".into())];
        assert_eq!(select(&draft, &names(&["step_2"])), Err(SelectFault::Missing(pair)));
        // Without any dependencies, each step needs the one before it.
        let text = std::str::from_utf8(text).unwrap().replace(r#","dependencies":["step_1"]"#, "");
        let chain = parse::draft(text.as_bytes(), Limits::default()).unwrap();
        let pair = vec![("step_3".into(), "step_2".into())];
        assert_eq!(select(&chain, &names(&["step_1", "step_3"])), Err(SelectFault::Missing(pair)));
        assert!(select(&chain, &names(&["step_1", "step_2"])).is_ok());
        let pairs = vec![("step_3".into(), "step_2".into()), ("step_2".into(), "step_1".into())];
        assert_eq!(select(&chain, &names(&["step_3"])), Err(SelectFault::Missing(pairs)));
    }
}
