//! A plan's life as the gate sees it: whether something may happen to it, and the append that
//! makes it happen.

use exacta_core::life::ledger::{PlanEntry, RunStage, Stream};
use exacta_core::life::lifecycle::{
    Act, Cause, Clocks, Life, Moment, Permission, Refusal, State, Step, Verb, advance, over,
    permits,
};
use exacta_core::model::id::RunId;
use exacta_core::record::Event;

use super::command::Caller;
use super::error::GateError;
use super::handle::{Gate, TRIES};
use crate::log::Wanted;
use crate::project::session;

impl Gate<'_> {
    /// A plan's life, which ends with its session at the latest.
    fn life<'p>(&self, plan: &'p PlanEntry, now: &Moment) -> Life<'p> {
        // Of one that has ended or was run nobody asks whether its session is held.
        let live = plan.state().is_open() && plan.run_id().is_none();
        plan.life(!live || session::is_held(self.ports.port, &plan.created.session, now))
    }

    /// Whether the plan's life allows a verb; an expiry that shows is recorded.
    pub(super) fn may(&self, plan: &PlanEntry, verb: Verb) -> Result<(), GateError> {
        match self.permitted(plan, verb)? {
            Permission::Granted => Ok(()),
            Permission::Refused(refusal) => Err(self.refusal(plan, verb, refusal)),
            Permission::Over(cause) => Err(self.expired(plan, &cause)?),
        }
    }

    /// Whether the record alone says that a verb comes too late, so that nobody is asked to
    /// confirm what is refused anyway. Nothing is recorded.
    ///
    /// # Errors
    /// That the plan was rejected, expired or has run.
    pub fn comes_in_time(&self, plan: &PlanEntry, verb: Verb) -> Result<(), GateError> {
        match self.permitted(plan, verb)? {
            Permission::Refused(refusal) => Err(self.refusal(plan, verb, refusal)),
            Permission::Granted | Permission::Over(_) => Ok(()),
        }
    }

    fn permitted(&self, plan: &PlanEntry, verb: Verb) -> Result<Permission, GateError> {
        let now = self.now()?;
        let ledger = self.log.ledger();
        let clocks = Clocks { now: &now, newest: ledger.newest() };
        Ok(permits(self.life(plan, &now), verb, clocks))
    }

    /// Why a verb is refused; a plan that has run is told apart where somebody decides on it.
    fn refusal(&self, plan: &PlanEntry, verb: Verb, refusal: Refusal) -> GateError {
        match refusal {
            Refusal::Used { run_id } if self.is_unresolved(&run_id) => {
                GateError::Unresolved { plan_id: plan.id().clone(), run_id }
            }
            Refusal::Used { run_id } if verb != Verb::Start => {
                let stage = self.log.ledger().run(&run_id).map(|run| run.stage);
                let completed = stage == Some(RunStage::Completed);
                GateError::HasRun { plan_id: plan.id().clone(), run_id, completed }
            }
            refusal => GateError::refused(plan.id(), refusal),
        }
    }

    /// Whether a person has yet to find out what became of a run.
    pub(super) fn is_unresolved(&self, run_id: &RunId) -> bool {
        let ledger = self.log.ledger();
        ledger.run(run_id).is_some_and(|run| run.steps.values().any(|step| step.unknown))
    }

    /// Puts an act on the record; `false` when something else happened to the plan first, and
    /// it must be looked at again.
    pub(super) fn advance(
        &self,
        caller: &Caller<'_>,
        plan: &PlanEntry,
        act: Act,
    ) -> Result<bool, GateError> {
        let events = self.events_of(plan, act)?;
        let added = self.commit(&about(caller, plan, events))?;
        if !added {
            self.look_again()?;
        }
        Ok(added)
    }

    /// What the record says once an act has happened to a plan.
    pub(super) fn events_of(&self, plan: &PlanEntry, act: Act) -> Result<Vec<Event>, GateError> {
        let now = self.now()?;
        let step = {
            let ledger = self.log.ledger();
            let clocks = Clocks { now: &now, newest: ledger.newest() };
            advance(self.life(plan, &now), act, clocks)
        };
        match step {
            Step::Append(events) => Ok(events),
            Step::Refused(refusal) => Err(GateError::refused(plan.id(), refusal)),
            Step::Expired { cause, .. } => Err(self.expired(plan, &cause)?),
        }
    }

    /// Records that a plan is over, unless something else happened to it first; says which.
    pub(super) fn expired(&self, plan: &PlanEntry, cause: &Cause) -> Result<GateError, GateError> {
        self.expire(plan, cause).map(|refusal| GateError::refused(plan.id(), refusal))
    }

    /// The same, as the refusal that follows from it.
    pub(super) fn expire(&self, plan: &PlanEntry, cause: &Cause) -> Result<Refusal, GateError> {
        for _ in 0..TRIES {
            self.look_again()?;
            let (plan, now) = (self.plan(plan.id())?, self.now()?);
            let step = {
                let ledger = self.log.ledger();
                let clocks = Clocks { now: &now, newest: ledger.newest() };
                advance(self.life(&plan, &now), Act::Expire { cause: cause.clone() }, clocks)
            };
            match step {
                Step::Refused(refusal) => return Ok(refusal),
                Step::Append(_) => break,
                // Nobody is told of an expiry that is not on the record.
                Step::Expired { cause, event } => {
                    if self.commit(&about(&Caller::system(), &plan, vec![event]))? {
                        return Ok(Refusal::Expired { cause });
                    }
                }
            }
        }
        Err(GateError::Busy)
    }

    /// The state on the record, or expired when that is what the clocks say.
    pub(super) fn state_now(
        &self,
        plan: &PlanEntry,
        now: &Moment,
        newest: Option<&Moment>,
    ) -> State {
        self.over_at(plan, now, newest).map_or_else(|| plan.state(), |_| State::Expired)
    }

    /// Why a plan is over by the clocks, where the record does not say it yet.
    pub(super) fn over_at(
        &self,
        plan: &PlanEntry,
        now: &Moment,
        newest: Option<&Moment>,
    ) -> Option<Cause> {
        over(self.life(plan, now), Clocks { now, newest })
    }
}

/// Events about one plan, as long as nothing else happened to it.
pub(super) fn about(caller: &Caller<'_>, plan: &PlanEntry, events: Vec<Event>) -> Wanted {
    Wanted {
        actor: caller.actor.clone(),
        key: caller.command.clone(),
        expects: vec![(Stream::Plan(plan.id().clone()), plan.version)],
        events,
    }
}
