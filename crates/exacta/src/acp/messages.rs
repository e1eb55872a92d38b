//! What becomes of each message on its way.

use std::path::Path;

use serde_json::{Value, json};

/// What is done with a message.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Fate {
    /// It goes on.
    Pass(Value),
    /// It is answered here.
    Answer(Value),
    /// It ends a turn: the answer to a prompt of this session.
    TurnEnded(Value),
    /// Nobody hears of it.
    Drop,
}

/// Methods of the editor that an agent could write or run with.
const KEPT_BACK: [&str; 2] = ["fs/", "terminal/"];

/// Whether a request is one of ours: the agent may not use such ids, or the answer to a question
/// of its own could be taken for the answer to ours.
pub(super) fn is_our_id(id: Option<&Value>) -> bool {
    id.and_then(Value::as_str).is_some_and(|id| id.starts_with("exacta-"))
}

/// A message of the editor to the agent.
pub(super) fn from_editor(mut message: Value, project: &Path) -> Fate {
    if !message.is_object() {
        return Fate::Drop;
    }
    let method = message.get("method").and_then(Value::as_str).unwrap_or_default().to_owned();
    match method.as_str() {
        "initialize" => {
            if let Some(Value::Object(can)) = message.pointer_mut("/params/clientCapabilities") {
                can.insert("fs".into(), json!({ "readTextFile": false, "writeTextFile": false }));
                can.insert("terminal".into(), false.into());
            }
            Fate::Pass(message)
        }
        "session/new" | "session/load" | "session/resume" => {
            let cwd = message.pointer("/params/cwd").and_then(Value::as_str);
            if !cwd.is_some_and(|cwd| Path::new(cwd).starts_with(project)) {
                let said = format!("Exacta works in `{}` alone", project.display());
                return Fate::Answer(refusal(&message, -32602, &said));
            }
            if let Some(Value::Object(params)) = message.get_mut("params") {
                params.remove("additionalDirectories");
            }
            Fate::Pass(message)
        }
        _ => Fate::Pass(message),
    }
}

/// A message of the agent to the editor. `prompts` are the requests whose answer ends a turn.
pub(super) fn from_agent(message: Value, prompts: &[Value]) -> Fate {
    // The protocol has no batches: one could carry anything past what is looked at here.
    if !message.is_object() {
        return Fate::Drop;
    }
    if let Some(method) = message.get("method").and_then(Value::as_str) {
        if is_our_id(message.get("id")) {
            return Fate::Answer(refusal(&message, -32600, "this id is Exacta's"));
        }
        if KEPT_BACK.iter().any(|kept| method.starts_with(kept)) {
            return match message.get("id") {
                Some(_) => Fate::Answer(refusal(&message, -32601, "Exacta does not offer this")),
                None => Fate::Drop,
            };
        }
        return Fate::Pass(message);
    }
    match message.get("id") {
        Some(id) if prompts.contains(id) => Fate::TurnEnded(message),
        _ => Fate::Pass(message),
    }
}

fn refusal(message: &Value, code: i64, said: &str) -> Value {
    let id = message.get("id").cloned().unwrap_or_default();
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": said } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_gets_no_way_past_the_gate() {
        let project = Path::new("/p");
        let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": 1, "clientCapabilities": {
                "fs": { "readTextFile": true, "writeTextFile": true }, "terminal": true } } });
        let Fate::Pass(hello) = from_editor(hello, project) else { panic!() };
        let can = &hello["params"]["clientCapabilities"];
        assert_eq!(can["fs"]["writeTextFile"], false);
        assert_eq!(can["terminal"], false);
        for method in ["fs/write_text_file", "fs/read_text_file", "terminal/create"] {
            let asked = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": {} });
            let Fate::Answer(said) = from_agent(asked, &[]) else { panic!("{method}") };
            assert_eq!(said["error"]["code"], -32601);
        }
        let elsewhere = json!({ "jsonrpc": "2.0", "id": 1, "method": "session/new",
            "params": { "cwd": "/etc", "mcpServers": [] } });
        assert!(matches!(from_editor(elsewhere, project), Fate::Answer(_)));
    }

    #[test]
    fn the_agent_asks_nothing_in_our_name_and_nothing_in_a_batch() {
        let asked = json!({ "jsonrpc": "2.0", "id": "exacta-1", "method": "session/request_permission",
            "params": {} });
        assert!(matches!(from_agent(asked.clone(), &[]), Fate::Answer(_)));
        assert_eq!(from_agent(json!([asked]), &[]), Fate::Drop);
    }

    #[test]
    fn only_the_answer_to_a_prompt_ends_a_turn() {
        let answer = json!({ "jsonrpc": "2.0", "id": 4, "result": { "stopReason": "end_turn" } });
        assert!(matches!(from_agent(answer.clone(), &[json!(4)]), Fate::TurnEnded(_)));
        assert!(matches!(from_agent(answer, &[json!(5)]), Fate::Pass(_)));
    }
}
