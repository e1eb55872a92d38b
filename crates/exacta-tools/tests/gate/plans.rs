//! Drafts in few words.

use serde_json::{Value, json};

/// A step that calls a tool.
pub(crate) fn tool(id: &str, name: &str, needs: &[&str]) -> Value {
    let mut args = json!({});
    if name == "SendEmail" {
        args = json!({"to": "ann@example.org", "subject": "hello", "body": "the brief"});
    }
    json!({"step_id": id, "title": format!("Call {name} as {id}"),
        "description": format!("{id} calls {name} for the daily brief"),
        "dependencies": needs, "tool": {"name": name, "args": args}})
}

/// A step that gives a file new text.
pub(crate) fn file(id: &str, path: &str, text: &str, needs: &[&str]) -> Value {
    json!({"step_id": id, "title": format!("Write {path}"),
        "description": format!("Give {path} its new text"),
        "dependencies": needs, "type": "file_modify", "target": path, "content": text})
}

/// A plan of these steps.
pub(crate) fn plan(execution: &str, steps: &[Value]) -> Value {
    json!({"goal": "the daily brief", "execution": execution, "steps": steps})
}
