//! `ReadSources`: reads several feeds or pages; one that fails is named and stops no other.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use exacta_core::model::registry::Effect;
use serde_json::{Value, json};

use super::args::{self, count, number, object, strings};
use super::fetch::Fetcher;
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::memory::Memory;
use crate::page;
use crate::primitive::{Output, Primitive};

/// The most sources.
const SOURCES: u64 = 10;
/// Items of one source when nobody says.
const ITEMS: u64 = 20;
/// The most characters of a page that is not a feed.
const PAGE: usize = 1000;
/// How many items are remembered as seen.
const REMEMBERED: usize = 5000;

/// Reads several sources.
pub(super) struct ReadSources {
    pub(super) fetcher: Arc<Fetcher>,
}

#[async_trait]
impl Primitive for ReadSources {
    fn name(&self) -> &'static str {
        "ReadSources"
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
                (
                    "sources",
                    json!({"type": "array", "items": args::url(), "minItems": 1, "maxItems": SOURCES, "uniqueItems": true}),
                ),
                (
                    "urls",
                    json!({"type": "array", "items": args::url(), "minItems": 1, "maxItems": SOURCES, "uniqueItems": true}),
                ),
                ("max_items", count(1, 50)),
                ("max_sources", count(2, SOURCES)),
                ("pages", count(0, SOURCES)),
                ("max_pages", count(0, SOURCES)),
            ],
            &[],
        )
    }

    async fn run(&self, ctx: &ToolContext, args: &Value) -> Result<Output, ToolError> {
        let mut sources = [strings(args, "sources"), strings(args, "urls")].concat();
        if sources.is_empty() {
            sources = strings(&ctx.inputs, "daily_sources");
        }
        if sources.is_empty() {
            return Err(args::wrong("there is no source to read"));
        }
        let most = usize::try_from(number(args, "max_sources", SOURCES)).unwrap_or(usize::MAX);
        let left_out = sources.len().saturating_sub(most);
        sources.truncate(most);
        let memory = Memory::at(&ctx.world.memory);
        let names: Vec<&str> = sources.iter().map(String::as_str).collect();
        let watch = Memory::name("sources", &names);
        let seen: BTreeSet<String> = memory
            .settled(&watch)?
            .and_then(|seen| serde_json::from_value(seen).ok())
            .unwrap_or_default();
        let most_items = usize::try_from(number(args, "max_items", ITEMS)).unwrap_or(usize::MAX);
        let (mut items, mut failed) = (Vec::new(), Vec::new());
        let mut last = None;
        for source in &sources {
            match self.items(ctx, source).await {
                Ok(found) => items.extend(found.into_iter().take(most_items)),
                Err(fault)
                    if fault.code == ToolError::CANCELLED || fault.code == "PAGE_CAP_EXCEEDED" =>
                {
                    return Err(fault);
                }
                Err(fault) => {
                    failed.push(json!({"source": source, "why": fault.message}));
                    last = Some(fault);
                }
            }
        }
        if let Some(fault) = last.filter(|_| failed.len() == sources.len()) {
            return Err(fault);
        }
        let mut now: Vec<String> = Vec::new();
        for item in &mut items {
            let key = item.get("key").and_then(Value::as_str).unwrap_or_default().to_owned();
            if let Value::Object(fields) = item {
                fields.insert("new".into(), json!(!seen.contains(&key)));
            }
            now.push(key);
        }
        let old: Vec<String> = seen.into_iter().filter(|key| !now.contains(key)).collect();
        now.extend(old);
        now.truncate(REMEMBERED);
        memory.pend(&watch, &json!(now))?;
        Ok(Output::new(json!({
            "items": items, "failed": failed, "read": sources.len().saturating_sub(failed.len()),
            "left_out": left_out, "watch": watch,
        })))
    }
}

impl ReadSources {
    async fn items(&self, ctx: &ToolContext, source: &str) -> Result<Vec<Value>, ToolError> {
        let fetched = self.fetcher.page(ctx, source).await?;
        if let Some((title, items)) = page::feed(&fetched.body, &fetched.url) {
            let item = |item: page::Item| {
                let key = Memory::name("item", &[source, &item.id, &item.title]);
                json!({"source": source, "source_title": title, "title": item.title,
                       "place": item.place, "published": item.published,
                       "summary": item.summary, "key": key})
            };
            return Ok(items.into_iter().map(item).collect());
        }
        let html = page::decoded(&fetched.body, fetched.kind.as_deref());
        let page = page::page(&html)?;
        if let Some(word) = page::looks_blocked(&page.text) {
            let message = format!("the site showed a page about `{word}` instead");
            return Err(ToolError::new("PAGE_BLOCKED", message));
        }
        let text: String = page::lines_of(&page.text, &[]).join(" ").chars().take(PAGE).collect();
        let key = Memory::name("item", &[source, &page.title, &text]);
        Ok(vec![json!({"source": source, "source_title": page.title, "title": page.title,
            "place": source, "published": null, "summary": text, "key": key})])
    }
}
