//! The check of a result list: reads once, reports everything.
//!
//! It believes nothing: not the shape, not the counts, not that the executor is ours.
//! Work grows with the input as n log n; no rule walks the rows for each row.

use alloc::vec::Vec;

use serde_json::Value;

use super::findings::Findings;
use super::outline::PlanOutline;
use super::rule::Rule;
use super::shape::{self, Row};
use super::{fit, read, row, summary};
use crate::diagnostic::Issue;
use crate::pointer::Pointer;

/// Checks the text of a result list, and its fit to the plan when there is one.
///
/// No issue means that the contract holds.
pub fn check(text: &[u8], plan: Option<&PlanOutline>) -> Vec<Issue> {
    match read::read(text) {
        Ok(value) => check_value(&value, plan),
        Err(issue) => vec![*issue],
    }
}

/// Checks a result list that is already parsed.
///
/// A parsed value no longer shows repeated keys: prefer [`check`] for foreign text.
pub fn check_value(results: &Value, plan: Option<&PlanOutline>) -> Vec<Issue> {
    let mut findings = Findings::default();
    let Some(entries) = results.as_array() else {
        let message = "the document is not an array";
        findings.add(Rule::List, Pointer::root(), None, message);
        return findings.0;
    };
    let mut rows = Vec::with_capacity(entries.len());
    let mut summaries = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let at = Pointer::root().index(index);
        match entry.as_object() {
            Some(object) if shape::is_meta(object) => {
                summaries.push((index, shape::meta(object, at, &mut findings)));
            }
            Some(object) => rows.push(shape::row(object, at, &mut findings)),
            None => {
                findings.add(Rule::Entry, at.clone(), None, "the entry is not an object");
                rows.push(Row::unreadable(at));
            }
        }
    }
    let last = entries.len().saturating_sub(1);
    // Of several summaries the last one is held against the rows.
    let meta = match summaries.pop() {
        None => {
            let message = "the list has no `__meta__` entry";
            findings.add(Rule::MetaMissing, Pointer::root(), None, message);
            None
        }
        Some((index, meta)) => {
            if index != last {
                let message = "entries follow the `__meta__` entry";
                findings.add(Rule::MetaLast, meta.at.clone(), None, message);
            }
            Some(meta)
        }
    };
    for (_, extra) in &summaries {
        let message = "this is not the only `__meta__` entry";
        findings.add(Rule::MetaRepeated, extra.at.clone(), None, message);
    }
    row::check(&rows, &mut findings);
    if let Some(meta) = &meta {
        summary::check(meta, &rows, &mut findings);
    }
    if let Some(plan) = plan {
        fit::check(plan, &rows, meta.as_ref(), &mut findings);
    }
    findings.0
}
