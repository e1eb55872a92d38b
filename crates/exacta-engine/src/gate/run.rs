//! `run`: exactly the approved plan happens, all of it or none of it.

use exacta_core::digest::{Blob, Digest};
use exacta_core::examine::Verdict;
use exacta_core::ledger::{PlanEntry, Stream};
use exacta_core::lifecycle::{Cause, Verb};
use exacta_core::plan::{Action, Draft, Effective, Plan};
use exacta_core::policy::Policy;
use exacta_core::record::{Event, RunKind};
use exacta_core::validate::named_checks;

use super::error::GateError;
use super::handle::{From, Gate, TRIES};
use super::notice::Notice;
use super::outcome::{Outcome, RunOutcome, RunState};
use super::patience::patiently;
use super::results::{RunOf, executed, results_of};
use crate::checks::{self, Check};
use crate::log::RunJournal;
use crate::run::{
    CommitError, Drift, Engine, ImageError, Images, Receipt, RunId, StageError, Staged, Watch,
};
use crate::workspace::Scope;

/// How a transaction ended.
pub(super) enum Ended {
    Completed(Receipt),
    RolledBack { why: String, conflicts: Vec<String> },
    Unsettled { why: String },
}

/// One try to run a plan.
#[derive(Clone, Copy)]
struct Attempt<'r> {
    from: &'r From,
    plan: &'r PlanEntry,
    sound: &'r Plan,
    constraints: &'r [Effective],
    run_id: &'r str,
    watch: &'r dyn Watch,
}

/// A staged run and what the checks said of it.
type Judged<'s> = (Staged<'s>, Vec<checks::Outcome>);

impl Gate<'_> {
    pub(super) fn run(
        &self,
        from: &From,
        name: &str,
        hash: Option<Digest>,
        watch: &dyn Watch,
    ) -> Result<Outcome, GateError> {
        let policy = self.policy()?;
        for _ in 0..TRIES {
            let Some((plan, checked)) = self.cleared(name, hash, &policy, watch)? else { continue };
            let Verdict::Sound(sound) = &checked.examined.verdict else {
                return Err(GateError::Invalid(checked.examined.issues));
            };
            let run_id = self.ports.machine.new_id()?;
            let constraints = &checked.examined.constraints;
            let attempt = Attempt { from, plan: &plan, sound, constraints, run_id: &run_id, watch };
            match self.transact(&attempt, &policy) {
                Ok(Some((ended, checks))) => return self.conclude(&attempt, ended, checks),
                // Somebody decided on the plan, or ran it, between look and start.
                Ok(None) => self.look_again()?,
                Err(GateError::Stage(StageError::Drift(drifts))) => {
                    return self.drifted(&plan, &drifts);
                }
                Err(error) => return Err(error),
            }
        }
        Err(GateError::Busy)
    }

    /// Stages and commits; `None` when the start was refused because the plan's life had
    /// moved on. Nothing has changed then.
    fn transact(
        &self,
        attempt: &Attempt<'_>,
        policy: &Policy,
    ) -> Result<Option<(Ended, Vec<checks::Outcome>)>, GateError> {
        let Attempt { from, plan, sound, run_id, watch, .. } = *attempt;
        let plan_id = &plan.created.plan_id;
        let stream = Stream::Plan(plan_id.clone());
        let journal = RunJournal::starting(
            &self.log,
            from.actor.clone(),
            plan_id,
            RunKind::Plan,
            from.key.clone(),
            vec![(stream.clone(), plan.version)],
        );
        let engine = Engine::new(self.ports.port, &journal, &self.secrets.key);
        let id = RunId::parse(run_id).map_err(|_| GateError::NoSuchRun(run_id.into()))?;
        let images = PlanImages(sound);
        let head = self.log.head();
        let staged = patiently(watch, || engine.stage(&id, sound.changes(), &images, watch))
            .map_err(GateError::Stage)?;
        // Whoever held the project before us may have run this very plan.
        self.look_again()?;
        if self.log.ledger().version(&stream) != plan.version {
            staged.discard();
            return Ok(None);
        }
        let (staged, judged) = match self.checked(staged, policy, attempt)? {
            Ok(judged) => judged,
            Err(thrown_away) => return Ok(Some(thrown_away)),
        };
        // Staging and checks take their time; the deadline is for the start, and what was
        // compared before them may have changed: beside the checks, or by the run that held
        // the project until now.
        let alone = judged.is_empty() && self.log.head() == head;
        let clear = if alone { Ok(()) } else { self.is_still_clear(plan) };
        if let Err(error) =
            clear.and_then(|()| self.now()).and_then(|now| self.may(plan, &Verb::Start, &now))
        {
            staged.discard();
            return Err(error);
        }
        // The result list of a run that completes is known before it does, so that nothing
        // can fail between the last swap and the seal.
        match self.closing(plan, sound, run_id) {
            Ok((event, scope)) => journal.close_with(vec![event], scope),
            Err(error) => {
                staged.discard();
                return Err(error);
            }
        }
        let committed = match staged.commit(watch) {
            Ok(committed) => committed,
            Err(_) if journal.has_moved() => return Ok(None),
            Err(error) => return Ok(Some((ended(error), judged))),
        };
        let ended = committed.seal().map_or_else(ended, Ended::Completed);
        Ok(Some((ended, judged)))
    }

    /// What completes together with a run: its result list, stored, and the entry about it.
    fn closing(
        &self,
        plan: &PlanEntry,
        sound: &Plan,
        run_id: &str,
    ) -> Result<(Event, Scope), GateError> {
        let results = results_of(sound.draft(), true)?;
        let run = RunOf { plan_id: &plan.created.plan_id, run_id };
        let (blob, event) = executed(run, &results, None)?;
        Ok((event, self.objects.write(std::slice::from_ref(&blob))?))
    }

    /// Lets the operator's checks judge the staged files. Where they cannot run, or one
    /// does not pass, nothing is committed.
    fn checked<'s>(
        &self,
        staged: Staged<'s>,
        policy: &Policy,
        attempt: &Attempt<'_>,
    ) -> Result<Result<Judged<'s>, (Ended, Vec<checks::Outcome>)>, GateError> {
        let named = named_checks(attempt.constraints);
        let wanted = policy
            .checks
            .iter()
            .filter(|(name, check)| check.runs.is_always() || named.contains(name.as_str()));
        let list: Vec<Check> = wanted.map(|(name, check)| Check::of_policy(name, check)).collect();
        if list.is_empty() {
            return Ok(Ok((staged, Vec::new())));
        }
        let Some(room) = self.ports.room else {
            staged.discard();
            return Err(GateError::NoRoom);
        };
        if let Err(error) = self.tell_checking(Some(&attempt.plan.created.plan_id)) {
            staged.discard();
            return Err(error.into());
        }
        let checked = checks::run(staged, &list, room, attempt.watch);
        // Where it stays, it counts for nothing once the project is free.
        let _ = self.tell_checking(None);
        Ok(checked.map_err(|unchecked| {
            let (why, conflicts) = (unchecked.why.to_string(), Vec::new());
            (Ended::RolledBack { why, conflicts }, unchecked.outcomes)
        }))
    }

    /// Puts the result list on the record.
    fn conclude(
        &self,
        attempt: &Attempt<'_>,
        ended: Ended,
        checks: Vec<checks::Outcome>,
    ) -> Result<Outcome, GateError> {
        let Attempt { plan, sound, .. } = *attempt;
        let run_id = attempt.run_id.to_owned();
        let results = results_of(sound.draft(), matches!(ended, Ended::Completed(_)))?;
        let (state, receipt, why, conflicts) = match ended {
            Ended::Completed(receipt) => (RunState::Completed, Some(receipt), None, Vec::new()),
            Ended::RolledBack { why, conflicts } => {
                (RunState::RolledBack, None, Some(why), conflicts)
            }
            Ended::Unsettled { why } => (RunState::Unknown, None, Some(why), Vec::new()),
        };
        let plan_id = plan.created.plan_id.clone();
        match state {
            // The end is on the record and on the disk already.
            RunState::Completed => self.log.note_synced(),
            RunState::RolledBack => {
                let reason = self.reason_kept(why.as_deref().unwrap_or_default(), &checks);
                let run = RunOf { plan_id: &plan_id, run_id: &run_id };
                let said =
                    self.put_results(attempt.from.actor.clone(), run, &results, Some(reason));
                // The files are back, whether that can be said on the record or not.
                if let Err(error) = said {
                    self.notice(Notice::Unlisted(error.to_string()));
                }
            }
            // A run that is not settled has no end yet; recovery writes it.
            RunState::Unknown => {}
        }
        let plan_hash = plan.created.plan_hash;
        let outcome = RunOutcome {
            run_id,
            plan_id,
            plan_hash,
            state,
            results,
            receipt,
            why,
            conflicts,
            checks,
        };
        Ok(Outcome::Ran(Box::new(outcome)))
    }

    fn drifted<T>(&self, plan: &PlanEntry, drifts: &[Drift]) -> Result<T, GateError> {
        let changes = drifts.iter().map(ToString::to_string).collect();
        self.expire(plan, &Cause::TargetsChanged { changes })
    }
}

fn ended(error: CommitError) -> Ended {
    match error {
        CommitError::RolledBack { cause, conflicts } => Ended::RolledBack {
            why: cause.to_string(),
            conflicts: conflicts.iter().map(ToString::to_string).collect(),
        },
        unsettled @ CommitError::Unsettled { .. } => {
            Ended::Unsettled { why: unsettled.to_string() }
        }
    }
}

pub(super) fn no_tools(draft: &Draft) -> Result<(), GateError> {
    let call = draft.steps.iter().find_map(|step| match &step.action {
        Action::Tool(call) => Some(call.name.clone()),
        Action::File(_) => None,
    });
    call.map_or(Ok(()), |name| Err(GateError::ToolSteps(name)))
}

/// The images that the examination computed.
struct PlanImages<'p>(&'p Plan);

impl Images for PlanImages<'_> {
    fn image(&self, digest: &Digest) -> Result<Blob, ImageError> {
        self.0.image(digest).cloned().ok_or(ImageError::Missing(*digest))
    }
}
