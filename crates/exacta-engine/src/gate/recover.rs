//! `recover`: what a dead process left is finished or taken back, by the record. And the
//! sweep that expires plans whose time is over.

use std::thread;
use std::time::Instant;

use exacta_core::digest::Blob;
use exacta_core::ledger::{PlanEntry, RunStage};
use exacta_core::lifecycle::{Cause, State, Verb};
use exacta_core::record::{Actor, Event, RunKind};
use exacta_core::results::{Outcome as StepOutcome, PlanOutline, ResultList, TaskStatus};

use super::configuration;
use super::error::GateError;
use super::handle::Gate;
use super::outcome::Outcome;
use super::run::{BETWEEN_TRIES, PATIENCE};
use super::stored::PlanRecord;
use crate::log::{RunJournal, Wanted};
use crate::run::{Engine, RecoverError, Recovered};
use crate::workspace::PortError;

impl Gate<'_> {
    /// Settles every unsettled run.
    pub(super) fn recover(&self) -> Result<Recovered, GateError> {
        let journal = RunJournal::recovering(&self.log);
        let engine = Engine::new(self.ports.port, &journal, &self.secrets.key);
        let start = Instant::now();
        let recovered = loop {
            match engine.recover() {
                Err(RecoverError::Port(PortError::Locked)) if start.elapsed() < PATIENCE => {
                    thread::sleep(BETWEEN_TRIES);
                }
                other => break other?,
            }
        };
        self.log.settle()?;
        self.conclude_recovered()?;
        Ok(recovered)
    }

    /// Recovers before an act, when something is unsettled and nobody is at it.
    pub(super) fn recover_if_needed(&self) -> Result<(), GateError> {
        let journal = RunJournal::recovering(&self.log);
        let engine = Engine::new(self.ports.port, &journal, &self.secrets.key);
        if engine.unsettled()?.is_empty() {
            return Ok(());
        }
        // A run that is under way holds the project; waiting for it is recovery enough.
        self.recover().map(drop)
    }

    /// Whether a read-only command should say that recovery is needed.
    ///
    /// # Errors
    /// When the state folder cannot be read.
    pub fn needs_recovery(&self) -> Result<bool, GateError> {
        let journal = RunJournal::recovering(&self.log);
        let engine = Engine::new(self.ports.port, &journal, &self.secrets.key);
        Ok(!engine.unsettled()?.is_empty())
    }

    /// Gives every run of a plan that ended without its result list one.
    fn conclude_recovered(&self) -> Result<(), GateError> {
        let open: Vec<(String, String, RunStage)> = {
            let ledger = self.log.ledger();
            let open = ledger.runs().filter(|run| {
                run.kind == RunKind::Plan
                    && run.status.is_none()
                    && matches!(run.stage, RunStage::Completed | RunStage::Aborted)
            });
            open.map(|run| (run.run_id.clone(), run.plan_id.clone(), run.stage)).collect()
        };
        for (run_id, plan_id, stage) in open {
            let plan = self.plan(&plan_id)?;
            let record = PlanRecord::load(&self.objects, &plan)?;
            let draft = record.draft(&self.objects)?;
            let Ok(outline) = PlanOutline::of(&draft) else { continue };
            let mut list = ResultList::new(&outline, draft.execution);
            let order: Vec<usize> = outline.order().map(<[usize]>::to_vec).unwrap_or_default();
            for index in &order {
                let Some(step) = draft.steps.get(*index) else { continue };
                let _ = list.record(&step.step_id, StepOutcome::Done { output: None });
            }
            if stage == RunStage::Aborted {
                for index in &order {
                    let Some(step) = draft.steps.get(*index) else { continue };
                    let _ = list.roll_back(&step.step_id);
                }
            }
            let results = list.finish();
            let status: TaskStatus = results.meta().task_status();
            let blob = Blob::new(serde_json::to_vec(&results)?);
            self.objects.put(std::slice::from_ref(&blob))?;
            let event = Event::PlanExecuted { plan_id, results: blob.digest(), run_id, status };
            let actor = Actor::system();
            self.commit(&Wanted { actor, key: None, expects: Vec::new(), events: vec![event] })?;
        }
        Ok(())
    }

    /// Looks at every live plan and records those that expired.
    pub(super) fn sweep(&self) -> Result<Outcome, GateError> {
        let policy = self.policy()?;
        let live: Vec<PlanEntry> = {
            let ledger = self.log.ledger();
            let live = ledger.plans().filter(|plan| {
                !matches!(plan.state, State::Rejected | State::Expired) && plan.run_id.is_none()
            });
            live.cloned().collect()
        };
        let configured = configuration::survey(self.ports.port, &policy.project_config)?;
        let mut expired = Vec::new();
        for plan in live {
            let now = self.now()?;
            let record = PlanRecord::load(&self.objects, &plan)?;
            let changes = configuration::compare(&record.configuration, &configured);
            let cause = if changes.is_empty() {
                let changes = self.targets_changed(&record)?;
                (!changes.is_empty()).then_some(Cause::TargetsChanged { changes })
            } else {
                Some(Cause::ConfigurationChanged { changes })
            };
            let told = match cause {
                Some(cause) => self.expire::<()>(&plan, Verb::Expire { cause }, &now),
                // Any verb shows whether the time is over; this one does nothing else.
                None if plan.state == State::Pending => self.may(&plan, Verb::Approve, &now),
                None => self.may(&plan, Verb::Start, &now),
            };
            match told {
                Err(GateError::Refusal(exacta_core::lifecycle::Refusal::Expired { .. })) => {
                    expired.push(plan.created.plan_id);
                }
                Ok(()) | Err(GateError::Refusal(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Outcome::Swept(expired))
    }
}
