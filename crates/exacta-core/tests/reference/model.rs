//! A plan as the generator makes it and the reference reads it: nothing of the product.

use exacta_core::model::change::FileMode;
use serde_json::{Value, json};

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) tree: Vec<File>,
    pub(crate) steps: Vec<Step>,
    pub(crate) contract: bool,
    pub(crate) max_files: u64,
    pub(crate) max_steps: u64,
    pub(crate) max_changed_lines: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) content: String,
    pub(crate) executable: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) id: String,
    pub(crate) dependencies: Option<Vec<String>>,
    pub(crate) order: Option<usize>,
    pub(crate) action: Action,
}

#[derive(Clone, Debug)]
pub(crate) enum Action {
    Tool(String),
    File { path: String, executable: Option<bool>, kind: Kind },
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Create(String),
    CreateByDiff(String),
    Replace(String),
    /// A diff that removes every old line and adds every new one.
    Diff {
        old: String,
        new: String,
    },
    Edit(Vec<(String, String)>),
    Delete,
}

pub(crate) fn mode_of(executable: bool) -> FileMode {
    if executable { FileMode::EXECUTABLE } else { FileMode::REGULAR }
}

impl Plan {
    pub(crate) fn to_json(&self) -> String {
        let steps: Vec<Value> = self.steps.iter().map(Step::to_json).collect();
        let execution = if self.contract { "contract" } else { "atomic" };
        json!({"execution": execution, "steps": steps}).to_string()
    }
}

impl Step {
    fn to_json(&self) -> Value {
        let mut step = json!({"step_id": self.id});
        if let Some(dependencies) = &self.dependencies {
            step["dependencies"] = json!(dependencies);
        }
        if let Some(order) = self.order {
            step["order"] = json!(order);
        }
        match &self.action {
            Action::Tool(name) => step["tool"] = json!(name),
            Action::File { path, executable, kind } => {
                step["target"] = json!(path);
                if let Some(executable) = executable {
                    step["mode"] = json!(if *executable { "0755" } else { "0644" });
                }
                let (name, field, value) = match kind {
                    Kind::Create(content) => ("file_create", "content", json!(content)),
                    Kind::CreateByDiff(new) => (
                        "file_create",
                        "diff",
                        json!(diff("/dev/null", &format!("b/{path}"), "", new)),
                    ),
                    Kind::Replace(content) => ("file_modify", "content", json!(content)),
                    Kind::Diff { old, new } => {
                        let (from, to) = (format!("a/{path}"), format!("b/{path}"));
                        ("file_modify", "diff", json!(diff(&from, &to, old, new)))
                    }
                    Kind::Edit(edits) => {
                        let edits: Vec<Value> = edits
                            .iter()
                            .map(|(old, new)| json!({"old": old, "new": new}))
                            .collect();
                        ("file_modify", "edits", json!(edits))
                    }
                    Kind::Delete => {
                        step["type"] = json!("file_delete");
                        step.as_object_mut().unwrap().remove("mode");
                        return step;
                    }
                };
                step["type"] = json!(name);
                step[field] = value;
            }
        }
        step
    }
}

/// One hunk that takes everything away and puts everything there.
fn diff(from: &str, to: &str, old: &str, new: &str) -> String {
    let mut text = format!("--- {from}\n+++ {to}\n");
    let side = |content: &str| {
        let count = content.split_inclusive('\n').count();
        format!("{},{count}", usize::from(count > 0))
    };
    if !old.is_empty() || !new.is_empty() {
        text.extend(["@@ -", &side(old), " +", &side(new), " @@\n"]);
    }
    for (sign, content) in [('-', old), ('+', new)] {
        for line in content.split_inclusive('\n') {
            text.push(sign);
            text += line;
            if !line.ends_with('\n') {
                text += "\n\\ No newline at end of file\n";
            }
        }
    }
    text
}
