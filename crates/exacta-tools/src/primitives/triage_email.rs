//! `TriageEmail`: sorts mail by rules and leaves a list of it in the outbox.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use async_trait::async_trait;
use exacta_core::model::registry::Effect;
use serde_json::{Value, json};

use super::args::{self, object, some_text, str_of, texts};
use super::read_forwarded_email::letters;
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::folder;
use crate::mail::{Letter, Rule, Sorted, built_in, triage};
use crate::primitive::{Output, Primitive};

/// Sorts mail.
pub(super) struct TriageEmail {
    pub(super) inbox: Option<PathBuf>,
}

#[async_trait]
impl Primitive for TriageEmail {
    fn name(&self) -> &'static str {
        "TriageEmail"
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
        let words = || texts(50, 200);
        let flag = || json!({"type": "boolean"});
        let rule = object(
            &[
                ("label", some_text(40)),
                ("subject_has", words()),
                ("sender_has", words()),
                ("text_has", words()),
                ("bulk", flag()),
                ("attached", flag()),
            ],
            &["label"],
        );
        object(
            &[
                ("letters", json!({"type": "array", "maxItems": 200})),
                ("rules", json!({"type": "array", "maxItems": 50, "items": rule})),
                ("reply_length", json!({"enum": ["short", "medium", "long"]})),
            ],
            &[],
        )
    }

    async fn run(&self, ctx: &ToolContext, args: &Value) -> Result<Output, ToolError> {
        let sorted = self.sorted(ctx, args).await?;
        let report = report(&sorted, reply(args));
        let file = folder::put_new(&ctx.world.outbox, &name(ctx), report.as_bytes())?;
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for one in &sorted {
            let count = counts.entry(&one.label).or_default();
            *count = count.saturating_add(1);
        }
        let summary = if sorted.is_empty() {
            "no mail to sort".to_owned()
        } else {
            let parts: Vec<String> =
                counts.iter().map(|(label, n)| format!("{n} {label}")).collect();
            let messages = if sorted.len() == 1 { "message" } else { "messages" };
            format!("{} {messages}: {}", sorted.len(), parts.join(", "))
        };
        Ok(Output::new(json!({
            "sorted": sorted, "counts": counts, "summary": summary, "report": report,
            "draft": file.file_name().and_then(|name| name.to_str()),
        })))
    }

    async fn compensate(
        &self,
        ctx: &ToolContext,
        args: &Value,
        output: &Value,
    ) -> Result<(), ToolError> {
        let path = ctx.world.outbox.join(name(ctx));
        let written = match str_of(output, "report") {
            Some(report) => report.to_owned(),
            None if !path.exists() => return Ok(()),
            // The process died before it could say what it wrote.
            None => report(&self.sorted(ctx, args).await?, reply(args)),
        };
        folder::take_back(&path, written.as_bytes())
    }
}

impl TriageEmail {
    async fn sorted(&self, ctx: &ToolContext, args: &Value) -> Result<Vec<Sorted>, ToolError> {
        let rules: Vec<Rule> = match args.get("rules") {
            Some(rules) => serde_json::from_value(rules.clone())
                .map_err(|fault| args::wrong(format!("the rules are not rules: {fault}")))?,
            None => built_in(),
        };
        let letters: Vec<Letter> = match args.get("letters") {
            Some(given) => serde_json::from_value(given.clone())
                .map_err(|fault| args::wrong(format!("the messages are not messages: {fault}")))?,
            None => letters(&ctx.inputs, self.inbox.clone()).await?,
        };
        Ok(triage(&letters, &rules))
    }
}

fn reply(args: &Value) -> &str {
    str_of(args, "reply_length").unwrap_or("short")
}

fn name(ctx: &ToolContext) -> String {
    format!("triage-{}.md", ctx.idempotency_key)
}

/// The list for a person, by label, each message with its reason.
fn report(sorted: &[Sorted], reply: &str) -> String {
    let mut text = String::from("# Mail, sorted\n");
    if sorted.is_empty() {
        text.push_str("\nThere was no mail.\n");
    }
    let mut labels: Vec<&str> = Vec::new();
    for one in sorted {
        if !labels.contains(&one.label.as_str()) {
            labels.push(&one.label);
        }
    }
    let words = match reply {
        "long" => 250,
        "medium" => 120,
        _ => 50,
    };
    for label in labels {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n## {label}\n\n");
        if label == "needs_reply" {
            let _ = write!(text, "Answers: at most {words} words.\n\n");
        }
        for one in sorted.iter().filter(|one| one.label == label) {
            let _ = writeln!(
                text,
                "- {} — {} ({}; thread {})",
                one.subject, one.sender, one.reason, one.thread
            );
        }
    }
    text
}
