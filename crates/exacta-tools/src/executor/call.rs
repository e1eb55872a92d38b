//! Runs the tool of one step: a deadline, attempts, and what a failure means.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use exacta_core::model::registry::Effect;
use exacta_engine::tools::{StepOutcome, StepProgress, StepSign};
use futures_util::FutureExt as _;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout_at};

use crate::context::ToolContext;
use crate::error::{AfterEffect, ToolError};
use crate::primitive::{Output, Primitive};

/// How often a tool is tried again.
const RETRIES: u32 = 2;
/// How long until the first new attempt; then twice as long each time.
const FIRST_WAIT: Duration = Duration::from_millis(200);
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// One step that is about to run.
pub(super) struct Call {
    pub(super) primitive: Arc<dyn Primitive>,
    pub(super) args: Value,
    pub(super) ctx: ToolContext,
    /// Whether a second call could do it twice.
    pub(super) guarded: bool,
    /// The effect that the plan was judged by.
    pub(super) effect: Effect,
    pub(super) timeout: Duration,
    pub(super) progress: Arc<dyn StepProgress>,
}

/// How one attempt went.
enum Attempt {
    Answered(Result<Output, ToolError>),
    TimedOut,
    Panicked,
    Stopped,
}

impl Call {
    /// Runs the tool until it has an outcome.
    pub(super) async fn run(&mut self) -> StepOutcome {
        self.ctx.deadline = Instant::now() + self.timeout;
        loop {
            if let Err(refused) = self.ctx.meter.call() {
                return failed(&refused);
            }
            self.progress.report(&StepSign::Running {
                step_id: self.ctx.step_id.clone(),
                attempt: self.ctx.attempt,
            });
            let error = match self.attempt().await {
                Attempt::Answered(Ok(output)) => return StepOutcome::Ok { output: output.value },
                Attempt::Answered(Err(error)) => error,
                Attempt::Stopped => return StepOutcome::Cancelled,
                Attempt::TimedOut => {
                    let seconds = self.timeout.as_secs_f32();
                    self.lost("TIMEOUT", &format!("the step took longer than {seconds} s"))
                }
                Attempt::Panicked => self.lost("PANIC", "the tool ended in a fault of its own"),
            };
            match self.wait_before_retry(&error) {
                Some(wait) => {
                    self.progress.report(&StepSign::Retrying {
                        step_id: self.ctx.step_id.clone(),
                        message: error.message.clone(),
                        after_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
                    });
                    tokio::select! {
                        biased;
                        () = self.ctx.cancel.cancelled() => return StepOutcome::Cancelled,
                        () = sleep(wait) => {}
                    }
                    self.ctx.attempt = self.ctx.attempt.saturating_add(1);
                }
                None => return self.judge(&error),
            }
        }
    }

    /// One attempt. A stop signal ends it while nothing has left; afterwards the answer is
    /// waited for, because it is worth more than the time.
    async fn attempt(&self) -> Attempt {
        let stopped = async {
            self.ctx.cancel.cancelled().await;
            if self.ctx.effect.is_passed() {
                std::future::pending::<()>().await;
            }
        };
        let run = AssertUnwindSafe(self.primitive.run(&self.ctx, &self.args)).catch_unwind();
        tokio::select! {
            biased;
            () = stopped => Attempt::Stopped,
            answer = timeout_at(self.ctx.deadline, run) => match answer {
                Ok(Ok(answer)) => Attempt::Answered(answer),
                Ok(Err(_)) => Attempt::Panicked,
                Err(_) => Attempt::TimedOut,
            },
        }
    }

    /// The error of an attempt that gave no answer.
    fn lost(&self, code: &'static str, message: &str) -> ToolError {
        let left = self.guarded && self.ctx.effect.is_passed();
        let after = if left { AfterEffect::Unknown } else { AfterEffect::NotSent };
        ToolError::new(code, message).after(after)
    }

    /// Whether an outside effect can have left.
    fn may_have_left(&self, error: &ToolError) -> bool {
        self.guarded && error.after_effect != AfterEffect::NotSent
    }

    fn wait_before_retry(&self, error: &ToolError) -> Option<Duration> {
        let repeatable = error.retryable
            && self.primitive.idempotent()
            && !(self.guarded && self.ctx.effect.is_passed())
            && !self.may_have_left(error)
            && self.ctx.attempt <= RETRIES;
        if !repeatable {
            return None;
        }
        let doubled = FIRST_WAIT.saturating_mul(1 << self.ctx.attempt.saturating_sub(1).min(16));
        let wait = doubled.min(LONGEST_WAIT);
        (Instant::now() + wait < self.ctx.deadline).then_some(wait)
    }

    fn judge(&self, error: &ToolError) -> StepOutcome {
        if self.may_have_left(error) {
            let what = match error.after_effect {
                AfterEffect::Sent => "the effect happened, but",
                _ => "the effect may have happened:",
            };
            return StepOutcome::OutcomeUnknown { message: format!("{what} {}", error.message) };
        }
        match error.code {
            ToolError::SUPPRESSED => StepOutcome::Suppressed { reason: error.message.clone() },
            ToolError::CANCELLED => StepOutcome::Cancelled,
            _ => failed(error),
        }
    }
}

/// A failure that left nothing outside.
pub(super) fn failed(error: &ToolError) -> StepOutcome {
    StepOutcome::Failed { code: error.code.to_owned(), message: error.message.clone() }
}
