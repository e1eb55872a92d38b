//! Carries messages both ways, and holds the end of a turn until the gate has its plan.

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use exacta_core::model::path::is_hidden;
use exacta_engine::proof::{APPROVE, EditorChoice, REJECT, editor_choice};
use serde_json::{Value, json};

use super::messages::{Fate, from_agent, from_editor, is_our_id};

/// The longest message.
const MOST: usize = 32 << 20;
/// How long an editor is waited for that was shown an effect.
const PATIENCE: Duration = Duration::from_hours(8);

/// A file: its name, its text before if there was one, and after.
pub(crate) type Shown = (String, Option<String>, String);

/// A plan that waits for a person.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiting {
    /// Its id.
    pub(crate) plan: String,
    /// Each file with its text before and after.
    pub(crate) files: Vec<Shown>,
    /// Whether policy lets the editor's user decide, and texts are all that changes.
    pub(crate) may_decide: bool,
}

impl Waiting {
    /// Whether an editor can show all of it: it has no signs for what cannot be seen.
    fn shows_whole(&self) -> bool {
        let plain = |text: &str| !text.chars().any(|c| is_hidden(c) && !matches!(c, '\n' | '\t'));
        self.files
            .iter()
            .all(|(path, old, new)| plain(path) && old.as_deref().is_none_or(plain) && plain(new))
    }
}

/// What became of a turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turn {
    /// What the editor's user is told.
    pub(crate) said: String,
    /// A plan that waits.
    pub(crate) waits: Option<Waiting>,
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
        decided: &dyn Fn(&Waiting, EditorChoice) -> String,
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
                if let Some(waiting) = &turn.waits {
                    let choice = self.show(&session, waiting);
                    self.tell(&session, &decided(waiting, choice));
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

    /// Shows the effect of a plan and waits for an answer; which one it is decides nothing,
    /// unless policy says so.
    fn show(&self, session: &str, waiting: &Waiting) -> EditorChoice {
        let plan = &waiting.plan;
        let may_decide = waiting.may_decide && waiting.shows_whole();
        let content: Vec<Value> = waiting
            .files
            .iter()
            .map(|(path, old, new)| {
                let path = self.project.join(path);
                json!({ "type": "diff", "path": path, "oldText": old, "newText": new })
            })
            .collect();
        let title = if may_decide {
            format!("Exacta: plan {plan} waits for you; this is all it does")
        } else {
            format!("Exacta: plan {plan} waits; decide with `exacta review {plan}`")
        };
        let call = json!({ "toolCallId": format!("exacta-{plan}"), "kind": "edit",
            "status": "pending", "title": title,
            "content": content });
        let later = json!({ "optionId": "later", "name": "Later", "kind": "reject_once" });
        let options = if may_decide {
            json!([
                { "optionId": APPROVE, "name": "Approve and apply", "kind": "allow_once" },
                { "optionId": REJECT, "name": "Reject", "kind": "reject_once" },
                later ])
        } else {
            json!([
                { "optionId": "decided", "name": "I have decided in Exacta", "kind": "allow_once" },
                later ])
        };
        let params = json!({ "sessionId": session, "toolCall": call, "options": options });
        let id = format!("exacta-{plan}");
        write(
            &self.editor,
            &json!({ "jsonrpc": "2.0", "id": id, "method": "session/request_permission",
                "params": params }),
        );
        let Ok(answers) = self.answers.1.lock() else { return EditorChoice::Neither };
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match answers.recv_timeout(left) {
                Ok(answer) if answer.get("id").and_then(Value::as_str) != Some(&id) => {}
                Ok(answer) if may_decide => return editor_choice(&answer, &id),
                Ok(_) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    return EditorChoice::Neither;
                }
            }
        }
    }
}

/// Whether a message answers a question of ours.
fn is_ours(message: &Value) -> bool {
    message.get("method").is_none() && is_our_id(message.get("id"))
}

fn write<W: Write>(to: &Mutex<W>, message: &Value) {
    let Ok(mut to) = to.lock() else { return };
    let mut line = message.to_string();
    line.push('\n');
    // A side that is gone is noticed where it is read.
    let _ = to.write_all(line.as_bytes()).and_then(|()| to.flush());
}
