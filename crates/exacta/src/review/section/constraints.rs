//! The constraints in force and how the plan meets each, judged and counted again here.

use std::collections::BTreeSet;

use exacta_core::diagnostic::Issue;
use exacta_core::digest::Digest;
use exacta_core::dry_run::Totals;
use exacta_core::facts::is_test;
use exacta_core::glob;
use exacta_core::plan::{Action, Constraint, Effective, Origin};
use exacta_core::registry;
use exacta_core::shown::visible;
use exacta_core::validate;

use super::steps::bytes;
use crate::render::{constraint_details, style};
use crate::review::diff::counts;
use crate::review::document::Document;
use crate::review::look::Signs;
use crate::review::{ReviewPlan, text};

pub(super) fn add(plan: &ReviewPlan<'_>, signs: Signs, document: &mut Document) {
    if plan.constraints.is_empty() {
        return;
    }
    let totals = totals(plan);
    document.heading(&format!("Constraints ({})", plan.constraints.len()));
    for effective in plan.constraints {
        let source = match effective.origin {
            Origin::Policy => "policy",
            Origin::Person => "given with the intent",
            Origin::Draft => "the draft's own",
        };
        let details = constraint_details(&effective.constraint);
        let space = if details.is_empty() { "" } else { " " };
        document.line(format!("  {}{space}{details}  ({source})", effective.constraint.kind()));
        let broken = broken(plan, effective, &totals);
        let (good, error) = (style::GOOD, style::ERROR);
        if broken.is_empty() {
            let how = how(plan, &effective.constraint, &totals);
            let how = text::line(how.as_bytes(), signs);
            document.line(format!("      {good}kept{good:#}: {how}"));
        }
        for issue in broken {
            let message = visible(issue.message.as_bytes());
            document.line(format!("      {error}broken{error:#}: {message}"));
        }
    }
}

/// The judgement of the one rule that judges constraints.
fn broken(plan: &ReviewPlan<'_>, effective: &Effective, totals: &Totals) -> Vec<Issue> {
    let mut issues = Vec::new();
    let one = std::slice::from_ref(effective);
    validate::constraints(plan.draft, one, plan.changes, totals, &mut issues);
    issues
}

/// What the rule counts, counted again on the images.
fn totals(plan: &ReviewPlan<'_>) -> Totals {
    let mut totals = Totals::default();
    for change in plan.changes {
        let image = |digest: Option<Digest>| digest.and_then(|digest| plan.blob(&digest));
        let (old, new) = (image(change.before), image(change.after));
        let (added, removed) = counts(bytes(old.as_ref()), bytes(new.as_ref()));
        totals.see(old.as_ref());
        totals.see(new.as_ref());
        totals.changed_lines += (added + removed) as u64;
        totals.image_bytes += new.map_or(0, |blob| blob.bytes().len() as u64);
    }
    totals.files = paths(plan).len() as u64;
    totals
}

fn paths<'a>(plan: &ReviewPlan<'a>) -> BTreeSet<&'a str> {
    plan.changes.iter().map(|change| change.path.as_str()).collect()
}

/// How a kept constraint is met.
fn how(plan: &ReviewPlan<'_>, constraint: &Constraint, totals: &Totals) -> String {
    let paths = paths(plan);
    let all = || paths.iter().copied().collect::<Vec<_>>().join(", ");
    match constraint {
        Constraint::PathsWithin { .. } | Constraint::PathsExcept { .. } if paths.is_empty() => {
            "no file is touched".into()
        }
        Constraint::PathsWithin { .. } => format!("inside lie all files touched: {}", all()),
        Constraint::PathsExcept { .. } => format!("outside lie all files touched: {}", all()),
        Constraint::MustTouch { globs } => {
            let met = globs.iter().map(|text| {
                let matcher = glob::compile(text).ok();
                let is_met = |path: &&&str| matcher.as_ref().is_some_and(|m| m.is_match(path));
                let path = paths.iter().find(is_met).copied().unwrap_or_default();
                format!("`{text}` by {path}")
            });
            met.collect::<Vec<_>>().join(", ")
        }
        Constraint::NoDelete => "no file is deleted or emptied".into(),
        Constraint::NoNewDependencies => "nothing is added to what the project depends on".into(),
        Constraint::MaxFiles { max } => format!("{} of at most {max} files", totals.files),
        Constraint::MaxChangedLines { max } => {
            format!("{} of at most {max} changed lines", totals.changed_lines)
        }
        Constraint::TestsRequired { checks } if !checks.is_empty() => {
            format!("judged before anything is put in place: {}", checks.join(", "))
        }
        Constraint::TestsRequired { .. } => {
            let tests = plan.changes.iter().filter(|c| is_test(&c.path) && c.after.is_some());
            let tests: BTreeSet<&str> = tests.map(|change| change.path.as_str()).collect();
            if tests.is_empty() {
                "no code changes".into()
            } else {
                format!("tests change: {}", tests.into_iter().collect::<Vec<_>>().join(", "))
            }
        }
        Constraint::Domains { .. } => {
            let urls = reached(plan, |reach| reach.urls.iter().map(|(url, _)| *url).collect());
            if urls.is_empty() { "no page is contacted".into() } else { urls.join(", ") }
        }
        Constraint::Recipients { .. } => {
            let people = reached(plan, |r| r.recipients.iter().map(|(who, _)| *who).collect());
            if people.is_empty() { "nobody is written to".into() } else { people.join(", ") }
        }
        Constraint::NoTool { tools } if tools.is_empty() => "no tool is called".into(),
        Constraint::NoTool { .. } => "none of these tools is called".into(),
    }
}

/// What the tool steps reach outside.
fn reached<'a>(
    plan: &ReviewPlan<'a>,
    pick: impl Fn(&validate::Reach<'a>) -> Vec<&'a str>,
) -> Vec<&'a str> {
    let mut found = Vec::new();
    for (index, step) in plan.draft.steps.iter().enumerate() {
        if let Action::Tool(call) = &step.action
            && let Some(primitive) = registry::find(&call.name)
        {
            found.extend(pick(&validate::reach(plan.draft, index, call, primitive)));
        }
    }
    found
}
