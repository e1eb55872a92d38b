//! Carries messages both ways, and holds the end of a turn until the gate has its plan.

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::messages::{Fate, from_agent, from_editor};

/// The longest message.
const MOST: usize = 32 << 20;
/// How long an editor is waited for that was shown an effect.
const PATIENCE: Duration = Duration::from_hours(8);

/// A file: its name, its text before if there was one, and after.
pub(crate) type Shown = (String, Option<String>, String);

/// What became of a turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turn {
    /// What the editor's user is told.
    pub(crate) said: String,
    /// A plan that waits: its id, and each file with its text before and after.
    pub(crate) waits: Option<(String, Vec<Shown>)>,
}

/// Both sides of a conversation.
pub(crate) struct Relay<E: Write, A: Write> {
    project: PathBuf,
    editor: Mutex<E>,
    agent: Mutex<A>,
    /// Prompts that wait for their answer, with their sessions.
    prompts: Mutex<Vec<(Value, String)>>,
    /// What the editor's user was told since the agent was last spoken to: it goes along with
    /// their next words, because an agent does not see what an editor shows.
    told: Mutex<String>,
    /// Answers of the editor to questions of ours.
    answers: (Mutex<Sender<Value>>, Mutex<Receiver<Value>>),
}

impl<E: Write, A: Write> Relay<E, A> {
    pub(crate) fn new(project: PathBuf, editor: E, agent: A) -> Self {
        let (sender, receiver) = channel();
        let answers = (Mutex::new(sender), Mutex::new(receiver));
        let (editor, agent, prompts) = (Mutex::new(editor), Mutex::new(agent), Mutex::default());
        Self { project, editor, agent, prompts, told: Mutex::default(), answers }
    }

    /// Carries what the editor says until it goes.
    pub(crate) fn listen_to_editor(&self, mut from: impl BufRead) {
        let mut line = Vec::new();
        loop {
            line.clear();
            match from.read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) if line.len() > MOST => return,
                Ok(_) => {}
            }
            let Ok(mut message) = serde_json::from_slice::<Value>(&line) else { continue };
            if is_ours(&message) {
                if let Ok(sender) = self.answers.0.lock() {
                    let _ = sender.send(message);
                }
                continue;
            }
            self.note_prompt(&message);
            self.add_told(&mut message);
            match from_editor(message, &self.project) {
                Fate::Pass(message) => write(&self.agent, &message),
                Fate::Answer(message) => write(&self.editor, &message),
                Fate::TurnEnded(_) | Fate::Drop => {}
            }
        }
    }

    fn note_prompt(&self, message: &Value) {
        if message.get("method").and_then(Value::as_str) != Some("session/prompt") {
            return;
        }
        let session = message.pointer("/params/sessionId").and_then(Value::as_str);
        let (Some(id), Some(session)) = (message.get("id"), session) else { return };
        if let Ok(mut prompts) = self.prompts.lock() {
            prompts.push((id.clone(), session.into()));
        }
    }

    /// Puts what the editor's user was told before their next words to the agent.
    fn add_told(&self, message: &mut Value) {
        let is_prompt = message.get("method").and_then(Value::as_str) == Some("session/prompt");
        let prompt = message.pointer_mut("/params/prompt").and_then(Value::as_array_mut);
        let (Some(prompt), Ok(mut told)) = (prompt.filter(|_| is_prompt), self.told.lock()) else {
            return;
        };
        if !told.is_empty() {
            let text = std::mem::take(&mut *told);
            prompt.insert(0, json!({ "type": "text", "text": text }));
        }
    }

    /// Carries a line of the agent's. At the end of a turn `turn` makes the plan, and `decided`
    /// says what became of it after the editor was asked.
    pub(crate) fn hear_agent(
        &self,
        line: &[u8],
        turn: &dyn Fn() -> Turn,
        decided: &dyn Fn(&str, &[Shown]) -> String,
    ) {
        let Ok(message) = serde_json::from_slice::<Value>(line) else { return };
        let ids: Vec<Value> = self
            .prompts
            .lock()
            .map(|prompts| prompts.iter().map(|(id, _)| id.clone()).collect())
            .unwrap_or_default();
        match from_agent(message, &ids) {
            Fate::Pass(message) => write(&self.editor, &message),
            Fate::Answer(message) => write(&self.agent, &message),
            Fate::TurnEnded(message) => {
                let session = self.session_of(message.get("id"));
                let turn = turn();
                if !turn.said.is_empty() {
                    self.tell(&session, &turn.said);
                }
                if let Some((plan, files)) = &turn.waits {
                    self.show(&session, plan, files);
                    self.tell(&session, &decided(plan, files));
                }
                write(&self.editor, &message);
            }
            Fate::Drop => {}
        }
    }

    fn session_of(&self, id: Option<&Value>) -> String {
        let Ok(mut prompts) = self.prompts.lock() else { return String::new() };
        let found = prompts.iter().position(|(prompt, _)| Some(prompt) == id);
        found.map(|index| prompts.remove(index).1).unwrap_or_default()
    }

    fn tell(&self, session: &str, text: &str) {
        if let Ok(mut told) = self.told.lock() {
            told.push_str(text);
            told.push('\n');
        }
        let content = json!({ "type": "text", "text": format!("{text}\n") });
        let update = json!({ "sessionUpdate": "agent_message_chunk", "content": content });
        let params = json!({ "sessionId": session, "update": update });
        write(
            &self.editor,
            &json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }),
        );
    }

    /// Shows the effect of a plan and waits for any answer; which one it is decides nothing.
    fn show(&self, session: &str, plan: &str, files: &[Shown]) {
        let content: Vec<Value> = files
            .iter()
            .map(|(path, old, new)| {
                let path = self.project.join(path);
                json!({ "type": "diff", "path": path, "oldText": old, "newText": new })
            })
            .collect();
        let call = json!({ "toolCallId": format!("exacta-{plan}"), "kind": "edit",
            "status": "pending", "title": format!("Exacta: plan {plan} waits; decide with `exacta review {plan}`"),
            "content": content });
        let options = json!([
            { "optionId": "decided", "name": "I have decided in Exacta", "kind": "allow_once" },
            { "optionId": "later", "name": "Later", "kind": "reject_once" } ]);
        let params = json!({ "sessionId": session, "toolCall": call, "options": options });
        let id = format!("exacta-{plan}");
        write(
            &self.editor,
            &json!({ "jsonrpc": "2.0", "id": id, "method": "session/request_permission",
                "params": params }),
        );
        if let Ok(answers) = self.answers.1.lock() {
            match answers.recv_timeout(PATIENCE) {
                Ok(_) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
        }
    }
}

/// Whether a message answers a question of ours.
fn is_ours(message: &Value) -> bool {
    let id = message.get("id").and_then(Value::as_str);
    message.get("method").is_none() && id.is_some_and(|id| id.starts_with("exacta-"))
}

fn write<W: Write>(to: &Mutex<W>, message: &Value) {
    let Ok(mut to) = to.lock() else { return };
    let mut line = message.to_string();
    line.push('\n');
    // A side that is gone is noticed where it is read.
    let _ = to.write_all(line.as_bytes()).and_then(|()| to.flush());
}
