//! The facts about one step's change of one file.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use exacta_core::judge::facts::{
    Danger, Fact, FactKind, FileRole, Proof, Reason, lock_file, of_path,
};

use crate::class::{Looked, proof};
use crate::detect::{
    Before, Found, Line, LookAlikes, Replaced, SecurityWord, Side, Subject, TestMarks, dangers,
    disabled, look_alike_path, scan,
};
use crate::diff::LineDiff;
use crate::excerpt::excerpt;
use crate::guards::Guards;
use crate::image::Image;
use crate::inspect::whole_file;
use crate::lock::{TIMES_LARGER, lock};
use crate::manifest;
use crate::reference::reference;
use crate::request::{Limits, StepInput};
use crate::syntax::{Allowance, Reading, Surface, Turn, Unread, compare, read, surface};
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
}

impl StepFacts {
    /// What is known without reading.
    pub(crate) fn unread(facts: Vec<Fact>) -> Self {
        Self {
            facts,
            tests: TestNames::default(),
            surface: Surface::default(),
            unfinished: Unfinished::default(),
        }
    }
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

/// Everything about one step.
pub(crate) fn inspect_step(step: &StepInput<'_>, around: &Around, limits: &Limits) -> StepFacts {
    let (created, deleted) = (step.before.is_none(), step.after.is_none());
    let mut facts = of_path(step.step, &step.path, created, deleted);
    let mut add = |kind| facts.push(whole_file(step, kind));
    if !deleted && let Some(resembles) = look_alike_path(&step.path) {
        add(FactKind::LookAlikePath { resembles });
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
    }
}

/// The state of one inspection.
struct Work<'a> {
    step: &'a StepInput<'a>,
    subject: Subject<'a>,
    before_text: &'a str,
    after_text: &'a str,
    before: Vec<&'a str>,
    after: Vec<&'a str>,
    diff: LineDiff,
    /// What a tree tells.
    reading_before: Option<Reading>,
    reading_after: Option<Reading>,
    /// The line that was shown last, and how: many facts are about one line.
    shown: Option<(usize, bool, String)>,
    facts: Vec<Fact>,
    tests: TestNames,
    surface: Surface,
    unfinished: Unfinished,
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
            shown: None,
            facts,
            tests: TestNames::default(),
            surface: Surface::default(),
            unfinished: Unfinished::default(),
        }
    }

    /// A fact on a line of the image after, or before for what was removed.
    fn push(&mut self, line: usize, in_before: bool, kind: FactKind) {
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

    fn push_whole(&mut self, kind: FactKind) {
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
        for one in found {
            self.push(one.line, one.in_before, one.kind);
        }
        self.reading_before = before;
        self.reading_after = after;
    }

    /// What is proven of the change.
    fn proof(&self) -> Proof {
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

    fn lines(&mut self, around: &Around) {
        let (old, new) = (self.before.clone(), self.after.clone());
        let added: BTreeSet<usize> = self.diff.added.iter().copied().collect();
        let mut gone: Vec<Found> = Vec::new();
        let mut come: Vec<Found> = Vec::new();
        // What was a comment or a text counts as new once it is code, although its lines
        // stayed; and code that became one counts as gone.
        let Turned { woken, asleep, wrapped } = self.turned();
        let (read_before, read_after) = (self.reading_before.take(), self.reading_after.take());
        let before_side =
            Side::new(&self.subject, &old, self.before_text, read_before.as_ref(), true);
        let after_side =
            Side::new(&self.subject, &new, self.after_text, read_after.as_ref(), false);
        let mut guards = Guards::new(&self.subject);
        let text_before = Before::new(self.before_text);
        let (mut marks_gone, mut marks_come) = (TestMarks::default(), TestMarks::default());
        let mut alike_old = LookAlikes::new(&old);
        let mut alike_new = LookAlikes::new(&new);
        let removed = std::mem::take(&mut self.diff.removed);
        for index in &removed {
            let Some(line) = Line::of(&before_side, *index) else { continue };
            // What a line does depends on where it stands: in another folder it is new.
            if !self.step.moved {
                scan(&self.subject, &before_side, &line, &mut gone);
                alike_old.detect(&self.subject, &line, &mut gone);
            }
            marks_gone.add(&self.subject, &line);
            guards.see(&before_side, &line);
        }
        if !self.step.moved {
            dangers(&self.subject, &before_side, &removed, &mut gone);
        }
        for index in &asleep {
            let Some(line) = Line::new(&old, *index, false) else { continue };
            marks_gone.add(&self.subject, &line);
            guards.see(&before_side, &line);
        }
        for index in &wrapped {
            let Some(line) = Line::new(&old, *index, false) else { continue };
            guards.see(&before_side, &line);
        }
        let mut fresh_lines: Vec<usize> = self.diff.added.iter().chain(&woken).copied().collect();
        fresh_lines.sort_unstable();
        let places = self.places(&before_side, &after_side);
        for index in &fresh_lines {
            let Some(line) = Line::of(&after_side, *index) else { continue };
            let line = Line { replaced: replaced(&places, *index), ..line };
            scan(&self.subject, &after_side, &line, &mut come);
            alike_new.detect(&self.subject, &line, &mut come);
            marks_come.add(&self.subject, &line);
            come.extend(disabled(&self.subject, &line, &text_before, &|at| added.contains(&at)));
            guards.see(&after_side, &line);
            come.extend(reference(&self.subject, &line).map(|kind| Found::new(&line, kind)));
        }
        dangers(&self.subject, &after_side, &fresh_lines, &mut come);
        let stayed = if self.step.moved { 0..new.len() } else { 0..0 };
        let stayed: Vec<usize> =
            stayed.filter(|index| fresh_lines.binary_search(index).is_err()).collect();
        let mut carried: Vec<Found> = Vec::new();
        for index in &stayed {
            let Some(line) = Line::of(&after_side, *index) else { continue };
            scan(&self.subject, &after_side, &line, &mut carried);
            guards.see(&after_side, &line);
            carried.extend(reference(&self.subject, &line).map(|kind| Found::new(&line, kind)));
        }
        dangers(&self.subject, &after_side, &stayed, &mut carried);
        come.extend(carried.into_iter().filter(|found| !is_unfinished(&found.kind)));
        if !self.step.moved
            && let (Some(before), Some(after)) = (&read_before, &read_after)
            && before.lines.same_code(self.before_text, &after.lines, self.after_text)
        {
            guards.forget();
        }
        // A module of tests that opens or closes is no test yet.
        let opens = |line: &str| line.trim() == "}" || line.trim().starts_with("mod ");
        let tested = |index: &&usize| {
            after_side.is_test(**index)
                && !after_side.is_comment(**index)
                && new.get(**index).is_some_and(|line| !opens(line))
        };
        // In a file of tests the path tells.
        let beside = if self.subject.test { None } else { self.diff.added.iter().find(tested) };
        come.extend(beside.map(|index| Found::at(*index, FactKind::TestsTouched {})));
        let guarded = guards.facts(&[after_side, before_side], around.project);
        self.diff.removed = removed;
        let (come, left) = fresh(gone, come);
        self.unfinished = Unfinished::of(left, &come, read_after.as_ref(), self.after_text);
        for found in come {
            self.push(found.index, false, found.kind);
        }
        for (place, kind) in guarded {
            match place {
                Some((line, in_before)) => self.push(line, in_before, kind),
                None => self.push_whole(kind),
            }
        }
        self.tests = TestNames {
            first_removed: marks_gone.names.first().map(|(line, _)| *line),
            added: marks_come.names.into_iter().map(|(_, name)| name).collect(),
            removed: marks_gone.names.into_iter().map(|(_, name)| name).collect(),
        };
    }

    /// Lines that stayed and mean something else by what is written around them.
    fn turned(&self) -> Turned {
        let mut turned = Turned::default();
        let (Some(before), Some(after)) = (&self.reading_before, &self.reading_after) else {
            return turned;
        };
        let (before, after) = (&before.lines, &after.lines);
        let (live_before, live_after) = (before.live(), after.live());
        let counts = |live: &[bool], line: usize| live.get(line).copied().unwrap_or_default();
        for (was, is) in self.diff.stayed(self.before.len(), self.after.len()) {
            match (counts(&live_before, was), counts(&live_after, is)) {
                (false, true) => turned.woken.push(is),
                (true, false) => turned.asleep.push(was),
                (true, true) => match before.conditions.turn(was, &after.conditions, is) {
                    Turn::Same => {}
                    Turn::Wrapped => turned.wrapped.push(was),
                    // The same line as before, and another one.
                    Turn::Exchanged => {
                        turned.woken.push(is);
                        turned.asleep.push(was);
                    }
                },
                _ => {}
            }
        }
        turned
    }

    /// The lines of the image after that stand in the place of others, with how much code
    /// went and came there.
    fn places(&self, before: &Side<'_>, after: &Side<'_>) -> Vec<(Range<usize>, Replaced)> {
        let code = |side: &Side<'_>, lines: &Range<usize>| {
            lines.clone().filter(|line| !side.is_comment(*line)).count()
        };
        let hunks = self.diff.hunks.iter();
        hunks
            .map(|hunk| {
                let gone = code(before, &hunk.before);
                (hunk.after.clone(), Replaced { gone, come: code(after, &hunk.after) })
            })
            .collect()
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

/// Lines that stayed, by what became of them.
#[derive(Default)]
struct Turned {
    /// Lines of the image after that are code now.
    woken: Vec<usize>,
    /// Lines of the image before that are code no more.
    asleep: Vec<usize>,
    /// Lines of the image before that are code on one more condition.
    wrapped: Vec<usize>,
}

fn kept(reading: Result<Option<Reading>, Unread>) -> Option<Reading> {
    reading.ok().flatten()
}

/// Whether the fact is about work to be done, which stays as it was wherever the file goes.
fn is_unfinished(kind: &FactKind) -> bool {
    matches!(
        kind,
        FactKind::PlaceholderAdded { .. }
            | FactKind::TodoNote { .. }
            | FactKind::ExampleValue { .. }
    )
}

/// What the place of a line was.
fn replaced(places: &[(Range<usize>, Replaced)], index: usize) -> Replaced {
    let before = places.partition_point(|(lines, _)| lines.start <= index);
    let place = places.get(..before).and_then(<[_]>::last);
    place.filter(|(lines, _)| lines.contains(&index)).map(|(_, all)| *all).unwrap_or_default()
}

/// What came without having been there before, also when it only moved. What stood in a
/// text or a test takes nothing from live code. Also what went and did not come back.
fn fresh(gone: Vec<Found>, come: Vec<Found>) -> (Vec<Found>, Vec<(FactKind, usize)>) {
    let mut before: BTreeMap<(FactKind, String), [usize; 2]> = BTreeMap::new();
    for found in gone {
        let [live, dormant] = before.entry((found.kind, found.key)).or_default();
        *(if found.dormant { dormant } else { live }) += 1;
    }
    let mut fresh = Vec::new();
    let mut told: BTreeSet<(usize, Option<Danger>)> = BTreeSet::new();
    for found in come {
        match before.get_mut(&(found.kind.clone(), found.key.clone())) {
            Some([_, dormant]) if *dormant > 0 && found.dormant => *dormant -= 1,
            Some([live, _]) if *live > 0 => *live -= 1,
            _ => {
                // One line does one thing, however often it says so.
                let repeated = match &found.kind {
                    FactKind::DangerousPattern { danger, .. } => {
                        !told.insert((found.index, Some(*danger)))
                    }
                    FactKind::CertificateChecksOff { .. } => !told.insert((found.index, None)),
                    _ => false,
                };
                if !repeated {
                    fresh.push(found);
                }
            }
        }
    }
    let left = before.into_iter().map(|((kind, _), [live, dormant])| (kind, live + dormant));
    (fresh, left.filter(|(_, count)| *count > 0).collect())
}
