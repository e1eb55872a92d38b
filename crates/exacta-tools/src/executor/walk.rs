//! Which step may start next: the graph of a run and what is known of its steps. Pure.

use std::collections::{BTreeMap, BTreeSet};

use exacta_core::model::plan::Execution;
use exacta_engine::tools::{SkipCause, StepOutcome, ToolStep};

/// The state of a graph.
pub(super) struct Walk {
    execution: Execution,
    /// What each step depends on, and what depends on it, by place.
    needs: Vec<Vec<usize>>,
    dependents: Vec<Vec<usize>>,
    /// How many of a step's dependencies are not done.
    open: Vec<usize>,
    fates: Vec<Option<StepOutcome>>,
    /// Steps that may start, in the order of the plan.
    ready: BTreeSet<usize>,
    /// Steps that this call does not start.
    held: Vec<bool>,
    /// The steps of an atomic run that cannot be taken back: they wait for all others.
    last: Vec<bool>,
    /// How many steps that are not last are not done.
    others: usize,
    stopped: bool,
    /// An order in which each step follows what it depends on.
    order: Vec<usize>,
}

/// No step can start: a dependency is unknown, steps wait for each other, or two share an id.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unrunnable;

impl Walk {
    /// `irreversible` says which steps cannot be taken back.
    pub(super) fn new(
        steps: &[ToolStep],
        execution: Execution,
        irreversible: &dyn Fn(&ToolStep) -> bool,
    ) -> Result<Self, Unrunnable> {
        let places: BTreeMap<&str, usize> =
            steps.iter().enumerate().map(|(at, step)| (step.step_id.as_str(), at)).collect();
        if places.len() != steps.len() {
            return Err(Unrunnable);
        }
        let mut needs = Vec::with_capacity(steps.len());
        let mut dependents = vec![Vec::new(); steps.len()];
        for (at, step) in steps.iter().enumerate() {
            let mut own = BTreeSet::new();
            for name in &step.dependencies {
                own.insert(*places.get(name.as_str()).ok_or(Unrunnable)?);
            }
            for need in &own {
                if let Some(list) = dependents.get_mut(*need) {
                    list.push(at);
                }
            }
            needs.push(own.into_iter().collect::<Vec<_>>());
        }
        let last: Vec<bool> =
            steps.iter().map(|step| execution == Execution::Atomic && irreversible(step)).collect();
        let open: Vec<usize> = needs.iter().map(Vec::len).collect();
        let order = sort(&open, &dependents)?;
        let held: Vec<bool> = steps.iter().map(|step| step.held).collect();
        let ready = (0..steps.len())
            .filter(|at| open.get(*at) == Some(&0) && held.get(*at) == Some(&false))
            .collect();
        let others = last.iter().filter(|last| !**last).count();
        Ok(Self {
            execution,
            needs,
            dependents,
            open,
            fates: vec![None; steps.len()],
            ready,
            held,
            last,
            others,
            stopped: false,
            order,
        })
    }

    /// The steps in an order in which each follows what it depends on.
    pub(super) fn order(&self) -> &[usize] {
        &self.order
    }

    /// The next step to start, if one may. It counts as started.
    pub(super) fn next(&mut self) -> Option<usize> {
        if self.stopped {
            return None;
        }
        let is_last = |at: &usize| self.last.get(*at) == Some(&true);
        let at = match self.ready.iter().find(|at| !is_last(at)) {
            Some(at) => *at,
            None if self.others == 0 => *self.ready.first()?,
            None => return None,
        };
        self.ready.remove(&at);
        Some(at)
    }

    /// Says how a step ended.
    pub(super) fn settle(&mut self, at: usize, outcome: StepOutcome) {
        self.ready.remove(&at);
        let ok = outcome.is_ok();
        if !ok && outcome.is_final() && self.execution == Execution::Atomic {
            self.stopped = true;
        }
        let Some(slot) = self.fates.get_mut(at) else { return };
        if slot.replace(outcome).is_some() || !ok {
            return;
        }
        if self.last.get(at) == Some(&false) {
            self.others = self.others.saturating_sub(1);
        }
        for dependent in self.dependents.get(at).into_iter().flatten() {
            let Some(count) = self.open.get_mut(*dependent) else { continue };
            *count = count.saturating_sub(1);
            let settled = self.fates.get(*dependent).is_some_and(Option::is_some);
            if *count == 0 && !settled && self.held.get(*dependent) == Some(&false) {
                self.ready.insert(*dependent);
            }
        }
    }

    /// No further step starts.
    pub(super) fn stop(&mut self) {
        self.stopped = true;
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Whether every step is done.
    pub(super) fn is_through(&self) -> bool {
        self.fates.iter().all(|fate| fate.as_ref().is_some_and(StepOutcome::is_ok))
    }

    pub(super) fn fate(&self, at: usize) -> Option<&StepOutcome> {
        self.fates.get(at).and_then(Option::as_ref)
    }

    /// Everything that comes before a step, directly or through others.
    pub(super) fn before(&self, at: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut look: Vec<usize> = self.needs.get(at).cloned().unwrap_or_default();
        while let Some(need) = look.pop() {
            if found.insert(need) {
                look.extend(self.needs.get(need).into_iter().flatten());
            }
        }
        found
    }

    /// How every step ended, with a cause for those that never had their turn.
    pub(super) fn finish(mut self) -> Vec<StepOutcome> {
        for at in std::mem::take(&mut self.order) {
            if self.fate(at).is_none() {
                let outcome = self.cause(at);
                if let Some(slot) = self.fates.get_mut(at) {
                    *slot = Some(outcome);
                }
            }
        }
        let never = || StepOutcome::Skipped { because: SkipCause::RunEnded };
        self.fates.into_iter().map(|fate| fate.unwrap_or_else(never)).collect()
    }

    fn cause(&self, at: usize) -> StepOutcome {
        let needs = || self.needs.get(at).into_iter().flatten().filter_map(|need| self.fate(*need));
        let skipped = |because| StepOutcome::Skipped { because };
        if needs().any(|fate| self.has_failed(fate)) {
            skipped(SkipCause::DependencyFailed)
        } else if needs().any(|fate| fate.is_final() && !fate.is_ok()) {
            skipped(SkipCause::DependencySkipped)
        } else if self.stopped {
            skipped(SkipCause::RunEnded)
        } else {
            StepOutcome::Held
        }
    }

    fn has_failed(&self, fate: &StepOutcome) -> bool {
        match fate {
            StepOutcome::Failed { .. }
            | StepOutcome::OutcomeUnknown { .. }
            | StepOutcome::Cancelled
            | StepOutcome::RolledBack
            | StepOutcome::Skipped { because: SkipCause::DependencyFailed } => true,
            StepOutcome::Declined { .. } | StepOutcome::Suppressed { .. } => {
                self.execution == Execution::Atomic
            }
            _ => false,
        }
    }
}

fn sort(open: &[usize], dependents: &[Vec<usize>]) -> Result<Vec<usize>, Unrunnable> {
    let mut open = open.to_vec();
    let mut order: Vec<usize> =
        open.iter().enumerate().filter(|(_, count)| **count == 0).map(|(at, _)| at).collect();
    let mut done = 0;
    while let Some(at) = order.get(done).copied() {
        done = done.saturating_add(1);
        for dependent in dependents.get(at).into_iter().flatten() {
            if let Some(count) = open.get_mut(*dependent) {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    order.push(*dependent);
                }
            }
        }
    }
    if order.len() == open.len() { Ok(order) } else { Err(Unrunnable) }
}
