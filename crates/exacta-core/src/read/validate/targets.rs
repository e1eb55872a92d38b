//! Targets: PV-4 (inside the project), PS-2 (no conflict), PS-3 (no pending delete).

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use hashbrown::HashMap;

use super::graph::Graph;
use crate::model::code::Code;
use crate::model::diagnostic::Issue;
use crate::model::path::{PathFault, RelPath, fold_key};
use crate::model::plan::{Action, Draft, FileAction, Payload};
use crate::text::shown::shown;

/// Parses every target and finds the steps that get in each other's way.
///
/// The result has an entry per step: the path of a file step whose target is sound.
pub fn targets(draft: &Draft, graph: &Graph, issues: &mut Vec<Issue>) -> Vec<Option<RelPath>> {
    let paths: Vec<Option<RelPath>> = draft
        .steps
        .iter()
        .enumerate()
        .map(|(index, step)| match &step.action {
            Action::File(file) => match RelPath::parse(&file.target) {
                Ok(path) => Some(path),
                Err(fault) => {
                    issues.push(path_finding(index, &step.step_id, file, &fault));
                    None
                }
            },
            Action::Tool(_) => None,
        })
        .collect();
    let touches = Touches::of(draft, &paths);
    same_file(draft, graph, &touches, &paths, issues);
    file_and_folder(draft, &touches, issues);
    drop(touches);
    paths
}

/// Which steps touch which file, by names that some file system takes for one.
struct Touches<'a> {
    /// Every touch in the order of the draft.
    all: Vec<(Cow<'a, str>, usize)>,
    /// For each name its first touch in `all`, and the steps of the later ones.
    groups: HashMap<Cow<'a, str>, (usize, Vec<usize>)>,
}

impl<'a> Touches<'a> {
    fn of(draft: &'a Draft, paths: &'a [Option<RelPath>]) -> Self {
        let mut all: Vec<(Cow<'a, str>, usize)> = Vec::with_capacity(paths.len());
        let mut groups: HashMap<Cow<'a, str>, (usize, Vec<usize>)> =
            HashMap::with_capacity(paths.len());
        for (index, path) in paths.iter().enumerate() {
            for path in path.iter().chain(renamed_from(draft, index)) {
                let key = fold_key(path.as_str());
                // A rename that only changes the case of a name meets itself here: the old name
                // goes before the new one comes, so it is no conflict.
                groups
                    .entry(key.clone())
                    .and_modify(|(_, later)| later.push(index))
                    .or_insert((all.len(), Vec::new()));
                all.push((key, index));
            }
        }
        Self { all, groups }
    }

    /// The groups in the order of their first touch: name, first step, later steps.
    fn in_order(&self) -> impl Iterator<Item = (&str, usize, &[usize])> {
        self.all.iter().enumerate().filter_map(|(touch, (key, step))| {
            let (first, later) = self.groups.get(key)?;
            (*first == touch).then_some((&**key, *step, later.as_slice()))
        })
    }

    /// The first step on a name.
    fn first_on(&self, key: &str) -> Option<usize> {
        let (first, _) = self.groups.get(key)?;
        self.all.get(*first).map(|(_, step)| *step)
    }
}

/// The file an imported rename takes away.
fn renamed_from(draft: &Draft, index: usize) -> Option<&RelPath> {
    match &draft.steps.get(index)?.action {
        Action::File(FileAction { payload: Payload::Patch(patch), .. }) => patch.renamed_from(),
        _ => None,
    }
}

fn path_finding(index: usize, step_id: &str, file: &FileAction, fault: &PathFault) -> Issue {
    let code = match fault {
        PathFault::Reserved { .. } => Code::PlanPathReserved,
        _ => Code::PlanPathInvalid,
    };
    Issue::error(
        code,
        "PV-4",
        format!("the target `{}` is refused: {fault}", shown(file.target.as_bytes())),
    )
    .step(step_id)
    .at(Draft::step_pointer(index).key("target"))
    .help(fault.help())
}

/// Steps on one file must form a chain in the graph; each consecutive pair is looked up.
fn same_file(
    draft: &Draft,
    graph: &Graph,
    touches: &Touches<'_>,
    paths: &[Option<RelPath>],
    issues: &mut Vec<Issue>,
) {
    let mut rank = vec![usize::MAX; draft.steps.len()];
    for (position, step) in graph.order.iter().enumerate() {
        if let Some(slot) = rank.get_mut(*step) {
            *slot = position;
        }
    }
    let mut pairs = Vec::new();
    for (_, first, later) in touches.in_order().filter(|(_, _, later)| !later.is_empty()) {
        let mut chain: Vec<usize> = core::iter::once(first).chain(later.iter().copied()).collect();
        chain.sort_by_key(|step| (rank.get(*step).copied(), *step));
        chain.dedup();
        pairs.extend(chain.iter().copied().zip(chain.iter().copied().skip(1)));
    }
    if graph.order.is_empty() {
        // A broken graph orders nothing; its own finding comes first.
        return;
    }
    for (&(first, second), ordered) in pairs.iter().zip(graph.orders(&pairs)) {
        let spelled = |step: usize| paths.get(step).and_then(Option::as_ref).map(RelPath::as_str);
        let is = |step: usize, kind: &str| {
            draft.steps.get(step).is_some_and(|step| match &step.action {
                Action::File(file) => file.kind() == kind,
                Action::Tool(_) => false,
            })
        };
        let deletes = |step: usize| is(step, "file_delete");
        // The name is free again before it is taken in another spelling.
        let respelled = ordered && deletes(first) && is(second, "file_create");
        if spelled(first) != spelled(second)
            && renamed_from(draft, first).is_none()
            && renamed_from(draft, second).is_none()
            && !respelled
        {
            let reason =
                "their targets are one file on systems that ignore case or normalise names";
            let help = "use one spelling; to change the spelling of a name, let the step that creates it depend on the one that deletes it";
            issues.push(conflict(draft, second, first, reason, help));
        } else if ordered && deletes(first) && is(second, "file_modify") {
            issues.push(pending_delete(draft, second, first, true));
        } else if !ordered && (deletes(first) || deletes(second)) {
            issues.push(pending_delete(draft, second, first, false));
        } else if !ordered {
            let help = "merge the two steps, or let the later one depend on the earlier";
            issues.push(conflict(draft, second, first, "no dependency orders the two", help));
        }
    }
}

fn conflict(draft: &Draft, step: usize, other: usize, reason: &str, help: &str) -> Issue {
    let id = draft.steps.get(other).map_or("", |step| step.step_id.as_str());
    clash(draft, step, format!("the step conflicts with `{id}`: {reason}"), help)
}

fn clash(draft: &Draft, step: usize, message: String, help: &str) -> Issue {
    Issue::error(Code::PlanConflict, "PS-2", message)
        .step(draft.steps.get(step).map_or("", |step| step.step_id.as_str()))
        .at(Draft::step_pointer(step).key("target"))
        .help(help)
}

/// `gone` says that the file is deleted before this step modifies it.
fn pending_delete(draft: &Draft, step: usize, other: usize, gone: bool) -> Issue {
    let id = |index: usize| draft.steps.get(index).map_or("", |step| step.step_id.as_str());
    let message = if gone {
        format!("`{}` deletes the file before this step modifies it", id(other))
    } else {
        format!("this step and `{}` modify and delete one file in no fixed order", id(other))
    };
    Issue::error(Code::PlanDeletePending, "PS-3", message)
        .step(id(step))
        .at(Draft::step_pointer(step).key("target"))
        .help("let the deletion depend on the modification, or drop one of the two")
}

/// A target that is also a folder above another target.
fn file_and_folder(draft: &Draft, touches: &Touches<'_>, issues: &mut Vec<Issue>) {
    for (key, step, _) in touches.in_order() {
        let folders = core::iter::successors(key.rsplit_once('/'), |(up, _)| up.rsplit_once('/'));
        if let Some(file) = folders.map(|(folder, _)| folder).find_map(|up| touches.first_on(up)) {
            let reason = "its target would be a file and a folder at once";
            issues.push(conflict(draft, step, file, reason, "choose another name"));
        }
    }
}
