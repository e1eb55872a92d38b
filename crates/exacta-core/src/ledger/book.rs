//! The fold.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use serde::{Deserialize, Serialize};

use super::plan::{PlanEntry, Rejection};
use super::run::{RunEntry, RunStage};
use super::shelf::{Lines, Shelf};
use crate::decide::Spend;
use crate::digest::Digest;
use crate::lifecycle::{Moment, State};
use crate::record::{Entry, Event, PolicySeen, RunKind};

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
    project: Option<String>,
    key: Option<String>,
    entries: u64,
    newest: Option<Moment>,
    spent: Vec<Spent>,
    /// Runs of plans that have no result list yet.
    unfinished: BTreeSet<String>,
    /// The policy that was noted last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    policy: Option<PolicySeen>,
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
    pub fn project(&self) -> Option<&str> {
        self.head.project.as_deref()
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
        let runs = self.runs.values().flat_map(|run| run.results.into_iter().chain(run.why));
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
        let made = entry.event.run_id().or(entry.event.plan_id());
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
                    PlanEntry::new(Box::as_ref(created).clone(), time(), entry.at.clone())
                });
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
                    self.head.spent.push(Spent { proposer, at, spend: spend.clone() });
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
            Event::PlanForgotten { plan_id } => {
                if let Some(plan) = self.plans.get_mut(plan_id) {
                    plan.forgotten = true;
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
            Event::PlanExecuted { plan_id, results, run_id, status, why } => {
                let run = self.run_mut(run_id, plan_id, &RunKind::Plan, entry);
                (run.results, run.status, run.why) = (Some(*results), Some(*status), *why);
                self.head.unfinished.remove(run_id);
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
        let unfinished = &mut self.head.unfinished;
        self.runs.get_or_add(run_id, || {
            if *kind == RunKind::Plan {
                unfinished.insert(run_id.into());
            }
            RunEntry {
                run_id: run_id.into(),
                plan_id: plan_id.into(),
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
            }
        })
    }

    fn ended(&mut self, run_id: &str, manifest: Digest, stage: RunStage) {
        let Some(run) = self.runs.get_mut(run_id) else { return };
        (run.stage, run.manifest) = (stage, Some(manifest));
        // A run that was said to be complete may have gone back all the same, when its last
        // barrier failed: what followed from the word goes back with it.
        let went_back = stage == RunStage::Aborted;
        let inverse = match &run.kind {
            RunKind::Plan if went_back && run.status.is_some() => {
                (run.status, run.results, run.why) = (None, None, None);
                self.head.unfinished.insert(run_id.into());
                return;
            }
            RunKind::Plan => return,
            RunKind::Undo { of } | RunKind::Redo { of } => of.clone(),
        };
        let Some(original) = self.runs.get_mut(&inverse) else { return };
        if !went_back {
            original.undone_by = Some(run_id.into());
        } else if original.undone_by.as_deref() == Some(run_id) {
            original.undone_by = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString as _;

    /// Lines of the version that [`Ledger::to_lines`] writes, with every member that an
    /// entry can have. When they cannot be read or written like this any more, snapshots
    /// of the record need another version: old ones must not be taken for new ones.
    const LINES: &str = concat!(
        r#"{"head":{"project":"p","key":"k","entries":9,"newest":{"boot":"b","boottime_ms":5,"wall_ms":6},"#,
        r#""spent":[],"unfinished":["r2"]},"plans":1,"runs":2,"keys":1}"#,
        "\n",
        r#""p1"{"created":{"binding":"DIGEST","correlation_id":"c","deadline":{"boot":"b","boottime_ms":1,"wall_ms":2},"#,
        r#""derived_from":"p0","goal":"g","parent":"p0","plan_hash":"DIGEST","plan_id":"p1","proposer":"a","#,
        r#""record":"DIGEST","session":"s"},"created_time":"t","created_at":{"boot":"b","boottime_ms":1,"wall_ms":2},"#,
        r#""state":"expired","version":4,"risk":3,"quality":900,"decision":"wait","reasons":["why"],"#,
        r#""approval":{"act":"a","approver":{"kind":"person","name":"n"},"assurance":"hash","binding":"DIGEST","#,
        r#""deadline":{"boot":"b","boottime_ms":1,"wall_ms":2},"plan_id":"p1","plan_hash":"DIGEST","steps":["step_1"],"#,
        r#""signature":"x"},"approved_time":"t","rejection":{"actor":{"kind":"person","name":"n"},"reason":"no","time":"t"},"#,
        r#""expiry":{"cause":"session_ended"},"expired_time":"t","run_id":"r1","paused":true}"#,
        "\n",
        r#""r1"{"run_id":"r1","plan_id":"p1","kind":{"kind":"plan"},"version":2,"stage":"completed","manifest":"DIGEST","#,
        r#""status":"COMPLETED","results":"DIGEST","undone_by":"r2","forgotten":true,"time":"t"}"#,
        "\n",
        r#""r2"{"run_id":"r2","plan_id":"p1","kind":{"kind":"undo","of":"r1"},"version":1,"stage":"decided","forgotten":false,"time":"t"}"#,
        "\n",
        r#""key \"1\""{"event":"plan_created","made":"p1"}"#,
        "\n",
    );

    fn lines() -> String {
        LINES.replace("DIGEST", &Digest::of(b"").to_string())
    }

    fn read(text: &str) -> Option<Ledger> {
        Ledger::from_lines(text.into(), 0..text.len())
    }

    #[test]
    fn lines_of_this_version_are_read_and_written() {
        let mut ledger = read(&lines()).unwrap();
        // Changing something to what it is makes it written anew, from what was read.
        assert!(ledger.plans.get_mut("p1").is_some());
        assert!(ledger.runs.get_mut("r1").is_some() && ledger.runs.get_mut("r2").is_some());
        assert!(ledger.keys.get_mut("key \"1\"").is_some());
        assert_eq!(String::from_utf8(ledger.to_lines().unwrap()).unwrap(), lines());
        assert_eq!(ledger.unfinished().count(), 1);
        assert_eq!(ledger.done_under("key \"1\"").unwrap().made, "p1");
        assert_eq!(ledger.version(&Stream::Plan("p1".into())), 4);
    }

    #[test]
    fn what_cannot_be_read_lets_nothing_happen() {
        let bad_key = lines().replace("\"event\"", "\"evemt\"");
        assert!(read(&bad_key).is_none(), "a command could be carried out twice");
        let bad_plan = read(&lines().replace("\"created_time\"", "\"created_tine\"")).unwrap();
        assert!(bad_plan.plan("p1").is_none());
        assert_eq!(bad_plan.records(), None, "its objects could be thrown away");
        assert_eq!(read(&lines()).unwrap().records().unwrap().len(), 2);
    }

    #[test]
    fn lines_that_are_cut_or_too_many_are_no_ledger() {
        let text = lines();
        for end in 0..text.len() {
            assert!(text.get(..end).is_none_or(|cut| read(cut).is_none()), "{end}");
        }
        assert!(read(&(text + "\n")).is_none());
    }
}
