//! What the changed lines of one file say, each where it stands.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use exacta_core::judge::facts::{Danger, FactKind};

use crate::detect::{
    Before, Found, Line, LookAlikes, Replaced, Side, TestMarks, dangers, disabled, scan,
};
use crate::guards::Guards;
use crate::reference::reference;
use crate::settings::{Look, look};
use crate::step::{Around, TestNames, Work};
use crate::syntax::Turn;
use crate::unfinished::Unfinished;

impl Work<'_> {
    pub(crate) fn lines(&mut self, around: &Around) {
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
        self.diff.removed = removed;
        let told = look(&Look {
            subject: &self.subject,
            before: &before_side,
            after: &after_side,
            diff: &self.diff,
            existed: self.step.before.is_some(),
            deleted: self.step.after.is_none(),
            readings: (read_before.as_ref(), read_after.as_ref()),
        });
        let guarded = guards.facts(&[after_side, before_side], around.project);
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
        for one in told {
            match one.line {
                Some(line) => self.push(line, one.in_before, one.kind),
                None => self.push_whole(one.kind),
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
