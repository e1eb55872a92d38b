//! Runs with tools and files: files are staged first and committed after the tools; the one step
//! that cannot be taken back comes last.

use exacta_core::life::ledger::{RunEntry, RunStage};
use exacta_core::model::digest::Blob;
use exacta_core::model::plan::{Action, Execution};
use exacta_core::record::{Assurance, Event, RunKind};

use super::carry::{Course, waits};
use super::conclude::{Closing, Files, results_of_steps, settled, why_of_steps};
use super::drive::Way;
use super::graph::StepRun;
use crate::checks;
use crate::gate::command::Caller;
use crate::gate::error::GateError;
use crate::gate::handle::Gate;
use crate::gate::patience::patiently;
use crate::gate::results::{RunOf, executed};
use crate::gate::run::{Ended, PlanImages, ended};
use crate::gate::undo::{Direction, UndoState};
use crate::log::RunJournal;
use crate::run::{Committed, Engine, Staged};
use crate::tools::{StepOutcome, ToolRun};
use crate::workspace::Scope;

/// Puts the beginning of a run on the record; false when the plan has moved on.
type Begin<'b> = &'b dyn Fn() -> Result<bool, GateError>;

/// What a staged run works with.
struct Hands<'h> {
    caller: &'h Caller<'h>,
    journal: &'h RunJournal<'h>,
    /// The steps that wait for the files.
    after: &'h [usize],
}

impl Gate<'_> {
    /// Stages the files, begins the run where it has not begun, and carries it on. `None` when
    /// the plan has moved on before the beginning.
    pub(super) fn stage_and_carry(
        &self,
        caller: &Caller<'_>,
        run: &StepRun<'_>,
        begin: Option<Begin<'_>>,
    ) -> Result<Option<Course>, GateError> {
        let Some(sound) = run.sound else { return Ok(None) };
        let journal = RunJournal::starting(
            &self.log,
            caller.actor.clone(),
            run.plan.id(),
            RunKind::Plan,
            None,
            None,
            Vec::new(),
        );
        let engine = Engine::new(self.ports.port, &journal, &self.secrets.key);
        let images = PlanImages(sound);
        let watch = caller.watch;
        let staged = patiently(watch, || engine.stage(run.run_id, sound.changes(), &images, watch))
            .map_err(GateError::Stage)?;
        if let Some(begin) = begin {
            // Whoever held the project before us may have run this very plan.
            self.look_again()?;
            if !begin()? {
                return Ok(None);
            }
        }
        let after = run.after_files(&run.outline()?);
        let hands = Hands { caller, journal: &journal, after: &after };
        self.carry_staged(run, &hands, staged).map(Some)
    }

    fn carry_staged(
        &self,
        run: &StepRun<'_>,
        hands: &Hands<'_>,
        staged: Staged<'_>,
    ) -> Result<Course, GateError> {
        let Hands { caller, after, .. } = *hands;
        let tools = self.drive_from_record(caller, run, after)?;
        if waits(&tools) {
            return Ok(Course::Waits);
        }
        if !may_commit(run, after, &tools) {
            return Ok(Course::over(Closing::of(tools, Files::Back { why: None })));
        }
        let (plan_id, watch) = (run.plan.id(), caller.watch);
        let (staged, judged) =
            match self.checked(staged, run.policy, run.constraints, plan_id, watch)? {
                Ok(judged) => judged,
                Err((thrown_away, outcomes)) => {
                    let why = match thrown_away {
                        Ended::RolledBack { why, .. } | Ended::Unsettled { why } => why,
                        Ended::Completed(_) => String::new(),
                    };
                    let course = self.without_files(caller, run, why)?;
                    return Ok(with_checks(course, outcomes));
                }
            };
        // The last step is decided on before files move: nobody waits with half a run done.
        let last = after.first().filter(|_| run.draft.execution == Execution::Atomic);
        if let Some(last) = last
            && !self.is_approved(run, *last)
        {
            let tools = self.drive_from_record(caller, run, &[])?;
            return Ok(if waits(&tools) {
                Course::Waits
            } else {
                Course::over(Closing::of(tools, Files::Back { why: None }))
            });
        }
        let committed = match staged.commit(watch) {
            Ok(committed) => committed,
            Err(error) => {
                let course = self.not_committed(caller, run, ended(error))?;
                return Ok(with_checks(course, judged));
            }
        };
        let course = match run.draft.execution {
            Execution::Atomic => self.finish_atomic(run, hands, committed, tools)?,
            Execution::Contract => self.finish_contract(run, hands, committed, tools)?,
        };
        Ok(with_checks(course, judged))
    }

    /// Whether a person said yes to a step.
    fn is_approved(&self, run: &StepRun<'_>, at: usize) -> bool {
        let ledger = self.log.ledger();
        let step = run.draft.steps.get(at).and_then(|step| {
            ledger.run(run.run_id).and_then(|entry| entry.steps.get(step.step_id.as_str()))
        });
        step.is_some_and(|step| matches!(step.decided, Some((_, true))))
    }

    /// The files are in place: now what cannot be taken back, then the seal.
    fn finish_atomic(
        &self,
        run: &StepRun<'_>,
        hands: &Hands<'_>,
        committed: Committed<'_>,
        tools: ToolRun,
    ) -> Result<Course, GateError> {
        let tools = if hands.after.is_empty() {
            tools
        } else {
            self.drive_from_record(hands.caller, run, &[])?
        };
        let lost = |outcome: &StepOutcome| matches!(outcome, StepOutcome::OutcomeUnknown { .. });
        let keeps = tools.steps.iter().all(|step| step.outcome.is_ok() || lost(&step.outcome));
        if !keeps {
            let conflicts = match committed.roll_back() {
                Ok(back) => back.conflicts.iter().map(ToString::to_string).collect(),
                Err(error) => return Err(GateError::Commit(error)),
            };
            let closing = Closing::of(tools, Files::Back { why: None });
            return Ok(Course::over(Closing { conflicts, ..closing }));
        }
        let tools = settled(run, tools, &Files::InPlace)?;
        let (rows, state) = results_of_steps(run, &tools, &Files::InPlace)?;
        let of = RunOf { plan_id: run.plan.id(), run_id: run.run_id };
        let why = why_of_steps(&tools, state, &[]);
        let kept = why.as_deref().map(|why| self.reason_kept(why, &[]));
        let (blob, event) = executed(of, &rows, kept.as_ref().map(Blob::digest), false)?;
        let blobs: Vec<_> = [blob].into_iter().chain(kept).collect();
        // The barrier of the files is over: what the last entry speaks of has to last before
        // it is written, because an entry may outlive a power loss without being synced.
        self.objects.put(&blobs)?;
        hands.journal.close_with(vec![event], Scope::default());
        let mut closing = Closing::of(tools, Files::InPlace);
        match committed.seal().map_or_else(ended, Ended::Completed) {
            Ended::Completed(receipt) => {
                self.log.note_synced();
                (closing.receipt, closing.sealed) = (Some(receipt), true);
            }
            Ended::RolledBack { why, conflicts } => {
                (closing.files, closing.conflicts) = (Files::Back { why: Some(why) }, conflicts);
            }
            Ended::Unsettled { why } => return Err(GateError::Unsettled(why)),
        }
        Ok(Course::over(closing))
    }

    /// The files of a contract run stand alone: sealed, then the tools that waited for them.
    fn finish_contract(
        &self,
        run: &StepRun<'_>,
        hands: &Hands<'_>,
        committed: Committed<'_>,
        tools: ToolRun,
    ) -> Result<Course, GateError> {
        let receipt = match committed.seal().map_or_else(ended, Ended::Completed) {
            Ended::Completed(receipt) => receipt,
            other => return self.not_committed(hands.caller, run, other),
        };
        self.log.note_synced();
        let tools = if hands.after.is_empty() {
            tools
        } else {
            self.drive_from_record(hands.caller, run, &[])?
        };
        if waits(&tools) {
            return Ok(Course::Waits);
        }
        let closing = Closing::of(tools, Files::InPlace);
        Ok(Course::over(Closing { receipt: Some(receipt), ..closing }))
    }

    fn not_committed(
        &self,
        caller: &Caller<'_>,
        run: &StepRun<'_>,
        ended: Ended,
    ) -> Result<Course, GateError> {
        match ended {
            Ended::Unsettled { why } => Err(GateError::Unsettled(why)),
            Ended::Completed(_) => Err(GateError::Busy),
            Ended::RolledBack { why, conflicts } => match self.without_files(caller, run, why)? {
                Course::Over(closing) => Ok(Course::over(Closing { conflicts, ..*closing })),
                Course::Waits => Ok(Course::Waits),
            },
        }
    }

    /// The files do not move. An atomic run goes back; a contract run goes on without them.
    pub(super) fn without_files(
        &self,
        caller: &Caller<'_>,
        run: &StepRun<'_>,
        why: String,
    ) -> Result<Course, GateError> {
        let tools = if run.draft.execution == Execution::Atomic {
            self.drive(caller, run, &self.graph(run, &[])?, Way::Back)?
        } else {
            self.drive_from_record(caller, run, &run.after_files(&run.outline()?))?
        };
        if waits(&tools) {
            return Ok(Course::Waits);
        }
        Ok(Course::over(Closing::of(tools, Files::Back { why: Some(why) })))
    }

    /// The files are in place, by the record; what comes after them goes on.
    pub(super) fn carry_after_files(
        &self,
        caller: &Caller<'_>,
        run: &StepRun<'_>,
        entry: &RunEntry,
        resolved_by: Option<Assurance>,
    ) -> Result<Course, GateError> {
        let tools = self.drive_from_record(caller, run, &[])?;
        if waits(&tools) {
            return Ok(Course::Waits);
        }
        let lost = |outcome: &StepOutcome| matches!(outcome, StepOutcome::OutcomeUnknown { .. });
        let keeps = run.draft.execution == Execution::Contract
            || tools.steps.iter().all(|step| step.outcome.is_ok() || lost(&step.outcome));
        if !keeps
            && entry.stage == RunStage::Completed
            && let Some(assurance) = resolved_by
        {
            return self.files_go_back(caller, run, tools, assurance);
        }
        let mut closing = Closing::of(tools, Files::InPlace);
        if entry.stage == RunStage::Started
            && let Some(manifest) = entry.manifest
        {
            closing.before.push(Event::RunCompleted { manifest, run_id: entry.run_id.clone() });
        }
        Ok(Course::over(closing))
    }
}

impl Gate<'_> {
    /// The last step did not happen: the files that were kept for it go back, unless somebody
    /// has worked on them since.
    fn files_go_back(
        &self,
        caller: &Caller<'_>,
        run: &StepRun<'_>,
        tools: ToolRun,
        assurance: Assurance,
    ) -> Result<Course, GateError> {
        let undone = self.invert(caller, run.run_id, None, assurance.into(), Direction::Undo)?;
        let files = match undone.state {
            UndoState::Conflict => Files::InPlace,
            UndoState::Undone | UndoState::Redone => Files::Back { why: None },
        };
        let closing = Closing::of(tools, files);
        Ok(Course::over(Closing { conflicts: undone.conflicts, ..closing }))
    }
}

/// Whether files may be committed: in an atomic run everything that comes before is done, in a
/// contract run every file step had what it needs.
fn may_commit(run: &StepRun<'_>, after: &[usize], tools: &ToolRun) -> bool {
    let steps = run.draft.steps.iter().zip(&tools.steps).enumerate();
    match run.draft.execution {
        Execution::Atomic => {
            steps.filter(|(at, _)| !after.contains(at)).all(|(_, (_, end))| end.outcome.is_ok())
        }
        Execution::Contract => steps
            .filter(|(_, (step, _))| matches!(step.action, Action::File(_)))
            .all(|(_, (_, end))| end.outcome.is_ok()),
    }
}

fn with_checks(course: Course, checks: Vec<checks::Outcome>) -> Course {
    match course {
        Course::Over(closing) => Course::over(Closing { checks, ..*closing }),
        Course::Waits => Course::Waits,
    }
}
