//! The whole review, put together.

use alloc::string::String;
use alloc::vec::Vec;

use super::anchor;
use super::model::{FileState, Part, PartKind, Review, ReviewedFile};
use super::part::{self, Sheet, time, titled};
use super::row::{Role, Row};
use super::subject::Subject;
use super::syntax::Syntax;
use crate::model::change::Change;
use crate::read::dry_run::Comparisons;
use crate::text::lines::LineChange;
use crate::text::shown::visible;

/// How many pairs of lines of one review are compared word by word.
const WORD_COMPARISONS: usize = 2_000;

/// What the parts share while they are written.
pub(super) struct Work<'a> {
    pub(super) subject: &'a Subject<'a>,
    pub(super) syntax: &'a Syntax,
    pub(super) comparisons: Comparisons,
    pub(super) word_comparisons: usize,
}

impl<'a> Work<'a> {
    pub(super) fn new(subject: &'a Subject<'a>, syntax: &'a Syntax) -> Self {
        let comparisons = subject.comparisons();
        Self { subject, syntax, comparisons, word_comparisons: WORD_COMPARISONS }
    }

    /// The lines that a change adds and removes; for a rename, of the old name's content.
    pub(super) fn lines(&mut self, change: &Change) -> LineChange {
        let image = |digest| self.subject.blob(&digest);
        let old = self.subject.before(change).and_then(image);
        let new = change.after.and_then(image);
        self.comparisons.compare(old.as_ref(), new.as_ref())
    }
}

/// The review of a plan: whether it can be decided at all and why a person is asked come
/// first, the planner's words last.
#[must_use]
pub fn compose(subject: &Subject<'_>, syntax: &Syntax) -> Review {
    let mut work = Work::new(subject, syntax);
    let files = part::list(&mut work);
    let (steps, steps_part) = part::steps(&mut work);
    let mut parts = vec![summary(subject, &files), part::why(subject)];
    parts.extend(subject.intent.map(|intent| {
        let title = "Asked for, as it was handed in";
        titled(PartKind::Intent, title, |sheet| part::quote(intent, sheet))
    }));
    parts.push(steps_part);
    if !subject.changes.is_empty() {
        let write = |sheet: &mut Sheet| part::changes(&mut work, sheet);
        parts.push(titled(PartKind::Changes, "Changes", write));
        parts.push(part::files(&mut work));
    }
    parts.extend(part::constraints(&mut work));
    if let Some(assessment) = &subject.examined.assessment {
        parts.push(part::risk(&assessment.risk));
        parts.push(part::quality(&assessment.quality));
    }
    parts.push(part::estimate(&subject.examined.estimates));
    parts.extend(part::words(subject.draft));
    parts.push(names(subject));
    anchor::resolve(subject, &mut parts);
    Review {
        plan_id: subject.plan_id.into(),
        plan_hash: subject.plan_hash,
        obstacle: subject.obstacle(),
        stale: subject.stale.map(Into::into),
        steps,
        files,
        parts,
    }
}

/// The differences alone.
#[must_use]
pub fn changes(subject: &Subject<'_>, syntax: &Syntax) -> Part {
    let mut sheet = Sheet::default();
    part::changes(&mut Work::new(subject, syntax), &mut sheet);
    sheet.part(PartKind::Changes)
}

/// Everything about one step.
#[must_use]
pub fn step(subject: &Subject<'_>, id: &str, syntax: &Syntax) -> Part {
    let mut sheet = Sheet::default();
    part::step(&Work::new(subject, syntax), id, &mut sheet);
    sheet.part(PartKind::Steps)
}

/// How much it is: what becomes of how many files, risk and quality; and whether it fits.
fn summary(subject: &Subject<'_>, files: &[ReviewedFile]) -> Part {
    let mut sheet = Sheet::default();
    sheet.row(Row::prose(0).say("plan ").show(Role::Plain, subject.plan_id.as_bytes()));
    let mut parts: Vec<String> = Vec::new();
    for (state, word) in [
        (FileState::Created, "created"),
        (FileState::Modified, "changed"),
        (FileState::RenamedFrom, "renamed"),
        (FileState::Deleted, "deleted"),
    ] {
        let count = files.iter().filter(|file| file.state == state).count();
        let files = match (parts.is_empty(), count) {
            (_, 0) => continue,
            (false, _) => "",
            (true, 1) => " file",
            (true, _) => " files",
        };
        parts.push(format!("{count}{files} {word}"));
    }
    if parts.is_empty() {
        parts.push("no file changes".into());
    }
    if let Some(assessment) = &subject.examined.assessment {
        parts.push(format!("risk {} of 100", assessment.risk.score));
        parts.push(format!("quality {}", assessment.quality.overall));
    }
    sheet.row(Row::prose(2).say(parts.join(", ")));
    if let Some(why) = subject.stale {
        sheet.gap();
        let row = Row::prose(0).with(Role::Warning, "out of date");
        let why = visible(why.as_bytes());
        sheet.row(row.say(format!(": {why}; it cannot be approved any more")));
    }
    sheet.part(PartKind::Summary)
}

/// The plan's names, for whoever copies them.
fn names(subject: &Subject<'_>) -> Part {
    titled(PartKind::Names, "Plan", |sheet| {
        let name =
            |label: &str, name: &str| Row::prose(2).say(label).show(Role::Plain, name.as_bytes());
        sheet.row(name("plan_id    ", subject.plan_id));
        sheet.row(name("plan_hash  ", &format!("{}", subject.plan_hash)));
        sheet.rows(subject.proposer.map(|proposer| name("proposer   ", proposer)));
        sheet.rows(subject.expires_in.map(|left| name("expires in ", &time(left))));
    })
}
