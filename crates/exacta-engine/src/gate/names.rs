//! Which plan or run a name stands for: its beginning or its end is enough.

use std::borrow::Cow;

use exacta_core::life::ledger::{PlanEntry, RunEntry};
use exacta_core::model::id::{PlanId, RunId};

use super::error::{FEWEST, GateError};
use super::handle::Gate;
use crate::machine::is_id;

impl Gate<'_> {
    /// A plan on the record.
    pub(super) fn plan(&self, plan_id: &PlanId) -> Result<PlanEntry, GateError> {
        let found = self.log.ledger().plan(plan_id).cloned();
        found.ok_or_else(|| GateError::NoSuchPlan(plan_id.to_string()))
    }

    /// A run on the record.
    pub(super) fn run_entry(&self, run_id: &RunId) -> Result<RunEntry, GateError> {
        let found = self.log.ledger().run(run_id).cloned();
        found.ok_or_else(|| GateError::NoSuchRun(run_id.to_string()))
    }

    /// The plan that somebody calls `name`: its id, or the beginning or end of it.
    ///
    /// # Errors
    /// When there is none, several, or it is a run.
    pub fn plan_named(&self, name: &str) -> Result<PlanEntry, GateError> {
        match (self.find_plan(name), self.find_run(name)) {
            (Err(GateError::NoSuchPlan(_)), Ok(run)) => {
                Err(GateError::NotAPlan { run_id: run.run_id, plan_id: run.plan_id })
            }
            (found, _) => found,
        }
    }

    /// The same for whoever only looks: the id of a run stands for its plan.
    ///
    /// # Errors
    /// When there is none, or several.
    pub fn plan_or_run_named(&self, name: &str) -> Result<PlanEntry, GateError> {
        match self.plan_named(name) {
            Err(GateError::NotAPlan { plan_id, .. }) => self.plan(&plan_id),
            found => found,
        }
    }

    /// The run that somebody calls `name`: its id, or the beginning or end of it.
    ///
    /// # Errors
    /// When there is none, several, or it is a plan.
    pub fn run_named(&self, name: &str) -> Result<RunEntry, GateError> {
        match (self.find_run(name), self.find_plan(name)) {
            (Err(GateError::NoSuchRun(_)), Ok(plan)) => {
                let run_id = plan.run_id().cloned();
                Err(GateError::NotARun { plan_id: plan.created.plan_id, run_id })
            }
            (found, _) => found,
        }
    }

    /// The id of every plan and every run.
    #[must_use]
    pub fn ids(&self) -> Vec<String> {
        let ledger = self.log.ledger();
        ledger.plan_ids().chain(ledger.run_ids()).map(Cow::into_owned).collect()
    }

    fn find_plan(&self, name: &str) -> Result<PlanEntry, GateError> {
        let ledger = self.log.ledger();
        let id = resolve(name, || ledger.plan_ids())
            .map_err(|several| unknown(name, several, GateError::NoSuchPlan))?;
        ledger.plan(&id).cloned().ok_or_else(|| GateError::NoSuchPlan(name.into()))
    }

    fn find_run(&self, name: &str) -> Result<RunEntry, GateError> {
        let ledger = self.log.ledger();
        let id = resolve(name, || ledger.run_ids())
            .map_err(|several| unknown(name, several, GateError::NoSuchRun))?;
        ledger.run(&id).cloned().ok_or_else(|| GateError::NoSuchRun(name.into()))
    }
}

/// The last part of an id, which differs from that of every other.
const LONGEST_END: usize = 12;

/// A name by its beginning, its end or a part of that; names made within a minute begin alike. `Err` has
/// the candidates.
fn resolve<'n, N: Iterator<Item = Cow<'n, str>>>(
    name: &str,
    names: impl Fn() -> N,
) -> Result<String, Vec<String>> {
    if is_id(name) {
        return Ok(name.into());
    }
    if name.len() < FEWEST {
        return Err(Vec::new());
    }
    let fits = |known: &Cow<'_, str>| known.starts_with(name) || known.ends_with(name);
    let mut fitting: Vec<String> = names().filter(fits).map(Cow::into_owned).collect();
    if fitting.is_empty() {
        // Some of the end that people see is enough as well.
        let end = |known: &str| {
            known
                .get(known.len().saturating_sub(LONGEST_END)..)
                .is_some_and(|end| end.contains(name))
        };
        fitting = names().filter(|known| end(known)).map(Cow::into_owned).collect();
    }
    match fitting.pop() {
        Some(one) if fitting.is_empty() => Ok(one),
        last => Err(fitting.into_iter().chain(last).collect()),
    }
}

fn unknown(name: &str, candidates: Vec<String>, none: impl Fn(String) -> GateError) -> GateError {
    let name: String = name.into();
    if name.len() < FEWEST {
        return GateError::TooShort(name);
    }
    if candidates.is_empty() { none(name) } else { GateError::Ambiguous { name, candidates } }
}
