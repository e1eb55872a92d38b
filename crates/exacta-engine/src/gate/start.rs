//! What comes before a run: whether it may start at all, and, for one that nobody watches,
//! why it did not.

use std::collections::BTreeSet;

use exacta_core::change::Change;
use exacta_core::digest::Digest;
use exacta_core::examine::Verdict;
use exacta_core::ledger::PlanEntry;
use exacta_core::lifecycle::Verb;
use exacta_core::policy::Policy;

use super::error::GateError;
use super::handle::{Gate, TRIES};
use super::preflight::{Checked, Preflown};
use super::run::no_tools;
use crate::run::{Quiet, Watch};
use crate::workspace::{PortError, Spot, replace};

/// Where a run that nobody watches says why it did not start.
pub(super) const FOLDER: &str = "detached";
/// The file that names the plan whose checks are under way.
pub(super) const CHECKING: &str = "checking";
/// No more of it is kept or read.
const MOST: usize = 4 << 10;

fn file(plan_id: &str) -> Spot {
    Spot::state().within(FOLDER).within(&format!("{plan_id}.txt"))
}

impl Gate<'_> {
    /// Everything that is looked at before a run starts, without starting it. An expiry
    /// that shows is recorded.
    ///
    /// # Errors
    /// Why it would not start.
    pub fn would_run(&self, name: &str, hash: Option<Digest>) -> Result<(), GateError> {
        self.ready(true)?;
        let policy = self.policy()?;
        for _ in 0..TRIES {
            if self.cleared(name, hash, &policy, &Quiet)?.is_some() {
                return Ok(());
            }
        }
        Err(GateError::Busy)
    }

    /// A plan that may run now, computed again; `None` when it moved on meanwhile.
    pub(super) fn cleared(
        &self,
        name: &str,
        hash: Option<Digest>,
        policy: &Policy,
        watch: &dyn Watch,
    ) -> Result<Option<(PlanEntry, Box<Checked>)>, GateError> {
        self.recover_if_needed(watch)?;
        let (plan, now) = (self.plan(name)?, self.now()?);
        self.may(&plan, &Verb::Start, &now)?;
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
            Ok(Preflown::Expired(cause)) => return self.expire(&plan, &cause),
            Ok(Preflown::Clear(checked)) => checked,
        };
        match &checked.examined.verdict {
            Verdict::Sound(sound) => {
                no_tools(sound.draft())?;
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
    pub(super) fn tell_checking(&self, plan_id: Option<&str>) -> Result<(), PortError> {
        let at = Spot::state().within(CHECKING);
        match plan_id {
            Some(plan_id) => replace(self.ports.port, &at, plan_id.as_bytes()),
            None => self.ports.port.remove(&at),
        }
    }

    /// The plan whose checks are under way right now. A look costs nothing where none are.
    #[must_use]
    pub fn checking(&self) -> Option<String> {
        let (port, at) = (self.ports.port, Spot::state().within(CHECKING));
        port.stamp(&at).ok().flatten()?;
        let bytes = port.read(&at).ok()?;
        let held = matches!(port.lock(), Err(PortError::Locked));
        String::from_utf8(bytes).ok().filter(|_| held)
    }

    /// Keeps why a run that nobody watches did not start, or forgets it again.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep_failed_start(&self, plan_id: &str, why: Option<&str>) -> Result<(), GateError> {
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
        if plan.run_id.is_some() {
            return None;
        }
        let bytes = self.ports.port.read(&file(&plan.created.plan_id)).ok()?;
        let bytes = bytes.get(..MOST).unwrap_or(&bytes);
        Some(String::from_utf8_lossy(bytes).into_owned())
    }
}
