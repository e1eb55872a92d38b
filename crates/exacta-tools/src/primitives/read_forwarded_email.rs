//! `ReadForwardedEmail`: reads mail that was forwarded: text of the plan, or the place that
//! policy names.

use std::path::PathBuf;

use async_trait::async_trait;
use exacta_core::model::registry::Effect;
use serde_json::{Value, json};

use super::args::{count, number, object};
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::mail::{Letter, letters_at, letters_in};
use crate::primitive::{Output, Primitive};

/// Messages when nobody says.
const MESSAGES: u64 = 50;

/// Reads forwarded mail.
pub(super) struct ReadForwardedEmail {
    pub(super) inbox: Option<PathBuf>,
}

#[async_trait]
impl Primitive for ReadForwardedEmail {
    fn name(&self) -> &'static str {
        "ReadForwardedEmail"
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn idempotent(&self) -> bool {
        true
    }

    fn args_schema(&self) -> Value {
        object(&[("max_messages", count(1, 200))], &[])
    }

    async fn run(&self, ctx: &ToolContext, args: &Value) -> Result<Output, ToolError> {
        let most = usize::try_from(number(args, "max_messages", MESSAGES)).unwrap_or(usize::MAX);
        let letters = letters(&ctx.inputs, self.inbox.clone()).await?;
        let all = letters.len();
        // The newest count; a date that is missing is the oldest.
        let mut letters = letters;
        letters.sort_by(|one, two| two.date.cmp(&one.date));
        letters.truncate(most);
        Ok(Output::new(
            json!({"count": letters.len(), "left_out": all.saturating_sub(letters.len()), "letters": letters}),
        ))
    }
}

/// The messages that the plan brings along, or those at the place that policy names.
pub(super) async fn letters(
    inputs: &Value,
    inbox: Option<PathBuf>,
) -> Result<Vec<Letter>, ToolError> {
    if let Some(text) = inputs.get("inbox_source_text").and_then(Value::as_str) {
        let text = text.to_owned();
        let letters = tokio::task::spawn_blocking(move || letters_in(text.as_bytes())).await;
        let letters = letters.map_err(|_| unread("the text"))?;
        if letters.is_empty() {
            return Err(unread("`inputs.inbox_source_text`"));
        }
        return Ok(letters);
    }
    let Some(inbox) = inbox else {
        return Err(ToolError::new(
            "INBOX_MISSING",
            "there is no mail: the plan brings no `inbox_source_text`, and policy names no `tools.inbox`",
        ));
    };
    let read = tokio::task::spawn_blocking(move || letters_at(&inbox)).await;
    read.map_err(|_| unread("the inbox"))?
}

fn unread(what: &str) -> ToolError {
    ToolError::new("INBOX_UNREADABLE", format!("{what} does not hold mail"))
}
