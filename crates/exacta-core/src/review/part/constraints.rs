//! The constraints in force and how the plan meets each, judged and counted again here.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use super::{joined, titled};
use crate::judge::facts::is_test;
use crate::model::diagnostic::Issue;
use crate::model::digest::Digest;
use crate::model::plan::{Action, Constraint, Effective, Origin};
use crate::model::registry;
use crate::read::dry_run::Totals;
use crate::read::validate;
use crate::review::compose::Work;
use crate::review::model::{Part, PartKind};
use crate::review::row::{Role, Row};
use crate::review::subject::Subject;
use crate::text::glob;
use crate::text::shown::visible;

pub(in crate::review) fn constraints(work: &mut Work<'_>) -> Option<Part> {
    let list = &work.subject.examined.constraints;
    if list.is_empty() {
        return None;
    }
    let totals = totals(work);
    let subject = work.subject;
    Some(titled(PartKind::Constraints, format!("Constraints ({})", list.len()), |sheet| {
        for effective in list {
            let details = details(&effective.constraint);
            let space = if details.is_empty() { "" } else { " " };
            sheet.row(Row::prose(2).say(format!(
                "{}{space}{details}  ({})",
                effective.constraint.kind(),
                source(effective.origin)
            )));
            let broken = broken(subject, effective, &totals);
            if broken.is_empty() {
                let how = how(subject, &effective.constraint, &totals);
                let row = Row::prose(6).with(Role::Good, "kept").say(": ");
                sheet.row(row.show(Role::Plain, how.as_bytes()));
            }
            sheet.rows(broken.iter().map(|issue| {
                let message = visible(issue.message.as_bytes());
                Row::prose(6).with(Role::Error, "broken").say(format!(": {message}"))
            }));
        }
    }))
}

/// Whose constraint it is.
fn source(origin: Origin) -> &'static str {
    match origin {
        Origin::Policy => "policy",
        Origin::Person => "given with the intent",
        Origin::Draft => "the draft's own",
    }
}

/// What a constraint allows or asks for.
#[must_use]
pub fn details(constraint: &Constraint) -> String {
    let list = |names: &[String]| visible(joined(names).as_bytes());
    match constraint {
        Constraint::PathsWithin { globs }
        | Constraint::PathsExcept { globs }
        | Constraint::MustTouch { globs } => list(globs),
        Constraint::Domains { domains } => list(domains),
        Constraint::Recipients { recipients } => list(recipients),
        Constraint::NoTool { tools } => list(tools),
        Constraint::MaxFiles { max } | Constraint::MaxChangedLines { max } => max.to_string(),
        Constraint::TestsRequired { checks } => list(checks),
        Constraint::NoDelete | Constraint::NoNewDependencies => String::new(),
    }
}

/// The judgement of the one rule that judges constraints.
fn broken(subject: &Subject<'_>, effective: &Effective, totals: &Totals) -> Vec<Issue> {
    let mut issues = Vec::new();
    let one = core::slice::from_ref(effective);
    validate::constraints(subject.draft, one, subject.changes, totals, &mut issues);
    issues
}

/// What the rule counts, counted again on the images.
fn totals(work: &mut Work<'_>) -> Totals {
    let mut totals = Totals::default();
    for change in work.subject.changes {
        let image = |digest: Option<Digest>| digest.and_then(|digest| work.subject.blob(&digest));
        let (old, new) = (image(change.before), image(change.after));
        let lines = work.comparisons.compare(old.as_ref(), new.as_ref());
        totals.see(old.as_ref());
        totals.see(new.as_ref());
        totals.changed_lines += lines.added + lines.removed;
        totals.image_bytes += new.map_or(0, |blob| blob.bytes().len() as u64);
    }
    totals.files = paths(work.subject).len() as u64;
    totals
}

fn paths<'a>(subject: &Subject<'a>) -> BTreeSet<&'a str> {
    subject.changes.iter().map(|change| change.path.as_str()).collect()
}

/// How a kept constraint is met.
fn how(subject: &Subject<'_>, constraint: &Constraint, totals: &Totals) -> String {
    let paths = paths(subject);
    let all = || joined(&paths);
    match constraint {
        Constraint::PathsWithin { .. } | Constraint::PathsExcept { .. } if paths.is_empty() => {
            "no file is touched".into()
        }
        Constraint::PathsWithin { .. } => format!("all files touched are inside: {}", all()),
        Constraint::PathsExcept { .. } => format!("all files touched are outside: {}", all()),
        Constraint::MustTouch { globs } => {
            let met = globs.iter().map(|text| {
                let matcher = glob::compile(text).ok();
                let is_met = |path: &&&str| matcher.as_ref().is_some_and(|m| m.is_match(path));
                let path = paths.iter().find(is_met).copied().unwrap_or_default();
                format!("`{text}` by {path}")
            });
            joined(met)
        }
        Constraint::NoDelete => "no file is deleted or emptied".into(),
        Constraint::NoNewDependencies => "nothing is added to what the project depends on".into(),
        Constraint::MaxFiles { max } => format!("{} of at most {max} files", totals.files),
        Constraint::MaxChangedLines { max } => {
            format!("{} of at most {max} changed lines", totals.changed_lines)
        }
        Constraint::TestsRequired { checks } if !checks.is_empty() => {
            format!("run before anything is written: {}", joined(checks))
        }
        Constraint::TestsRequired { .. } => {
            let tests = subject.changes.iter().filter(|c| is_test(&c.path) && c.after.is_some());
            let tests: BTreeSet<&str> = tests.map(|change| change.path.as_str()).collect();
            if tests.is_empty() {
                "no code changes".into()
            } else {
                format!("tests change: {}", joined(tests))
            }
        }
        Constraint::Domains { .. } => {
            let urls = reached(subject, |reach| reach.urls.iter().map(|(url, _)| *url).collect());
            if urls.is_empty() { "no page is contacted".into() } else { joined(urls) }
        }
        Constraint::Recipients { .. } => {
            let people = reached(subject, |r| r.recipients.iter().map(|(who, _)| *who).collect());
            if people.is_empty() { "nobody is written to".into() } else { joined(people) }
        }
        Constraint::NoTool { tools } if tools.is_empty() => "no tool is called".into(),
        Constraint::NoTool { .. } => "none of these tools is called".into(),
    }
}

/// What the tool steps reach outside.
fn reached<'a>(
    subject: &Subject<'a>,
    pick: impl Fn(&validate::Reach<'a>) -> Vec<&'a str>,
) -> Vec<&'a str> {
    let mut found = Vec::new();
    for (index, step) in subject.draft.steps.iter().enumerate() {
        if let Action::Tool(call) = &step.action
            && let Some(primitive) = registry::find(&call.name)
        {
            found.extend(pick(&validate::reach(subject.draft, index, call, primitive)));
        }
    }
    found
}
