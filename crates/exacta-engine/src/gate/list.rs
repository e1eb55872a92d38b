//! Listing plans.

use std::collections::BTreeSet;

use exacta_core::judge::score::Thousandths;
use exacta_core::life::lifecycle::{Cause, State};
use exacta_core::model::id::{PlanId, RunId};
use schemars::JsonSchema;
use serde::Serialize;

use super::error::GateError;
use super::handle::Gate;
use super::status::PlanStatus;
use super::stored::PlanRecord;

/// One plan of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Listed {
    /// The plan.
    pub plan_id: PlanId,
    /// Its state, with an expiry that shows but is not yet recorded.
    pub state: State,
    /// What it is for.
    pub goal: String,
    /// Its risk, 0 to 100.
    pub risk: Option<u32>,
    /// Its quality, 0 to 1.
    pub quality: Option<Thousandths>,
    /// When it came in.
    pub created_at: String,
    /// Its status, in the word that people see; `state` stays what was decided.
    #[serde(rename = "standing")]
    pub status: PlanStatus,
    /// The run its approval was spent on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// The undo that took the run back, unless that was taken back in turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone_by: Option<RunId>,
    /// Whether the backup of the run was deleted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub forgotten: bool,
    /// Why it cannot be approved or run any more, although that is not on the record yet;
    /// said of the fifty newest plans that can still run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out_of_date: Option<String>,
    /// How many seconds ago it came in.
    #[serde(skip)]
    pub age_sec: u64,
    /// Why it expired.
    #[serde(skip)]
    pub expiry: Option<Cause>,
}

impl Listed {
    /// Whether it waits for a decision, or for its run.
    #[must_use]
    pub fn can_still_run(&self) -> bool {
        self.state.is_open() && self.run_id.is_none()
    }
}

/// Plans, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(transparent)]
pub struct List(pub Vec<Listed>);

/// So many plans are compared with the files they were made for; more would take a while.
const MOST_COMPARED: usize = 50;

impl Gate<'_> {
    /// Every plan, newest first.
    ///
    /// # Errors
    /// When the machine does not tell the time.
    pub fn list(&self) -> Result<List, GateError> {
        let (now, checking) = (self.now()?, self.checking());
        let ledger = self.log.ledger();
        let listed = ledger.plans().rev().map(|plan| {
            let state = self.state_now(plan, &now, ledger.newest());
            let run = plan.run_id().and_then(|run_id| ledger.run(run_id));
            Listed {
                plan_id: plan.id().clone(),
                state,
                goal: plan.created.goal.clone(),
                risk: plan.risk,
                quality: plan.quality.map(Thousandths::new),
                created_at: plan.created_time.clone(),
                status: PlanStatus::of(plan, state, run).checked(plan, checking.as_ref()),
                run_id: plan.run_id().cloned(),
                undone_by: run.and_then(|run| ledger.undone_by(&run.run_id)).cloned(),
                forgotten: run.is_some_and(|run| run.forgotten),
                age_sec: now.at_least_since(&plan.created_at) / 1000,
                out_of_date: None,
                expiry: plan.expiry().cloned(),
            }
        });
        Ok(List(listed.collect()))
    }

    /// How many files a plan changes, if what it was made of is still there.
    #[must_use]
    pub fn files_of(&self, plan_id: &PlanId) -> Option<usize> {
        let plan = self.plan(plan_id).ok()?;
        let record = PlanRecord::load(self.objects.as_ref(), &plan).ok()?;
        let form: serde_json::Value = serde_json::from_str(record.form.get()).ok()?;
        let changes = form.get("changes")?.as_array()?;
        let text = |change: &'_ serde_json::Value, key: &str| -> Option<String> {
            Some(change.get(key)?.as_str()?.to_owned())
        };
        let paths = changes.iter().filter_map(|change| text(change, "path"));
        let mut paths: BTreeSet<String> = paths.collect();
        // A renamed file is one file, as everywhere else.
        for from in changes.iter().filter_map(|change| text(change, "renamed_from")) {
            let goes = |change: &serde_json::Value| {
                text(change, "path").as_deref() == Some(from.as_str())
                    && change.get("after").is_none_or(serde_json::Value::is_null)
            };
            if changes.iter().any(goes) {
                paths.remove(&from);
            }
        }
        Some(paths.len())
    }

    /// Compares the newest plans that can still run with the files they were made for; says
    /// how many were left out.
    pub fn compare_with_files(&self, plans: &mut List) -> usize {
        let mut live = plans.0.iter_mut().filter(|plan| plan.can_still_run());
        for plan in live.by_ref().take(MOST_COMPARED) {
            plan.out_of_date = match self.out_of_date(&plan.plan_id) {
                Ok(cause) => cause.map(|cause| cause.to_string()),
                Err(error) => Some(format!("its files cannot be compared: {error}")),
            };
        }
        live.count()
    }
}
