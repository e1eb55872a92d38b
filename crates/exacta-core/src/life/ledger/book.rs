//! What the record says, folded by `fold`.

mod fold;

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use serde::{Deserialize, Serialize};

use super::plan::PlanEntry;
use super::run::RunEntry;
use super::shelf::{Lines, Shelf};
use crate::judge::decide::Spend;
use crate::life::lifecycle::Moment;
use crate::model::digest::Digest;
use crate::model::id::{PlanId, ProjectId, RunId};
use crate::record::{PolicySeen, RunKind, StepSpend};

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
    /// The plans that name one as the plan before them.
    After(PlanId),
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
            Stream::After(plan_id) => {
                let after = |plan: &&PlanEntry| plan.created.parent.as_ref() == Some(plan_id);
                self.plans().filter(after).count() as u64
            }
            Stream::Run(run_id) => self.runs.get(run_id).map_or(0, |run| run.version),
            // What others ran unasked counts for everybody.
            Stream::Unasked(_) => self.head.spent.len() as u64,
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

    /// The same over all proposers.
    #[must_use]
    pub fn spent_by_all(&self, now: &Moment, window_ms: u64) -> Spend {
        let recent = self.head.spent.iter();
        let recent = recent.filter(|spent| now.at_least_since(&spent.at) < window_ms);
        recent.fold(Spend::default(), |sum, spent| sum.and(&spent.spend))
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
}

#[cfg(test)]
mod tests;
