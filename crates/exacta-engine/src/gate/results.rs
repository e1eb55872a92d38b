//! The result list of a run, and how it comes on the record.

use exacta_core::life::ledger::Stream;
use exacta_core::model::digest::{Blob, Digest};
use exacta_core::model::id::{PlanId, RunId};
use exacta_core::model::plan::Draft;
use exacta_core::record::{Actor, Event};
use exacta_core::results::{Outcome, PlanOutline, ResultList, Results};

use super::error::GateError;
use super::handle::{Gate, TRIES};
use crate::log::Wanted;

/// A run of a plan.
#[derive(Clone, Copy)]
pub(super) struct RunOf<'r> {
    pub(super) plan_id: &'r PlanId,
    pub(super) run_id: &'r RunId,
}

/// A row for each step: done, or done and taken back.
pub(super) fn results_of(
    plan_id: &PlanId,
    draft: &Draft,
    done: bool,
) -> Result<Results, GateError> {
    let invalid = |error: &dyn std::fmt::Display| GateError::Differs {
        plan_id: plan_id.clone(),
        what: "the result list".into(),
        how: error.to_string(),
    };
    let outline = PlanOutline::of(draft).map_err(|error| invalid(&error))?;
    let order = outline.order().map_err(|error| invalid(error))?;
    let steps = || order.iter().filter_map(|index| draft.steps.get(*index));
    let mut list = ResultList::new(&outline, draft.execution);
    for step in steps() {
        let outcome = Outcome::Done { output: None };
        list.record(&step.step_id, outcome).map_err(|error| invalid(&error))?;
    }
    if !done {
        for step in steps() {
            list.roll_back(&step.step_id).map_err(|error| invalid(&error))?;
        }
    }
    Ok(list.finish())
}

/// The result list as an object, and the entry that names it.
pub(super) fn executed(
    run: RunOf<'_>,
    results: &Results,
    why: Option<Digest>,
    rolled_back: bool,
) -> Result<(Blob, Event), GateError> {
    let blob = Blob::new(serde_json::to_vec(results)?);
    let event = Event::PlanExecuted {
        plan_id: run.plan_id.clone(),
        results: blob.digest(),
        rolled_back,
        run_id: run.run_id.clone(),
        status: results.meta().task_status(),
        why,
    };
    Ok((blob, event))
}

impl Gate<'_> {
    /// Puts the result list of a run that has ended on the record, and why it ended so,
    /// unless somebody else was faster.
    pub(super) fn put_results(
        &self,
        actor: Actor,
        run: RunOf<'_>,
        results: &Results,
        why: Option<Blob>,
    ) -> Result<(), GateError> {
        self.put_results_after(actor, run, results, why, Vec::new(), false)
    }

    /// The same after `events`, in one append.
    pub(super) fn put_results_after(
        &self,
        actor: Actor,
        run: RunOf<'_>,
        results: &Results,
        why: Option<Blob>,
        mut events: Vec<Event>,
        rolled_back: bool,
    ) -> Result<(), GateError> {
        let (list, event) = executed(run, results, why.as_ref().map(Blob::digest), rolled_back)?;
        events.push(event);
        let objects: Vec<Blob> = [list].into_iter().chain(why).collect();
        let names: Vec<Digest> = objects.iter().map(Blob::digest).collect();
        let stream = Stream::Run(run.run_id.clone());
        let version = self.log.ledger().version(&stream);
        let expects = vec![(stream.clone(), version)];
        let wanted = Wanted { actor, key: None, expects, events };
        for _ in 0..TRIES {
            self.objects.put(&objects)?;
            if Self::committed(self.log.append_if(&wanted, &|| self.objects.hold(&names)))? {
                return Ok(());
            }
            // Who finds the record without it may have been faster; it is the same list. If
            // not, a collection took what was put and was not on the record yet.
            if self.log.ledger().version(&stream) != version {
                return Ok(());
            }
        }
        Err(GateError::Busy)
    }
}
