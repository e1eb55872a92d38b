//! `AggregateDailySummary`: one short text of what several sources say, each line with its
//! source. Says when there is nothing new, and which source could not be read.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use async_trait::async_trait;
use exacta_core::model::registry::Effect;
use serde_json::{Value, json};

use super::args::{count, number, object, str_of, text};
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::primitive::{Output, Primitive};

/// Lines when nobody says.
const BULLETS: u64 = 5;
/// The most characters of a line.
const LINE: usize = 300;

/// Sums up.
pub(super) struct AggregateDailySummary;

#[async_trait]
impl Primitive for AggregateDailySummary {
    fn name(&self) -> &'static str {
        "AggregateDailySummary"
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn idempotent(&self) -> bool {
        true
    }

    fn args_schema(&self) -> Value {
        let list = || json!({"type": "array", "maxItems": 1000});
        object(
            &[
                ("items", list()),
                ("failed", list()),
                ("max_bullets", count(3, 10)),
                ("heading", text(200)),
            ],
            &["items"],
        )
    }

    async fn run(&self, _ctx: &ToolContext, args: &Value) -> Result<Output, ToolError> {
        let most = usize::try_from(number(args, "max_bullets", BULLETS)).unwrap_or(usize::MAX);
        let all = args.get("items").and_then(Value::as_array).cloned().unwrap_or_default();
        let failed = args.get("failed").and_then(Value::as_array).cloned().unwrap_or_default();
        let heading = str_of(args, "heading").unwrap_or("Daily brief");
        let fresh: Vec<&Value> = all
            .iter()
            .filter(|item| item.get("new").and_then(Value::as_bool) != Some(false))
            .collect();
        let picked = fairly(&fresh, most);
        let mut text = format!("# {heading}\n\n");
        // Writing to a string cannot fail.
        let mut bullets = Vec::new();
        for item in &picked {
            let (title, source) = (said(item, "title"), said(item, "source"));
            let title = if title.is_empty() { said(item, "summary") } else { title };
            let place = said(item, "place");
            let place = if place.is_empty() { &source } else { &place };
            let _ = writeln!(text, "- {title} ({place}; from {source})");
            bullets.push(json!({"line": title, "source": source, "place": place}));
        }
        if picked.is_empty() {
            text.push_str("Nothing new.\n");
        }
        let more = fresh.len().saturating_sub(picked.len());
        if more > 0 {
            let _ = writeln!(text, "\n{more} more items are left out.");
        }
        for source in &failed {
            let _ = writeln!(
                text,
                "\nCould not be read: {} ({})",
                said(source, "source"),
                said(source, "why")
            );
        }
        Ok(Output::new(json!({
            "text": text, "bullets": bullets, "nothing_new": picked.is_empty(),
            "failed": failed.len(), "left_out": more,
        })))
    }
}

/// A member as one line.
fn said(item: &Value, name: &str) -> String {
    let text = item.get(name).and_then(Value::as_str).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LINE).collect()
}

/// The newest of each source in turn, so that a loud source does not drown the others.
fn fairly<'a>(items: &[&'a Value], most: usize) -> Vec<&'a Value> {
    let mut by_source: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    for item in items {
        by_source.entry(said(item, "source")).or_default().push(item);
    }
    for list in by_source.values_mut() {
        list.sort_by_key(|item| std::cmp::Reverse(said(item, "published")));
        list.reverse();
    }
    let mut picked = Vec::new();
    while picked.len() < most {
        let before = picked.len();
        for list in by_source.values_mut() {
            if picked.len() < most {
                picked.extend(list.pop());
            }
        }
        if picked.len() == before {
            break;
        }
    }
    picked
}
