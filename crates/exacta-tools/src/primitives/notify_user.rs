//! `NotifyUser`: tells the operator, and nobody else, by the ways that policy names.
//!
//! Once a run: what is about to be delivered is noted first, so that a run that was
//! interrupted does not deliver a second time. What a page or a mail says only ever stands
//! inside our own plain text.

use std::io::Write as _;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use exacta_core::judge::policy::{Mail, Notify};
use exacta_core::model::hours::Hours;
use exacta_core::model::registry::Effect;
use exacta_core::text::shown::visible;
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::time::timeout;

use super::args::{self, object, some_text, str_of, strings, text, texts};
use super::send_email;
use crate::clock;
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::http::{HttpGate, HttpRequest};
use crate::mail::Draft;
use crate::memory::{Memory, Taken};
use crate::net::Network;
use crate::primitive::{Output, Primitive};

/// The most characters of a notification.
const MESSAGE: usize = 4000;
/// How long one way may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Tells the operator.
pub(super) struct NotifyUser {
    pub(super) notify: Notify,
    pub(super) mail: Mail,
    pub(super) network: Network,
    /// The gate to the hosts that the operator named.
    pub(super) gate: Arc<dyn HttpGate>,
}

#[async_trait]
impl Primitive for NotifyUser {
    fn name(&self) -> &'static str {
        "NotifyUser"
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn idempotent(&self) -> bool {
        true
    }

    /// What was delivered is held back a second time, and would be taken for undelivered.
    fn only_reads(&self) -> bool {
        false
    }

    fn args_schema(&self) -> Value {
        object(
            &[
                ("heading", some_text(200)),
                ("message", text(500_000)),
                ("watch", text(60)),
                ("quiet", texts(10, 11)),
            ],
            &["message"],
        )
    }

    async fn run(&self, ctx: &ToolContext, args: &Value) -> Result<Output, ToolError> {
        let watch = args::watch(args)?;
        let message = str_of(args, "message").unwrap_or_default();
        let held = |why: &str| {
            Ok(Output::new(
                json!({"delivered": false, "reason": why, "ways": [], "message": message}),
            ))
        };
        if message.trim().is_empty() {
            return held("there is nothing to say");
        }
        for span in strings(args, "quiet") {
            let hours = Hours::parse(&span)
                .ok_or_else(|| args::wrong(format!("`{span}` is not a span of the day")))?;
            if hours.contains(clock::minute()) {
                return held("quiet hours; it is said next time");
            }
        }
        let memory = Memory::at(&ctx.world.memory);
        let most = self.notify.daily_limit;
        match memory.take_one("notes", &ctx.idempotency_key, &clock::today(), most)? {
            Taken::Now => {}
            Taken::Before => return held("it was being delivered when the run was interrupted"),
            Taken::NoneLeft => {
                return held("today's notifications are used up; it is said next time");
            }
        }
        let heading = str_of(args, "heading").unwrap_or("Exacta");
        let note = Note { heading: line(heading), body: body(message) };
        let (mut ways, mut failed) = (Vec::new(), Vec::new());
        for way in self.ways() {
            match self.deliver(ctx, way, &note).await {
                Ok(()) => ways.push(way),
                Err(fault) => failed.push(json!({"way": way, "why": fault.message})),
            }
        }
        // Nobody at a terminal is no failure: the message stands in the results.
        let only_terminal = failed.iter().all(|one| one.get("way") == Some(&json!("terminal")));
        if ways.is_empty() && !only_terminal {
            let why =
                failed.first().and_then(|one| str_of(one, "why")).unwrap_or_default().to_owned();
            return Err(ToolError::new("NOTIFY_FAILED", format!("nobody could be told: {why}")));
        }
        if let Some(watch) = watch {
            memory.settle(watch, &ctx.idempotency_key)?;
        }
        Ok(Output::new(json!({
            "delivered": true, "ways": ways, "failed": failed, "message": note.body,
        })))
    }
}

/// What is said, in our own plain form.
struct Note {
    heading: String,
    body: String,
}

/// One line without anything that a terminal or a header would obey.
fn line(text: &str) -> String {
    visible(text.split_whitespace().collect::<Vec<_>>().join(" ").as_bytes())
}

fn body(text: &str) -> String {
    let text: String = text.chars().take(MESSAGE).collect();
    text.lines().map(|one| visible(one.as_bytes())).collect::<Vec<_>>().join("\n")
}

impl NotifyUser {
    fn ways(&self) -> Vec<&'static str> {
        let notify = &self.notify;
        [
            ("terminal", notify.terminal),
            ("desktop", notify.desktop),
            ("webhook", notify.webhook.is_some()),
            ("ntfy", notify.ntfy.is_some()),
            ("mail", notify.mail.is_some()),
        ]
        .into_iter()
        .filter_map(|(way, on)| on.then_some(way))
        .collect()
    }

    async fn deliver(&self, ctx: &ToolContext, way: &str, note: &Note) -> Result<(), ToolError> {
        let failed = |why: String| ToolError::new("NOTIFY_FAILED", why);
        let Note { heading, body } = note;
        match way {
            "terminal" => {
                let mut terminal = std::fs::OpenOptions::new()
                    .write(true)
                    .open("/dev/tty")
                    .map_err(|_| failed("there is no terminal".into()))?;
                write!(terminal, "\r\n{heading}\r\n{}\r\n", body.replace('\n', "\r\n"))
                    .map_err(|fault| failed(fault.to_string()))
            }
            "desktop" => {
                let child = Command::new("notify-send")
                    .args(["--app-name=exacta", "--", heading.as_str(), body.as_str()])
                    .stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .kill_on_drop(true)
                    .spawn();
                let mut child = child.map_err(|fault| failed(format!("`notify-send`: {fault}")))?;
                match timeout(PATIENCE, child.wait()).await {
                    Ok(Ok(status)) if status.success() => Ok(()),
                    _ => Err(failed("`notify-send` failed".into())),
                }
            }
            "webhook" => {
                let url = self.notify.webhook.clone().unwrap_or_default();
                let body = json!({"heading": heading, "message": body, "run_id": ctx.run_id});
                self.post(ctx, url, "application/json", body.to_string()).await
            }
            "ntfy" => {
                let url = self.notify.ntfy.clone().unwrap_or_default();
                self.post(ctx, url, "text/plain; charset=utf-8", format!("{heading}\n{body}")).await
            }
            _ => {
                let own = self.notify.mail.clone().unwrap_or_default();
                let draft = Draft {
                    to: vec![own],
                    subject: heading.clone(),
                    body: format!(
                        "{body}\n\nThis was sent by exacta (run {}), because you named this address \
                         under `tools.notify.mail`.\n",
                        ctx.run_id
                    ),
                    ..Draft::default()
                };
                send_email::send(ctx, &self.network, &self.mail, draft).await.map(|_| ())
            }
        }
    }

    async fn post(
        &self,
        ctx: &ToolContext,
        url: String,
        kind: &str,
        body: String,
    ) -> Result<(), ToolError> {
        let request = HttpRequest {
            method: "POST".into(),
            url,
            headers: vec![
                ("content-type".into(), kind.into()),
                ("idempotency-key".into(), ctx.idempotency_key.clone()),
            ],
            body: body.into_bytes(),
            max_bytes: 64 * 1024,
            max_redirects: 0,
            timeout: PATIENCE,
            outside_effect: true,
        };
        let answer = self.gate.send(ctx, request).await?;
        if (200..300).contains(&answer.status) {
            return Ok(());
        }
        Err(ToolError::new("NOTIFY_FAILED", format!("it answered {}", answer.status)))
    }
}
