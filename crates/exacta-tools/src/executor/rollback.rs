//! Takes back what the reversible steps of an atomic run did, in reverse order.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use exacta_engine::tools::{
    StepAction, StepEnd, StepEntry, StepOutcome, StepSign, ToolRun, ToolRunFault,
};
use futures_util::FutureExt as _;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::drive::Drive;
use super::prepare::limit;
use super::walk::Walk;
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::primitive::Primitive;

/// How often taking back is tried, and how long until the next time.
const ATTEMPTS: u32 = 3;
const WAIT: Duration = Duration::from_millis(200);

impl Drive {
    /// The outcomes of the run; before that, takes back what has to be, unless an answer
    /// was lost: then nobody knows yet which way the run goes.
    pub(super) async fn conclude(
        self,
        walk: Walk,
        roll_back: bool,
    ) -> Result<ToolRun, ToolRunFault> {
        // Whoever hears how the run went may rest on it.
        self.writer.append(Vec::new()).await?;
        let mut taken_back = vec![None; self.graph.steps.len()];
        let lost = |at: &usize| matches!(walk.fate(*at), Some(StepOutcome::OutcomeUnknown { .. }));
        if roll_back && !walk.order().iter().any(lost) {
            for at in walk.order().iter().rev() {
                if let Some(slot) = taken_back.get_mut(*at) {
                    *slot = self.take_back(*at, &walk).await?;
                }
            }
        }
        let spent = self.meter.run_spent();
        let ends = self.graph.steps.iter().zip(walk.finish()).zip(taken_back);
        let steps = ends
            .map(|((step, outcome), taken_back)| {
                let step_id = step.step_id.clone();
                match taken_back {
                    Some(Ok(())) if outcome.is_ok() => {
                        StepEnd { step_id, outcome: StepOutcome::RolledBack, left_behind: None }
                    }
                    Some(Err(why)) => StepEnd { step_id, outcome, left_behind: Some(why) },
                    _ => StepEnd { step_id, outcome, left_behind: None },
                }
            })
            .collect();
        Ok(ToolRun { steps, spent })
    }

    /// Takes one step back, if it was started and can be. `Err` inside says what is left.
    async fn take_back(
        &self,
        at: usize,
        walk: &Walk,
    ) -> Result<Option<Result<(), String>>, ToolRunFault> {
        let Some(step) = self.graph.steps.get(at) else { return Ok(None) };
        if step.known.rolled_back || self.started.get(at) != Some(&true) {
            return Ok(None);
        }
        let (Some(tool), StepAction::Tool { args, timeout_ms, .. }) =
            (self.shared.reversible(step), &step.action)
        else {
            return Ok(None);
        };
        self.ports.progress.report(&StepSign::TakingBack { step_id: step.step_id.clone() });
        let args = self.filled(at, walk).map_or_else(|_| args.clone(), |filled| filled.args);
        let output = match walk.fate(at) {
            Some(StepOutcome::Ok { output }) => output.clone(),
            _ => Value::Null,
        };
        let mut ctx = self.context(step);
        // The run may have been stopped; taking back goes on.
        ctx.cancel = CancellationToken::new();
        let limit = limit(*timeout_ms);
        for attempt in 1..=ATTEMPTS {
            ctx.attempt = attempt;
            ctx.deadline = Instant::now() + limit;
            let error = match compensate(&tool, &ctx, &args, &output, limit).await {
                Ok(()) => {
                    let entry = StepEntry::RolledBack { step_id: step.step_id.clone() };
                    self.writer.append(vec![entry]).await?;
                    return Ok(Some(Ok(())));
                }
                Err(error) => error,
            };
            if !error.retryable || attempt == ATTEMPTS {
                return Ok(Some(Err(error.message)));
            }
            sleep(WAIT).await;
        }
        Ok(None)
    }
}

async fn compensate(
    tool: &Arc<dyn Primitive>,
    ctx: &ToolContext,
    args: &Value,
    output: &Value,
    limit: Duration,
) -> Result<(), ToolError> {
    let work = AssertUnwindSafe(tool.compensate(ctx, args, output)).catch_unwind();
    match timeout(limit, work).await {
        Ok(Ok(done)) => done,
        Ok(Err(_)) => Err(ToolError::new("PANIC", "the tool ended in a fault of its own")),
        Err(_) => Err(ToolError::new("TIMEOUT", "taking back took too long").retryable()),
    }
}
