//! `$ref`: an argument that an earlier step fills in.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use hashbrown::HashMap;

use super::findings::Findings;
use super::graph::Graph;
use super::keys::Sense;
use super::reach::args_pointer;
use crate::code::Code;
use crate::diagnostic::Issue;
use crate::parse::json::Json;
use crate::plan::{Draft, Step, ToolCall};
use crate::pointer::Pointer;
use crate::walk::Walk;

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
            let Json::Obj(members) = met.value else { continue };
            let Some((_, target)) = members.iter().find(|(name, _)| name == "$ref") else {
                continue;
            };
            let pointer = || walk.spots.pointer(met.spot, args_pointer(index));
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

    /// The step that a reference names: the longest id that the text starts with.
    fn step_of(&self, text: &str) -> Option<usize> {
        self.lengths.iter().rev().find_map(|&length| {
            let (id, rest) = text.split_at_checked(length)?;
            let ends = rest.is_empty() || rest.starts_with(['.', '/', '#']);
            if ends { self.ids.get(id).copied() } else { None }
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
