//! `WriteEmailDraft`: leaves a mail in the outbox, for a person to send or not.

use async_trait::async_trait;
use exacta_core::model::registry::Effect;
use serde_json::{Value, json};

use super::args::{object, people, str_of, strings, text};
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::folder;
use crate::mail::Draft;
use crate::primitive::{Output, Primitive};

/// Writes a mail into the outbox.
pub(super) struct WriteEmailDraft {
    pub(super) from: Option<String>,
}

#[async_trait]
impl Primitive for WriteEmailDraft {
    fn name(&self) -> &'static str {
        "WriteEmailDraft"
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
                ("to", people()),
                ("cc", people()),
                ("bcc", people()),
                ("subject", text(500)),
                ("body", text(500_000)),
            ],
            &["to", "subject", "body"],
        )
    }

    async fn run(&self, ctx: &ToolContext, args: &Value) -> Result<Output, ToolError> {
        let draft = self.draft(ctx, args);
        let people = draft.recipients()?;
        let file = folder::put_new(&ctx.world.outbox, &name(ctx), &draft.written()?)?;
        Ok(Output::new(json!({
            "draft": file.file_name().and_then(|name| name.to_str()), "recipients": people,
        })))
    }

    async fn compensate(
        &self,
        ctx: &ToolContext,
        args: &Value,
        _output: &Value,
    ) -> Result<(), ToolError> {
        let written = self.draft(ctx, args).written()?;
        folder::take_back(&ctx.world.outbox.join(name(ctx)), &written)
    }
}

impl WriteEmailDraft {
    /// The draft; without a date, so that it is the same whenever it is taken back.
    fn draft(&self, ctx: &ToolContext, args: &Value) -> Draft {
        let from = self.from.clone().unwrap_or_else(|| "draft@exacta.invalid".into());
        Draft {
            from,
            to: strings(args, "to"),
            cc: strings(args, "cc"),
            bcc: strings(args, "bcc"),
            subject: str_of(args, "subject").unwrap_or_default().to_owned(),
            body: str_of(args, "body").unwrap_or_default().to_owned(),
            date: String::new(),
            message_id: format!("{}@exacta.invalid", ctx.idempotency_key),
        }
    }
}

fn name(ctx: &ToolContext) -> String {
    format!("mail-{}.eml", ctx.idempotency_key)
}
