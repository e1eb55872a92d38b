//! Our own tools under the names that hosts give them. They decide nothing, so a hook lets them
//! pass: an agent that is told to call `plan_wait` must be able to.

use std::path::Path;

use serde_json::Value;
use url::Url;

use crate::mcp;

/// What hosts put before the name of a tool of the server `exacta`.
const BEFORE: [&str; 6] =
    ["mcp__exacta__", "mcp_exacta_", "exacta__", "exacta_", "exacta-", "exacta/"];
/// What Cursor puts before the name of any server's tool; it asks once more, with the server.
const OF_ANY: &str = "MCP:";

/// Whether a tool is ours by its whole name.
pub(super) fn is_named(tool: &str) -> bool {
    let mut rest = BEFORE.iter().filter_map(|before| tool.strip_prefix(before));
    rest.any(is_tool) || tool.strip_prefix(OF_ANY).is_some_and(is_tool)
}

/// Whether a tool is ours by its name and by the server that the payload shows.
pub(super) fn is_called(tool: &str, payload: &Value) -> bool {
    let text = |key: &str| payload.get(key).and_then(Value::as_str);
    let server = match (text("command"), text("url")) {
        (Some(command), None) => starts_us(command),
        (None, Some(url)) => leads_here(url),
        _ => false,
    };
    server && is_tool(tool)
}

fn is_tool(name: &str) -> bool {
    mcp::tool_names().any(|tool| tool == name)
}

/// Whether a command line starts our server.
fn starts_us(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let program = words.next().map(Path::new).and_then(Path::file_name);
    program.is_some_and(|name| name == "exacta") && words.next().is_none_or(|word| word == "mcp")
}

/// Whether an address is that of the server on this machine.
fn leads_here(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    let host = url.host_str().unwrap_or_default();
    let here = ["127.0.0.1", "[::1]", "localhost"].contains(&host) || host.ends_with(".localhost");
    here && url.path() == "/mcp"
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn our_tools_pass_under_every_hosts_names_and_nobody_elses_do() {
        for name in [
            "mcp__exacta__plan_wait",
            "mcp_exacta_plan_wait",
            "exacta_plan_wait",
            "exacta__plan_wait",
            "exacta-plan_wait",
            "MCP:plan_wait",
        ] {
            assert!(is_named(name), "{name}");
        }
        for name in [
            "plan_wait",
            "mcp__exacta__approve",
            "mcp__exacta__",
            "mcp__exacta2__plan_wait",
            "exacta_plan_wait_now",
            "MCP:approve",
            "bash",
        ] {
            assert!(!is_named(name), "{name}");
        }
    }

    #[test]
    fn a_server_that_only_borrows_a_name_of_ours_is_not_ours() {
        for (server, ours) in [
            (json!({ "command": "exacta mcp" }), true),
            (json!({ "command": "/usr/bin/exacta" }), true),
            (json!({ "url": "http://127.0.0.1:4100/mcp" }), true),
            (json!({ "url": "http://ab12.localhost:4100/mcp" }), true),
            (json!({ "command": "npx exacta" }), false),
            (json!({ "command": "exacta undo" }), false),
            (json!({ "url": "https://example.com/mcp" }), false),
            (json!({ "url": "http://127.0.0.1:4100/mcp", "command": "npx x" }), false),
            (json!({}), false),
        ] {
            assert_eq!(is_called("plan_wait", &server), ours, "{server}");
            assert!(!is_called("approve", &server), "{server}");
        }
    }
}
