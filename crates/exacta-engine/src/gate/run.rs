//! `run`: exactly the approved plan happens, all of it or none of it.

use exacta_core::judge::examine::Verdict;
use exacta_core::judge::policy::Policy;
use exacta_core::life::binding::PlanBinding;
use exacta_core::life::ledger::{Done, PlanEntry, RunEntry, RunState, Stream};
use exacta_core::life::lifecycle::{Cause, Refusal, Verb};
use exacta_core::model::digest::{Blob, Digest};
use exacta_core::model::id::{PlanId, RunId};
use exacta_core::model::path::RelPath;
use exacta_core::model::plan::{Effective, Plan};
use exacta_core::read::validate::named_checks;
use exacta_core::record::{Event, Provider, RunKind};
use exacta_core::results::Results;
use schemars::JsonSchema;
use serde::Serialize;

use super::command::{Caller, Command};
use super::error::GateError;
use super::handle::{Gate, TRIES};
use super::notice::{Notice, Recovery};
use super::patience::patiently;
use super::results::{RunOf, executed, results_of};
use super::steps::{StepQuestion, StepRun, calls_tools};
use crate::checks::{self, Check};
use crate::log::RunJournal;
use crate::run::{
    CommitError, Drift, Engine, ImageError, Images, Receipt, ReceiptFile, StageError, Staged, Watch,
};
use crate::workspace::Scope;

/// Run an approved plan.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// The plan.
    pub plan_id: PlanId,
    /// Its hash, when the caller wants to be sure.
    pub plan_hash: Option<Digest>,
}

/// A run after its end.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Ran {
    /// The run.
    pub run_id: RunId,
    /// The plan.
    pub plan_id: PlanId,
    /// How it ended.
    pub state: RunState,
    /// A row for each step, and one about all of them; null while the run waits for a person.
    pub results: Option<Results>,
    /// What happened to each file; null when nothing did.
    pub receipt: Option<RunReceipt>,
    /// Why it did not complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Files that keep somebody's edit although the run was rolled back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
    /// The operator's checks, in the order they ran.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<checks::Outcome>,
    /// What a person has to decide on before it goes on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<StepQuestion>,
    /// Interrupted runs that were finished or rolled back first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recovered: Vec<Recovery>,
}

/// Proof that a run completed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RunReceipt {
    /// The run.
    pub run_id: RunId,
    /// The plan's hash.
    pub plan_hash: Digest,
    /// Hash of the run's manifest, which the record names.
    pub manifest: Digest,
    /// What happened to each file.
    pub files: Vec<ReceiptFile>,
    /// Folders that the run made.
    pub folders: Vec<RelPath>,
    /// Files that some program had open and wrote to after they were swapped out.
    pub late_edits: Vec<RelPath>,
}

impl RunReceipt {
    pub(super) fn of(receipt: Receipt, plan_hash: Digest) -> Self {
        let Receipt { run, manifest, files, folders, late_edits } = receipt;
        Self { run_id: run, plan_hash, manifest, files, folders, late_edits }
    }
}

/// How a transaction ended.
pub(super) enum Ended {
    Completed(Receipt),
    RolledBack { why: String, conflicts: Vec<String> },
    Unsettled { why: String },
}

/// One try to run a plan.
#[derive(Clone, Copy)]
struct Attempt<'r> {
    caller: &'r Caller<'r>,
    plan: &'r PlanEntry,
    sound: &'r Plan,
    constraints: &'r [Effective],
    binding: &'r PlanBinding,
    run_id: &'r RunId,
}

/// A staged run and what the checks said of it.
pub(super) type Judged<'s> = (Staged<'s>, Vec<checks::Outcome>);

impl Command for Run {
    type Reply = Ran;
    const NAME: &'static str = "run";

    fn carry_out(self, gate: &Gate<'_>, caller: &Caller<'_>) -> Result<Ran, GateError> {
        let policy = gate.policy()?;
        for _ in 0..TRIES {
            let plan = gate.plan(&self.plan_id)?;
            if let Some(open) = gate.open_run(&plan) {
                Gate::same_hash(&plan, self.plan_hash)?;
                return gate.go_on(caller, &plan, &open, &policy, None);
            }
            let cleared = gate.cleared(&self.plan_id, self.plan_hash, &policy, caller.watch)?;
            let Some((plan, checked)) = cleared else { continue };
            let Verdict::Sound(sound) = &checked.examined.verdict else {
                return Err(GateError::Invalid(checked.examined.issues));
            };
            let named = caller.run_id.clone();
            let named = named.filter(|run_id| gate.log.ledger().run(run_id).is_none());
            let run_id = named.map_or_else(|| gate.new_id(), Ok)?;
            let (constraints, binding) = (&checked.examined.constraints, &checked.record.binding);
            if let Some(name) = calls_tools(sound.draft()) {
                let runner = gate.runner(name)?;
                let run = StepRun {
                    plan: &plan,
                    run_id: &run_id,
                    draft: sound.draft(),
                    sound: Some(sound),
                    constraints,
                    intent: checked.record.intent.as_deref(),
                    policy: &policy,
                    runner: runner.as_ref(),
                };
                match gate.begin_steps(caller, &run, &provider(binding)) {
                    Ok(Some(ran)) => return Ok(ran),
                    Ok(None) => gate.look_again()?,
                    Err(GateError::Stage(StageError::Drift(drifts)))
                        if gate.log.ledger().run(&run_id).is_none() =>
                    {
                        return gate.drifted(&plan, &drifts);
                    }
                    Err(error) => return Err(error),
                }
                continue;
            }
            let attempt =
                Attempt { caller, plan: &plan, sound, constraints, binding, run_id: &run_id };
            match gate.transact(&attempt, &policy) {
                Ok(Some((ended, checks))) => return gate.conclude(&attempt, ended, checks),
                // Somebody decided on the plan, or ran it, between look and start.
                Ok(None) => gate.look_again()?,
                Err(GateError::Stage(StageError::Drift(drifts))) => {
                    return gate.drifted(&plan, &drifts);
                }
                Err(error) => return Err(error),
            }
        }
        Err(GateError::Busy)
    }

    /// An approval is good for one run.
    fn again(&self, _: &Gate<'_>, done: &Done) -> Result<Ran, GateError> {
        let run_id = RunId::parse(&done.made).map_err(|_| GateError::Busy)?;
        Err(GateError::refused(&self.plan_id, Refusal::Used { run_id }))
    }
}

impl Gate<'_> {
    /// Stages and commits; `None` when the start was refused because the plan's life had
    /// moved on. Nothing has changed then.
    fn transact(
        &self,
        attempt: &Attempt<'_>,
        policy: &Policy,
    ) -> Result<Option<(Ended, Vec<checks::Outcome>)>, GateError> {
        let Attempt { caller, plan, sound, run_id, binding, .. } = *attempt;
        let watch = caller.watch;
        let stream = Stream::Plan(plan.id().clone());
        let journal = RunJournal::starting(
            &self.log,
            caller.actor.clone(),
            plan.id(),
            RunKind::Plan,
            Some(provider(binding)),
            caller.command.clone(),
            vec![(stream.clone(), plan.version)],
        );
        let engine = Engine::new(self.ports.port, &journal, &self.secrets.key);
        let images = PlanImages(sound);
        let head = self.log.head();
        let staged = patiently(watch, || engine.stage(run_id, sound.changes(), &images, watch))
            .map_err(GateError::Stage)?;
        // Whoever held the project before us may have run this very plan.
        self.look_again()?;
        if self.log.ledger().version(&stream) != plan.version {
            staged.discard();
            return Ok(None);
        }
        let judged = self.checked(staged, policy, attempt.constraints, plan.id(), watch)?;
        let (staged, judged) = match judged {
            Ok(judged) => judged,
            Err(thrown_away) => return Ok(Some(thrown_away)),
        };
        // Staging and checks take their time; the deadline is for the start, and what was
        // compared before them may have changed: beside the checks, or by the run that held
        // the project until now.
        let alone = judged.is_empty() && self.log.head() == head;
        let clear = if alone { Ok(()) } else { self.is_still_clear(plan) };
        if let Err(error) = clear.and_then(|()| self.may(plan, Verb::Start)) {
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
        run_id: &RunId,
    ) -> Result<(Event, Scope), GateError> {
        let results = results_of(plan.id(), sound.draft(), true)?;
        let run = RunOf { plan_id: &plan.created.plan_id, run_id };
        let (blob, event) = executed(run, &results, None, false)?;
        Ok((event, self.objects.write(std::slice::from_ref(&blob))?))
    }

    /// Lets the operator's checks judge the staged files. Where they cannot run, or one
    /// does not pass, nothing is committed.
    pub(super) fn checked<'s>(
        &self,
        staged: Staged<'s>,
        policy: &Policy,
        constraints: &[Effective],
        plan_id: &PlanId,
        watch: &dyn Watch,
    ) -> Result<Result<Judged<'s>, (Ended, Vec<checks::Outcome>)>, GateError> {
        let named = named_checks(constraints);
        let wanted = policy
            .checks
            .iter()
            .filter(|(name, check)| check.runs.is_always() || named.contains(name.as_str()));
        let list: Vec<Check> = wanted.map(|(name, check)| Check::of_policy(name, check)).collect();
        if list.is_empty() {
            return Ok(Ok((staged, Vec::new())));
        }
        let Some(find_room) = self.ports.room else {
            staged.discard();
            return Err(GateError::NoRoom);
        };
        if let Err(error) = self.tell_checking(Some(plan_id)) {
            staged.discard();
            return Err(error.into());
        }
        let checked = checks::run(staged, &list, &find_room(), watch);
        // Where it stays, it counts for nothing once the project is free.
        let _ = self.tell_checking(None);
        Ok(match checked {
            Ok((staged, outcomes)) => Ok((staged, self.without_secrets(outcomes))),
            Err(unchecked) => {
                let (why, conflicts) = (unchecked.why.to_string(), Vec::new());
                let outcomes = self.without_secrets(unchecked.outcomes);
                Err((Ended::RolledBack { why, conflicts }, outcomes))
            }
        })
    }

    /// What checks wrote, with what looks like a secret masked: a test that fails may print
    /// its environment.
    fn without_secrets(&self, mut outcomes: Vec<checks::Outcome>) -> Vec<checks::Outcome> {
        for outcome in &mut outcomes {
            let text = String::from_utf8_lossy(&outcome.output);
            // Line by line: a secret ends with its line, and what follows is to be read.
            let masked: String = text
                .split_inclusive('\n')
                .map(|line| match line.strip_suffix('\n') {
                    Some(line) => (self.ports.mask)(line) + "\n",
                    None => (self.ports.mask)(line),
                })
                .collect();
            if masked != text {
                outcome.output = masked.into_bytes();
            }
        }
        outcomes
    }

    /// Puts the result list on the record.
    fn conclude(
        &self,
        attempt: &Attempt<'_>,
        ended: Ended,
        checks: Vec<checks::Outcome>,
    ) -> Result<Ran, GateError> {
        let Attempt { plan, sound, .. } = *attempt;
        let run_id = attempt.run_id.clone();
        let results = results_of(plan.id(), sound.draft(), matches!(ended, Ended::Completed(_)))?;
        let (state, receipt, reason, conflicts) = match ended {
            Ended::Completed(receipt) => (RunState::Completed, Some(receipt), None, Vec::new()),
            Ended::RolledBack { why, conflicts } => {
                (RunState::RolledBack, None, Some(why), conflicts)
            }
            Ended::Unsettled { why } => (RunState::Unknown, None, Some(why), Vec::new()),
        };
        let plan_id = plan.id().clone();
        match state {
            // The end is on the record and on the disk already.
            RunState::Completed => self.log.note_synced(),
            RunState::RolledBack => {
                let kept = self.reason_kept(reason.as_deref().unwrap_or_default(), &checks);
                let run = RunOf { plan_id: &plan_id, run_id: &run_id };
                let said =
                    self.put_results(attempt.caller.actor.clone(), run, &results, Some(kept));
                // The files are back, whether that can be said on the record or not.
                if let Err(error) = said {
                    self.notice(Notice::Unlisted(error.to_string()));
                }
            }
            // A run that is not settled has no end yet; recovery writes it.
            _ => {}
        }
        let receipt = receipt.map(|receipt| RunReceipt::of(receipt, plan.created.plan_hash));
        Ok(Ran {
            run_id,
            plan_id,
            state,
            results: Some(results),
            receipt,
            reason,
            conflicts,
            checks,
            asks: Vec::new(),
            recovered: self.recovered(),
        })
    }

    /// The run of a plan that began with its tools and has not ended.
    pub(super) fn open_run(&self, plan: &PlanEntry) -> Option<RunEntry> {
        let ledger = self.log.ledger();
        let run = plan.run_id().and_then(|run_id| ledger.run(run_id));
        let open = |run: &&RunEntry| run.begun && (run.status.is_none() || run.is_resolved());
        run.filter(open).cloned()
    }

    fn drifted<T>(&self, plan: &PlanEntry, drifts: &[Drift]) -> Result<T, GateError> {
        let changes = drifts.iter().map(ToString::to_string).collect();
        Err(self.expired(plan, &Cause::TargetsChanged { changes })?)
    }
}

/// Who made a plan, as its binding says.
fn provider(binding: &PlanBinding) -> Provider {
    Provider {
        class: exacta_core::life::binding::ProviderClass::read(&binding.provider_class),
        id: binding.provider_id.clone(),
        model: binding.model_id.clone(),
        source: binding.source,
        tier: None,
    }
}

pub(super) fn ended(error: CommitError) -> Ended {
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

/// The images that the examination computed.
pub(super) struct PlanImages<'p>(pub(super) &'p Plan);

impl Images for PlanImages<'_> {
    fn image(&self, digest: &Digest) -> Result<Blob, ImageError> {
        self.0.image(digest).cloned().ok_or(ImageError::Missing(*digest))
    }
}
