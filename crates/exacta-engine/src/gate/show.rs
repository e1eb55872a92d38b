//! Looking at one plan, without changing anything.

use exacta_core::judge::examine::{Context, Examined};
use exacta_core::judge::policy::{Caps, Policy};
use exacta_core::life::binding::PlanBinding;
use exacta_core::life::ledger::{PlanEntry, RunEntry};
use exacta_core::life::lifecycle::{Cause, Moment, State};
use exacta_core::model::digest::{Blob, Digest};
use exacta_core::model::id::PlanId;
use exacta_core::model::path::RelPath;
use exacta_core::record::Entry;

use super::create::MS_A_MINUTE;
use super::error::GateError;
use super::frozen::Replayed;
use super::handle::Gate;
use super::stored::PlanRecord;
use crate::workspace::Spot;

/// A plan, computed again on the files as it saw them.
pub struct Shown {
    /// What the record says.
    pub entry: PlanEntry,
    /// The state, with an expiry that shows but is not yet recorded.
    pub state: State,
    /// Everything found out about it.
    pub examined: Examined,
    /// What the user asked for.
    pub intent: Option<String>,
    /// Whose word the plan is, as its approval signs it.
    pub binding: PlanBinding,
    /// The caps in force for it.
    pub caps: Caps,
    /// Whether policy and program still find what they found then. If not, the scores on
    /// the record are the ones that count.
    pub same: bool,
    /// Milliseconds until it expires.
    pub left_ms: u64,
    /// Its run, if it has one.
    pub run: Option<RunEntry>,
}

impl Shown {
    /// Whether it can still be decided on or run.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.state.is_open() && self.run.is_none()
    }
}

impl Gate<'_> {
    /// What recent plans that nobody was asked about add to the judgement of a new one.
    ///
    /// # Errors
    /// When the clock cannot be read.
    pub fn recall(&self, context: &mut Context, policy: &Policy) -> Result<(), GateError> {
        self.recall_at(context, policy, &self.now()?);
        Ok(())
    }

    pub(super) fn recall_at(&self, context: &mut Context, policy: &Policy, now: &Moment) {
        let window = policy.session_budget.minutes.saturating_mul(MS_A_MINUTE);
        let ledger = self.log.ledger();
        context.session = ledger.spent(context.proposer.as_deref(), now, window);
        context.everybody = ledger.spent_by_all(now, window);
        drop(ledger);
        context.window = self.window(&context.everybody);
    }

    /// A plan with everything that can be shown of it.
    ///
    /// # Errors
    /// When there is no such plan or what is stored of it was changed.
    pub fn show(&self, plan_id: &PlanId) -> Result<Shown, GateError> {
        let (entry, now) = (self.plan(plan_id)?, self.now()?);
        let (state, run) = {
            let ledger = self.log.ledger();
            let run = entry.run_id().and_then(|run_id| ledger.run(run_id)).cloned();
            (self.state_now(&entry, &now, ledger.newest()), run)
        };
        let record = PlanRecord::load(self.objects.as_ref(), &entry)?;
        let policy = self.policy()?;
        let tree = Replayed { tree: &record.tree, objects: &self.objects };
        let examined = self.examine_again(&record, &tree, &policy)?;
        let same = examined.plan_hash == entry.created.plan_hash;
        let left_ms = entry.created.deadline.left(&now);
        let caps = policy.caps_for(examined.draft().skill_id.as_deref());
        let PlanRecord { intent, binding, .. } = record;
        Ok(Shown { entry, state, examined, intent, binding, caps, same, left_ms, run })
    }

    /// Why the project is not what a plan was made for, if it is not. Nothing is recorded.
    ///
    /// # Errors
    /// When there is no such plan or what is stored of it was changed.
    pub fn out_of_date(&self, plan_id: &PlanId) -> Result<Option<Cause>, GateError> {
        let record = PlanRecord::load(self.objects.as_ref(), &self.plan(plan_id)?)?;
        self.drift(&record, &self.policy()?)
    }

    /// The bytes of an object.
    ///
    /// # Errors
    /// When it is missing or changed.
    pub fn object(&self, digest: &Digest) -> Result<Blob, GateError> {
        Ok(self.objects.get(digest)?)
    }

    /// The bytes that a file has now, where they are these, or else the object.
    ///
    /// # Errors
    /// When neither is there.
    pub fn image(&self, digest: &Digest, path: &RelPath) -> Result<Blob, GateError> {
        let there = self.ports.port.read(&Spot::target(path)).ok().map(Blob::new);
        match there.filter(|blob| blob.digest() == *digest) {
            Some(blob) => Ok(blob),
            None => self.object(digest),
        }
    }

    /// Every entry of the record, oldest first.
    ///
    /// # Errors
    /// When the record cannot be read.
    pub fn entries(&self) -> Result<Vec<Entry>, GateError> {
        Ok(self.log.entries()?)
    }

    /// The entries from this number on, oldest first.
    ///
    /// # Errors
    /// When the record cannot be read.
    pub fn entries_from(&self, from: u64) -> Result<Vec<Entry>, GateError> {
        Ok(self.log.entries_from(from)?)
    }

    /// Every plan on the record, in the order they came in.
    #[must_use]
    pub fn plans(&self) -> Vec<PlanEntry> {
        self.log.ledger().plans().cloned().collect()
    }

    /// Every run on the record.
    #[must_use]
    pub fn runs(&self) -> Vec<RunEntry> {
        self.log.ledger().runs().cloned().collect()
    }

    /// Where the record stands.
    #[must_use]
    pub fn head(&self) -> RecordHead {
        RecordHead {
            project: self.secrets.project.clone(),
            entries: self.log.ledger().entries(),
            head: self.log.head(),
        }
    }

    /// Reads what other processes added.
    ///
    /// # Errors
    /// When the record cannot be read.
    pub fn refresh(&self) -> Result<(), GateError> {
        Ok(self.look_again()?)
    }

    /// Whether a clock shows less than it did at the newest entry: then every plan is out of
    /// time as soon as it is made.
    ///
    /// # Errors
    /// When the machine does not tell the time.
    pub fn clock_runs_behind(&self) -> Result<bool, GateError> {
        let now = self.now()?;
        Ok(self.log.ledger().newest().is_some_and(|newest| now.runs_before(newest)))
    }
}

/// Where a record stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordHead {
    /// The project.
    pub project: exacta_core::model::id::ProjectId,
    /// How many entries its record has.
    pub entries: u64,
    /// The link of the newest one.
    pub head: Digest,
}
