//! Asks a hook for something that it must refuse, the way its host would.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::wiring::Agent;

/// Longer than any hook takes.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whether the hook of an agent refuses a command that nobody may run. No record is made.
pub(crate) fn refuses(agent: Agent, exacta: &str, project: &Path) -> Result<bool, String> {
    let Some((name, payload)) = question(agent, project) else { return Ok(true) };
    let mut child = Command::new(exacta)
        .args(["hook", name])
        .current_dir(project)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
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
            Some(status) => return Ok(status.code() == Some(2)),
            None if start.elapsed() > PATIENCE => {
                let _ = child.kill();
                let _ = child.wait();
                return Err("it does not answer".into());
            }
            None => thread::sleep(Duration::from_millis(10)),
        }
    }
}

fn question(agent: Agent, project: &Path) -> Option<(&'static str, serde_json::Value)> {
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
        Agent::Copilot | Agent::Goose | Agent::Cline | Agent::Zed => return None,
    })
}
