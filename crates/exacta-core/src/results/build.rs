//! Assembles a result list that is right by construction.
//!
//! The executor says what it saw of each step; everything that follows from that
//! (who is skipped, who is blocked, which files go back, counts, status) is derived
//! once, at the end. A step that nothing was said about did not run.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use super::contract::{META_ID, MetaResult, Results, Stats, StepResult, TaskStatus};
use super::outcome::{Outcome, RecordFault};
use super::outline::{OutlineStep, PlanOutline, Unrunnable};
use super::reason::Reason;
use crate::model::plan::Execution;

/// The fate of a step; the last four only arise in [`ResultList::finish`].
#[derive(Clone, Debug, PartialEq)]
enum Fate {
    Seen(Outcome),
    RolledBack,
    HeldBack,
    Blocked,
    Skipped,
    NotStarted,
}

/// The results of a run in the making.
#[derive(Clone, Debug)]
#[must_use = "a run without its result list is off the record"]
pub struct ResultList<'p> {
    plan: &'p PlanOutline,
    execution: Execution,
    fates: Vec<Option<Fate>>,
}

impl<'p> ResultList<'p> {
    /// Starts the list of a run of this plan.
    pub fn new(plan: &'p PlanOutline, execution: Execution) -> Self {
        Self { plan, execution, fates: vec![None; plan.steps().len()] }
    }

    /// Says what was seen of a step. What it depends on must have been recorded as done.
    ///
    /// # Errors
    /// When the step cannot have had this outcome; the list is as before.
    pub fn record(&mut self, step_id: &str, outcome: Outcome) -> Result<(), RecordFault> {
        self.plan.order().map_err(Clone::clone)?;
        let place = self.place(step_id)?;
        if self.fate(place).is_some() {
            return Err(RecordFault::Twice(step_id.into()));
        }
        let ready = self.plan.links(place).iter().all(|dependency| {
            matches!(
                self.fate(*dependency),
                Some(Fate::Seen(Outcome::Done { .. }) | Fate::RolledBack)
            )
        });
        if !ready {
            return Err(RecordFault::TooEarly(step_id.into()));
        }
        self.set(place, Fate::Seen(outcome));
        Ok(())
    }

    /// Says that a step that was done has been taken back.
    ///
    /// # Errors
    /// When the step was not done; the list is as before.
    pub fn roll_back(&mut self, step_id: &str) -> Result<(), RecordFault> {
        let place = self.place(step_id)?;
        if !self.is_done(place) {
            return Err(RecordFault::NotDone(step_id.into()));
        }
        self.set(place, Fate::RolledBack);
        Ok(())
    }

    /// Derives the rest and closes the list.
    #[must_use]
    pub fn finish(mut self) -> Results {
        let order = match self.plan.order() {
            Err(fault) => return self.blocked(fault),
            Ok(order) => order,
        };
        match self.execution {
            Execution::Atomic => self.settle_atomic(order),
            Execution::Contract => self.settle_contract(),
        }
        let blocked = self.settle_unseen(order);
        let rows: Vec<StepResult> = self
            .plan
            .steps()
            .iter()
            .zip(&self.fates)
            .map(|(step, fate)| self.row(step, fate.as_ref().unwrap_or(&Fate::NotStarted)))
            .collect();
        let names = |wanted: &dyn Fn(usize) -> bool| -> Vec<String> {
            let steps = self.plan.steps().iter().enumerate();
            steps.filter(|(at, _)| wanted(*at)).map(|(_, step)| step.step_id.clone()).collect()
        };
        let blocked = names(&|at| blocked.contains(&at));
        let failed = names(&|at| self.fate(at).is_some_and(|fate| self.has_failed(fate)));
        let status = if !failed.is_empty() {
            TaskStatus::Failed
        } else if rows.iter().any(|row| row.skipped) {
            TaskStatus::Partial
        } else {
            TaskStatus::Completed
        };
        let reason = match status {
            TaskStatus::Completed => None,
            TaskStatus::Failed => Some(self.why_failed()),
            _ => Some(Reason::StepsSkipped),
        };
        close(rows, status, reason, blocked, failed)
    }

    fn place(&self, step_id: &str) -> Result<usize, RecordFault> {
        self.plan.place(step_id).ok_or_else(|| RecordFault::NoSuchStep(step_id.into()))
    }

    fn fate(&self, place: usize) -> Option<&Fate> {
        self.fates.get(place).and_then(Option::as_ref)
    }

    fn set(&mut self, place: usize, fate: Fate) {
        if let Some(slot) = self.fates.get_mut(place) {
            *slot = Some(fate);
        }
    }

    fn is_done(&self, place: usize) -> bool {
        matches!(self.fate(place), Some(Fate::Seen(Outcome::Done { .. })))
    }

    /// The places of the file steps.
    fn files(&self) -> impl Iterator<Item = usize> + use<'p> {
        let plan = self.plan;
        plan.steps().iter().enumerate().filter(|(_, step)| step.tool.is_none()).map(|(at, _)| at)
    }

    /// All or nothing: unless everything is done, something has failed, and files go
    /// back. Only a lost answer keeps files that were all in place.
    fn settle_atomic(&mut self, order: &[usize]) {
        if order.iter().all(|place| self.is_done(*place)) {
            return;
        }
        if !self.fates.iter().flatten().any(|fate| self.has_failed(fate)) {
            // The first step in this order that did not run has all it depends on.
            if let Some(next) = order.iter().find(|place| self.fate(**place).is_none()) {
                self.set(*next, Fate::Seen(Outcome::Cancelled));
            }
        }
        let lost = |fate: &Fate| matches!(fate, Fate::Seen(Outcome::Unknown { .. }));
        let keep =
            self.fates.iter().flatten().any(lost) && self.files().all(|place| self.is_done(place));
        if !keep {
            self.withdraw_files(&Fate::RolledBack);
        }
    }

    /// Branches stand alone, but files go in together.
    fn settle_contract(&mut self) {
        if !self.files().all(|place| self.is_done(place)) {
            self.withdraw_files(&Fate::HeldBack);
        }
    }

    fn withdraw_files(&mut self, fate: &Fate) {
        for place in self.files() {
            if self.is_done(place) {
                self.set(place, fate.clone());
            }
        }
    }

    /// Gives every step without an outcome its cause: a failure before it, a skipped
    /// step before it, or simply the end of the run. Returns the blocked steps: those
    /// skipped with a failure before them, also when they had been declined first and
    /// the failure is a later rollback. A held-back file step had all it needed.
    fn settle_unseen(&mut self, order: &[usize]) -> BTreeSet<usize> {
        let mut blocked = BTreeSet::new();
        for place in order {
            let links = self.plan.links(*place);
            let after_failure = links.iter().any(|link| {
                blocked.contains(link) || self.fate(*link).is_some_and(|fate| self.has_failed(fate))
            });
            if self.fate(*place).is_none() {
                let fate = if after_failure {
                    Fate::Blocked
                } else if links.iter().all(|link| self.is_done(*link)) {
                    Fate::NotStarted
                } else {
                    Fate::Skipped
                };
                self.set(*place, fate);
            }
            let left_out = self.fate(*place).is_some_and(|fate| {
                *fate != Fate::HeldBack && !self.has_failed(fate) && !self.is_done(*place)
            });
            if after_failure && left_out {
                blocked.insert(*place);
            }
        }
        blocked
    }

    /// Whether the row of this fate counts as failed. A step that was declined or
    /// suppressed leaves a contract run partial, but an atomic run failed.
    fn has_failed(&self, fate: &Fate) -> bool {
        match fate {
            Fate::RolledBack => true,
            Fate::Seen(outcome) => match outcome {
                Outcome::Done { .. } => false,
                Outcome::Declined | Outcome::Suppressed => self.execution == Execution::Atomic,
                Outcome::Failed { .. } | Outcome::Unknown { .. } | Outcome::Cancelled => true,
            },
            Fate::HeldBack | Fate::Blocked | Fate::Skipped | Fate::NotStarted => false,
        }
    }

    fn row(&self, step: &OutlineStep, fate: &Fate) -> StepResult {
        let (reason, error, output) = match fate {
            Fate::Seen(Outcome::Done { output }) => (None, None, output.clone()),
            Fate::Seen(Outcome::Failed { error }) => {
                (Some(Reason::StepFailed), Some(error.clone()), None)
            }
            Fate::Seen(Outcome::Unknown { error }) => {
                (Some(Reason::OutcomeUnknown), error.clone(), None)
            }
            Fate::Seen(Outcome::Declined) => (Some(Reason::Declined), None, None),
            Fate::Seen(Outcome::Suppressed) => (Some(Reason::Suppressed), None, None),
            Fate::Seen(Outcome::Cancelled) => (Some(Reason::Cancelled), None, None),
            Fate::RolledBack => (Some(Reason::RolledBack), None, None),
            Fate::HeldBack => (Some(Reason::FileGroupNotCommitted), None, None),
            Fate::Blocked => (Some(Reason::DependencyFailed), None, None),
            Fate::Skipped => (Some(Reason::DependencySkipped), None, None),
            Fate::NotStarted => (Some(Reason::NotStarted), None, None),
        };
        let ok = matches!(fate, Fate::Seen(Outcome::Done { .. }));
        StepResult {
            step_id: step.step_id.clone(),
            tool: step.tool.clone(),
            ok,
            skipped: !ok && !self.has_failed(fate),
            reason: reason.map(|reason| reason.as_str().to_string()),
            error,
            output,
        }
    }

    fn why_failed(&self) -> Reason {
        let any = |wanted: fn(&Fate) -> bool| self.fates.iter().flatten().any(wanted);
        if any(|fate| matches!(fate, Fate::Seen(Outcome::Unknown { .. }))) {
            Reason::OutcomeUnknown
        } else if any(|fate| *fate == Fate::RolledBack) {
            Reason::RolledBack
        } else {
            Reason::StepFailed
        }
    }

    fn blocked(&self, fault: &Unrunnable) -> Results {
        let rows: Vec<StepResult> = self
            .plan
            .steps()
            .iter()
            .map(|step| StepResult {
                step_id: step.step_id.clone(),
                tool: step.tool.clone(),
                ok: false,
                skipped: true,
                reason: Some(Reason::Blocked.as_str().to_string()),
                error: None,
                output: None,
            })
            .collect();
        let reason = match fault {
            Unrunnable::UnknownDependency { .. } => Reason::UnknownDependency,
            Unrunnable::Cycle { .. } => Reason::DependencyCycle,
        };
        let blocked = rows.iter().map(|row| row.step_id.clone()).collect();
        close(rows, TaskStatus::Blocked, Some(reason), blocked, Vec::new())
    }
}

/// Puts the summary under the rows.
fn close(
    rows: Vec<StepResult>,
    task_status: TaskStatus,
    reason: Option<Reason>,
    blocked_steps: Vec<String>,
    failed_steps: Vec<String>,
) -> Results {
    let mut stats = Stats::default();
    for row in &rows {
        let kind = match (row.ok, row.skipped) {
            (true, _) => &mut stats.ok,
            (false, true) => &mut stats.skipped,
            (false, false) => &mut stats.failed,
        };
        *kind = kind.saturating_add(1);
        stats.total_steps = stats.total_steps.saturating_add(1);
    }
    let meta = MetaResult {
        step_id: META_ID,
        ok: task_status == TaskStatus::Completed,
        skipped: false,
        reason: reason.map(|reason| reason.as_str().to_string()),
        task_status,
        stats,
        blocked_steps,
        failed_steps,
    };
    Results { rows, meta }
}
