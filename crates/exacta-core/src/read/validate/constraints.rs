//! PS-1: the constraints in force, each checked by code.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use super::reach::{Reach, reach};
use crate::model::change::Change;
use crate::model::code::Code;
use crate::model::diagnostic::Issue;
use crate::model::plan::{Action, Constraint, Draft, Effective, Origin};
use crate::model::registry;
use crate::model::web::{host_listed, host_of, mail_key};
use crate::read::dry_run::Totals;
use crate::text::glob;
use crate::text::pointer::Pointer;

/// Checks every constraint in force against what the plan does.
pub fn constraints(
    draft: &Draft,
    effective: &[Effective],
    changes: &[Change],
    totals: &Totals,
    issues: &mut Vec<Issue>,
) {
    for (index, Effective { origin, constraint }) in effective.iter().enumerate() {
        for (step, broken) in check(constraint, draft, changes, totals) {
            issues.push(finding(effective, index, *origin, step, &broken));
        }
    }
}

/// The finding that the constraint at `index` of those in force is broken.
pub(super) fn finding(
    effective: &[Effective],
    index: usize,
    origin: Origin,
    step: Option<String>,
    broken: &str,
) -> Issue {
    let (source, at) = match origin {
        Origin::Policy => ("policy", Pointer::root()),
        Origin::Person => ("a person", Pointer::root()),
        Origin::Draft => {
            // The draft's own come in its order.
            let earlier = effective.iter().take(index);
            let position = earlier.filter(|earlier| earlier.origin == Origin::Draft).count();
            ("the draft", Pointer::root().key("constraints").index(position))
        }
    };
    let kind = effective.get(index).map_or("", |effective| effective.constraint.kind());
    let mut issue = Issue::error(
        Code::PlanConstraintViolated,
        "PS-1",
        format!("`{kind}` (set by {source}) is broken: {broken}"),
    )
    .at(at)
    .help("change the plan so that it keeps the constraint; a draft cannot lift it");
    issue.step_id = step;
    issue
}

type Broken = Vec<(Option<String>, String)>;

fn check(constraint: &Constraint, draft: &Draft, changes: &[Change], totals: &Totals) -> Broken {
    match constraint {
        Constraint::PathsWithin { globs } => paths(globs, changes, false),
        Constraint::PathsExcept { globs } => paths(globs, changes, true),
        Constraint::MustTouch { globs } => must_touch(globs, changes),
        Constraint::NoDelete => changes
            .iter()
            .filter(|change| {
                change.before.is_some() && (change.after.is_none() || totals.emptied(change))
            })
            .map(|change| {
                (Some(change.step.clone()), format!("`{}` is deleted or emptied", change.path))
            })
            .collect(),
        // Checked on facts, in `dependencies` and `tests`; whether policy knows named checks,
        // in `checks`.
        Constraint::NoNewDependencies | Constraint::TestsRequired { .. } => Vec::new(),
        Constraint::MaxFiles { max } => over(totals.files, *max, "files"),
        Constraint::MaxChangedLines { max } => over(totals.changed_lines, *max, "changed lines"),
        Constraint::Domains { domains } => domains_only(draft, domains),
        Constraint::Recipients { recipients } => recipients_only(draft, recipients),
        Constraint::NoTool { tools } => draft
            .steps
            .iter()
            .filter_map(|step| match &step.action {
                Action::Tool(call) if tools.is_empty() || tools.contains(&call.name) => {
                    Some((Some(step.step_id.clone()), format!("`{}` is called", call.name)))
                }
                _ => None,
            })
            .collect(),
    }
}

fn over(need: u64, max: u64, what: &str) -> Broken {
    if need > max { vec![(None, format!("{need} {what}, {max} allowed"))] } else { Vec::new() }
}

/// Paths that fail to match any glob, or that match one although they must not. A glob
/// that does not compile breaks the constraint.
fn paths(globs: &[String], changes: &[Change], except: bool) -> Broken {
    // Nobody gets around an exception with a name that some systems take for the same.
    let compiled = if except { glob::compile_any_case(globs) } else { glob::compile_all(globs) };
    let matcher = match compiled {
        Ok(matcher) => matcher,
        Err(error) => return vec![(None, format!("a glob does not compile: {error}"))],
    };
    changes
        .iter()
        .filter(|change| matcher.is_match(change.path.as_str()) == except)
        .map(|change| {
            let reason = if except { "is excluded" } else { "lies outside" };
            (Some(change.step.clone()), format!("`{}` {reason}", change.path))
        })
        .collect()
}

fn must_touch(globs: &[String], changes: &[Change]) -> Broken {
    let touched: BTreeSet<usize> = match glob::compile_all(globs) {
        Ok(matcher) => changes.iter().flat_map(|c| matcher.matches(c.path.as_str())).collect(),
        Err(error) => return vec![(None, format!("a glob does not compile: {error}"))],
    };
    let missing = globs.iter().enumerate().filter(|(index, _)| !touched.contains(index));
    missing.map(|(_, text)| (None, format!("no step touches `{text}`"))).collect()
}

fn domains_only(draft: &Draft, domains: &[String]) -> Broken {
    let allowed: BTreeSet<String> = domains.iter().cloned().collect();
    each_reach(draft)
        .flat_map(|(step, reach)| reach.urls.into_iter().map(move |(url, _)| (step, url)))
        .filter(|(_, url)| !host_of(url).is_ok_and(|host| host_listed(host, &allowed)))
        .map(|(step, url)| (Some(step.into()), format!("`{url}` is contacted")))
        .collect()
}

fn recipients_only(draft: &Draft, recipients: &[String]) -> Broken {
    let allowed: BTreeSet<String> =
        recipients.iter().filter_map(|address| mail_key(address)).collect();
    each_reach(draft)
        .flat_map(|(step, reach)| {
            reach.recipients.into_iter().map(move |(address, _)| (step, address))
        })
        .filter(|(_, address)| !mail_key(address).is_some_and(|key| allowed.contains(&key)))
        .map(|(step, address)| (Some(step.into()), format!("`{address}` is written to")))
        .collect()
}

fn each_reach(draft: &Draft) -> impl Iterator<Item = (&str, Reach<'_>)> {
    draft.steps.iter().enumerate().filter_map(|(index, step)| match &step.action {
        Action::Tool(call) => registry::find(&call.name)
            .map(|p| (step.step_id.as_str(), reach(draft, index, call, p))),
        Action::File(_) => None,
    })
}
