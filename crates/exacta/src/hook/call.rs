//! What an agent wants to do, read from the payload of its host.
//!
//! Hosts name the same few tools differently; one table knows all of them, so that a host that
//! borrows another's names is read too. A tool that is not known is not let through.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::host::Host;
use super::own;

/// A call of a tool, before it happens.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) host: Host,
    /// What happened at the host, as it names it.
    pub(super) event: String,
    /// Where the agent works; nothing where the host does not say.
    pub(super) folder: Option<PathBuf>,
    /// What names this call among all others, if anything does.
    pub(super) id: Option<String>,
    /// The conversation.
    pub(super) session: String,
    /// The tool, as the host names it.
    pub(super) tool: String,
    pub(super) act: Act,
}

/// What is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Files change.
    Edit(Vec<Edit>),
    /// A command runs in a shell.
    Shell { line: String, folder: PathBuf },
    /// A tool of an MCP server is called.
    Mcp(String),
    /// Nothing that the gate is about.
    Nothing,
    /// These paths are looked at; with everything below them where it says so.
    Look { paths: Vec<String>, deep: bool },
    /// Nobody here knows what it does.
    Unknown,
    /// A command in a way that is not read here, and why.
    Unclear(String),
}

/// What becomes of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    /// It holds this.
    Write { path: String, content: String },
    /// Parts of it are exchanged: old, new, and whether everywhere.
    Replace { path: String, parts: Vec<(String, String, bool)> },
    /// Lines go in after a line.
    Insert { path: String, after: usize, text: String },
    /// It goes.
    Delete { path: String },
    /// A patch in the form of `apply_patch`.
    Patch(String),
    /// Blocks of what to search and what to put there.
    Blocks { path: String, blocks: String },
}

/// Events that are not calls of tools: nothing can be refused there.
const TOLD_ONLY: &[&str] = &[
    "stop",
    "subagentstop",
    "sessionstart",
    "sessionend",
    "posttooluse",
    "posttoolusefailure",
    "notification",
    "userpromptsubmit",
    "precompact",
    "postcompact",
    "subagentstart",
    "aftertool",
    "afterfileedit",
    "aftershellexecution",
    "aftermcpexecution",
    "afteragentresponse",
    "beforeagent",
    "afteragent",
    "worktreeremove",
    "taskstart",
    "taskcomplete",
    "messagedisplay",
    "filechanged",
    "permissiondenied",
    "beforesubmitprompt",
    "tool_result",
];
/// Events that are.
const CALLS: &[&str] = &[
    "pretooluse",
    "permissionrequest",
    "beforetool",
    "beforeshellexecution",
    "beforemcpexecution",
    "tool_call",
];
const WRITES: &[&str] =
    &["write", "write_file", "write_to_file", "create", "create_file", "developer__write"];
const REPLACES: &[&str] =
    &["edit", "multiedit", "replace", "str_replace", "developer__edit", "edit_file"];
const DELETES: &[&str] = &["delete", "delete_file", "remove_file"];
const PATCHES: &[&str] = &["apply_patch", "patch"];
const EDITORS: &[&str] =
    &["developer__text_editor", "str_replace_editor", "str_replace_based_edit_tool"];
const SHELLS: &[&str] = &[
    "bash",
    "shell",
    "run_shell_command",
    "developer__shell",
    "execute_command",
    "exec_command",
    "run_terminal_cmd",
    "local_shell",
    "monitor",
];
/// Arguments of a shell's tool that neither change what its line means nor what runs it.
const OF_SHELLS: &[&str] = &[
    "async",
    "background",
    "command",
    "cmd",
    "dangerouslydisablesandbox",
    "description",
    "explanation",
    "initial_wait",
    "is_background",
    "isbackground",
    "justification",
    "login",
    "max_output_tokens",
    "mode",
    "persistent",
    "prefix_rule",
    "requires_approval",
    "run_in_background",
    "sandbox_permissions",
    "sessionid",
    "timeout",
    "timeout_ms",
    "timeout_secs",
    "tty",
    "with_escalated_permissions",
    "yield_time_ms",
];
/// Arguments that say where a line runs.
const FOLDERS: &[&str] =
    &["cwd", "dir_path", "directory", "workdir", "working_dir", "working_directory"];
/// Shells whose grammar is read here.
const READ_HERE: &[&str] = &["bash", "dash", "ksh", "sh", "zsh"];
/// Tools that change no file and run no program themselves; what the agents that they start do is
/// asked by itself. Whether they may reach the web or read a file is the host's own question.
const HARMLESS: &[&str] = &[
    "read",
    "read_file",
    "read_many_files",
    "view",
    "view_image",
    "glob",
    "grep",
    "grep_search",
    "search_file_content",
    "list",
    "ls",
    "list_directory",
    "list_dir",
    "list_files",
    "search_files",
    "list_code_definition_names",
    "codebase_search",
    "file_search",
    "todowrite",
    "todoread",
    "todo_write",
    "update_todo",
    "write_todos",
    "update_plan",
    "task",
    "agent",
    "websearch",
    "web_search",
    "google_web_search",
    "webfetch",
    "web_fetch",
    "exitplanmode",
    "enterplanmode",
    "askuserquestion",
    "ask_followup_question",
    "ask_user",
    "bashoutput",
    "killshell",
    "read_bash",
    "stop_bash",
    "skill",
    "toolsearch",
    "report_intent",
    "taskoutput",
    "attempt_completion",
    "plan_mode_respond",
    "new_task",
    "developer__tree",
    "developer__image_processor",
    "fetch_copilot_cli_documentation",
    "access_mcp_resource",
    "listmcpresources",
    "readmcpresource",
    "notebookread",
    "question",
    "croncreate",
    "crondelete",
    "cronlist",
    "listmcpresourcestool",
    "list_mcp_resources",
    "list_mcp_resource_templates",
    "readmcpresourcetool",
    "readmcpresourcedirtool",
    "read_mcp_resource",
    "reportfindings",
    "schedulewakeup",
    "sendmessage",
    "taskcreate",
    "taskget",
    "tasklist",
    "taskstop",
    "taskupdate",
    "workflow",
    "lsp",
    "get_goal",
    "create_goal",
    "update_goal",
    "request_user_input",
    "update_topic",
    "enter_plan_mode",
    "exit_plan_mode",
    "invoke_agent",
    "activate_skill",
    "list_background_processes",
    "read_background_output",
];

/// Reads a call.
pub(super) fn read(host: Host, payload: &Value) -> Result<Call, String> {
    let event = host.event(payload).to_owned();
    let lower = event.to_lowercase();
    let text = |keys: &[&str]| {
        keys.iter().find_map(|key| payload.get(*key).and_then(Value::as_str)).map(str::to_owned)
    };
    let folder = text(&["cwd", "working_dir", "directory"]).or_else(|| {
        let roots = payload.get("workspace_roots").or_else(|| payload.get("workspaceRoots"));
        roots.and_then(|roots| roots.get(0)).and_then(Value::as_str).map(str::to_owned)
    });
    let folder = folder.filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let session =
        text(&["session_id", "sessionId", "sessionID", "conversation_id", "taskId", "task_id"])
            .unwrap_or_default();
    let mut call = Call {
        host,
        event,
        folder,
        id: text(&["tool_use_id", "callID", "toolCallId"]),
        session,
        tool: String::new(),
        act: Act::Nothing,
    };
    if TOLD_ONLY.contains(&lower.as_str()) {
        return Ok(call);
    }
    if !CALLS.contains(&lower.as_str()) {
        return Err(format!("the event `{}` is not one that Exacta knows", call.event));
    }
    // Cline puts the call one level deeper, its other half under another name.
    let inner = payload.get("preToolUse").or_else(|| payload.get("tool_call"));
    if inner.is_some() && payload.get("tool_name").or_else(|| payload.get("toolName")).is_some() {
        return Err("the payload names two calls".into());
    }
    let inner = inner.unwrap_or(payload);
    if call.id.is_none() {
        call.id = inner.get("id").and_then(Value::as_str).map(str::to_owned);
    }
    let name = ["tool_name", "toolName", "tool", "name"]
        .iter()
        .find_map(|key| inner.get(*key).and_then(Value::as_str));
    let input = ["tool_input", "toolArgs", "parameters", "args", "input"]
        .iter()
        .find_map(|key| inner.get(*key));
    let input = match input {
        // Some hosts hand on the arguments as they came from the model.
        Some(Value::String(text)) => {
            super::strict(text.as_bytes()).map_err(|why| format!("the arguments: {why}"))?
        }
        Some(other) => other.clone(),
        None => payload.clone(),
    };
    (call.tool, call.act) = match (lower.as_str(), name) {
        ("beforeshellexecution", _) => {
            let line = string(&input, &["command"])?;
            ("Shell".into(), shell_in(call.folder.as_deref(), line))
        }
        ("beforemcpexecution", Some(name)) if own::is_called(name, payload) => {
            (name.into(), Act::Nothing)
        }
        ("beforemcpexecution", Some(name)) => (name.into(), Act::Mcp(format!("MCP:{name}"))),
        (_, Some(name)) => (name.into(), act(name, &input, call.folder.as_deref())?),
        (_, None) => return Err("the payload names no tool".into()),
    };
    Ok(call)
}

fn act(tool: &str, input: &Value, folder: Option<&Path>) -> Result<Act, String> {
    let lower = tool.to_lowercase();
    let is = |names: &[&str]| names.contains(&lower.as_str());
    if own::is_named(tool) {
        return Ok(Act::Nothing);
    }
    if lower.starts_with("mcp__") || lower.starts_with("mcp_") || lower.starts_with("mcp:") {
        return Ok(Act::Mcp(tool.into()));
    }
    if lower == "use_mcp_tool" {
        let (server, tool) = (string(input, &["server_name"])?, string(input, &["tool_name"])?);
        let name = format!("mcp__{server}__{tool}");
        return Ok(if own::is_named(&name) { Act::Nothing } else { Act::Mcp(name) });
    }
    if is(SHELLS) {
        return shell(input, folder);
    }
    if lower == "powershell" {
        return Ok(Act::Unclear("what a line of PowerShell does is not read here".into()));
    }
    if is(HARMLESS) {
        let deep = ["grep", "search", "many"].iter().any(|part| lower.contains(part));
        let mut paths = Vec::new();
        paths_in(input, false, &mut paths);
        return Ok(if paths.is_empty() { Act::Nothing } else { Act::Look { paths, deep } });
    }
    let path = || string(input, &["file_path", "filePath", "path", "target_file", "filename"]);
    Ok(Act::Edit(vec![if is(WRITES) {
        let content = string(input, &["content", "contents", "file_text", "fileText"])?;
        Edit::Write { path: path()?, content }
    } else if is(REPLACES) {
        Edit::Replace { path: path()?, parts: parts(input)? }
    } else if is(DELETES) {
        Edit::Delete { path: path()? }
    } else if is(PATCHES) {
        let keys = ["command", "patchText", "patch", "input", "diff"];
        Edit::Patch(string(input, &keys)?)
    } else if lower == "replace_in_file" {
        Edit::Blocks { path: path()?, blocks: string(input, &["diff"])? }
    } else if is(EDITORS) {
        let Some(edit) = editor(input)? else {
            let paths = vec![string(input, &["path", "file_path"])?];
            return Ok(Act::Look { paths, deep: false });
        };
        edit
    } else {
        return Ok(Act::Unknown);
    }]))
}

/// A line for a shell, if nothing beside it changes what it does.
fn shell(input: &Value, folder: Option<&Path>) -> Result<Act, String> {
    let line = string(input, &["command", "cmd"])?;
    let mut place = folder.map(Path::to_owned);
    for (name, value) in
        input.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null())
    {
        let lower = name.to_lowercase();
        if FOLDERS.contains(&lower.as_str()) {
            let Some(named) = value.as_str() else {
                return Ok(Act::Unclear("its folder is not a text".into()));
            };
            place = Some(place.unwrap_or_default().join(named));
        } else if lower == "shell" {
            let name = value.as_str().and_then(|shell| {
                let (folder, name) = shell.rsplit_once('/').unwrap_or(("/bin", shell));
                ["/bin", "/usr/bin"].contains(&folder).then_some(name)
            });
            if !name.is_some_and(|name| READ_HERE.contains(&name)) {
                return Ok(Act::Unclear("it names a shell of its own".into()));
            }
        } else if !OF_SHELLS.contains(&lower.as_str()) {
            let name = name.escape_debug();
            return Ok(Act::Unclear(format!("what its argument `{name}` does is not known here")));
        }
    }
    Ok(shell_in(place.as_deref(), line))
}

/// A line that runs in a folder. Inside what could be a repository without a work tree, git runs
/// what that says, also to read.
fn shell_in(folder: Option<&Path>, line: String) -> Act {
    let is_bare = |at: &Path| at.join("HEAD").is_file() && at.join("objects").is_dir();
    for at in folder.into_iter().flat_map(Path::ancestors) {
        if is_bare(at) {
            return Act::Unclear("its folder is, or is in, a bare git repository".into());
        }
        if at.join(".git").exists() {
            break;
        }
    }
    Act::Shell { line, folder: folder.unwrap_or(Path::new(".")).to_owned() }
}

/// Every text under a name that says that it is a path.
fn paths_in(value: &Value, is_path: bool, paths: &mut Vec<String>) {
    match value {
        Value::String(text) if is_path => paths.push(text.clone()),
        Value::Array(elements) => elements.iter().for_each(|one| paths_in(one, is_path, paths)),
        Value::Object(members) => members.iter().for_each(|(name, one)| {
            let name = name.to_lowercase();
            let says = ["path", "file", "dir", "folder", "cwd", "uri"];
            paths_in(one, says.iter().any(|word| name.contains(word)), paths);
        }),
        _ => {}
    }
}

/// An editor that is told by a word what to do.
fn editor(input: &Value) -> Result<Option<Edit>, String> {
    let path = string(input, &["path", "file_path"])?;
    Ok(Some(match string(input, &["command"])?.as_str() {
        "view" => return Ok(None),
        "write" | "create" => Edit::Write { path, content: string(input, &["file_text"])? },
        "str_replace" => Edit::Replace { path, parts: parts(input)? },
        "insert" => {
            let after = input.get("insert_line").and_then(Value::as_u64);
            let after = after.and_then(|line| usize::try_from(line).ok());
            let after = after.ok_or("the argument `insert_line` is missing")?;
            Edit::Insert { path, after, text: string(input, &["new_str", "insert_text"])? }
        }
        other => return Err(format!("the editor's command `{other}` is not known")),
    }))
}

/// What is exchanged: one part, or a list of them.
fn parts(input: &Value) -> Result<Vec<(String, String, bool)>, String> {
    let one = |part: &Value| {
        let everywhere = ["replace_all", "replaceAll", "allow_multiple"]
            .iter()
            .any(|key| part.get(*key).is_some_and(|value| value == &Value::Bool(true)));
        let old = string(part, &["old_string", "oldString", "old_str", "before"])?;
        let new = string(part, &["new_string", "newString", "new_str", "after"])?;
        Ok((old, new, everywhere))
    };
    match input.get("edits").and_then(Value::as_array) {
        Some(edits) => edits.iter().map(one).collect(),
        None => Ok(vec![one(input)?]),
    }
}

/// The text under one of these names. Under two of them it must be the same: which one a host
/// goes by is not known here.
fn string(from: &Value, keys: &[&str]) -> Result<String, String> {
    let mut all = keys.iter().filter_map(|key| from.get(*key));
    let found = all.next();
    let first = keys.first().copied().unwrap_or_default();
    if all.any(|other| Some(other) != found) {
        return Err(format!("the argument `{first}` stands there under two names"));
    }
    match found {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(format!("the argument `{first}` is not text")),
        None => Err(format!("the argument `{first}` is missing")),
    }
}
