//! `[[rule]]`: conditions, outcome, reason.

use alloc::vec::Vec;

use super::findings::Findings;
use super::table::{MOST, Table, as_table};
use super::values;
use crate::judge::policy::keys::below;
use crate::judge::policy::layer::LayerName;
use crate::judge::policy::rule::{Condition, OPS, Rule, Then};
use crate::model::plan::Recipe;
use crate::model::registry::Effect;

const EFFECTS: &[(&str, Effect)] = &[
    ("read", Effect::Read),
    ("draft_write", Effect::DraftWrite),
    ("bulk_write", Effect::BulkWrite),
    ("publish", Effect::Publish),
    ("send", Effect::Send),
];

const RECIPES: &[(&str, Recipe)] = &[
    ("WebsiteMonitor", Recipe::WebsiteMonitor),
    ("InboxTriage", Recipe::InboxTriage),
    ("DailyBrief", Recipe::DailyBrief),
    ("Custom", Recipe::Custom),
];

pub(super) fn rules(top: &Table<'_, '_>, layer: LayerName, out: &mut Findings<'_>) -> Vec<Rule> {
    let mut rules = Vec::new();
    let list = top.array("rule", "an array of tables, each under `[[rule]]`", out);
    for (index, (value, at)) in list.unwrap_or_default().into_iter().enumerate() {
        let Some((entries, at)) = as_table(value, at, out) else { continue };
        let table = Table::open(entries, at, value.span(), &below("rule"), out);
        for name in ["match", "then", "reason"] {
            table.missing(name, out);
        }
        let condition =
            table.table("match", &below("rule.match"), out).map(|table| condition(&table, out));
        let then = table.word("then", Then::WORDS, out);
        let reason = table.text("reason", out);
        if let (Some(condition), Some(then), Some(reason)) = (condition, then, reason) {
            rules.push(Rule { layer, number: index + 1, condition, then, reason });
        }
    }
    rules
}

fn condition(table: &Table<'_, '_>, out: &mut Findings<'_>) -> Condition {
    Condition {
        paths: table.some_strings("paths", values::path_glob, out),
        ops: table.words("ops", OPS, out),
        tools: table.some_strings("tools", values::primitive, out),
        effects: table.words("effects", EFFECTS, out),
        min_risk: table.count("min_risk", 0..=100, out),
        min_changed_lines: table.count("min_changed_lines", 0..=MOST, out),
        proposers: table.some_strings("proposers", values::any, out),
        recipes: table.words("recipes", RECIPES, out),
    }
}
