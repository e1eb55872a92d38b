//! Who asks, and how they take a no.

use exacta_core::text::shown::visible;
use serde_json::{Value, json};

/// A program that runs an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Host {
    /// Claude Code.
    #[value(alias = "claude")]
    ClaudeCode,
    /// The Codex command line.
    Codex,
    /// Cursor.
    Cursor,
    /// The Gemini command line.
    Gemini,
    /// GitHub Copilot's command line.
    Copilot,
    /// goose.
    Goose,
    /// Cline.
    Cline,
    /// opencode, through the plugin that `exacta connect opencode` writes.
    Opencode,
}

/// What goes back to the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    /// The exit code.
    pub(crate) exit: u8,
    /// For the host.
    pub(crate) stdout: String,
    /// For the model, where the host hands it on.
    pub(crate) stderr: String,
}

/// More of a reason is not shown by any host.
const LONGEST: usize = 8_000;
/// What every host but one takes for a no.
const NO: u8 = 2;

impl Reply {
    /// No opinion: nothing at all, which no host can misread.
    pub(crate) fn silent() -> Self {
        Self { exit: 0, stdout: String::new(), stderr: String::new() }
    }
}

impl Host {
    /// The host that a payload comes from, whatever the wiring says: several of them read the
    /// settings of another.
    pub(crate) fn of(payload: &Value) -> Option<Self> {
        let has = |key: &str| payload.get(key).is_some();
        let event = payload.get("hook_event_name").and_then(Value::as_str);
        if has("cursor_version") {
            Some(Self::Cursor)
        } else if has("turn_id") {
            Some(Self::Codex)
        } else if has("clineVersion") {
            Some(Self::Cline)
        } else if has("opencode") {
            Some(Self::Opencode)
        } else if has("toolName") || has("sessionId") {
            Some(Self::Copilot)
        } else if has("event") && has("matcher_context") {
            Some(Self::Goose)
        } else if event == Some("BeforeTool") {
            Some(Self::Gemini)
        } else if event.is_some() && has("timestamp") {
            Some(Self::Copilot)
        } else if event.is_some() {
            Some(Self::ClaudeCode)
        } else {
            None
        }
    }

    /// The stable name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Gemini => "gemini",
            Self::Copilot => "copilot",
            Self::Goose => "goose",
            Self::Cline => "cline",
            Self::Opencode => "opencode",
        }
    }

    /// What happened at the host, as it names it; a tool call where it does not say.
    pub(crate) fn event(self, payload: &Value) -> &str {
        let keys = ["hook_event_name", "hookEventName", "hookName", "event"];
        let said = keys.iter().find_map(|key| payload.get(*key).and_then(Value::as_str));
        match (self, said) {
            (_, Some(event)) => event,
            (Self::Copilot, None) if payload.get("permissionRequest").is_some() => {
                "permissionRequest"
            }
            (_, None) => "PreToolUse",
        }
    }

    /// A no in the host's own form.
    pub(crate) fn refuse(self, event: &str, why: &str) -> Reply {
        let why = cut(why);
        let stderr = format!("exacta: {why}\n");
        let asked = event.eq_ignore_ascii_case("PermissionRequest");
        let (exit, stdout) = match self {
            // Here an exit code is not read.
            Self::ClaudeCode | Self::Codex if asked => {
                let decision = json!({ "behavior": "deny", "message": why });
                let form = json!({ "hookEventName": "PermissionRequest", "decision": decision });
                (0, json!({ "hookSpecificOutput": form }).to_string())
            }
            Self::ClaudeCode => {
                let form = json!({ "hookEventName": event, "permissionDecision": "deny",
                    "permissionDecisionReason": why });
                (NO, json!({ "hookSpecificOutput": form }).to_string())
            }
            // Anything on standard output that Codex does not expect lets the tool run; our
            // plugin for opencode reads standard error.
            Self::Codex | Self::Opencode => (NO, String::new()),
            Self::Cursor => {
                let said =
                    json!({ "permission": "deny", "user_message": why, "agent_message": why });
                (NO, said.to_string())
            }
            Self::Gemini => (NO, json!({ "decision": "deny", "reason": why }).to_string()),
            Self::Copilot if asked => {
                (NO, json!({ "behavior": "deny", "message": why }).to_string())
            }
            Self::Copilot => {
                let said = json!({ "permissionDecision": "deny", "permissionDecisionReason": why });
                (NO, said.to_string())
            }
            Self::Goose => (NO, json!({ "decision": "block", "reason": why }).to_string()),
            // A hook that fails is logged and the tool runs; only this form stops it.
            Self::Cline => (0, json!({ "cancel": true, "errorMessage": why }).to_string()),
        };
        Reply { exit, stdout, stderr }
    }
}

fn cut(why: &str) -> String {
    // It may repeat what the agent wrote, and goes to a terminal.
    let lines = why.trim().lines().map(|line| visible(line.as_bytes()));
    let why = lines.collect::<Vec<_>>().join(" ");
    let why = why.as_str();
    let why = if why.is_empty() { "refused" } else { why };
    if why.chars().count() <= LONGEST {
        return why.into();
    }
    let kept: String = why.chars().take(LONGEST).collect();
    format!("{kept} …")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Host; 8] = [
        Host::ClaudeCode,
        Host::Codex,
        Host::Cursor,
        Host::Gemini,
        Host::Copilot,
        Host::Goose,
        Host::Cline,
        Host::Opencode,
    ];

    /// What a host may misread as a yes is never said to it.
    #[test]
    fn a_no_is_never_empty_and_never_an_ask() {
        for host in ALL {
            for why in ["", "because", &"x".repeat(20_000)] {
                let reply = host.refuse("PreToolUse", why);
                assert!(reply.stderr.trim().len() > 3, "{host:?}");
                assert!(!reply.stdout.contains("\"ask\""), "{host:?}");
                assert!(!reply.stdout.contains("\"allow\""), "{host:?}");
                assert!(reply.stdout.len() < 20_000, "{host:?}");
                let cancels = reply.stdout.contains("\"cancel\":true");
                assert!(reply.exit == 2 || cancels, "{host:?}");
            }
        }
        assert!(Host::Codex.refuse("PreToolUse", "x").stdout.is_empty());
    }
}
