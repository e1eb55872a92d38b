//! Effects on files as the text of a draft, to be handed in like any planner's.

use std::collections::BTreeMap;

use data_encoding::BASE64;
use exacta_core::model::path::fold_key;
use serde_json::{Value, json};

use super::effect::{Effect, Made};

/// The text. Steps are independent of each other, except that a file made under a name
/// that a deletion frees waits for that.
#[must_use]
pub fn draft(goal: Option<&str>, made: &[Made]) -> Vec<u8> {
    let key = |made: &Made| fold_key(made.path.as_str()).into_owned();
    let step_id = |index: usize| format!("step_{}", index + 1);
    let freed: BTreeMap<String, usize> = made
        .iter()
        .enumerate()
        .filter(|(_, made)| made.effect == Effect::Delete)
        .map(|(index, made)| (key(made), index))
        .collect();
    let steps: Vec<Value> = made
        .iter()
        .enumerate()
        .map(|(index, made)| {
            let waits_for: Vec<String> = match made.effect {
                Effect::Create { .. } => {
                    freed.get(&key(made)).map(|index| step_id(*index)).into_iter().collect()
                }
                Effect::Modify { .. } | Effect::Delete => Vec::new(),
            };
            step(&step_id(index), made, &waits_for)
        })
        .collect();
    let mut draft = json!({ "plan_version": 1, "steps": steps });
    if let (Some(fields), Some(goal)) = (draft.as_object_mut(), goal) {
        fields.insert("goal".into(), goal.into());
    }
    draft.to_string().into_bytes()
}

fn step(step_id: &str, file: &Made, waits_for: &[String]) -> Value {
    let mut step = json!({
        "step_id": step_id,
        "dependencies": waits_for,
        "target": file.path.as_str(),
    });
    let mode = |executable: bool| if executable { "0755" } else { "0644" };
    let (kind, bytes, mode) = match &file.effect {
        Effect::Create { bytes, executable } => {
            ("file_create", Some(bytes), executable.then(|| mode(true)))
        }
        Effect::Modify { bytes, executable } => ("file_modify", Some(bytes), executable.map(mode)),
        Effect::Delete => ("file_delete", None, None),
    };
    let does = match &file.effect {
        Effect::Create { .. } => "Create",
        Effect::Modify { .. } => "Modify",
        Effect::Delete => "Delete",
    };
    if let Some(fields) = step.as_object_mut() {
        fields.insert("title".into(), format!("{does} {}", file.path).into());
        fields.insert("type".into(), kind.into());
        fields.extend(mode.map(|mode| ("mode".to_owned(), mode.into())));
        fields.extend(bytes.map(|bytes| match std::str::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => ("content".to_owned(), text.into()),
            _ => ("content_base64".to_owned(), BASE64.encode(bytes).into()),
        }));
    }
    step
}
