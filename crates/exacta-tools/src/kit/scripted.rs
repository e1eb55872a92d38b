//! A tool that does what its script says and counts what it did.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use exacta_core::model::registry::Effect;
use serde_json::{Value, json};

use crate::context::ToolContext;
use crate::error::ToolError;
use crate::primitive::{Output, Primitive};

/// What one call does.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Has its effect and gives this back.
    Give(Value),
    /// Has its effect and gives its arguments back.
    Echo,
    /// Fails before its effect.
    Fail(ToolError),
    /// Fails after its effect point.
    FailAfter(ToolError),
    /// Ends in a panic, before or after its effect point.
    Panic {
        /// Whether after.
        after: bool,
    },
    /// Never answers, before or after its effect point.
    Hang {
        /// Whether after.
        after: bool,
    },
    /// Waits, then has its effect and gives this back.
    Slow(Duration, Value),
}

#[derive(Default)]
struct State {
    script: VecDeque<Act>,
    /// How often each step had its effect.
    effects: BTreeMap<String, u32>,
    calls: BTreeMap<String, u32>,
    taken_back: Vec<String>,
    order: Vec<String>,
    most_at_once: usize,
    at_once: usize,
}

/// A scripted tool. Clones share their state.
#[derive(Clone)]
pub struct Scripted {
    name: &'static str,
    effect: Effect,
    idempotent: bool,
    reversible: bool,
    schema: Value,
    usual: Act,
    compensation: Option<ToolError>,
    state: Arc<Mutex<State>>,
}

impl Scripted {
    /// A tool that gives its arguments back. Reads and drafts are idempotent, drafts
    /// reversible.
    pub fn new(name: &'static str, effect: Effect) -> Self {
        Self {
            name,
            effect,
            idempotent: effect <= Effect::DraftWrite,
            reversible: effect == Effect::DraftWrite,
            schema: json!({"type": "object"}),
            usual: Act::Echo,
            compensation: None,
            state: Arc::default(),
        }
    }

    /// What every call does that has no act of its own.
    #[must_use]
    pub fn usually(mut self, act: Act) -> Self {
        self.usual = act;
        self
    }

    /// What the next calls do, in this order.
    #[must_use]
    pub fn then(self, acts: impl IntoIterator<Item = Act>) -> Self {
        self.state().script.extend(acts);
        self
    }

    /// Whether a second call changes nothing.
    #[must_use]
    pub fn idempotent(mut self, idempotent: bool) -> Self {
        self.idempotent = idempotent;
        self
    }

    /// Taking back fails with this.
    #[must_use]
    pub fn sticks(mut self, error: ToolError) -> Self {
        self.compensation = Some(error);
        self
    }

    /// The schema of its arguments.
    #[must_use]
    pub fn with_schema(mut self, schema: Value) -> Arc<Self> {
        self.schema = schema;
        Arc::new(self)
    }

    /// How often a step had its effect.
    pub fn effects(&self, step_id: &str) -> u32 {
        self.state().effects.get(step_id).copied().unwrap_or(0)
    }

    /// How often a step was called.
    pub fn calls(&self, step_id: &str) -> u32 {
        self.state().calls.get(step_id).copied().unwrap_or(0)
    }

    /// The steps that were taken back, in that order.
    pub fn taken_back(&self) -> Vec<String> {
        self.state().taken_back.clone()
    }

    /// The steps that were called, in that order.
    pub fn order(&self) -> Vec<String> {
        self.state().order.clone()
    }

    /// The most calls that were under way at once.
    pub fn most_at_once(&self) -> usize {
        self.state().most_at_once
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn act(&self, ctx: &ToolContext, args: &Value, act: Act) -> Result<Output, ToolError> {
        match act {
            Act::Give(value) => self.work(ctx, value).await,
            Act::Echo => self.work(ctx, args.clone()).await,
            Act::Slow(wait, value) => {
                tokio::time::sleep(wait).await;
                self.work(ctx, value).await
            }
            Act::Fail(error) => Err(error),
            Act::FailAfter(error) => {
                self.work(ctx, Value::Null).await?;
                Err(error)
            }
            Act::Panic { after } => {
                if after {
                    self.work(ctx, Value::Null).await?;
                }
                std::panic::resume_unwind(Box::new("scripted"))
            }
            Act::Hang { after } => {
                if after {
                    self.work(ctx, Value::Null).await?;
                }
                std::future::pending().await
            }
        }
    }

    /// The effect: once more for this step.
    async fn work(&self, ctx: &ToolContext, value: Value) -> Result<Output, ToolError> {
        ctx.effect_point().await?;
        let mut state = self.state();
        let count = state.effects.entry(ctx.step_id.to_string()).or_default();
        *count = count.saturating_add(1);
        Ok(Output::new(value))
    }
}

#[async_trait]
impl Primitive for Scripted {
    fn name(&self) -> &'static str {
        self.name
    }

    fn effect(&self) -> Effect {
        self.effect
    }

    fn idempotent(&self) -> bool {
        self.idempotent
    }

    fn reversible(&self) -> bool {
        self.reversible
    }

    fn args_schema(&self) -> Value {
        self.schema.clone()
    }

    async fn run(&self, ctx: &ToolContext, args: &Value) -> Result<Output, ToolError> {
        let act = {
            let mut state = self.state();
            state.order.push(ctx.step_id.to_string());
            let count = state.calls.entry(ctx.step_id.to_string()).or_default();
            *count = count.saturating_add(1);
            state.at_once = state.at_once.saturating_add(1);
            state.most_at_once = state.most_at_once.max(state.at_once);
            state.script.pop_front().unwrap_or_else(|| self.usual.clone())
        };
        let answer = self.act(ctx, args, act).await;
        let mut state = self.state();
        state.at_once = state.at_once.saturating_sub(1);
        answer
    }

    async fn compensate(
        &self,
        ctx: &ToolContext,
        _args: &Value,
        _output: &Value,
    ) -> Result<(), ToolError> {
        if let Some(error) = &self.compensation {
            return Err(error.clone());
        }
        self.state().taken_back.push(ctx.step_id.to_string());
        Ok(())
    }
}
