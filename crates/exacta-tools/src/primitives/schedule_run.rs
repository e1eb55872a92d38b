//! `ScheduleRun`: has a recipe handed in again and again, as a fresh plan each time.

use async_trait::async_trait;
use exacta_core::model::registry::Effect;
use exacta_core::read::recipe::preset;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::args::{object, some_text, str_of, texts, wrong};
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::primitive::{Output, Primitive};
use crate::schedule::{Schedule, Schedules, When};

/// Keeps a schedule.
pub(super) struct ScheduleRun;

#[async_trait]
impl Primitive for ScheduleRun {
    fn name(&self) -> &'static str {
        "ScheduleRun"
    }

    fn effect(&self) -> Effect {
        Effect::DraftWrite
    }

    fn idempotent(&self) -> bool {
        true
    }

    fn reversible(&self) -> bool {
        true
    }

    fn args_schema(&self) -> Value {
        object(
            &[
                ("recipe", json!({"enum": ["WebsiteMonitor", "InboxTriage", "DailyBrief"]})),
                ("intent", some_text(4000)),
                ("selector", some_text(500)),
                ("ignore", texts(20, 500)),
                ("every", some_text(8)),
                ("daily", json!({"type": "string", "pattern": "^[0-2][0-9]:[0-5][0-9]$"})),
                (
                    "days",
                    json!({
                        "type": "array", "maxItems": 7, "uniqueItems": true,
                        "items": {"enum": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]},
                    }),
                ),
                ("zone", some_text(60)),
            ],
            &["recipe", "intent"],
        )
    }

    async fn run(&self, ctx: &ToolContext, args: &Value) -> Result<Output, ToolError> {
        let when = When::of(args).map_err(|fault| wrong(fault.to_string()))?;
        let recipe = str_of(args, "recipe").unwrap_or_default();
        if preset(recipe).is_none() {
            return Err(wrong(format!("there is no recipe `{recipe}` to schedule")));
        }
        let made_by = (ctx.plan_id.as_str(), ctx.run_id.as_str(), ctx.step_id.as_str());
        let schedule = Schedule::new(&ctx.idempotency_key, made_by, args);
        Schedules::at(&ctx.world.memory).add(&schedule)?;
        let next = when.next(Timestamp::now(), Timestamp::now());
        Ok(Output::new(json!({
            "schedule": schedule.key, "when": when.words(),
            "next": next.map(|next| next.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()),
        })))
    }

    async fn compensate(
        &self,
        ctx: &ToolContext,
        _args: &Value,
        _output: &Value,
    ) -> Result<(), ToolError> {
        Schedules::at(&ctx.world.memory).remove(&ctx.idempotency_key).map(|_| ())
    }
}
