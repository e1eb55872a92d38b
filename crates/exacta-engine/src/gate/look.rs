//! Looking: lists, plans and the record, without changing anything.

use exacta_core::decide::Spend;
use exacta_core::digest::{Blob, Digest};
use exacta_core::examine::Examined;
use exacta_core::ledger::{PlanEntry, RunEntry, RunStage};
use exacta_core::lifecycle::{Cause, Moment, State, Step, Verb, judge};
use exacta_core::policy::Policy;
use exacta_core::score::Thousandths;

use super::create::MS_A_MINUTE;
use super::error::GateError;
use super::frozen::Replayed;
use super::handle::Gate;
use super::standing::Standing;
use super::standpoint::Secrets;
use super::stored::PlanRecord;
use crate::log::{Depth, Problem, ProblemKind, Report, RunJournal, check};
use crate::outer::Checkpoint;
use crate::run::{Drift, Engine, Images as _, RunId, UndoError};
use crate::workspace::{PortError, Spot, Workspace};

/// One line of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The plan.
    pub plan_id: String,
    /// Its state, with an expiry that shows but is not yet recorded.
    pub state: State,
    /// What it is for.
    pub goal: String,
    /// Its risk.
    pub risk: Option<u32>,
    /// Its quality.
    pub quality: Option<Thousandths>,
    /// When it came in.
    pub created_at: String,
    /// Where it stands, in one word.
    pub standing: Standing,
    /// The run its approval was spent on.
    pub run_id: Option<String>,
    /// The undo that took the run back, unless that was taken back in turn.
    pub undone_by: Option<String>,
    /// Whether the way back of the run was given up.
    pub forgotten: bool,
    /// Why it expired.
    pub expiry: Option<Cause>,
}

impl Listed {
    /// Whether it waits for a decision, or for its run.
    #[must_use]
    pub fn can_still_run(&self) -> bool {
        self.state.is_open() && self.run_id.is_none()
    }
}

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
    /// Whether policy and program still find what they found then. If not, the scores on
    /// the record are the ones that count.
    pub same: bool,
    /// Milliseconds until it expires.
    pub left_ms: u64,
    /// Its run, if it has one.
    pub run: Option<RunEntry>,
}

/// Checks a record that cannot even be opened.
///
/// # Errors
/// When a file cannot be read at all.
pub fn check_record(
    port: &dyn Workspace,
    secrets: &Secrets,
    kept: &[Checkpoint],
) -> Result<Report, GateError> {
    let (noted, public) = (secrets.checkpoints.load()?, secrets.signer.public());
    Ok(check(port, &secrets.project, &public, noted, kept, Depth::WHOLE)?)
}

impl Gate<'_> {
    /// What the plans of `proposer` took out of the session budget that nobody was asked about.
    ///
    /// # Errors
    /// When the machine does not tell the time.
    pub fn spent(&self, proposer: Option<&str>, policy: &Policy) -> Result<Spend, GateError> {
        Ok(self.spent_at(proposer, policy, &self.now()?))
    }

    pub(super) fn spent_at(&self, proposer: Option<&str>, policy: &Policy, now: &Moment) -> Spend {
        let window = policy.session_budget.minutes.saturating_mul(MS_A_MINUTE);
        self.log.ledger().spent(proposer, now, window)
    }

    /// Every plan, newest first.
    ///
    /// # Errors
    /// When the machine does not tell the time.
    pub fn list(&self) -> Result<Vec<Listed>, GateError> {
        let (now, checking) = (self.now()?, self.checking());
        let ledger = self.log.ledger();
        Ok(ledger
            .plans()
            .rev()
            .map(|plan| {
                let state = Self::state_now(plan, &now, ledger.newest());
                let run = plan.run_id.as_deref().and_then(|run_id| ledger.run(run_id));
                Listed {
                    plan_id: plan.created.plan_id.clone(),
                    state,
                    standing: Standing::of(plan, state, run).checked(plan, checking.as_deref()),
                    goal: plan.created.goal.clone(),
                    risk: plan.risk,
                    quality: plan.quality.map(Thousandths::new),
                    created_at: plan.created_time.clone(),
                    run_id: plan.run_id.clone(),
                    undone_by: run.and_then(|run| self.undone_by(&run.run_id)),
                    forgotten: run.is_some_and(|run| run.forgotten),
                    expiry: plan.expiry.clone(),
                }
            })
            .collect())
    }

    /// How long a plan can still be decided on and run, in milliseconds; `None` when that is
    /// over or done.
    ///
    /// # Errors
    /// When the machine does not tell the time.
    pub fn time_left(&self, plan: &PlanEntry, state: State) -> Result<Option<u64>, GateError> {
        let live = state.is_open() && plan.run_id.is_none();
        let left = plan.created.deadline.left(&self.now()?);
        Ok(live.then_some(left))
    }

    /// A plan as the record has it, and its run; by the name of either.
    ///
    /// # Errors
    /// When there is no such plan.
    pub fn status(&self, name: &str) -> Result<(PlanEntry, State, Option<RunEntry>), GateError> {
        let (plan, now) = (self.plan_of(name)?, self.now()?);
        let ledger = self.log.ledger();
        let state = Self::state_now(&plan, &now, ledger.newest());
        let run = plan.run_id.as_deref().and_then(|run_id| ledger.run(run_id)).cloned();
        Ok((plan, state, run))
    }

    /// A plan that somebody wants to run: by its own name alone.
    ///
    /// # Errors
    /// When there is no such plan.
    pub fn plan_to_run(&self, name: &str) -> Result<PlanEntry, GateError> {
        self.plan(name)
    }

    /// A run, and the plan it belongs to.
    ///
    /// # Errors
    /// When there is no such run.
    pub fn run_status(&self, name: &str) -> Result<(RunEntry, PlanEntry), GateError> {
        let run = self.run_entry(name)?;
        let plan = self.plan(&run.plan_id)?;
        Ok((run, plan))
    }

    /// A plan with everything that can be shown of it.
    ///
    /// # Errors
    /// When there is no such plan or what is stored of it was changed.
    pub fn show(&self, name: &str) -> Result<Shown, GateError> {
        let (entry, state, run) = self.status(name)?;
        let record = PlanRecord::load(&self.objects, &entry)?;
        let policy = self.policy()?;
        let tree = Replayed { tree: &record.tree, objects: &self.objects };
        let examined = self.examine_again(&record, &tree, &policy)?;
        let same = examined.plan_hash == entry.created.plan_hash;
        let left_ms = entry.created.deadline.left(&self.now()?);
        Ok(Shown { entry, state, examined, intent: record.intent, same, left_ms, run })
    }

    /// Why the project is not what a plan was made for, if it is not. Nothing is recorded.
    ///
    /// # Errors
    /// When there is no such plan or what is stored of it was changed.
    pub fn out_of_date(&self, name: &str) -> Result<Option<Cause>, GateError> {
        let record = PlanRecord::load(&self.objects, &self.plan_of(name)?)?;
        self.drift(&record, &self.policy()?)
    }

    /// The bytes of an object.
    ///
    /// # Errors
    /// When it is missing or changed.
    pub fn object(&self, digest: &Digest) -> Result<Blob, GateError> {
        Ok(self.objects.image(digest)?)
    }

    /// Checks the whole record and everything derived from it.
    ///
    /// # Errors
    /// When a file cannot be read at all.
    pub fn verify(&self, kept: &[Checkpoint]) -> Result<Report, GateError> {
        let report = self.verified(kept)?;
        if report.problems.is_empty() {
            return Ok(report);
        }
        // Somebody may have been adding to the record while it was read. In a turn of our own
        // nobody does; where there is none to have, nobody can add either.
        let Ok(turn) = self.ports.port.turn() else { return Ok(report) };
        let again = self.look_again().map_err(GateError::from).and_then(|()| self.verified(kept));
        drop(turn);
        Ok(again.unwrap_or(report))
    }

    fn verified(&self, kept: &[Checkpoint]) -> Result<Report, GateError> {
        let mut report = self.log.check(kept, Depth::WHOLE)?;
        if report.problems.is_empty() {
            let judge = |plan: &PlanEntry, stored: &_| self.compare_objects(plan, stored);
            report.problems.extend(unless_refused(self.compare_projections(judge))?);
            report.problems.extend(self.compare_results());
            report.problems.extend(unless_refused(self.compare_backups())?);
        }
        Ok(report)
    }

    /// Whether the record itself holds together, whatever became of what is derived from it.
    ///
    /// # Errors
    /// When a file cannot be read at all.
    pub fn check_chain(&self) -> Result<bool, GateError> {
        Ok(self.log.check(&[], Depth::WHOLE)?.problems.is_empty())
    }

    /// Objects of runs must be what their names promise.
    fn compare_results(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        for run in self.log.ledger().runs() {
            for (what, object) in [("results", run.results), ("reason", run.why)] {
                if let Some(error) = object.and_then(|object| self.objects.image(&object).err()) {
                    let whose = format!("{what} of the run {}", run.run_id);
                    problems.push(no_such_object(&whose, &error));
                }
            }
        }
        problems
    }

    /// Objects of a plan must be what their names promise.
    fn compare_objects(
        &self,
        plan: &PlanEntry,
        stored: &Result<PlanRecord, GateError>,
    ) -> Vec<Problem> {
        let whose = format!("plan {}", plan.created.plan_id);
        match stored {
            Err(GateError::Forgotten(_)) => Vec::new(),
            Err(error) => vec![no_such_object(&whose, error)],
            Ok(record) => record
                .blobs
                .iter()
                .filter_map(|digest| self.objects.image(digest).err())
                .map(|error| no_such_object(&whose, &error))
                .collect(),
        }
    }

    /// What completed runs put aside must be what undo would bring back.
    fn compare_backups(&self) -> Result<Vec<Problem>, GateError> {
        let journal = RunJournal::recovering(&self.log);
        let engine = Engine::new(self.ports.port, &journal, &self.secrets.key);
        // Recovery puts these where they belong, or takes them back.
        let unsettled = engine.unsettled()?;
        let runs: Vec<RunEntry> = self.log.ledger().runs().cloned().collect();
        let mut problems = Vec::new();
        for run in runs {
            let Ok(id) = RunId::parse(&run.run_id) else { continue };
            let kept = run.stage == RunStage::Completed && !run.forgotten;
            if !kept || unsettled.contains(&id) {
                continue;
            }
            let somewhere = || format!(".exacta/kept (run {})", run.run_id);
            let found = match engine.lost_originals(&id) {
                Ok(lost) => {
                    let at = |(drift, at): (Drift, Spot)| (at.to_string(), drift.to_string());
                    lost.into_iter().map(at).collect()
                }
                Err(UndoError::NotUndoable(_)) => {
                    vec![(
                        somewhere(),
                        "the list of what it put aside is gone or was changed".into(),
                    )]
                }
                Err(error) => vec![(somewhere(), error.to_string())],
            };
            problems.extend(found.into_iter().map(|(file, message)| {
                let kind = ProblemKind::Backup;
                Problem { kind, entry: None, file, message }
            }));
        }
        Ok(problems)
    }

    /// The state on the record, or expired when that is what the clocks say.
    pub(super) fn state_now(plan: &PlanEntry, now: &Moment, newest: Option<&Moment>) -> State {
        expiry_at(plan, now, newest).map_or(plan.state, |_| State::Expired)
    }

    /// Why a plan is over by what the clocks say, where the record does not say it yet.
    ///
    /// # Errors
    /// When the machine does not tell the time.
    pub fn expiry_now(&self, plan: &PlanEntry) -> Result<Option<Cause>, GateError> {
        Ok(expiry_at(plan, &self.now()?, self.log.ledger().newest()))
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

fn expiry_at(plan: &PlanEntry, now: &Moment, newest: Option<&Moment>) -> Option<Cause> {
    match judge(&Gate::life(plan, now), Verb::Pause, now, newest).step {
        Some(Step::Expired { cause }) => Some(cause),
        _ => None,
    }
}

fn no_such_object(whose: &str, error: &dyn std::error::Error) -> Problem {
    Problem {
        kind: ProblemKind::Object,
        entry: None,
        file: format!(".exacta/objects ({whose})"),
        message: error.to_string(),
    }
}

/// What was found; a link or a special file where a folder of ours was is found, too.
fn unless_refused(found: Result<Vec<Problem>, GateError>) -> Result<Vec<Problem>, GateError> {
    match found {
        Err(GateError::Port(PortError::Refused { at, fault })) => Ok(vec![Problem {
            kind: ProblemKind::Projection,
            entry: None,
            file: at.to_string(),
            message: fault.to_string(),
        }]),
        found => found,
    }
}
