//! `WriteOutcomeDraft`: leaves a text in the outbox.

use async_trait::async_trait;
use exacta_core::model::registry::Effect;
use serde_json::{Value, json};

use super::args::{self, object, some_text, str_of, text};
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::folder;
use crate::memory::Memory;
use crate::primitive::{Output, Primitive};

/// Writes a text into the outbox.
pub(super) struct WriteOutcomeDraft;

#[async_trait]
impl Primitive for WriteOutcomeDraft {
    fn name(&self) -> &'static str {
        "WriteOutcomeDraft"
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
            &[("heading", some_text(200)), ("body", text(500_000)), ("watch", text(60))],
            &["body"],
        )
    }

    async fn run(&self, ctx: &ToolContext, args: &Value) -> Result<Output, ToolError> {
        let watch = args::watch(args)?;
        let written = written(args);
        let file = folder::put_new(&ctx.world.outbox, &name(ctx), written.as_bytes())?;
        if let Some(watch) = watch {
            Memory::at(&ctx.world.memory).settle(watch, &ctx.idempotency_key)?;
        }
        Ok(Output::new(json!({
            "draft": file.file_name().and_then(|name| name.to_str()), "bytes": written.len(),
        })))
    }

    async fn compensate(
        &self,
        ctx: &ToolContext,
        args: &Value,
        _output: &Value,
    ) -> Result<(), ToolError> {
        folder::take_back(&ctx.world.outbox.join(name(ctx)), written(args).as_bytes())?;
        match args::watch(args)? {
            Some(watch) => Memory::at(&ctx.world.memory).unsettle(watch, &ctx.idempotency_key),
            None => Ok(()),
        }
    }
}

fn name(ctx: &ToolContext) -> String {
    format!("outcome-{}.md", ctx.idempotency_key)
}

fn written(args: &Value) -> String {
    let body = str_of(args, "body").unwrap_or_default();
    match str_of(args, "heading") {
        Some(heading) => {
            let heading = heading.split_whitespace().collect::<Vec<_>>().join(" ");
            format!("# {heading}\n\n{body}\n")
        }
        None => format!("{body}\n"),
    }
}
