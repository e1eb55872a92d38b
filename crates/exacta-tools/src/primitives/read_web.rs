//! `ReadWeb`: reads one page; told to watch it, says whether it changed.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use exacta_core::model::registry::Effect;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::args::{self, count, number, object, some_text, str_of, strings, texts};
use super::fetch::{Fetched, Fetcher};
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::memory::Memory;
use crate::page::{self, Selector, Watched};
use crate::primitive::{Output, Primitive};

/// The most characters that are given back.
const TEXT: usize = 100_000;
/// How sensitive a watch is when nobody says.
const SENSITIVITY: u64 = 50;
/// How long a second look waits.
const SECOND_LOOK: Duration = Duration::from_millis(500);

/// Reads one page.
pub(super) struct ReadWeb {
    pub(super) fetcher: Arc<Fetcher>,
}

/// What is watched.
struct Watch {
    name: String,
    selector: Option<Selector>,
    ignore: Vec<String>,
    sensitivity: u8,
}

/// What one look at the page gave.
struct Seen {
    fetched: Fetched,
    title: String,
    /// The text of the page or of what the selector selects.
    text: String,
}

#[async_trait]
impl Primitive for ReadWeb {
    fn name(&self) -> &'static str {
        "ReadWeb"
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn idempotent(&self) -> bool {
        true
    }

    fn args_schema(&self) -> Value {
        object(
            &[
                ("url", args::url()),
                ("selector", some_text(500)),
                ("watch", json!({"type": "boolean"})),
                ("ignore", texts(50, 500)),
                ("sensitivity_percent", count(10, 90)),
                ("pages", count(0, 1)),
                ("max_pages", count(0, 1)),
            ],
            &[],
        )
    }

    async fn run(&self, ctx: &ToolContext, args: &Value) -> Result<Output, ToolError> {
        let url = str_of(args, "url")
            .or_else(|| ctx.inputs.get("web_source_url").and_then(Value::as_str))
            .ok_or_else(|| args::wrong("there is no address to read"))?
            .to_owned();
        let selector = str_of(args, "selector").map(Selector::parse).transpose();
        let selector = selector.map_err(|fault| args::wrong(fault.to_string()))?;
        let seen = self.look(ctx, &url, selector.as_ref()).await?;
        let mut output = json!({
            "address": seen.fetched.url,
            "status": seen.fetched.status,
            "title": seen.title,
            "text": seen.text.chars().take(TEXT).collect::<String>(),
            "truncated": seen.text.chars().count() > TEXT,
            "not_modified": seen.fetched.not_modified,
        });
        if args.get("watch").and_then(Value::as_bool) == Some(true) {
            let ignore = strings(args, "ignore");
            let name = Memory::name(
                "page",
                &[&url, str_of(args, "selector").unwrap_or_default(), &ignore.join("\n")],
            );
            let sensitivity = u8::try_from(number(args, "sensitivity_percent", SENSITIVITY));
            let sensitivity = sensitivity.unwrap_or(90);
            let watch = Watch { name, selector, ignore, sensitivity };
            let watched = self.watched(ctx, &url, &watch, &seen).await?;
            if let (Value::Object(all), Value::Object(more)) = (&mut output, watched) {
                all.extend(more);
            }
        }
        Ok(Output::new(output))
    }
}

impl ReadWeb {
    async fn look(
        &self,
        ctx: &ToolContext,
        url: &str,
        selector: Option<&Selector>,
    ) -> Result<Seen, ToolError> {
        let fetched = self.fetcher.page(ctx, url).await?;
        let html = page::decoded(&fetched.body, fetched.kind.as_deref());
        let kind = fetched.kind.as_deref().unwrap_or_default().to_ascii_lowercase();
        let is_plain = kind.starts_with("text/plain") || kind.contains("json");
        let (title, text) = if is_plain {
            (String::new(), html.clone())
        } else {
            let page = page::page(&html)?;
            (page.title, page.text)
        };
        let text = match selector {
            None => text,
            Some(selector) => page::selected(&html, selector)?.ok_or_else(|| {
                ToolError::new(
                    "SELECTION_EMPTY",
                    "the selector selects nothing on this page; that is not a change",
                )
            })?,
        };
        Ok(Seen { fetched, title, text })
    }

    /// Compares with what was reported last, and looks twice before it says that something
    /// changed.
    async fn watched(
        &self,
        ctx: &ToolContext,
        url: &str,
        watch: &Watch,
        seen: &Seen,
    ) -> Result<Value, ToolError> {
        if let Some(word) = page::looks_blocked(&seen.text) {
            let message =
                format!("the site showed a page about `{word}` instead; that is not a change");
            return Err(ToolError::new("PAGE_BLOCKED", message).retryable());
        }
        let now = page::lines_of(&seen.text, &watch.ignore);
        if now.is_empty() {
            let message = "nothing is left of the page to watch; that is not a change";
            return Err(ToolError::new("SELECTION_EMPTY", message));
        }
        let memory = Memory::at(&ctx.world.memory);
        let unchanged = |first: bool| {
            json!({"watch": watch.name, "first": first, "changed": false, "alert": "",
                   "added": [], "removed": []})
        };
        let Some(before) = memory.settled(&watch.name)? else {
            memory.set(&watch.name, &json!(now))?;
            return Ok(unchanged(true));
        };
        let before: Watched = serde_json::from_value(before).unwrap_or_default();
        let Some(_) = page::compare(&before, &now, watch.sensitivity) else {
            return Ok(unchanged(false));
        };
        sleep(SECOND_LOOK).await;
        let again = self.look(ctx, url, watch.selector.as_ref()).await?;
        if page::looks_blocked(&again.text).is_some() {
            return Ok(unchanged(false));
        }
        let again = page::lines_of(&again.text, &watch.ignore);
        // What the second look does not show as well was a moment of the page, not a change.
        let Some(change) = page::compare(&before, &again, watch.sensitivity) else {
            return Ok(unchanged(false));
        };
        memory.pend(&watch.name, &json!(again))?;
        let title = if seen.title.is_empty() { url } else { &seen.title };
        Ok(json!({
            "watch": watch.name, "first": false, "changed": true,
            "alert": format!("{title}\n{url}\n{}", change.alert()),
            "added": change.added, "removed": change.removed, "share_thousandths": change.share,
        }))
    }
}
