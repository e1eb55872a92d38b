//! Names that could be taken for others: paths alone prove it, and who stands beside them.
//!
//! It needs the whole plan and the tree, and no contents, so it is found here and holds even
//! when the inspector died. What an inspector says about the same name gives way to it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use hashbrown::HashSet;

use super::beside::Beside;
use super::fact::Fact;
use super::kind::FactKind;
use crate::model::change::Change;
use crate::model::path::{auto_run_alike, read_as_path};
use crate::model::tree::Tree;

/// Adds what the names of the changes could be taken for.
pub(crate) fn with_names(mut facts: Vec<Fact>, changes: &[Change], tree: &dyn Tree) -> Vec<Fact> {
    let beside = Beside::of(changes, tree);
    let found: Vec<Fact> = changes
        .iter()
        .filter_map(|change| {
            let resembles = taken_for(change, &beside)?;
            Some(Fact {
                step: change.step.clone(),
                path: change.path.clone(),
                line: None,
                excerpt: String::new(),
                kind: FactKind::LookAlikePath { resembles },
            })
        })
        .collect();
    let known: HashSet<_> = found.iter().map(|fact| (&fact.step, &fact.path)).collect();
    facts.retain(|fact| {
        !matches!(fact.kind, FactKind::LookAlikePath { .. })
            || !known.contains(&(&fact.step, &fact.path))
    });
    drop(known);
    facts.extend(found);
    facts
}

fn taken_for(change: &Change, beside: &Beside<'_>) -> Option<String> {
    let path = change.path.as_str();
    // A reader must not believe that another file goes.
    if let Some(read) = read_as_path(path) {
        return Some(read);
    }
    // What goes can be taken for nothing any more.
    change.after.as_ref()?;
    if let Some(runs) = auto_run_alike(&change.path) {
        return Some(runs);
    }
    if let Some(twin) = beside.twin(path).filter(|_| counts(change, change.path.name())) {
        return Some(twin.into());
    }
    change.path.ancestors().find_map(|folder| {
        let (around, name) = folder.rsplit_once('/').unwrap_or(("", folder));
        let twin = beside.twin(folder).filter(|_| counts(change, name))?;
        Some(if around.is_empty() { twin.into() } else { format!("{around}/{twin}") })
    })
}

/// A plain name that was there before is nobody's disguise.
fn counts(change: &Change, component: &str) -> bool {
    change.before.is_none() || !component.is_ascii()
}
