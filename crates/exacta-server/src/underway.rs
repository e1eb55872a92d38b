//! The runs that this server has under way, from the moment that somebody asked for one.
//!
//! A run is on the record once its files are staged and its checks have passed, which takes as
//! long as the checks do. It has its id before: whoever asked for it is told, can look at it and
//! stop it. What did not get as far as the record is remembered here for a while, with the reason.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use exacta_core::model::id::{PlanId, RunId};

/// So many that did not start are remembered.
const MOST: usize = 256;

/// The runs of a server.
#[derive(Default)]
pub struct Running(Mutex<Inside>);

#[derive(Default)]
struct Inside {
    underway: BTreeMap<PlanId, Underway>,
    not_started: VecDeque<NotStarted>,
}

/// A run that was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Underway {
    /// Its id.
    pub(crate) run_id: RunId,
    /// Since when, in milliseconds.
    pub(crate) since_ms: u64,
    /// Stops it.
    pub(crate) stop: Arc<AtomicBool>,
    askers: usize,
}

/// A run that did not get as far as the record.
#[derive(Clone, Debug)]
pub(crate) struct NotStarted {
    /// Its id.
    pub(crate) run_id: RunId,
    /// Its plan.
    pub(crate) plan_id: PlanId,
    /// Since when it was under way, in milliseconds.
    pub(crate) since_ms: u64,
    /// Why it went no further.
    pub(crate) why: String,
}

/// How a run stands that is not on the record.
pub(crate) enum Early {
    /// It is being prepared; whether it was asked to stop.
    Underway { plan_id: PlanId, since_ms: u64, cancelled: bool },
    /// It went no further.
    NotStarted(NotStarted),
}

impl Early {
    /// Its plan.
    pub(crate) const fn plan_id(&self) -> &PlanId {
        match self {
            Self::Underway { plan_id, .. } | Self::NotStarted(NotStarted { plan_id, .. }) => {
                plan_id
            }
        }
    }
}

impl Running {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A plan's run is asked for. Where one is under way already, it is that one; else it has
    /// this id, and whoever asked is the first.
    pub(crate) fn begin(&self, plan_id: &PlanId, run_id: RunId, since_ms: u64) -> (Underway, bool) {
        let mut inside = self.inside();
        let fresh =
            || Underway { run_id, since_ms, stop: Arc::new(AtomicBool::new(false)), askers: 0 };
        let underway = inside.underway.entry(plan_id.clone()).or_insert_with(fresh);
        underway.askers += 1;
        (underway.clone(), underway.askers == 1)
    }

    /// One who asked for it is done. Whoever asked for a run that another began does not end it.
    pub(crate) fn end(&self, plan_id: &PlanId) {
        let mut inside = self.inside();
        let last = inside.underway.get_mut(plan_id).is_some_and(|underway| {
            underway.askers = underway.askers.saturating_sub(1);
            underway.askers == 0
        });
        if last {
            inside.underway.remove(plan_id);
        }
    }

    /// Remembers that a run went no further.
    pub(crate) fn not_started(&self, run: NotStarted) {
        let mut inside = self.inside();
        if inside.not_started.len() >= MOST {
            inside.not_started.pop_front();
        }
        inside.not_started.push_back(run);
    }

    /// Asks a run to stop; whether there was one.
    pub(crate) fn stop(&self, plan_id: &PlanId) -> bool {
        let inside = self.inside();
        let underway = inside.underway.get(plan_id);
        underway.is_some_and(|underway| {
            underway.stop.store(true, Ordering::Relaxed);
            true
        })
    }

    /// A run that is not on the record, if this server knows of it.
    pub(crate) fn early(&self, run_id: &RunId) -> Option<Early> {
        let inside = self.inside();
        let mut underway = inside.underway.iter();
        if let Some((plan_id, one)) = underway.find(|(_, one)| one.run_id == *run_id) {
            return Some(Early::Underway {
                plan_id: plan_id.clone(),
                since_ms: one.since_ms,
                cancelled: one.stop.load(Ordering::Relaxed),
            });
        }
        let mut not_started = inside.not_started.iter().rev();
        not_started.find(|one| one.run_id == *run_id).cloned().map(Early::NotStarted)
    }

    /// Every run under way.
    pub(crate) fn all(&self) -> Vec<RunId> {
        self.inside().underway.values().map(|one| one.run_id.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(number: u8) -> RunId {
        RunId::parse(&format!("01930000-0000-7000-8000-0000000000{number:02}")).unwrap()
    }

    #[test]
    fn a_plan_has_one_run_under_way_until_everybody_who_asked_is_done() {
        let (running, plan) = (Running::default(), PlanId::parse(run(1).as_str()).unwrap());
        let (first, was_first) = running.begin(&plan, run(2), 1);
        let (second, was_second) = running.begin(&plan, run(3), 2);
        assert!(was_first && !was_second);
        assert_eq!((&first.run_id, &second.run_id), (&run(2), &run(2)));
        running.end(&plan);
        assert!(running.stop(&plan));
        assert!(first.stop.load(Ordering::Relaxed) && second.stop.load(Ordering::Relaxed));
        let early = running.early(&run(2)).unwrap();
        assert!(matches!(early, Early::Underway { cancelled: true, since_ms: 1, .. }));
        assert!(running.early(&run(3)).is_none());
        running.end(&plan);
        assert!(!running.stop(&plan) && running.early(&run(2)).is_none());
        assert!(running.all().is_empty());
    }

    #[test]
    fn what_did_not_start_is_remembered_up_to_a_bound() {
        let (running, plan_id) = (Running::default(), PlanId::parse(run(1).as_str()).unwrap());
        let gone = |run_id| NotStarted {
            run_id,
            plan_id: plan_id.clone(),
            since_ms: 0,
            why: "it was cancelled".into(),
        };
        running.not_started(gone(run(2)));
        assert!(matches!(running.early(&run(2)), Some(Early::NotStarted(_))));
        for _ in 0..MOST {
            running.not_started(gone(run(3)));
        }
        assert!(running.early(&run(2)).is_none() && running.early(&run(3)).is_some());
    }
}
