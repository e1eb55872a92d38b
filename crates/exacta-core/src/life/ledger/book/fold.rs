//! The fold: one entry at a time.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;

use super::super::plan::PlanEntry;
use super::super::run::{RunEntry, RunStage, StepEntry};
use super::{Done, Ledger, Spent};
use crate::life::lifecycle::{Grant, Phase};
use crate::model::digest::Digest;
use crate::model::id::{PlanId, RunId, StepId};
use crate::record::{Entry, Event, RunKind, StepEnd, StepSpend};

impl Ledger {
    /// Adds an entry. What names an unknown plan or run changes nothing but the count:
    /// the chain vouches for its place, not for its sense.
    pub fn add(&mut self, entry: &Entry) {
        if let Event::RecordBegun { key, project, .. } = &entry.event {
            // What came before another beginning counts for nothing.
            let entries = self.head.entries;
            *self = Self::default();
            self.head.entries = entries;
            self.head.project = Some(project.clone());
            self.head.key = Some(key.clone());
        }
        self.head.entries += 1;
        self.head.newest = Some(match &self.head.newest {
            Some(newest) => newest.latest(&entry.at),
            None => entry.at.clone(),
        });
        self.note_key(entry);
        self.apply(entry);
        if let Some(plan_id) = entry.event.plan_id()
            && !matches!(entry.event, Event::PlanCreated(_))
            && let Some(plan) = self.plans.get_mut(plan_id)
        {
            plan.version += 1;
        }
        if let Some(run) = entry.event.run_id().and_then(|run_id| self.runs.get_mut(run_id)) {
            run.version += 1;
        }
    }

    fn note_key(&mut self, entry: &Entry) {
        let run = entry.event.run_id().map(RunId::as_str);
        let made = run.or(entry.event.plan_id().map(PlanId::as_str));
        if let (Some(key), Some(made)) = (&entry.key, made) {
            let event = entry.event.name();
            let command = entry.command;
            let done = || Done { event: event.into(), made: made.into(), command };
            self.keys.get_or_add(key, done);
        }
    }

    fn apply(&mut self, entry: &Entry) {
        let time = || entry.time.clone();
        match &entry.event {
            Event::RecordBegun { .. } | Event::RecordMoved { .. } | Event::Refused { .. } => {}
            Event::PolicyChanged(seen) => self.head.policy = Some(seen.clone()),
            Event::PlanCreated(created) => {
                self.plans.get_or_add(&created.plan_id, || {
                    let created = Box::as_ref(created).clone();
                    PlanEntry::new(created, entry.actor.clone(), time(), entry.at.clone())
                });
            }
            Event::PlanEvaluated { decision, plan_id, quality, reasons, risk } => {
                if let Some(plan) = self.plans.get_mut(plan_id) {
                    plan.decision = Some(*decision);
                    plan.reasons.clone_from(reasons);
                    (plan.risk, plan.quality) = (*risk, *quality);
                }
            }
            Event::PlanApproved { approval, spend } => {
                let Some(plan) = self.plans.get_mut(&approval.plan_id) else { return };
                if !matches!(plan.phase, Phase::Pending { .. }) {
                    return;
                }
                let approval = Box::as_ref(approval).clone();
                let grant = Grant { approval, time: time(), unasked: spend.is_some() };
                plan.phase = Phase::Approved { grant, run_id: None };
                if let Some(spend) = spend {
                    let (proposer, at) = (plan.created.proposer.clone(), entry.at.clone());
                    self.head.spent.push(Spent { proposer, at, spend: spend.clone() });
                }
            }
            Event::PlanRejected { plan_id, reason } => {
                if let Some(plan) = self.plans.get_mut(plan_id)
                    && matches!(plan.phase, Phase::Pending { .. })
                {
                    let (actor, reason) = (entry.actor.clone(), reason.clone());
                    plan.phase = Phase::Rejected { actor, reason, time: time() };
                }
            }
            Event::PlanExpired { cause, plan_id } => {
                let Some(plan) = self.plans.get_mut(plan_id) else { return };
                let grant = match &plan.phase {
                    Phase::Pending { .. } => None,
                    Phase::Approved { grant, run_id: None } => Some(grant.clone()),
                    // What has run or is over already stays what it is.
                    _ => return,
                };
                plan.phase = Phase::Expired { cause: cause.clone(), grant, time: time() };
            }
            Event::PlanPaused { plan_id } => {
                if let Some(plan) = self.plans.get_mut(plan_id)
                    && let Phase::Pending { paused } = &mut plan.phase
                {
                    *paused = true;
                }
            }
            Event::PlanForgotten { plan_id } => {
                if let Some(plan) = self.plans.get_mut(plan_id) {
                    plan.forgotten = true;
                }
            }
            Event::UndoApproved { kind, plan_id, run_id, .. } => {
                self.run_mut(run_id, plan_id, kind, entry);
            }
            Event::RunStarted { kind, manifest, plan_id, provider, run_id } => {
                let run = self.run_mut(run_id, plan_id, kind, entry);
                (run.stage, run.manifest) = (RunStage::Started, Some(*manifest));
                if run.provider.is_none() {
                    run.provider.clone_from(provider);
                }
                if *kind == RunKind::Plan {
                    self.spend(plan_id, run_id);
                }
            }
            Event::RunBegun { plan_id, provider, run_id } => {
                let run = self.run_mut(run_id, plan_id, &RunKind::Plan, entry);
                run.provider.clone_from(provider);
                run.begun = true;
                self.spend(plan_id, run_id);
            }
            Event::RunCancelled { run_id } => {
                if let Some(run) = self.runs.get_mut(run_id) {
                    run.cancelled = true;
                }
            }
            Event::StepStarted { attempt, idempotency_key, run_id, step_id } => {
                if let Some(run) = self.runs.get_mut(run_id)
                    && run.stage == RunStage::Started
                {
                    run.past_return = true;
                }
                let Some(step) = self.step_mut(run_id, step_id) else { return };
                (step.attempts, step.end) = (*attempt, None);
                step.idempotency_key.clone_from(idempotency_key);
            }
            Event::StepFinished { end: StepEnd::Compensated, run_id, step_id, .. } => {
                let Some(step) = self.step_mut(run_id, step_id) else { return };
                step.compensated = true;
            }
            Event::StepFinished { end, output, reason, run_id, spent, step_id } => {
                self.spent_by(run_id, *spent, entry);
                if let Some(run) = self.runs.get_mut(run_id)
                    && run.stage == RunStage::Started
                    && *end != StepEnd::Ok
                {
                    run.past_return = false;
                }
                let Some(step) = self.step_mut(run_id, step_id) else { return };
                (step.end, step.output, step.unknown) = (Some(*end), *output, false);
                step.reason.clone_from(reason);
            }
            Event::StepAsked { arguments, request, run_id, step_id } => {
                let Some(step) = self.step_mut(run_id, step_id) else { return };
                step.asked = Some((*arguments, *request));
            }
            Event::StepDecided { approved, arguments, reason, run_id, step_id, .. } => {
                let Some(step) = self.step_mut(run_id, step_id) else { return };
                step.decided = Some((*arguments, *approved));
                step.reason.clone_from(reason);
            }
            Event::StepUnknown { output, run_id, spent, step_id } => {
                self.spent_by(run_id, *spent, entry);
                let Some(step) = self.step_mut(run_id, step_id) else { return };
                (step.output, step.unknown) = (*output, true);
            }
            Event::StepResolved { happened, run_id, step_id, .. } => {
                if let Some(run) = self.runs.get_mut(run_id) {
                    run.resolved = true;
                }
                let Some(step) = self.step_mut(run_id, step_id) else { return };
                let end = if *happened { StepEnd::Ok } else { StepEnd::Failed };
                (step.end, step.output, step.unknown) = (Some(end), None, false);
            }
            Event::RunCompleted { manifest, run_id } => {
                self.ended(run_id, *manifest, RunStage::Completed);
            }
            Event::RunAborted { manifest, run_id } => {
                self.ended(run_id, *manifest, RunStage::Aborted);
            }
            Event::PlanExecuted { plan_id, results, rolled_back, run_id, status, why } => {
                let run = self.run_mut(run_id, plan_id, &RunKind::Plan, entry);
                (run.results, run.status, run.why) = (Some(*results), Some(*status), *why);
                (run.rolled_back, run.resolved) = (*rolled_back, false);
                self.head.unfinished.remove(run_id);
                self.spend(plan_id, run_id);
            }
            Event::RunForgotten { run_id } => {
                if let Some(run) = self.runs.get_mut(run_id) {
                    run.forgotten = true;
                }
            }
        }
    }

    /// Counts what a step spent, for its run and for the day.
    fn spent_by(&mut self, run_id: &RunId, spent: StepSpend, entry: &Entry) {
        if spent.is_nothing() {
            return;
        }
        if let Some(run) = self.runs.get_mut(run_id) {
            run.spent = run.spent.plus(spent);
        }
        let today = entry.time.split('T').next().unwrap_or_default();
        match &mut self.head.day {
            Some((day, sum)) if day == today => *sum = sum.plus(spent),
            // A clock that was put back does not empty the newest day.
            Some((day, sum)) if day.as_str() > today => *sum = sum.plus(spent),
            day => *day = Some((today.into(), spent)),
        }
    }

    /// The approval of a plan is spent on a run.
    fn spend(&mut self, plan_id: &PlanId, by: &RunId) {
        if let Some(plan) = self.plans.get_mut(plan_id)
            && let Phase::Approved { run_id: run_id @ None, .. } = &mut plan.phase
        {
            *run_id = Some(by.clone());
        }
    }

    fn step_mut(&mut self, run_id: &RunId, step_id: &StepId) -> Option<&mut StepEntry> {
        Some(self.runs.get_mut(run_id)?.steps.entry(step_id.clone()).or_default())
    }

    fn run_mut(
        &mut self,
        run_id: &RunId,
        plan_id: &PlanId,
        kind: &RunKind,
        entry: &Entry,
    ) -> &mut RunEntry {
        let unfinished = &mut self.head.unfinished;
        self.runs.get_or_add(run_id, || {
            if *kind == RunKind::Plan {
                unfinished.insert(run_id.clone());
            }
            RunEntry {
                run_id: run_id.clone(),
                plan_id: plan_id.clone(),
                kind: kind.clone(),
                version: 0,
                stage: RunStage::Decided,
                manifest: None,
                status: None,
                results: None,
                why: None,
                undone_by: None,
                forgotten: false,
                time: entry.time.clone(),
                provider: None,
                begun: false,
                cancelled: false,
                past_return: false,
                rolled_back: false,
                resolved: false,
                spent: StepSpend::default(),
                steps: BTreeMap::new(),
            }
        })
    }

    fn ended(&mut self, run_id: &RunId, manifest: Digest, stage: RunStage) {
        let Some(run) = self.runs.get_mut(run_id) else { return };
        (run.stage, run.manifest) = (stage, Some(manifest));
        // A run that was said to be complete may have gone back all the same, when its last
        // barrier failed: what followed from the word goes back with it.
        let went_back = stage == RunStage::Aborted;
        let inverse = match &run.kind {
            RunKind::Plan if went_back && run.status.is_some() => {
                (run.status, run.results, run.why) = (None, None, None);
                self.head.unfinished.insert(run_id.clone());
                return;
            }
            RunKind::Plan => return,
            RunKind::Undo { of } | RunKind::Redo { of } => of.clone(),
        };
        let Some(original) = self.runs.get_mut(&inverse) else { return };
        if !went_back {
            original.undone_by = Some(run_id.clone());
        } else if original.undone_by.as_ref() == Some(run_id) {
            original.undone_by = None;
        }
    }
}
