//! The fold.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use serde::{Deserialize, Serialize};

use super::plan::PlanEntry;
use super::run::{RunEntry, RunStage, StepEntry};
use super::shelf::{Lines, Shelf};
use crate::judge::decide::Spend;
use crate::life::lifecycle::{Grant, Moment, Phase};
use crate::model::digest::Digest;
use crate::model::id::{PlanId, ProjectId, RunId};
use crate::record::{Entry, Event, PolicySeen, RunKind, StepEnd, StepSpend};

/// A part of the record whose version can be compared, so that decisions on different
/// plans do not fight.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stream {
    /// One plan.
    Plan(PlanId),
    /// What nobody was asked about, of one proposer.
    Unasked(Option<String>),
    /// One run.
    Run(RunId),
}

/// What a plan that nobody was asked about took out of the session budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spent {
    proposer: Option<String>,
    at: Moment,
    spend: Spend,
}

/// What the first command with an idempotency key did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    /// The name of the event.
    pub event: String,
    /// The plan or run that it made or was about.
    pub made: String,
    /// The name of everything that the command said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Digest>,
}

/// What the record says.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    head: Head,
    plans: Shelf<PlanEntry>,
    runs: Shelf<RunEntry>,
    keys: Shelf<Done>,
}

/// What every look at the record needs, apart from the many plans and runs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    project: Option<ProjectId>,
    key: Option<String>,
    entries: u64,
    newest: Option<Moment>,
    spent: Vec<Spent>,
    /// Runs of plans that have no result list yet.
    unfinished: BTreeSet<RunId>,
    /// The policy that was noted last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    policy: Option<PolicySeen>,
    /// What tool steps spent on the newest day on which one spent something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    day: Option<(String, StepSpend)>,
}

/// The first line of a ledger that is written down.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    head: Head,
    plans: usize,
    runs: usize,
    keys: usize,
}

impl Ledger {
    /// The project, as the record names it.
    #[must_use]
    pub fn project(&self) -> Option<&ProjectId> {
        self.head.project.as_ref()
    }

    /// The public key that signs now.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.head.key.as_deref()
    }

    /// How many entries there are.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.head.entries
    }

    /// The newest reading of both clocks in the newest boot.
    #[must_use]
    pub fn newest(&self) -> Option<&Moment> {
        self.head.newest.as_ref()
    }

    /// A plan.
    #[must_use]
    pub fn plan(&self, plan_id: &str) -> Option<&PlanEntry> {
        self.plans.get(plan_id)
    }

    /// Every plan; ids begin with their time, so this is the order they came in.
    pub fn plans(&self) -> impl DoubleEndedIterator<Item = &PlanEntry> {
        self.plans.values()
    }

    /// A run.
    #[must_use]
    pub fn run(&self, run_id: &str) -> Option<&RunEntry> {
        self.runs.get(run_id)
    }

    /// Every run, in the order they were named.
    pub fn runs(&self) -> impl DoubleEndedIterator<Item = &RunEntry> {
        self.runs.values()
    }

    /// The undo that a run's files are in, unless that was taken back in turn.
    #[must_use]
    pub fn undone_by(&self, run_id: &str) -> Option<&RunId> {
        let mut tip = self.run(run_id)?;
        while let Some(next) = tip.undone_by.as_ref().and_then(|by| self.run(by)) {
            tip = next;
        }
        matches!(tip.kind, RunKind::Undo { .. }).then_some(&tip.run_id)
    }

    /// Runs of plans that have no result list yet.
    pub fn unfinished(&self) -> impl Iterator<Item = &RunEntry> {
        self.head.unfinished.iter().filter_map(|run_id| self.runs.get(run_id))
    }

    /// Whether any plan came in yet.
    #[must_use]
    pub fn has_plans(&self) -> bool {
        !self.plans.is_empty()
    }

    /// The name of every plan, in the order they came in.
    pub fn plan_ids(&self) -> impl DoubleEndedIterator<Item = Cow<'_, str>> {
        self.plans.names()
    }

    /// The name of every run, in their order.
    pub fn run_ids(&self) -> impl DoubleEndedIterator<Item = Cow<'_, str>> {
        self.runs.names()
    }

    /// What it says as lines, to be read again by [`Ledger::from_lines`].
    ///
    /// # Errors
    /// Never for values of this type; the serialiser's error is passed on.
    pub fn to_lines(&self) -> Result<Vec<u8>, serde_json::Error> {
        let written = Written {
            head: self.head.clone(),
            plans: self.plans.len(),
            runs: self.runs.len(),
            keys: self.keys.len(),
        };
        let mut text = serde_json::to_vec(&written)?;
        text.push(b'\n');
        self.plans.write(&mut text)?;
        self.runs.write(&mut text)?;
        self.keys.write(&mut text)?;
        Ok(text)
    }

    /// What was written down, as that part of `text`. The caller knows that these are lines
    /// of ours: a plan or run among them is read when somebody asks for it, and one that
    /// cannot be read is unknown, so that nothing can be done with it. An unknown key would
    /// let a command be carried out twice; so every key must be readable.
    #[must_use]
    pub fn from_lines(text: Vec<u8>, part: Range<usize>) -> Option<Self> {
        let mut lines = Lines::of(text, part);
        let Written { head, plans, runs, keys } = serde_json::from_slice(lines.next()?).ok()?;
        let (plans, runs) = (lines.shelf(plans)?, lines.shelf(runs)?);
        let keys: Shelf<Done> = lines.shelf(keys)?;
        (lines.ended() && keys.is_readable()).then_some(Self { head, plans, runs, keys })
    }

    /// What tool steps of all runs spent on a day, written as the times of entries begin.
    #[must_use]
    pub fn spent_on(&self, day: &str) -> StepSpend {
        match &self.head.day {
            Some((newest, spent)) if newest.as_str() >= day => *spent,
            _ => StepSpend::default(),
        }
    }

    /// The policy that was noted last; nothing before the first change.
    #[must_use]
    pub fn policy(&self) -> Option<&PolicySeen> {
        self.head.policy.as_ref()
    }

    /// What a command with this idempotency key did.
    #[must_use]
    pub fn done_under(&self, key: &str) -> Option<&Done> {
        self.keys.get(key)
    }

    /// How many entries a stream has.
    #[must_use]
    pub fn version(&self, stream: &Stream) -> u64 {
        match stream {
            Stream::Plan(plan_id) => self.plans.get(plan_id).map_or(0, |plan| plan.version),
            Stream::Run(run_id) => self.runs.get(run_id).map_or(0, |run| run.version),
            Stream::Unasked(proposer) => {
                self.head.spent.iter().filter(|spent| spent.proposer == *proposer).count() as u64
            }
        }
    }

    /// What a proposer's plans took within the last `window_ms` that nobody was asked
    /// about.
    #[must_use]
    pub fn spent(&self, proposer: Option<&str>, now: &Moment, window_ms: u64) -> Spend {
        self.head
            .spent
            .iter()
            .filter(|spent| spent.proposer.as_deref() == proposer)
            // Neither a clock that was put forward nor a restart empties the budget.
            .filter(|spent| now.at_least_since(&spent.at) < window_ms)
            .fold(Spend::default(), |sum, spent| sum.and(&spent.spend))
    }

    /// Every object that a plan or run on the record needs; `None` when that cannot be told
    /// of all of them.
    #[must_use]
    pub fn records(&self) -> Option<Vec<Digest>> {
        let readable = self.plans.is_readable() && self.runs.is_readable();
        let plans = self.plans.values().filter(|plan| !plan.forgotten);
        let plans = plans.map(|plan| plan.created.record);
        let runs = self.runs.values().flat_map(|run| {
            let outputs = run.steps.values().filter_map(|step| step.output);
            let asked = run.steps.values().filter_map(|step| Some(step.asked?.1));
            run.results.into_iter().chain(run.why).chain(outputs).chain(asked)
        });
        readable.then(|| plans.chain(runs).collect())
    }

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
            Event::RecordBegun { .. } | Event::Refused { .. } => {}
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

    fn step_mut(&mut self, run_id: &RunId, step_id: &str) -> Option<&mut StepEntry> {
        Some(self.runs.get_mut(run_id)?.steps.entry(step_id.into()).or_default())
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

#[cfg(test)]
mod tests;
