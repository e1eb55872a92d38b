//! What is derived from the record, held against it: found where it differs, written again where
//! it is missing.

use std::collections::BTreeSet;

use exacta_core::life::ledger::PlanEntry;

use super::error::GateError;
use super::handle::Gate;
use super::notice::Notice;
use super::projections::{
    FOLDERS, MISSING, all_audits, audit_file, audit_text, persisted, persisted_as_stored, plan_file,
};
use super::stored::PlanRecord;
use crate::log::{Problem, ProblemKind};
use crate::workspace::{PortError, Spot, UNFINISHED, replace};

impl Gate<'_> {
    /// The stored plan, if its own file says what the record says.
    pub(super) fn as_projected(&self, plan: &PlanEntry) -> Result<PlanRecord, GateError> {
        let record = PlanRecord::load(self.objects.as_ref(), plan)?;
        match self.stale_plan_file(plan, &record)? {
            None => Ok(record),
            // Nobody could write it yet, and nothing is taken from it.
            Some(_) if self.owed()?.contains(plan.id().as_str()) => Ok(record),
            Some(how) => {
                let what = format!("`{}`", plan_file(&plan.created.plan_id));
                Err(GateError::Differs { plan_id: plan.id().clone(), what, how })
            }
        }
    }

    /// How a plan's file differs from what the record says; `None` when it does not.
    fn stale_plan_file(
        &self,
        plan: &PlanEntry,
        record: &PlanRecord,
    ) -> Result<Option<String>, GateError> {
        let expected = persisted(plan, &record.binding, &record.form)?;
        match self.ports.port.read(&plan_file(&plan.created.plan_id)) {
            Ok(bytes) if bytes == expected => Ok(None),
            Ok(bytes) => Ok(Some(difference(&expected, &bytes))),
            Err(PortError::Gone(_)) => Ok(Some(MISSING.into())),
            Err(error) => Ok(Some(error.to_string())),
        }
    }

    /// Plans and intents whose files are behind the record: nobody trusts those, and the next
    /// command that writes brings them up to date.
    fn owed(&self) -> Result<BTreeSet<String>, GateError> {
        let ledger = self.log.ledger();
        let mut owed = BTreeSet::new();
        for entry in self.log.unprojected()? {
            let by_run = entry.event.run_id().and_then(|run_id| ledger.run(run_id));
            let plan_id = entry.event.plan_id().or(by_run.map(|run| &run.plan_id));
            if let Some(plan) = plan_id.and_then(|plan_id| ledger.plan(plan_id)) {
                owed.insert(plan.created.plan_id.to_string());
                owed.insert(plan.created.correlation_id.to_string());
            }
        }
        Ok(owed)
    }

    /// Every plan and audit file against the record, and whatever `judge` says of each plan
    /// as it is stored, after what is said of the files.
    pub(super) fn compare_projections(
        &self,
        judge: impl Fn(&PlanEntry, &Result<PlanRecord, GateError>) -> Vec<Problem>,
    ) -> Result<Vec<Problem>, GateError> {
        let problem = |file: &Spot, message: String| Problem {
            kind: ProblemKind::Projection,
            entry: None,
            file: file.to_string(),
            message,
        };
        let (mut problems, mut judged) = (Vec::new(), Vec::new());
        let plans: Vec<PlanEntry> = self.log.ledger().plans().cloned().collect();
        let owed = self.owed()?;
        for plan in &plans {
            let stored = PlanRecord::load(self.objects.as_ref(), plan);
            judged.extend(judge(plan, &stored));
            if owed.contains(plan.created.plan_id.as_str()) {
                continue;
            }
            let stale = match stored {
                Ok(record) => self.stale_plan_file(plan, &record)?,
                // It has no file; one that is there is told of below.
                Err(GateError::Forgotten { .. }) => None,
                Err(error) => Some(error.to_string()),
            };
            if let Some(how) = stale {
                problems.push(problem(&plan_file(&plan.created.plan_id), how));
            }
        }
        let audits = all_audits(&self.log.ledger(), &self.log.entries()?);
        for (correlation_id, lines) in &audits {
            let at = audit_file(correlation_id);
            if owed.contains(correlation_id.as_str()) {
                continue;
            }
            match self.ports.port.read(&at) {
                Ok(bytes) if bytes == audit_text(lines) => {}
                Ok(bytes) => problems.push(problem(&at, difference(&audit_text(lines), &bytes))),
                Err(PortError::Gone(_)) => problems.push(problem(&at, MISSING.into())),
                Err(error) => problems.push(problem(&at, error.to_string())),
            }
        }
        let has_file =
            |plan: &&PlanEntry| !plan.forgotten || owed.contains(plan.created.plan_id.as_str());
        let known: BTreeSet<String> = plans
            .iter()
            .filter(has_file)
            .map(|plan| plan_file(&plan.created.plan_id).to_string())
            .chain(audits.keys().map(|id| audit_file(id).to_string()))
            .collect();
        for folder in FOLDERS.map(|name| Spot::state().within(name)) {
            for name in self.ports.port.list(&folder)? {
                let at = folder.within(name.strip_prefix(UNFINISHED).unwrap_or(&name));
                if !known.contains(at.as_str()) {
                    problems.push(problem(&at, "the record knows no such file".into()));
                }
            }
        }
        problems.extend(judged);
        Ok(problems)
    }
}

impl Gate<'_> {
    /// Writes every derived file that is missing. One that is there and says something
    /// else is left for `verify` to tell.
    pub(super) fn rebuild_missing(&self) -> Result<Vec<String>, GateError> {
        let turn = self.ports.port.turn()?;
        self.look_again()?;
        let mut rebuilt = Vec::new();
        let plans: Vec<PlanEntry> = self.log.ledger().plans().cloned().collect();
        let audits = all_audits(&self.log.ledger(), &self.log.entries()?);
        if !plans.is_empty() {
            for name in FOLDERS {
                self.ports.port.make_private(&Spot::state().within(name))?;
            }
        }
        let mut write = |at: Spot, bytes: &dyn Fn() -> Result<Option<Vec<u8>>, PortError>| {
            if self.ports.port.stamp(&at)?.is_none()
                && let Some(bytes) = bytes()?
            {
                replace(self.ports.port, &at, &bytes)?;
                rebuilt.push(at.to_string());
            }
            Ok::<(), PortError>(())
        };
        for plan in plans.iter().filter(|plan| !plan.forgotten) {
            // A plan whose object is gone cannot be written again; `verify` says so.
            let bytes = || persisted_as_stored(self.objects.as_ref(), plan);
            write(plan_file(&plan.created.plan_id), &bytes)?;
        }
        for (correlation_id, lines) in &audits {
            write(audit_file(correlation_id), &|| Ok(Some(audit_text(lines))))?;
        }
        drop(turn);
        Ok(rebuilt)
    }

    /// The same, where not being able to write is no reason to do nothing else.
    pub(super) fn rebuilt_if_possible(&self) -> Result<Vec<String>, GateError> {
        match self.rebuild_missing() {
            Err(GateError::Port(error)) => {
                self.notice(Notice::Missing(error.to_string()));
                Ok(Vec::new())
            }
            other => other,
        }
    }

    /// The same for a command that writes, when somebody threw a whole folder away.
    pub(super) fn rebuild_folders(&self) -> Result<(), GateError> {
        let has_plans = self.log.ledger().has_plans();
        for name in FOLDERS {
            let folder = Spot::state().within(name);
            if has_plans && self.ports.port.look_folder(&folder)?.is_none() {
                return self.rebuilt_if_possible().map(drop);
            }
        }
        Ok(())
    }
}

/// The first byte at which two texts differ.
fn difference(expected: &[u8], found: &[u8]) -> String {
    let same = expected.iter().zip(found).take_while(|(a, b)| a == b).count();
    format!("it is not what the record says, from byte {same} on")
}
