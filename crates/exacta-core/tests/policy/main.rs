//! The promises of the policy stage, one file for each.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may stop where it fails")]

mod decisions;
mod errors;
mod hash;
mod layers;
mod never_looser;
mod rules;

use std::fmt::Write as _;

use exacta_core::judge::policy::{Layer, LayerName, Merged, merge, read};
use exacta_core::model::diagnostic::{Issue, Place};
use exacta_core::model::plan::{Action, Draft, Recipe, Step, ToolCall};
use exacta_core::read::parse::json::Json;

/// Reads a layer that must be right.
fn layer(name: LayerName, text: &str) -> Layer {
    read(name, text.as_bytes()).unwrap_or_else(|issues| panic!("{text}\n{}", told(&issues)))
}

/// Merges the texts of system, operator and project; an empty text is no layer.
fn merged(system: &str, operator: &str, project: &str) -> Merged {
    let texts = [system, operator, project];
    let layers: Vec<Layer> = LayerName::ALL
        .into_iter()
        .zip(texts)
        .filter(|(_, text)| !text.is_empty())
        .map(|(name, text)| layer(name, text))
        .collect();
    merge(&layers)
}

/// The value of a key, as shown.
fn value(merged: &Merged, key: &str) -> String {
    merged.rows().iter().find(|row| row.key == key).map(|row| row.value.to_string()).unwrap()
}

/// Findings as `line:column pointer rule: message | help`.
fn told(issues: &[Issue]) -> String {
    let mut text = String::new();
    for issue in issues {
        let Issue { pointer, rule, message, help, .. } = issue;
        let Place { line, column } = issue.place.unwrap();
        writeln!(text, "{line}:{column} {pointer} {rule}: {message} | {help}").unwrap();
    }
    text
}

/// A draft of the `Custom` recipe that calls tools, as steps 5, 6 and so on.
fn drafted(tools: &[&str]) -> Draft {
    let step = |(index, tool): (usize, &&str)| Step {
        step_id: format!("step_{}", index + 5),
        title: None,
        description: None,
        order: None,
        dependencies: None,
        requires_approval: None,
        risk_tier: None,
        action: Action::Tool(ToolCall { name: (*tool).into(), args: Json::Obj(Vec::new()) }),
    };
    let steps = tools.iter().enumerate().map(step).collect();
    Draft { recipe: Some(Recipe::Custom), steps, ..Draft::empty() }
}
