//! The facts about one step's change of one file.

use std::collections::{BTreeMap, BTreeSet};

use exacta_core::judge::facts::{Fact, FactKind, FileRole, Proof, Reason, lock_file, of_path};

use crate::class::{Looked, proof};
use crate::detect::{SecurityWord, Subject, look_alike_path, shadows};
use crate::diff::LineDiff;
use crate::excerpt::excerpt;
use crate::image::Image;
use crate::inspect::whole_file;
use crate::lock::{TIMES_LARGER, lock};
use crate::manifest;
use crate::request::{Limits, StepInput};
use crate::syntax::{Allowance, Reading, Surface, Unread, compare, read, surface, unknown, weigh};
use crate::unfinished::Unfinished;

/// So many lines, and so much of each, may say that a program wrote the file.
const HEADER_LINES: usize = 20;
const HEADER_WIDTH: usize = 200;
/// A file is long from this many lines on.
const LONG: usize = 100;
/// From so many lines on it matters when next to nothing is left,
const SHORT: usize = 20;
/// which is one line of so many.
const REMNANT: usize = 10;

/// What was found, and what only the whole plan can judge.
pub(crate) struct StepFacts {
    pub(crate) facts: Vec<Fact>,
    pub(crate) tests: TestNames,
    pub(crate) surface: Surface,
    pub(crate) unfinished: Unfinished,
    pub(crate) names: Names,
}

impl StepFacts {
    /// What is known without reading.
    pub(crate) fn unread(facts: Vec<Fact>) -> Self {
        Self {
            facts,
            tests: TestNames::default(),
            surface: Surface::default(),
            unfinished: Unfinished::default(),
            names: Names::default(),
        }
    }
}

/// Names that the code of an image newly uses, and those that it defines.
#[derive(Default)]
pub(crate) struct Names {
    pub(crate) used: Vec<(String, usize)>,
    pub(crate) defined: Vec<String>,
}

/// What is known beyond the step's own file.
pub(crate) struct Around {
    /// The security word that the project's manifest uses of the project.
    pub(crate) project: Option<SecurityWord>,
    /// What repairing broken sources may still take.
    pub(crate) allowance: Allowance,
}

/// Tests whose first line was added or removed.
#[derive(Default)]
pub(crate) struct TestNames {
    pub(crate) added: Vec<String>,
    pub(crate) removed: Vec<String>,
    pub(crate) first_removed: Option<usize>,
}

impl TestNames {
    /// Removed tests beyond those that came in their place in the same file.
    pub(crate) fn lost(&self) -> Vec<String> {
        let mut added: BTreeMap<&str, usize> = BTreeMap::new();
        for name in &self.added {
            *added.entry(name).or_default() += 1;
        }
        let mut lost: Vec<String> = Vec::new();
        for name in &self.removed {
            match added.get_mut(name.as_str()) {
                Some(count) if *count > 0 => *count -= 1,
                _ => lost.push(name.clone()),
            }
        }
        // What is left of `added` are tests with other names: renamed ones.
        let renamed: usize = added.values().sum();
        lost.truncate(lost.len().saturating_sub(renamed));
        lost
    }
}

/// Whether a text says in its first comments that a program wrote it and nobody should
/// change it.
fn says_generated(text: &str) -> bool {
    const MARKS: &[&str] = &["//", "#", "/*", "*", "--", ";", "<!--", "\"\"\"", "%", "'"];
    let comments = text
        .lines()
        .take(HEADER_LINES)
        .map(|line| line.get(..HEADER_WIDTH).unwrap_or(line).trim_start())
        .filter(|line| MARKS.iter().any(|mark| line.starts_with(mark)));
    let (mut made, mut kept) = (false, false);
    for line in comments.map(str::to_lowercase) {
        if line.split_whitespace().any(|word| word == "@generated") {
            return true;
        }
        made |= line.contains("generated");
        kept |= ["do not edit", "do not modify", "don't edit"].iter().any(|no| line.contains(no));
    }
    made && kept
}

/// A name as it is defined and as it is called: with what it is a part of, and without.
fn names_of(name: &str) -> BTreeSet<String> {
    let own = name.rsplit([':', '.']).next().unwrap_or(name);
    BTreeSet::from([name.to_owned(), own.to_owned()])
}

/// Everything about one step.
pub(crate) fn inspect_step(step: &StepInput<'_>, around: &Around, limits: &Limits) -> StepFacts {
    let (created, deleted) = (step.before.is_none(), step.after.is_none());
    let mut facts = of_path(step.step, &step.path, created, deleted);
    let mut add = |kind| facts.push(whole_file(step, kind));
    if !deleted && let Some(resembles) = look_alike_path(&step.path) {
        add(FactKind::LookAlikePath { resembles });
    }
    if created && let Some(resembles) = shadows(&step.path) {
        facts.push(whole_file(step, FactKind::LookAlikePath { resembles }));
    }
    let has =
        |facts: &[Fact], test: fn(&FactKind) -> bool| facts.iter().any(|fact| test(&fact.kind));
    let locked = lock_file(&step.path);
    let times = if locked.is_some() { TIMES_LARGER } else { 1 };
    let most = limits.file_bytes.saturating_mul(times);
    let too_large = |bytes: Option<&[u8]>| bytes.is_some_and(|bytes| bytes.len() > most);
    if too_large(step.before) || too_large(step.after) {
        facts.push(whole_file(step, FactKind::NotAnalysed { reason: Reason::TooLarge }));
        return StepFacts::unread(facts);
    }
    let before = step.before.map(Image::read);
    let after = step.after.map(Image::read);
    if matches!(before, Some(None)) || matches!(after, Some(None)) {
        facts.push(whole_file(step, FactKind::OpaqueCode { sign: "binary".to_owned() }));
        if has(&facts, |kind| {
            matches!(
                kind,
                FactKind::HasRole { role: FileRole::Source | FileRole::Test }
                    | FactKind::ManifestChanged { .. }
            )
        }) {
            facts.push(whole_file(step, FactKind::NotAnalysed { reason: Reason::NotText }));
        }
        return StepFacts::unread(facts);
    }
    let (before, after) = (before.flatten(), after.flatten());
    if let Some(ecosystem) = locked {
        let found = after
            .as_ref()
            .map(|after| lock(&Subject::with(&step.path, ""), ecosystem, before.as_ref(), after));
        let lines = after.as_ref().map(Image::lines).unwrap_or_default();
        facts.extend(found.into_iter().flatten().map(|one| {
            let text = lines.get(one.index).copied().unwrap_or_default();
            let line = u32::try_from(one.index + 1).ok();
            Fact { line, excerpt: excerpt(text), ..whole_file(step, one.kind) }
        }));
        facts.push(whole_file(step, FactKind::Proven { proof: Proof::Read, lines: 1 }));
        return StepFacts::unread(facts);
    }
    if before.as_ref().is_some_and(|before| says_generated(before.text())) {
        facts.push(whole_file(step, FactKind::HasRole { role: FileRole::Generated }));
    }
    let mut work = Work::new(step, before.as_ref(), after.as_ref(), facts);
    work.syntax(&around.allowance);
    let proven = work.proof();
    work.manifests();
    work.lines(around);
    work.removal();
    work.proven(proven);
    StepFacts {
        facts: work.facts,
        tests: work.tests,
        surface: work.surface,
        unfinished: work.unfinished,
        names: work.names,
    }
}

/// The state of one inspection.
pub(crate) struct Work<'a> {
    pub(crate) step: &'a StepInput<'a>,
    pub(crate) subject: Subject<'a>,
    pub(crate) before_text: &'a str,
    pub(crate) after_text: &'a str,
    pub(crate) before: Vec<&'a str>,
    pub(crate) after: Vec<&'a str>,
    pub(crate) diff: LineDiff,
    /// What a tree tells.
    pub(crate) reading_before: Option<Reading>,
    pub(crate) reading_after: Option<Reading>,
    /// What is proven, once the trees were read.
    proof: Option<Proof>,
    /// The line that was shown last, and how: many facts are about one line.
    shown: Option<(usize, bool, String)>,
    facts: Vec<Fact>,
    pub(crate) tests: TestNames,
    surface: Surface,
    pub(crate) unfinished: Unfinished,
    names: Names,
}

impl<'a> Work<'a> {
    fn new(
        step: &'a StepInput<'a>,
        before: Option<&'a Image<'a>>,
        after: Option<&'a Image<'a>>,
        facts: Vec<Fact>,
    ) -> Self {
        let before_lines = before.map(Image::lines).unwrap_or_default();
        let after_lines = after.map(Image::lines).unwrap_or_default();
        let diff = LineDiff::of(&before_lines, &after_lines);
        Self {
            step,
            subject: Subject::with(
                &step.path,
                after_lines.first().or(before_lines.first()).copied().unwrap_or_default(),
            ),
            before_text: before.map(Image::text).unwrap_or_default(),
            after_text: after.map(Image::text).unwrap_or_default(),
            before: before_lines,
            after: after_lines,
            diff,
            reading_before: None,
            reading_after: None,
            proof: None,
            shown: None,
            facts,
            tests: TestNames::default(),
            surface: Surface::default(),
            unfinished: Unfinished::default(),
            names: Names::default(),
        }
    }

    /// A fact on a line of the image after, or before for what was removed.
    pub(crate) fn push(&mut self, line: usize, in_before: bool, kind: FactKind) {
        let image = if in_before { &self.before } else { &self.after };
        let excerpt = match &self.shown {
            Some((known, side, excerpt)) if (*known, *side) == (line, in_before) => excerpt.clone(),
            _ => image.get(line).map(|text| excerpt(text)).unwrap_or_default(),
        };
        self.shown = Some((line, in_before, excerpt.clone()));
        self.facts.push(Fact {
            step: self.step.step.to_owned(),
            path: self.step.path.clone(),
            line: u32::try_from(line + 1).ok(),
            excerpt,
            kind,
        });
    }

    pub(crate) fn push_whole(&mut self, kind: FactKind) {
        self.facts.push(whole_file(self.step, kind));
    }

    fn syntax(&mut self, allowance: &Allowance) {
        let Some(language) = self.subject.language else { return };
        let (before, after) = read(
            language,
            &self.step.path,
            self.step.before.map(|_| self.before_text),
            self.step.after.map(|_| self.after_text),
            allowance,
        );
        if before.is_err() || after.is_err() {
            self.push_whole(FactKind::NotAnalysed { reason: Reason::ParserBudget });
        }
        let (before, after) = (kept(before), kept(after));
        let mut found = compare(
            before.as_ref().map(|reading| (reading, self.before_text)),
            after.as_ref().map(|reading| (reading, self.after_text)),
        );
        // A file that cannot be read any more is not a file whose items are gone.
        if self.subject.public() && (after.is_some() || self.step.after.is_none()) {
            let line = |row: usize| self.before.get(row).map(|text| excerpt(text));
            self.surface = surface(
                &self.step.path,
                self.step.moved,
                (before.as_ref(), self.before_text),
                (after.as_ref(), self.after_text),
                &|row| line(row).unwrap_or_default(),
                &mut found,
            );
        }
        let (effects_before, effects_after) =
            (before.as_ref().map(|one| &one.effects), after.as_ref().map(|one| &one.effects));
        let mut weighed = weigh(effects_before, effects_after, self.before_text, self.subject.test);
        if let Some(after) = effects_after {
            self.names = Names {
                used: unknown(language, effects_before, self.before_text, after),
                defined: after.defines.iter().flat_map(|name| names_of(name)).collect(),
            };
        }
        self.reading_before = before;
        self.reading_after = after;
        let proof = self.proof();
        self.proof = Some(proof);
        // What is called by the name of a local is called as before under another one.
        if proof == Proof::Locals {
            weighed.clear();
            self.names.used.clear();
        }
        for one in found.into_iter().chain(weighed) {
            self.push(one.line, one.in_before, one.kind);
        }
    }

    /// What is proven of the change.
    fn proof(&self) -> Proof {
        if let Some(known) = self.proof {
            return known;
        }
        let read = self.subject.language.is_some();
        proof(&Looked {
            path: &self.step.path,
            before: self.step.before,
            after: self.step.after,
            before_text: self.before_text,
            after_text: self.after_text,
            old: &self.before,
            lines: &self.after,
            diff: &self.diff,
            trees: self.reading_after.as_ref().map(|reading| reading.proof).filter(|_| read),
            read: read || manifest::is_manifest(&self.step.path),
            sound: self.reading_after.as_ref().is_some_and(|reading| reading.sound),
            moved: self.step.moved,
        })
    }

    fn proven(&mut self, proof: Proof) {
        let lines: usize =
            self.diff.hunks.iter().map(|hunk| hunk.before.len() + hunk.after.len()).sum();
        let lines = u32::try_from(lines).unwrap_or(u32::MAX);
        self.push_whole(FactKind::Proven { proof, lines });
    }

    fn manifests(&mut self) {
        let before = self.step.before.map(|_| self.before_text);
        let after = self.step.after.map(|_| self.after_text);
        for one in manifest::compare(&self.step.path, before, after) {
            match one.line {
                Some(line) => self.push(line, one.in_before, one.kind),
                None => self.push_whole(one.kind),
            }
        }
    }

    /// A rewrite is not a removal: what matters is what is missing in the end.
    fn removal(&mut self) {
        let (total, now) = (self.before.len(), self.after.len());
        let removed = self.diff.removed.len();
        let most = total >= LONG && removed * 2 > total && now * 2 < total;
        let nearly_all = total >= SHORT && now * REMNANT <= total;
        if self.step.after.is_some() && (most || nearly_all) {
            self.push_whole(FactKind::LargeRemoval {
                removed: u32::try_from(removed).unwrap_or(u32::MAX),
                total: u32::try_from(total).unwrap_or(u32::MAX),
            });
        }
    }
}

fn kept(reading: Result<Option<Reading>, Unread>) -> Option<Reading> {
    reading.ok().flatten()
}
