//! The dependency graph: PV-2 (every dependency exists) and PV-3 (no cycle).

use alloc::collections::{BTreeMap, BinaryHeap};
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;

use hashbrown::HashMap;

use crate::code::Code;
use crate::diagnostic::Issue;
use crate::parse::nearest;
use crate::plan::Draft;

/// How many broken dependencies get a suggestion; looking for one reads every id.
const SUGGESTIONS: usize = 16;

/// The dependencies, resolved to positions in the draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// For each step, the steps it needs, ascending, without repeats.
    pub needs: Vec<Vec<usize>>,
    /// Every step after all it needs; ties in the order of the draft. Empty when the
    /// graph is broken.
    pub order: Vec<usize>,
}

impl Graph {
    /// Which of the `earlier → later` pairs the graph orders that way.
    ///
    /// One sweep over the graph with a bit per distinct `earlier` step.
    #[must_use]
    pub fn orders(&self, pairs: &[(usize, usize)]) -> Vec<bool> {
        let mut bits: BTreeMap<usize, usize> = BTreeMap::new();
        let mut open = Vec::new();
        for &(earlier, later) in pairs {
            let direct =
                self.needs.get(later).is_some_and(|needs| needs.binary_search(&earlier).is_ok());
            if !direct {
                let next = bits.len();
                bits.entry(earlier).or_insert(next);
            }
            open.push(!direct);
        }
        if bits.is_empty() {
            return vec![true; pairs.len()];
        }
        let words = bits.len().div_ceil(64);
        let mut above: Vec<Vec<u64>> = vec![Vec::new(); self.needs.len()];
        for &step in &self.order {
            let mut set = vec![0u64; words];
            for &need in self.needs.get(step).into_iter().flatten() {
                for (word, other) in set.iter_mut().zip(above.get(need).into_iter().flatten()) {
                    *word |= other;
                }
                if let Some(&bit) = bits.get(&need)
                    && let Some(word) = set.get_mut(bit / 64)
                {
                    *word |= 1 << (bit % 64);
                }
            }
            if let Some(slot) = above.get_mut(step) {
                *slot = set;
            }
        }
        pairs
            .iter()
            .zip(open)
            .map(|(&(earlier, later), open)| {
                !open
                    || bits.get(&earlier).is_some_and(|bit| {
                        above
                            .get(later)
                            .and_then(|set| set.get(bit / 64))
                            .is_some_and(|word| word & (1 << (bit % 64)) != 0)
                    })
            })
            .collect()
    }
}

/// Resolves the dependencies and finds an order.
///
/// If no step names dependencies, each step needs the one before it; if any does, a
/// step that names none needs none.
pub fn graph(draft: &Draft, issues: &mut Vec<Issue>) -> Graph {
    let steps = &draft.steps;
    let ids: HashMap<&str, usize> =
        steps.iter().enumerate().rev().map(|(i, step)| (step.step_id.as_str(), i)).collect();
    let implicit = steps.iter().all(|step| step.dependencies.is_none());
    let mut needs: Vec<Vec<usize>> = Vec::with_capacity(steps.len());
    let mut broken = 0;
    for (index, step) in steps.iter().enumerate() {
        let mut own: Vec<usize> = Vec::new();
        if implicit {
            own.extend(index.checked_sub(1));
        }
        for (position, id) in step.dependencies.iter().flatten().enumerate() {
            if let Some(&need) = ids.get(id.as_str()) {
                own.push(need);
                continue;
            }
            broken += 1;
            let help = if broken <= SUGGESTIONS {
                nearest(id, steps.iter().map(|step| step.step_id.as_str()))
            } else {
                "name an existing step".into()
            };
            issues.push(
                Issue::error(
                    Code::PlanDependencyUnknown,
                    "PV-2",
                    format!("the dependency `{id}` does not exist"),
                )
                .step(step.step_id.clone())
                .at(Draft::step_pointer(index).key("dependencies").index(position))
                .help(help),
            );
        }
        own.sort_unstable();
        let given = own.len();
        own.dedup();
        if own.len() < given {
            issues.push(
                Issue::error(
                    Code::PlanSchemaInvalid,
                    "dependency_twice",
                    "a dependency is given twice",
                )
                .step(step.step_id.clone())
                .at(Draft::step_pointer(index).key("dependencies"))
                .help("name each dependency once"),
            );
        }
        needs.push(own);
    }
    let order = sort(&needs);
    if order.len() < steps.len() {
        report_cycles(draft, &needs, &order, issues);
        return Graph { needs, order: Vec::new() };
    }
    Graph { needs, order }
}

/// Kahn's sort; of the steps that are ready, the one that stands first in the draft.
fn sort(needs: &[Vec<usize>]) -> Vec<usize> {
    let mut waiting: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); needs.len()];
    for (step, own) in needs.iter().enumerate() {
        for &need in own {
            if let Some(list) = dependents.get_mut(need) {
                list.push(step);
            }
        }
    }
    let mut ready: BinaryHeap<Reverse<usize>> = waiting
        .iter()
        .enumerate()
        .filter(|(_, count)| **count == 0)
        .map(|(step, _)| Reverse(step))
        .collect();
    let mut order = Vec::with_capacity(needs.len());
    while let Some(Reverse(step)) = ready.pop() {
        order.push(step);
        for &dependent in dependents.get(step).into_iter().flatten() {
            if let Some(count) = waiting.get_mut(dependent) {
                *count -= 1;
                if *count == 0 {
                    ready.push(Reverse(dependent));
                }
            }
        }
    }
    order
}

/// Names each cycle step by step. Every step that Kahn's sort left over needs another
/// one left over, so walking along needs always ends in a cycle.
fn report_cycles(draft: &Draft, needs: &[Vec<usize>], sorted: &[usize], issues: &mut Vec<Issue>) {
    let mut left = vec![true; needs.len()];
    for &step in sorted {
        if let Some(flag) = left.get_mut(step) {
            *flag = false;
        }
    }
    let is_left = |step: usize| left.get(step).copied().unwrap_or(false);
    // The walk in which a step was first met; 0 means not yet.
    let mut met = vec![0usize; needs.len()];
    for start in (0..needs.len()).filter(|step| is_left(*step)) {
        let walk = start + 1;
        let mut path = Vec::new();
        let mut step = start;
        while met.get(step) == Some(&0) {
            if let Some(slot) = met.get_mut(step) {
                *slot = walk;
            }
            path.push(step);
            let next = needs.get(step).into_iter().flatten().copied().find(|need| is_left(*need));
            match next {
                Some(need) => step = need,
                None => break,
            }
        }
        if met.get(step) != Some(&walk) {
            continue;
        }
        let Some(entry) = path.iter().position(|seen| *seen == step) else { continue };
        let cycle: Vec<usize> = path.into_iter().skip(entry).collect();
        issues.push(cycle_finding(draft, &cycle));
    }
}

fn cycle_finding(draft: &Draft, cycle: &[usize]) -> Issue {
    let id = |step: usize| draft.steps.get(step).map_or("", |step| step.step_id.as_str());
    let mut names: Vec<String> = cycle.iter().map(|step| format!("`{}`", id(*step))).collect();
    names.extend(names.first().cloned());
    let first = cycle.first().copied().unwrap_or(0);
    Issue::error(
        Code::PlanDependencyCycle,
        "PV-3",
        format!("the dependencies form a cycle: {}", names.join(" needs ")),
    )
    .step(id(first))
    .at(Draft::step_pointer(first).key("dependencies"))
    .help("remove one of these dependencies")
}
