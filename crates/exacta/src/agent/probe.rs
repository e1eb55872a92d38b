//! Asks a hook for something that it must refuse, the way its host would.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::wiring::Agent;

/// Longer than any hook takes.
const PATIENCE: Duration = Duration::from_secs(10);
/// More than any answer of ours has.
const LONGEST: u64 = 64 << 10;

/// Whether the hook of an agent refuses a command that nobody may run. No record is made.
pub(crate) fn refuses(agent: Agent, exacta: &str, project: &Path) -> Result<bool, String> {
    let Some((name, payload)) = question(agent, project) else { return Ok(true) };
    let mut child = Command::new(exacta)
        .args(["hook", name])
        .current_dir(project)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("`{exacta}` cannot be started: {error}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A hook that does not read is told by how it ends.
        let _ = stdin.write_all(payload.to_string().as_bytes());
    }
    let start = Instant::now();
    loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => {
                let mut said = String::new();
                if let Some(stdout) = child.stdout.take() {
                    stdout.take(LONGEST).read_to_string(&mut said).unwrap_or_default();
                }
                return Ok(status.code() == Some(2) || agent == Agent::Cline && cancels(&said));
            }
            None if start.elapsed() > PATIENCE => {
                let _ = child.kill();
                let _ = child.wait();
                return Err("it does not answer".into());
            }
            None => thread::sleep(Duration::from_millis(10)),
        }
    }
}

/// Whether an answer is how Cline takes a no.
fn cancels(said: &str) -> bool {
    serde_json::from_str::<Value>(said)
        .is_ok_and(|said| said.get("cancel") == Some(&Value::Bool(true)))
}

fn question(agent: Agent, project: &Path) -> Option<(&'static str, Value)> {
    let command = json!({ "command": "exacta-probe > must-not-run" });
    let (cwd, id) = (project.display().to_string(), "probe");
    Some(match agent {
        Agent::ClaudeCode => (
            "claude-code",
            json!({ "hook_event_name": "PreToolUse", "session_id": id, "tool_use_id": id,
                "cwd": cwd, "tool_name": "Bash", "tool_input": command }),
        ),
        Agent::Codex => (
            "codex",
            json!({ "hook_event_name": "PreToolUse", "session_id": id, "turn_id": id,
                "tool_use_id": id, "cwd": cwd, "tool_name": "Bash", "tool_input": command }),
        ),
        Agent::Cursor => (
            "cursor",
            json!({ "hook_event_name": "preToolUse", "cursor_version": id, "conversation_id": id,
                "tool_use_id": id, "cwd": cwd, "tool_name": "Shell", "tool_input": command }),
        ),
        Agent::Gemini => (
            "gemini",
            json!({ "hook_event_name": "BeforeTool", "session_id": id, "timestamp": id,
                "cwd": cwd, "tool_name": "run_shell_command", "tool_input": command }),
        ),
        Agent::Opencode => (
            "opencode",
            json!({ "opencode": true, "hook_event_name": "PreToolUse", "sessionID": id,
                "callID": id, "directory": cwd, "tool": "bash", "args": command }),
        ),
        Agent::Copilot => (
            "copilot",
            json!({ "sessionId": id, "timestamp": 0, "cwd": cwd, "toolName": "bash",
                "toolArgs": command }),
        ),
        Agent::Goose => (
            "goose",
            json!({ "event": "PreToolUse", "session_id": id, "matcher_context": "developer__shell",
                "tool_name": "developer__shell", "tool_input": command, "working_dir": cwd }),
        ),
        Agent::Cline => (
            "cline",
            json!({ "clineVersion": id, "hookName": "PreToolUse", "taskId": id,
                "workspaceRoots": [cwd], "preToolUse": { "toolName": "execute_command",
                    "parameters": command } }),
        ),
        // There the agent runs on a copy, and no hook is asked.
        Agent::Zed => return None,
    })
}
