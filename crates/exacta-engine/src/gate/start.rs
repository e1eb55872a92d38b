//! What comes before a run: whether it may start at all, and, for one in the background, why
//! it did not.

use std::collections::BTreeSet;

use exacta_core::judge::examine::Verdict;
use exacta_core::judge::policy::Policy;
use exacta_core::life::ledger::{Done, PlanEntry};
use exacta_core::life::lifecycle::Verb;
use exacta_core::model::change::Change;
use exacta_core::model::digest::Digest;
use exacta_core::model::id::PlanId;
use serde::Serialize;

use super::command::{Caller, Command};
use super::error::GateError;
use super::handle::{Gate, TRIES};
use super::preflight::{Checked, Preflown};
use crate::run::Watch;
use crate::workspace::{PortError, Spot, replace};

/// Where a run that nobody watches says why it did not start.
pub(super) const FOLDER: &str = "detached";
/// The file that names the plan whose checks are under way.
pub(super) const CHECKING: &str = "checking";
/// No more of it is kept or read.
const MOST: usize = 4 << 10;

fn file(plan_id: &PlanId) -> Spot {
    Spot::state().within(FOLDER).within(&format!("{plan_id}.txt"))
}

/// Look at everything that is looked at before a run starts, without starting it. An expiry
/// that shows is recorded, and an earlier reason why it did not start is forgotten.
#[derive(Clone, Debug, Serialize)]
pub struct PrepareRun {
    /// The plan.
    pub plan_id: PlanId,
    /// Its hash, when the caller wants to be sure.
    pub plan_hash: Option<Digest>,
}

impl Command for PrepareRun {
    type Reply = ();
    const NAME: &'static str = "prepare_run";

    fn carry_out(self, gate: &Gate<'_>, caller: &Caller<'_>) -> Result<(), GateError> {
        let policy = gate.policy()?;
        for _ in 0..TRIES {
            let hash = self.plan_hash;
            if gate.cleared(&self.plan_id, hash, &policy, caller.watch)?.is_some() {
                return gate.keep_failed_start(&self.plan_id, None);
            }
        }
        Err(GateError::Busy)
    }

    fn again(&self, _: &Gate<'_>, _: &Done) -> Result<(), GateError> {
        Ok(())
    }
}

/// Keep why a run that nobody watches did not start, for whoever asks later.
#[derive(Clone, Debug, Serialize)]
pub struct NoteFailedStart {
    /// The plan.
    pub plan_id: PlanId,
    /// Why.
    pub why: String,
}

impl Command for NoteFailedStart {
    type Reply = ();
    const NAME: &'static str = "note_failed_start";
    const RECOVERS_FIRST: bool = false;

    fn carry_out(self, gate: &Gate<'_>, _: &Caller<'_>) -> Result<(), GateError> {
        gate.keep_failed_start(&self.plan_id, Some(&self.why))
    }

    fn again(&self, _: &Gate<'_>, _: &Done) -> Result<(), GateError> {
        Ok(())
    }
}

impl Gate<'_> {
    /// A plan that may run now, computed again; `None` when it moved on meanwhile.
    pub(super) fn cleared(
        &self,
        plan_id: &PlanId,
        hash: Option<Digest>,
        policy: &Policy,
        watch: &dyn Watch,
    ) -> Result<Option<(PlanEntry, Box<Checked>)>, GateError> {
        self.recover_if_needed(watch)?;
        let (plan, now) = (self.plan(plan_id)?, self.now()?);
        self.may(&plan, Verb::Start)?;
        Self::same_hash(&plan, hash)?;
        self.genuine(&plan)?;
        let record = match self.as_projected(&plan) {
            Ok(record) => record,
            Err(_) if self.has_moved(&plan)? => return Ok(None),
            // Whoever was writing the plan's file is done now.
            Err(_) => self.as_projected(&plan)?,
        };
        let checked = match self.preflight_of(&plan, record, policy, &now) {
            Err(_) if self.has_moved(&plan)? => return Ok(None),
            Err(error) => return Err(error),
            Ok(Preflown::Expired(cause)) => return Err(self.expired(&plan, &cause)?),
            Ok(Preflown::Clear(checked)) => checked,
        };
        match &checked.examined.verdict {
            Verdict::Sound(sound) => {
                self.may_change(sound.changes())?;
            }
            Verdict::Rejected { .. } => return Err(GateError::Invalid(checked.examined.issues)),
        }
        Ok(Some((plan, checked)))
    }

    /// Whether every folder lets itself be changed, before an approval is spent to find out.
    fn may_change(&self, changes: &[Change]) -> Result<(), GateError> {
        let mut asked = BTreeSet::new();
        for change in changes {
            let target = Spot::target(&change.path);
            if asked.insert(target.folder().as_str().to_owned()) {
                self.ports.port.may_change(&target)?;
            }
        }
        Ok(())
    }

    /// Says for others that the checks of a plan are under way, or that none are any more.
    /// The caller holds the project; while nobody does, what is said counts for nothing.
    pub(super) fn tell_checking(&self, plan_id: Option<&PlanId>) -> Result<(), PortError> {
        let at = Spot::state().within(CHECKING);
        match plan_id {
            Some(plan_id) => replace(self.ports.port, &at, plan_id.as_str().as_bytes()),
            None => self.ports.port.remove(&at),
        }
    }

    /// The plan whose checks are under way right now. A look costs nothing where none are.
    #[must_use]
    pub fn checking(&self) -> Option<PlanId> {
        let (port, at) = (self.ports.port, Spot::state().within(CHECKING));
        port.stamp(&at).ok().flatten()?;
        let bytes = port.read(&at).ok()?;
        let held = matches!(port.lock(), Err(PortError::Locked));
        let plan_id = PlanId::parse(str::from_utf8(&bytes).ok()?).ok();
        plan_id.filter(|_| held)
    }

    /// Keeps why a run that nobody watches did not start, or forgets it again.
    fn keep_failed_start(&self, plan_id: &PlanId, why: Option<&str>) -> Result<(), GateError> {
        let (port, at) = (self.ports.port, file(plan_id));
        let turn = port.turn()?;
        match why {
            Some(why) => {
                let why = (self.ports.mask)(why);
                let why = why.get(..why.floor_char_boundary(MOST)).unwrap_or_default();
                port.make_private(&Spot::state().within(FOLDER))?;
                replace(port, &at, why.as_bytes())?;
            }
            None => port.remove(&at)?,
        }
        drop(turn);
        Ok(())
    }

    /// Why the last try to run a plan unwatched did not start.
    #[must_use]
    pub fn failed_start(&self, plan: &PlanEntry) -> Option<String> {
        if plan.run_id().is_some() {
            return None;
        }
        let bytes = self.ports.port.read(&file(plan.id())).ok()?;
        let bytes = bytes.get(..MOST).unwrap_or(&bytes);
        Some(String::from_utf8_lossy(bytes).into_owned())
    }
}
