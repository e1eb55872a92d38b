//! The order of a run with tool steps: begun, or taken up where the record says it was.

use std::sync::Arc;

use exacta_core::judge::examine::Verdict;
use exacta_core::judge::policy::Policy;
use exacta_core::life::ledger::{PlanEntry, RunEntry, RunStage};
use exacta_core::life::lifecycle::{Refusal, Verb};
use exacta_core::model::plan::{Action, Draft, Execution};
use exacta_core::record::{Assurance, Event, Provider};

use super::conclude::{Closing, Files};
use super::drive::Way;
use super::graph::StepRun;
use crate::gate::command::Caller;
use crate::gate::error::GateError;
use crate::gate::handle::Gate;
use crate::gate::life::about;
use crate::gate::run::Ran;
use crate::gate::stored::PlanRecord;
use crate::run::StageError;
use crate::tools::{StepOutcome, ToolRun, ToolRunner};
use crate::workspace::Lock;

/// How far a run has come.
pub(super) enum Course {
    /// A person has to decide on a step first.
    Waits,
    /// Nothing more will happen.
    Over(Box<Closing>),
}

impl Course {
    pub(super) fn over(closing: Closing) -> Self {
        Self::Over(Box::new(closing))
    }
}

/// Whether a draft calls tools.
pub(in crate::gate) fn calls_tools(draft: &Draft) -> Option<&str> {
    draft.steps.iter().find_map(|step| match &step.action {
        Action::Tool(call) => Some(call.name.as_str()),
        Action::File(_) => None,
    })
}

/// Whether a step of a run waits for a person.
pub(super) fn waits(tools: &ToolRun) -> bool {
    tools.steps.iter().any(|step| step.outcome == StepOutcome::Waiting)
}

impl Gate<'_> {
    /// What runs tool steps here.
    pub(in crate::gate) fn runner(&self, name: &str) -> Result<Arc<dyn ToolRunner>, GateError> {
        let start = self.ports.tools.ok_or_else(|| GateError::ToolSteps(name.to_owned()))?;
        start().map_err(GateError::Tools)
    }

    /// Begins a run of a cleared plan; `None` when the plan has moved on meanwhile, and nothing
    /// has happened then.
    pub(in crate::gate) fn begin_steps(
        &self,
        caller: &Caller<'_>,
        run: &StepRun<'_>,
        provider: &Provider,
    ) -> Result<Option<Ran>, GateError> {
        self.guarded(run)?;
        let lock = self.hold_run(run.run_id)?;
        let begin = || {
            self.may(run.plan, Verb::Start)?;
            let (plan_id, run_id) = (run.plan.id().clone(), run.run_id.clone());
            let provider = Some(provider.clone());
            let begun = Event::RunBegun { plan_id, provider, run_id };
            self.commit(&about(caller, run.plan, vec![begun]))
        };
        let course = if run.sound.is_some_and(|plan| !plan.changes().is_empty()) {
            // Files are staged first: what cannot be staged spends no approval.
            match self.stage_and_carry(caller, run, Some(&begin)) {
                Ok(Some(course)) => Ok(course),
                Ok(None) => {
                    self.free_run(run.run_id, lock);
                    return Ok(None);
                }
                Err(error) => Err(error),
            }
        } else {
            match begin() {
                Ok(true) => self.carry_tools(caller, run),
                Ok(false) => {
                    self.free_run(run.run_id, lock);
                    return Ok(None);
                }
                Err(error) => Err(error),
            }
        };
        self.ended(caller, run, course, lock).map(Some)
    }

    /// Goes on with a run that has not ended, where the record says it is. A person who has
    /// just said that its last step did not happen has also decided that its files go back.
    pub(in crate::gate) fn go_on(
        &self,
        caller: &Caller<'_>,
        plan: &PlanEntry,
        entry: &RunEntry,
        policy: &Policy,
        resolved_by: Option<Assurance>,
    ) -> Result<Ran, GateError> {
        let lock = self.hold_run(&entry.run_id)?;
        // Whoever was at it may have ended it just now.
        self.look_again()?;
        let entry = self.run_entry(&entry.run_id)?;
        if entry.status.is_some() && !entry.is_resolved() {
            let (plan_id, run_id) = (plan.id().clone(), entry.run_id.clone());
            return Err(if self.is_unresolved(&run_id) {
                GateError::Unresolved { plan_id, run_id }
            } else {
                GateError::refused(&plan_id, Refusal::Used { run_id })
            });
        }
        let record = PlanRecord::load(self.objects.as_ref(), plan)?;
        let draft = record.draft(self.objects.as_ref())?;
        if !entry.cancelled {
            self.still_bound(plan, &record, policy)?;
        }
        let runner = self.runner(calls_tools(&draft).unwrap_or_default())?;
        let has_files = draft.steps.iter().any(|step| matches!(step.action, Action::File(_)));
        let examined = if has_files && entry.stage == RunStage::Decided {
            let examined = self.examine_again(&record, self.ports.tree, policy)?;
            Some(examined)
        } else {
            None
        };
        let sound = examined.as_ref().and_then(|examined| match &examined.verdict {
            Verdict::Sound(sound) if sound.plan_hash() == plan.created.plan_hash => {
                Some(sound.as_ref())
            }
            _ => None,
        });
        let run = StepRun {
            plan,
            run_id: &entry.run_id,
            draft: &draft,
            sound,
            constraints: examined.as_ref().map_or(&[], |examined| &examined.constraints),
            intent: record.intent.as_deref(),
            policy,
            runner: runner.as_ref(),
        };
        let course = match (has_files, entry.stage) {
            (false, _) => self.carry_tools(caller, &run),
            (true, RunStage::Decided) if entry.cancelled => {
                self.without_files(caller, &run, "the run was stopped".into())
            }
            (true, RunStage::Decided) if sound.is_some() => {
                match self.stage_and_carry(caller, &run, None) {
                    Err(GateError::Stage(StageError::Drift(drifts))) => {
                        let drifts: Vec<String> = drifts.iter().map(ToString::to_string).collect();
                        self.without_files(caller, &run, drifts.join(", "))
                    }
                    // Without a beginning nothing is refused.
                    Ok(course) => Ok(course.unwrap_or(Course::Waits)),
                    Err(error) => Err(error),
                }
            }
            (true, RunStage::Decided) => {
                let why = "the files are not what the plan was made for any more".to_owned();
                self.without_files(caller, &run, why)
            }
            (true, RunStage::Aborted) => {
                let why = "it was interrupted while files were put in place; they are back";
                self.without_files(caller, &run, why.to_owned())
            }
            (true, RunStage::Started | RunStage::Completed) => {
                self.carry_after_files(caller, &run, &entry, resolved_by)
            }
        };
        self.ended(caller, &run, course, lock)
    }

    /// A run without files: its tools, from where the record says they are.
    fn carry_tools(&self, caller: &Caller<'_>, run: &StepRun<'_>) -> Result<Course, GateError> {
        let tools = self.drive_from_record(caller, run, &[])?;
        Ok(if waits(&tools) {
            Course::Waits
        } else {
            Course::over(Closing::of(tools, Files::None))
        })
    }

    /// Has the runner do what is not done, or, where somebody wants the run to stop, take back.
    pub(super) fn drive_from_record(
        &self,
        caller: &Caller<'_>,
        run: &StepRun<'_>,
        held: &[usize],
    ) -> Result<ToolRun, GateError> {
        let cancelled = self.log.ledger().run(run.run_id).is_some_and(|entry| entry.cancelled);
        let back = cancelled && run.draft.execution == Execution::Atomic;
        let graph = self.graph(run, held)?;
        if cancelled && !back {
            let stage = self.run_entry(run.run_id)?.stage;
            return Ok(super::conclude::as_recorded(&graph, stage == RunStage::Completed));
        }
        self.drive(caller, run, &graph, if back { Way::Back } else { Way::Forward })
    }

    /// What a run comes to: its end on the record, or where it waits.
    fn ended(
        &self,
        caller: &Caller<'_>,
        run: &StepRun<'_>,
        course: Result<Course, GateError>,
        lock: Lock,
    ) -> Result<Ran, GateError> {
        let ran = match course? {
            Course::Waits => {
                let ran = self.waiting(run)?;
                drop(lock);
                ran
            }
            Course::Over(closing) => {
                let ran = self.conclude_steps(caller, run, *closing)?;
                self.free_run(run.run_id, lock);
                ran
            }
        };
        Ok(ran)
    }
}
