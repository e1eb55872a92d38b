//! The dependency graph: PV-2 (every dependency exists) and PV-3 (no cycle).

use alloc::collections::BinaryHeap;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;

use hashbrown::HashMap;

use crate::model::code::Code;
use crate::model::diagnostic::Issue;
use crate::model::plan::{Draft, Step};
use crate::read::parse::nearest;

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
    /// Direct dependencies are looked up. For the rest one sweep over the graph follows
    /// many `earlier` steps at once, so that memory stays linear in the steps.
    #[must_use]
    pub fn orders(&self, pairs: &[(usize, usize)]) -> Vec<bool> {
        let direct = |&(earlier, later): &(usize, usize)| {
            self.needs.get(later).is_some_and(|needs| needs.binary_search(&earlier).is_ok())
        };
        let mut ordered: Vec<bool> = pairs.iter().map(direct).collect();
        let mut sources: Vec<usize> = pairs
            .iter()
            .zip(&ordered)
            .filter(|(_, direct)| !**direct)
            .map(|((earlier, _), _)| *earlier)
            .collect();
        sources.sort_unstable();
        sources.dedup();
        for sources in sources.chunks(SOURCES_AT_ONCE) {
            let above = self.sweep(sources);
            for (&(earlier, later), ordered) in pairs.iter().zip(&mut ordered) {
                if let Ok(bit) = sources.binary_search(&earlier) {
                    *ordered |= above.get(later).is_some_and(|row| row.has(bit));
                }
            }
        }
        ordered
    }

    /// For each step, which of the `sources` it needs, directly or through others.
    fn sweep(&self, sources: &[usize]) -> Vec<Row> {
        let mut above: Vec<Row> = vec![Row::default(); self.needs.len()];
        for &step in &self.order {
            let mut row = Row::default();
            for &need in self.needs.get(step).into_iter().flatten() {
                if let Some(other) = above.get(need) {
                    row.add(other);
                }
                if let Ok(bit) = sources.binary_search(&need) {
                    row.set(bit);
                }
            }
            if let Some(slot) = above.get_mut(step) {
                *slot = row;
            }
        }
        above
    }
}

/// How many steps one sweep follows: a row of this many bits for each step of the plan.
const SOURCES_AT_ONCE: usize = 1024;

/// A set of sources.
#[derive(Clone, Copy)]
struct Row([u64; SOURCES_AT_ONCE / 64]);

impl Default for Row {
    fn default() -> Self {
        Self([0; SOURCES_AT_ONCE / 64])
    }
}

impl Row {
    fn has(&self, bit: usize) -> bool {
        self.0.get(bit / 64).is_some_and(|word| word & (1 << (bit % 64)) != 0)
    }

    fn set(&mut self, bit: usize) {
        if let Some(word) = self.0.get_mut(bit / 64) {
            *word |= 1 << (bit % 64);
        }
    }

    fn add(&mut self, other: &Self) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
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
                nearest(id, others(steps, index))
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

/// The ids of all steps but one.
fn others(steps: &[Step], but: usize) -> impl Iterator<Item = &str> + Clone {
    let ids = steps.iter().enumerate().filter(move |(index, _)| *index != but);
    ids.map(|(_, step)| step.step_id.as_str())
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
