//! From a step whose turn it is to a call: references filled in, the guard passed.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use exacta_core::model::registry::Effect;
use exacta_core::read::parse::json;
use exacta_engine::tools::{
    StepAction, StepDecision, StepEntry, StepOutcome, StepRequest, ToolStep,
};
use serde_json::Value;
use tokio::time::Instant;

use super::call::{Call, failed};
use super::drive::Drive;
use super::effect_point::EffectPoint;
use super::keys::{args_hash, idempotency_key};
use super::runner::Shared;
use super::walk::Walk;
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::guard::{self, Question};
use crate::primitive::Primitive;
use crate::refs::{self, Filled, Outputs};

/// The most bytes of one output.
const MOST_OUTPUT: usize = 4 * 1024 * 1024;

/// No step takes longer than a day.
const LONGEST: Duration = Duration::from_hours(24);

/// A step that can be called.
pub(super) struct Ready {
    pub(super) at: usize,
    pub(super) call: Call,
    args_hash: String,
}

impl Ready {
    pub(super) fn started_entry(&self) -> StepEntry {
        StepEntry::Started {
            step_id: self.call.ctx.step_id.clone(),
            idempotency_key: self.call.ctx.idempotency_key.clone(),
            args_hash: self.args_hash.clone(),
        }
    }

    pub(super) fn decided_entry(&self, decision: StepDecision) -> StepEntry {
        StepEntry::Decided {
            step_id: self.call.ctx.step_id.clone(),
            decision,
            args_hash: self.args_hash.clone(),
        }
    }
}

/// What became of a step whose turn it was.
pub(super) enum Prepared {
    /// It cannot be called.
    Over(StepOutcome),
    /// A file step: the files are staged.
    Staged,
    /// A person has to be asked.
    Asks(Ready, StepRequest),
    /// It starts.
    Starts(Ready),
}

/// How long a step may take: never so long that clocks run out.
pub(super) fn limit(timeout_ms: u64) -> Duration {
    Duration::from_millis(timeout_ms).min(LONGEST)
}

/// Whether a tool acts outside for good.
fn is_outside(effect: Effect) -> bool {
    effect >= Effect::BulkWrite
}

fn is_guarded(primitive: &dyn Primitive) -> bool {
    is_outside(primitive.effect()) || !primitive.idempotent()
}

impl Shared {
    fn primitive(&self, step: &ToolStep) -> Option<&Arc<dyn Primitive>> {
        let StepAction::Tool { name, .. } = &step.action else { return None };
        self.registry.find(name).map(|tool| &tool.primitive)
    }

    /// Whether running the step a second time could do something twice. So could a tool
    /// that is not here any more.
    pub(super) fn guarded(&self, step: &ToolStep) -> bool {
        match step.action {
            StepAction::File => false,
            StepAction::Tool { .. } => self.primitive(step).is_none_or(|tool| is_guarded(&**tool)),
        }
    }

    /// Whether a power loss may take the step off the record: it is read again then.
    pub(super) fn only_reads(&self, step: &ToolStep) -> bool {
        self.primitive(step).is_some_and(|tool| tool.only_reads() && !is_guarded(&**tool))
    }

    /// Whether what the step does cannot be taken back.
    pub(super) fn irreversible(&self, step: &ToolStep) -> bool {
        self.primitive(step).is_some_and(|tool| tool.effect() != Effect::Read && !tool.reversible())
    }

    /// The tool of a step that can be taken back.
    pub(super) fn reversible(&self, step: &ToolStep) -> Option<Arc<dyn Primitive>> {
        let tool = self.primitive(step)?;
        (tool.effect() != Effect::Read && tool.reversible()).then(|| Arc::clone(tool))
    }

    /// The guard once more, right before the tool is called.
    pub(super) fn guard_again(
        &self,
        call: &Call,
        usable: &BTreeSet<String>,
    ) -> Option<StepOutcome> {
        let question = Question {
            step_id: &call.ctx.step_id,
            tool: call.primitive.name(),
            args: &call.args,
            effect: call.effect,
            usable,
            unfilled: &[],
        };
        self.refusal(&question)
    }

    fn refusal(&self, question: &Question<'_>) -> Option<StepOutcome> {
        let finding = guard::check(&self.registry, question).into_iter().next()?;
        let place = if finding.pointer.is_empty() {
            String::new()
        } else {
            format!(" at `{}`", finding.pointer)
        };
        Some(StepOutcome::Failed {
            code: finding.code,
            message: format!("{}{place}", finding.message),
        })
    }

    /// An output has to be readable by everybody. What a guarded step did stays done.
    pub(super) fn sound(&self, step: &ToolStep, outcome: StepOutcome) -> StepOutcome {
        let StepOutcome::Ok { output } = &outcome else { return outcome };
        if output.is_null() {
            return outcome;
        }
        let text = output.to_string();
        let message = if text.len() > MOST_OUTPUT {
            "the output of the tool has more than 4 MiB"
        } else if json::read(&text).is_err() {
            "the output of the tool has numbers, keys or depth that not every reader takes"
        } else {
            return outcome;
        };
        if self.guarded(step)
            || self.primitive(step).is_some_and(|tool| tool.effect() != Effect::Read)
        {
            return StepOutcome::Ok { output: Value::Null };
        }
        StepOutcome::Failed { code: "OUTPUT_INVALID".into(), message: message.into() }
    }
}

impl Drive {
    /// Fills in references, asks the guard, and says whether a person is asked.
    pub(super) fn prepare(&self, at: usize, walk: &Walk) -> Prepared {
        let Some(step) = self.graph.steps.get(at) else { return Prepared::Staged };
        let StepAction::Tool { name, effect, timeout_ms, asks, .. } = &step.action else {
            return Prepared::Staged;
        };
        let filled = match self.filled(at, walk) {
            Ok(filled) => filled,
            Err(fault) => return Prepared::Over(failed(&fault)),
        };
        let question = Question {
            step_id: &step.step_id,
            tool: name,
            args: &filled.args,
            effect: *effect,
            usable: &self.graph.usable,
            unfilled: &[],
        };
        if let Some(refused) = self.shared.refusal(&question) {
            return Prepared::Over(refused);
        }
        let Some(primitive) = self.shared.primitive(step).map(Arc::clone) else {
            return Prepared::Over(failed(&ToolError::new(
                "TOOL_NOT_FOUND",
                "there is no such tool",
            )));
        };
        let hash = args_hash(&filled.args);
        let only_reads = primitive.effect() == Effect::Read && *effect == Effect::Read;
        let why = if *asks {
            Some("the step asks when its turn comes")
        } else if !only_reads && !filled.places.is_empty() {
            Some("an earlier output fills in what the step does")
        } else {
            None
        };
        let request = why.map(|why| StepRequest {
            step_id: step.step_id.clone(),
            tool: name.clone(),
            args: filled.args.clone(),
            filled: filled.places.clone(),
            why: why.to_owned(),
        });
        let approved =
            matches!(&step.known.decided, Some((StepDecision::Approved, of)) if *of == hash);
        let guarded = is_guarded(&*primitive);
        let mut ready = Ready {
            at,
            call: Call {
                primitive,
                args: filled.args,
                ctx: self.context(step),
                guarded,
                effect: *effect,
                timeout: limit(*timeout_ms),
                progress: Arc::clone(&self.ports.progress),
            },
            args_hash: hash,
        };
        if guarded {
            ready.call.ctx.effect =
                EffectPoint::recording(self.writer.clone(), ready.started_entry());
        }
        match request.filter(|_| !approved) {
            Some(request) => Prepared::Asks(ready, request),
            None => Prepared::Starts(ready),
        }
    }

    /// The arguments of a step with what earlier steps gave.
    pub(super) fn filled(&self, at: usize, walk: &Walk) -> Result<Filled, ToolError> {
        let Some(StepAction::Tool { args, effect, .. }) =
            self.graph.steps.get(at).map(|step| &step.action)
        else {
            return Ok(Filled { args: Value::Null, places: Vec::new() });
        };
        if !refs::may_refer(args) {
            return Ok(Filled { args: args.clone(), places: Vec::new() });
        }
        let ids: BTreeSet<&str> =
            self.graph.steps.iter().map(|step| step.step_id.as_str()).collect();
        let outputs: Outputs<'_> = walk
            .before(at)
            .into_iter()
            .filter_map(|before| match walk.fate(before)? {
                StepOutcome::Ok { output } => {
                    Some((self.graph.steps.get(before)?.step_id.as_str(), output))
                }
                _ => None,
            })
            .collect();
        refs::fill(args, &outputs, &ids, is_outside(*effect))
    }

    pub(super) fn context(&self, step: &ToolStep) -> ToolContext {
        ToolContext {
            run_id: self.graph.run_id.clone(),
            plan_id: self.graph.plan_id.clone(),
            step_id: step.step_id.clone(),
            idempotency_key: idempotency_key(&self.graph.run_id, &step.step_id),
            attempt: 1,
            deadline: Instant::now(),
            cancel: self.cancel.clone(),
            meter: self.meter.for_step(),
            inputs: Arc::clone(&self.inputs),
            intent: self.graph.intent.as_deref().map(Arc::from),
            world: Arc::clone(&self.shared.world),
            effect: EffectPoint::open(),
        }
    }
}
