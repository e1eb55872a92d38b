//! Tables of names: proposers, skills, checks, prices; and the list of constraints.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::findings::Findings;
use super::table::{MOST, Table};
use super::values;
use crate::judge::policy::caps::Cap;
use crate::judge::policy::keys::below;
use crate::judge::policy::registered::{Check, Proposer, Runs, Skill};
use crate::judge::policy::rule::ANONYMOUS;
use crate::judge::policy::words::Locality;
use crate::model::plan::Constraint;
use crate::read::parse::{constraint_from_json, constraint_from_words};

/// How long a check may take when its entry does not say.
const CHECK_SECONDS: u64 = 600;
/// The longest a check may take: a day.
const CHECK_SECONDS_MOST: u64 = 86_400;

pub(super) fn caps(table: &Table<'_, '_>, out: &mut Findings<'_>) -> BTreeMap<Cap, u64> {
    let Some(table) = table.table("caps", &below("caps"), out) else { return BTreeMap::new() };
    let read = |(word, cap): &(&str, Cap)| {
        let value = match cap {
            Cap::Cost => table.usd(word, out),
            _ => table.count(word, 0..=MOST, out),
        };
        value.map(|value| (*cap, value))
    };
    Cap::WORDS.iter().filter_map(read).collect()
}

pub(super) fn prices(
    table: &Table<'_, '_>,
    out: &mut Findings<'_>,
) -> (Option<u64>, BTreeMap<String, u64>) {
    let Some(table) = table.table("prices", &below("prices"), out) else {
        return (None, BTreeMap::new());
    };
    let mut models = BTreeMap::new();
    if let Some(table) = table.open_table("models", out) {
        for (model, _) in table.names() {
            models.extend(table.usd(model, out).map(|price| (model.into(), price)));
        }
    }
    (table.usd("default", out), models)
}

pub(super) fn proposers(
    table: &Table<'_, '_>,
    out: &mut Findings<'_>,
) -> BTreeMap<String, Proposer> {
    let mut proposers = BTreeMap::new();
    for (id, table) in table.named("proposers", &below("proposers.<name>"), out) {
        if id == ANONYMOUS {
            let message = format!("no proposer can be called `{ANONYMOUS}`");
            out.add("name", &table.at, &table.span, message, "choose another name");
        }
        for name in ["provider", "model", "class"] {
            table.missing(name, out);
        }
        let skills = table.set("skills", values::any, out);
        let provider = table.text("provider", out);
        let model = table.text("model", out);
        let class = table.word("class", Locality::WORDS, out);
        if let (Some(provider), Some(model), Some(class)) = (provider, model, class) {
            proposers.insert(id, Proposer { class, model, provider, skills });
        }
    }
    proposers
}

pub(super) fn skills(table: &Table<'_, '_>, out: &mut Findings<'_>) -> BTreeMap<String, Skill> {
    let tables = table.named("skills", &below("skills.<name>"), out).into_iter();
    tables
        .map(|(id, table)| {
            let primitives = table.set("primitives", values::primitive, out);
            (id, Skill { primitives, caps: caps(&table, out) })
        })
        .collect()
}

pub(super) fn checks(table: &Table<'_, '_>, out: &mut Findings<'_>) -> BTreeMap<String, Check> {
    let mut checks = BTreeMap::new();
    for (id, table) in table.named("checks", &below("checks.<name>"), out) {
        table.missing("command", out);
        let command = table.some_strings("command", values::argument, out);
        let seconds = table.count("timeout_seconds", 1..=CHECK_SECONDS_MOST, out);
        let words = [("always", Runs::Always), ("named", Runs::Named)];
        let runs = table.word("runs", &words, out).unwrap_or_default();
        if let Some(command) = command {
            let timeout_seconds = seconds.unwrap_or(CHECK_SECONDS);
            checks.insert(id, Check { command, runs, timeout_seconds });
        }
    }
    checks
}

/// Constraints as a person types them (`paths_within=src/**`) or as tables.
pub(super) fn constraints(table: &Table<'_, '_>, out: &mut Findings<'_>) -> Vec<Constraint> {
    let mut constraints = Vec::new();
    let list = table.array("constraints", "an array of constraints", out).unwrap_or_default();
    for (value, at) in list {
        let span = value.span();
        let read = if let Some(words) = value.get_ref().as_str() {
            constraint_from_words(words).map_err(|issue| vec![issue.at(at.pointer.clone())])
        } else if let Some(json) = values::as_json(value.get_ref()) {
            let mut issues = Vec::new();
            constraint_from_json(json, &at.pointer, &mut issues).ok_or(issues)
        } else {
            out.wrong(&at, &span, "a constraint", value.get_ref());
            continue;
        };
        match read {
            Ok(constraint) => constraints.push(constraint),
            Err(issues) => {
                for issue in issues {
                    let message = format!("`{}`: {}", at.as_str(), issue.message);
                    out.add("constraint", &at.inside(issue.pointer), &span, message, issue.help);
                }
            }
        }
    }
    constraints
}
