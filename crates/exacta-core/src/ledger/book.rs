//! The fold.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::plan::{PlanEntry, Rejection};
use super::run::{RunEntry, RunStage};
use crate::decide::Spend;
use crate::digest::Digest;
use crate::lifecycle::{Moment, State};
use crate::record::{Entry, Event, RunKind};

/// A part of the record whose version can be compared, so that decisions on different
/// plans do not fight.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stream {
    /// One plan.
    Plan(String),
    /// What nobody was asked about, of one proposer.
    Unasked(Option<String>),
    /// One run.
    Run(String),
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
}

/// What the record says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ledger {
    project: Option<String>,
    key: Option<String>,
    entries: u64,
    newest: Option<Moment>,
    plans: BTreeMap<String, PlanEntry>,
    runs: BTreeMap<String, RunEntry>,
    keys: BTreeMap<String, Done>,
    spent: Vec<Spent>,
}

impl Ledger {
    /// The project, as the record names it.
    #[must_use]
    pub fn project(&self) -> Option<&str> {
        self.project.as_deref()
    }

    /// The public key that signs now.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// How many entries there are.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// The newest reading of both clocks in the newest boot.
    #[must_use]
    pub fn newest(&self) -> Option<&Moment> {
        self.newest.as_ref()
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
                self.spent.iter().filter(|spent| spent.proposer == *proposer).count() as u64
            }
        }
    }

    /// What a proposer's plans took within the last `window_ms` that nobody was asked
    /// about.
    #[must_use]
    pub fn spent(&self, proposer: Option<&str>, now: &Moment, window_ms: u64) -> Spend {
        self.spent
            .iter()
            .filter(|spent| spent.proposer.as_deref() == proposer)
            // Neither a clock that was put forward nor a restart empties the budget.
            .filter(|spent| now.at_least_since(&spent.at) < window_ms)
            .fold(Spend::default(), |sum, spent| sum.and(&spent.spend))
    }

    /// Every object that a plan or run on the record needs.
    pub fn records(&self) -> impl Iterator<Item = &Digest> {
        let plans = self.plans.values().map(|plan| &plan.created.record);
        plans.chain(self.runs.values().filter_map(|run| run.results.as_ref()))
    }

    /// Adds an entry. What names an unknown plan or run changes nothing but the count:
    /// the chain vouches for its place, not for its sense.
    pub fn add(&mut self, entry: &Entry) {
        if let Event::RecordBegun { key, project, .. } = &entry.event {
            // What came before another beginning counts for nothing.
            let entries = self.entries;
            *self = Self { entries, ..Self::default() };
            self.project = Some(project.clone());
            self.key = Some(key.clone());
        }
        self.entries += 1;
        self.newest = Some(match &self.newest {
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
        let made = entry.event.run_id().or(entry.event.plan_id());
        if let (Some(key), Some(made)) = (&entry.key, made) {
            let event = entry.event.name();
            let done = || Done { event: event.into(), made: made.into() };
            self.keys.entry(key.clone()).or_insert_with(done);
        }
    }

    fn apply(&mut self, entry: &Entry) {
        let time = || entry.time.clone();
        match &entry.event {
            Event::RecordBegun { .. } | Event::Refused { .. } => {}
            Event::PlanCreated(created) => {
                let plan = PlanEntry::new(Box::as_ref(created).clone(), time(), entry.at.clone());
                self.plans.entry(created.plan_id.clone()).or_insert(plan);
            }
            Event::PlanEvaluated { decision, plan_id, quality, reasons, risk } => {
                if let Some(plan) = self.plans.get_mut(plan_id) {
                    plan.decision = Some(decision.clone());
                    plan.reasons.clone_from(reasons);
                    (plan.risk, plan.quality) = (*risk, *quality);
                }
            }
            Event::PlanApproved { approval, spend } => {
                let Some(plan) = self.plans.get_mut(&approval.plan_id) else { return };
                plan.state = match spend {
                    Some(_) => State::AutoApproved,
                    None => State::UserApproved,
                };
                plan.approval = Some(Box::as_ref(approval).clone());
                plan.approved_time = Some(time());
                if let Some(spend) = spend {
                    let (proposer, at) = (plan.created.proposer.clone(), entry.at.clone());
                    self.spent.push(Spent { proposer, at, spend: spend.clone() });
                }
            }
            Event::PlanRejected { plan_id, reason } => {
                if let Some(plan) = self.plans.get_mut(plan_id) {
                    plan.state = State::Rejected;
                    let (actor, reason) = (entry.actor.clone(), reason.clone());
                    plan.rejection = Some(Rejection { actor, reason, time: time() });
                }
            }
            Event::PlanExpired { cause, plan_id } => {
                if let Some(plan) = self.plans.get_mut(plan_id) {
                    plan.state = State::Expired;
                    plan.expiry = Some(cause.clone());
                    plan.expired_time = Some(time());
                }
            }
            Event::PlanPaused { plan_id } => {
                if let Some(plan) = self.plans.get_mut(plan_id) {
                    plan.paused = true;
                }
            }
            Event::UndoApproved { kind, plan_id, run_id, .. } => {
                self.run_mut(run_id, plan_id, kind, entry);
            }
            Event::RunStarted { kind, manifest, plan_id, run_id } => {
                let run = self.run_mut(run_id, plan_id, kind, entry);
                (run.stage, run.manifest) = (RunStage::Started, Some(*manifest));
                if *kind == RunKind::Plan
                    && let Some(plan) = self.plans.get_mut(plan_id)
                {
                    plan.run_id = Some(run_id.clone());
                }
            }
            Event::RunCompleted { manifest, run_id } => {
                self.ended(run_id, *manifest, RunStage::Completed);
            }
            Event::RunAborted { manifest, run_id } => {
                self.ended(run_id, *manifest, RunStage::Aborted);
            }
            Event::PlanExecuted { plan_id, results, run_id, status } => {
                let run = self.run_mut(run_id, plan_id, &RunKind::Plan, entry);
                (run.results, run.status) = (Some(*results), Some(*status));
                if let Some(plan) = self.plans.get_mut(plan_id) {
                    plan.run_id = Some(run_id.clone());
                }
            }
            Event::RunForgotten { run_id } => {
                if let Some(run) = self.runs.get_mut(run_id) {
                    run.forgotten = true;
                }
            }
        }
    }

    fn run_mut(
        &mut self,
        run_id: &str,
        plan_id: &str,
        kind: &RunKind,
        entry: &Entry,
    ) -> &mut RunEntry {
        self.runs.entry(run_id.into()).or_insert_with(|| RunEntry {
            run_id: run_id.into(),
            plan_id: plan_id.into(),
            kind: kind.clone(),
            version: 0,
            stage: RunStage::Decided,
            manifest: None,
            status: None,
            results: None,
            undone_by: None,
            forgotten: false,
            time: entry.time.clone(),
        })
    }

    fn ended(&mut self, run_id: &str, manifest: Digest, stage: RunStage) {
        let Some(run) = self.runs.get_mut(run_id) else { return };
        (run.stage, run.manifest) = (stage, Some(manifest));
        let inverse = match &run.kind {
            RunKind::Undo { of } | RunKind::Redo { of } if stage == RunStage::Completed => {
                of.clone()
            }
            _ => return,
        };
        if let Some(original) = self.runs.get_mut(&inverse) {
            original.undone_by = Some(run_id.into());
        }
    }
}
