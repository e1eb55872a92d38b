//! `$ref`: an argument that an earlier step fills in.
//!
//! Written `{"$ref": "step_1.output.title"}`, or as a text that is nothing else:
//! `"$step_1.output.title"`.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use hashbrown::HashMap;

use super::findings::Findings;
use super::graph::Graph;
use super::keys::Sense;
use super::reach::args_pointer;
use crate::model::code::Code;
use crate::model::diagnostic::Issue;
use crate::model::plan::{Draft, Step, ToolCall};
use crate::read::parse::json::Json;
use crate::text::pointer::Pointer;
use crate::text::walk::Walk;

/// Every reference of a plan to a step that exists.
pub(super) struct References<'a> {
    draft: &'a Draft,
    ids: HashMap<&'a str, usize>,
    /// The lengths that ids have.
    lengths: BTreeSet<usize>,
    /// Each `needed → step`, once.
    pairs: BTreeSet<(usize, usize)>,
}

impl<'a> References<'a> {
    pub(super) fn new(draft: &'a Draft) -> Self {
        let ids = draft.steps.iter().enumerate().rev();
        Self {
            draft,
            ids: ids.map(|(index, step)| (step.step_id.as_str(), index)).collect(),
            lengths: draft.steps.iter().map(|step| step.step_id.len()).collect(),
            pairs: BTreeSet::new(),
        }
    }

    /// Looks for references among the arguments of a step.
    pub(super) fn look(
        &mut self,
        index: usize,
        step: &Step,
        call: &ToolCall,
        findings: &mut Findings<'_>,
    ) {
        let mut walk = Walk::new(&call.args, Sense::default(), Sense::below);
        let mut whole = true;
        while let Some(met) = walk.next() {
            let root = core::mem::take(&mut whole);
            let pointer = || walk.spots.pointer(met.spot, args_pointer(index));
            if let (Json::Str(text), true) = (met.value, met.key != Some("$ref")) {
                if let Some(need) = text.strip_prefix('$').and_then(|text| self.step_of(text)) {
                    if met.state.steers() {
                        findings.add(|| steering(step, pointer()));
                    }
                    self.pairs.insert((need, index));
                }
                continue;
            }
            let Json::Obj(members) = met.value else { continue };
            let Some((_, target)) = members.iter().find(|(name, _)| name == "$ref") else {
                continue;
            };
            if root || met.state.steers() {
                findings.add(|| steering(step, pointer()));
            }
            match target.as_str().and_then(|text| self.step_of(text)) {
                Some(need) if members.len() == 1 => {
                    self.pairs.insert((need, index));
                }
                _ => findings.add(|| unsound(step, pointer())),
            }
        }
    }

    /// The step that a reference names: the longest id that the text starts with and that
    /// a way into its output follows.
    fn step_of(&self, text: &str) -> Option<usize> {
        self.lengths.iter().rev().find_map(|&length| {
            let (id, rest) = text.split_at_checked(length)?;
            let step = self.ids.get(id).copied()?;
            output_path(rest).map(|_| step)
        })
    }

    /// Reports references to steps that do not come before, directly or through others.
    pub(super) fn report(self, graph: &Graph, issues: &mut Vec<Issue>) {
        // In a graph with a cycle nothing comes before anything; that has its own finding.
        if graph.order.is_empty() {
            return;
        }
        let pairs: Vec<(usize, usize)> = self.pairs.into_iter().collect();
        for ((_, index), ordered) in pairs.iter().zip(graph.orders(&pairs)) {
            if let Some(step) = self.draft.steps.get(*index).filter(|_| !ordered) {
                issues.push(unsound(step, args_pointer(*index)));
            }
        }
    }
}

/// The way into a step's output that follows the id in a reference: `.output.items.0`,
/// or the same with slashes. An empty list is the whole output.
#[must_use]
pub fn output_path(rest: &str) -> Option<Vec<&str>> {
    let mark = rest.chars().next().filter(|c| matches!(c, '.' | '/'))?;
    let mut parts = rest.split(mark).skip(1);
    if parts.next() != Some("output") {
        return None;
    }
    parts.map(|part| (!part.is_empty()).then_some(part)).collect()
}

/// Whether a value below these keys says where a call goes: to a page, a person, a file or
/// a tool. No earlier output may fill it.
#[must_use]
pub fn steers<'k>(keys: impl IntoIterator<Item = &'k str>) -> bool {
    keys.into_iter().fold(Sense::default(), Sense::below).steers()
}

fn steering(step: &Step, at: Pointer) -> Issue {
    Issue::error(
        Code::PlanToolNotAllowed,
        "ref_target",
        "an earlier output may not fill an address, a recipient, a path, a name or all arguments",
    )
    .step(step.step_id.clone())
    .at(at)
    .help("write the value out, so that it can be reviewed")
}

fn unsound(step: &Step, at: Pointer) -> Issue {
    Issue::error(
        Code::PlanSchemaInvalid,
        "ref",
        "`$ref` stands alone and names a step that this step depends on",
    )
    .step(step.step_id.clone())
    .at(at)
    .help("write `{\"$ref\": \"step_1.output\"}` and list step_1 in `dependencies`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_into_an_output_begins_with_the_word() {
        assert_eq!(output_path(".output"), Some(vec![]));
        assert_eq!(output_path(".output.items.0"), Some(vec!["items", "0"]));
        assert_eq!(output_path("/output/a.b"), Some(vec!["a.b"]));
        for other in ["", ".", ".title", "output", ".output.", ".output..a", "#/output", " .output"]
        {
            assert_eq!(output_path(other), None, "{other}");
        }
    }

    #[test]
    fn keys_that_say_where_a_call_goes_are_known_at_any_depth() {
        assert!(steers(["url"]) && steers(["options", "Base_URL", "x"]) && steers(["to", "name"]));
        assert!(!steers(["body"]) && !steers(["items", "title"]) && !steers([]));
    }
}
