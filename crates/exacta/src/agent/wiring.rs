//! What each agent's host has to be told, as data: which file, where in it, what.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

/// An agent that can be connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Agent {
    /// Claude Code.
    #[value(alias = "claude")]
    ClaudeCode,
    /// The Codex command line.
    Codex,
    /// Cursor.
    Cursor,
    /// The Gemini command line.
    Gemini,
    /// opencode.
    Opencode,
    /// GitHub Copilot's command line.
    Copilot,
    /// goose.
    Goose,
    /// Cline.
    Cline,
    /// Zed.
    Zed,
}

/// Something to put into a file of the project.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    /// An entry of a list in a JSON file, at a path of names.
    Entry { file: &'static str, at: &'static [&'static str], value: Value },
    /// A value in a JSON file, at a path of names; one that is there stays.
    Value { file: &'static str, at: &'static [&'static str], value: Value },
    /// A part of a TOML file.
    Part { file: &'static str, table: &'static str, text: String },
    /// A whole file.
    File { file: &'static str, text: String },
}

/// What is known of a host.
pub(crate) struct Wiring {
    /// What people call it.
    pub(crate) name: &'static str,
    /// The program whose version is asked.
    pub(crate) program: &'static str,
    /// What is written.
    pub(crate) pieces: Vec<Piece>,
    /// What is printed where nothing is written.
    pub(crate) printed: Option<String>,
    /// Where people put that, below the project; a folder stands for every file in it.
    pub(crate) by_hand: &'static [&'static str],
    /// What this covers.
    pub(crate) covers: &'static str,
    /// What it does not, and how the host takes a hook that fails.
    pub(crate) gaps: &'static str,
    /// What was seen with the real program, and with which version.
    pub(crate) measured: Option<&'static str>,
}

/// Words that only our plugin has.
pub(crate) const PLUGIN_MARK: &str = "written by `exacta connect opencode`";

impl Agent {
    /// Every one of them.
    pub(crate) const ALL: [Self; 9] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::Cursor,
        Self::Gemini,
        Self::Opencode,
        Self::Copilot,
        Self::Goose,
        Self::Cline,
        Self::Zed,
    ];

    /// What to tell the host; `exacta` is how it starts this program.
    pub(crate) fn wiring(self, exacta: &str) -> Wiring {
        let mcp = json!({ "command": exacta, "args": ["mcp"] });
        let hook = |name: &str| format!("{} hook {name}", quoted(exacta));
        match self {
            Self::ClaudeCode => Wiring {
                name: "Claude Code",
                program: "claude",
                pieces: vec![
                    Piece::Entry {
                        file: ".claude/settings.json",
                        at: &["hooks", "PreToolUse"],
                        value: json!({
                            // All of them: a tool that came with a new version is not known
                            // here, and then it does not run.
                            "matcher": "*",
                            "hooks": [{ "type": "command", "command": exacta,
                                "args": ["hook", "claude-code"], "timeout": 20,
                                "onFailure": "block", "statusMessage": "Exacta" }] }),
                    },
                    Piece::Value { file: ".mcp.json", at: &["mcpServers", "exacta"], value: mcp },
                ],
                printed: None,
                by_hand: &[],
                covers: "every tool: edits, shell commands, MCP tools and what is not known",
                gaps: "before 2.1.295 a hook that cannot start lets the tool run; `--bare` and \
                       `disableAllHooks` skip hooks",
                measured: Some(
                    "2.1.197 keeps to a no; a hook that is missing lets the tool run there",
                ),
            },
            Self::Codex => Wiring {
                name: "Codex CLI",
                program: "codex",
                pieces: vec![
                    Piece::Entry {
                        file: ".codex/hooks.json",
                        at: &["hooks", "PreToolUse"],
                        value: json!({ "matcher": "Bash|apply_patch|mcp__.*", "hooks": [
                            { "type": "command", "command": hook("codex"), "timeout": 20 }] }),
                    },
                    Piece::Part {
                        file: ".codex/config.toml",
                        table: "mcp_servers.exacta",
                        text: format!(
                            "[mcp_servers.exacta]\ncommand = {}\nargs = [\"mcp\"]\n\
                             tool_timeout_sec = 300\n",
                            toml_text(exacta)
                        ),
                    },
                ],
                printed: None,
                by_hand: &[],
                covers: "patches, shell commands and MCP tools",
                gaps: "the hook runs only after you trust the project and it in Codex; a hook that \
                       fails or takes too long lets the tool run; text typed into a running shell \
                       is not seen",
                measured: Some(
                    "0.169.0 keeps to a no; a hook that is missing lets the tool run there",
                ),
            },
            Self::Cursor => {
                let entry =
                    || json!({ "command": hook("cursor"), "failClosed": true, "timeout": 20 });
                let file = ".cursor/hooks.json";
                Wiring {
                    name: "Cursor",
                    program: "cursor-agent",
                    pieces: vec![
                        Piece::Value { file, at: &["version"], value: json!(1) },
                        Piece::Entry { file, at: &["hooks", "preToolUse"], value: entry() },
                        Piece::Entry {
                            file,
                            at: &["hooks", "beforeShellExecution"],
                            value: entry(),
                        },
                        Piece::Entry { file, at: &["hooks", "beforeMCPExecution"], value: entry() },
                        Piece::Value {
                            file: ".cursor/mcp.json",
                            at: &["mcpServers", "exacta"],
                            value: mcp,
                        },
                    ],
                    printed: None,
                    by_hand: &[],
                    covers: "every tool of the agent: writes, deletions, shell commands, MCP tools",
                    gaps: "Tab completions cannot be refused; project hooks run in trusted \
                           workspaces only",
                    measured: None,
                }
            }
            Self::Gemini => Wiring {
                name: "Gemini CLI",
                program: "gemini",
                pieces: vec![
                    Piece::Entry {
                        file: ".gemini/settings.json",
                        at: &["hooks", "BeforeTool"],
                        value: json!({ "matcher": ".*",
                            "sequential": true, "hooks": [{ "name": "exacta", "type": "command",
                                "command": hook("gemini"), "timeout": 20_000 }] }),
                    },
                    Piece::Value {
                        file: ".gemini/settings.json",
                        at: &["mcpServers", "exacta"],
                        value: mcp,
                    },
                ],
                printed: None,
                by_hand: &[],
                covers: "every tool: writes, replacements, shell commands and MCP tools",
                gaps: "a hook that fails or takes too long lets the tool run",
                measured: Some("0.61.0 keeps to a no, in a folder that it trusts"),
            },
            Self::Opencode => Wiring {
                name: "opencode",
                program: "opencode",
                pieces: vec![
                    Piece::File { file: ".opencode/plugins/exacta.ts", text: plugin(exacta) },
                    Piece::Value {
                        file: "opencode.json",
                        at: &["mcp", "exacta"],
                        value: json!({ "type": "local", "command": [exacta, "mcp"],
                            "enabled": true }),
                    },
                ],
                printed: None,
                by_hand: &[],
                covers: "every tool, also those of MCP servers and subtasks",
                gaps: "a plugin that does not load is silently absent; set `permission` to `ask` \
                       for edit and bash as a second line",
                measured: Some("1.18.33 keeps to a no, also when Exacta is missing"),
            },
            other => other.printed(exacta),
        }
    }

    /// Hosts whose settings lie outside the project, or that have more than one place for them.
    fn printed(self, exacta: &str) -> Wiring {
        let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap_or_default();
        let (name, program, printed, covers, gaps) = match self {
            Self::Copilot => {
                let hooks = json!({ "version": 1, "hooks": { "preToolUse": [{ "type": "command",
                    "exec": exacta, "args": ["hook", "copilot"], "timeoutSec": 20 }] } });
                let text = format!(
                    "Put this into .github/hooks/exacta.json (or ~/.copilot/hooks/exacta.json):\n\n\
                     {}\n\nand add the MCP server with `/mcp add exacta {exacta} mcp`.",
                    pretty(&hooks)
                );
                let gaps = "a hook that takes too long always lets the tool run";
                ("GitHub Copilot CLI", "copilot", text, "every tool", gaps)
            }
            Self::Goose => {
                let hooks = json!({ "hooks": { "PreToolUse": [{ "matcher": ".*", "hooks": [{
                    "type": "command", "command": format!("{} hook goose", quoted(exacta)),
                    "on_failure": "block" }] }] } });
                let text = format!(
                    "Put this into .agents/plugins/exacta/hooks/hooks.json:\n\n{}\n\nand add the \
                     MCP server with `goose configure` (command: `{exacta} mcp`).",
                    pretty(&hooks)
                );
                let gaps = "without `on_failure` every failure of a hook lets the tool run";
                ("goose", "goose", text, "every tool", gaps)
            }
            Self::Cline => {
                let text = format!(
                    "Put this into .clinerules/hooks/PreToolUse and make it executable:\n\n\
                     #!/bin/sh\nexec {} hook cline\n\nand add the MCP server (command: `{exacta}`, \
                     arguments: `mcp`) in Cline's settings.",
                    quoted(exacta)
                );
                let gaps = "a hook that fails or takes too long is logged, and the tool runs";
                ("Cline", "cline", text, "every tool", gaps)
            }
            _ => {
                let servers = json!({ "agent_servers": { "exacta": { "command": exacta,
                    "args": ["acp", "--", "claude-agent-acp"] } },
                    "context_servers": { "exacta": { "command": exacta, "args": ["mcp"] } } });
                let text = format!(
                    "Put this into Zed's settings.json; the agent then works on a private copy:\n\n\
                     {}",
                    pretty(&servers)
                );
                let gaps = "agents that Zed starts itself do not go through this";
                ("Zed", "zed", text, "everything the wrapped agent does", gaps)
            }
        };
        let (pieces, printed, measured) = (Vec::new(), Some(printed), None);
        let by_hand: &[&str] = match self {
            Self::Copilot => &[".github/hooks"],
            Self::Goose => &[".agents/plugins/exacta/hooks/hooks.json"],
            Self::Cline => &[".clinerules/hooks/PreToolUse"],
            _ => &[],
        };
        Wiring { name, program, pieces, printed, by_hand, covers, gaps, measured }
    }
}

impl Wiring {
    /// What people have put where it was printed for them: the texts that start our hook.
    pub(crate) fn found_by_hand(&self, project: &Path) -> Vec<String> {
        let at = self.by_hand.iter().map(|name| project.join(name));
        let files = at.flat_map(|path| match fs::read_dir(&path) {
            Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
            Err(_) => vec![path],
        });
        let texts = files.filter_map(|file| fs::read_to_string(file).ok());
        texts.filter(|text| text.contains("exacta") && text.contains("hook")).collect()
    }
}

/// One word of a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

fn toml_text(text: &str) -> String {
    // A JSON string is a basic string of TOML.
    Value::from(text).to_string()
}

/// The plugin asks the hook and throws when it refuses, which is how opencode takes a no.
fn plugin(exacta: &str) -> String {
    let program = Value::from(exacta);
    format!(
        r#"// {PLUGIN_MARK}; `exacta connect opencode --undo` removes it.
// A tool runs only if Exacta has nothing against it; every failure refuses.
import {{ spawnSync }} from "node:child_process"

export const Exacta = async ({{ directory }}) => ({{
  "tool.execute.before": async (input, output) => {{
    const payload = JSON.stringify({{
      opencode: true,
      hook_event_name: "PreToolUse",
      tool: input.tool,
      sessionID: input.sessionID,
      callID: input.callID,
      args: output.args,
      directory,
    }})
    const asked = spawnSync({program}, ["hook", "opencode"], {{
      input: payload,
      encoding: "utf8",
      timeout: 20000,
    }})
    if (asked.error || asked.status !== 0) {{
      throw new Error((asked.stderr || "").trim() || "exacta: the hook could not be asked")
    }}
  }},
}})
"#
    )
}
