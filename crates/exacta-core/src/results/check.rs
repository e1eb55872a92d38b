//! The check of a result list: reads once, reports everything.
//!
//! It believes nothing: not the shape, not the counts, not that the executor is ours.
//! Work grows with the input as n log n; no rule walks the rows for each row.

use alloc::vec::Vec;

use super::findings::Findings;
use super::outline::PlanOutline;
use super::rule::Rule;
use super::shape::{self, Row};
use super::{fit, read, row, summary};
use crate::model::diagnostic::Issue;
use crate::read::parse::json::Json;
use crate::read::parse::locate;
use crate::text::pointer::Pointer;

/// Checks the text of a result list, and its fit to the plan when there is one.
///
/// No issue means that the contract holds. Every issue has its place in the text.
pub fn check(text: &[u8], plan: Option<&PlanOutline>) -> Vec<Issue> {
    match read::read(text) {
        Ok((text, value)) => {
            let mut issues = check_json(&value, plan);
            if !issues.is_empty() {
                locate(text, &mut issues);
            }
            issues
        }
        Err(issue) => vec![*issue],
    }
}

/// Checks a result list that the strict JSON layer has read.
pub fn check_json(results: &Json, plan: Option<&PlanOutline>) -> Vec<Issue> {
    let mut findings = Findings::default();
    let Json::Arr(entries) = results else {
        let message = format!("the document is {}, not an array", results.kind());
        findings.add(Rule::List, Pointer::root(), None, message);
        return findings.0;
    };
    let mut rows = Vec::with_capacity(entries.len());
    let mut summaries = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let at = Pointer::root().index(index);
        match entry {
            Json::Obj(_) if shape::is_meta(entry) => {
                summaries.push((index, shape::meta(entry, at, &mut findings)));
            }
            Json::Obj(_) => rows.push(shape::row(entry, at, &mut findings)),
            _ => {
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
