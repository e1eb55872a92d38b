//! What differs between two readings of one file.

use std::collections::{BTreeMap, BTreeSet};

use exacta_core::judge::facts::FactKind;

use super::read::Reading;
use crate::excerpt::shorten;

/// A fact about the syntax, the line it is on, and whether that is a line of the image
/// before.
pub(crate) struct Difference {
    pub(crate) line: usize,
    pub(crate) in_before: bool,
    pub(crate) kind: FactKind,
}

/// Complexity and sources that no longer parse.
pub(crate) fn compare(
    before: Option<(&Reading, &str)>,
    after: Option<(&Reading, &str)>,
) -> Vec<Difference> {
    let mut found = Vec::new();
    if let Some(after) = after {
        complexity(before, after, &mut found);
        broken(before, after.0, after.1, &mut found);
    }
    found
}

fn complexity(
    before: Option<(&Reading, &str)>,
    after: (&Reading, &str),
    found: &mut Vec<Difference>,
) {
    let mut old: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    let mut bodies = Bodies::default();
    if let Some((reading, text)) = before {
        for function in &reading.functions {
            let body = text.get(function.bytes.0..function.bytes.1).unwrap_or_default();
            bodies.add(&function.name, body);
            old.entry(&function.name).or_default().push(function.complexity);
        }
    }
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for function in &after.0.functions {
        let nth = seen.entry(&function.name).or_default();
        let body = after.1.get(function.bytes.0..function.bytes.1).unwrap_or_default();
        let previous = old.get(function.name.as_str()).and_then(|all| all.get(*nth)).copied();
        *nth += 1;
        if !bodies.has(&function.name, body) {
            found.push(Difference {
                line: function.line,
                in_before: false,
                kind: FactKind::Complexity {
                    language: after.0.language,
                    function: shorten(&function.name),
                    before: previous.map(count),
                    after: count(function.complexity),
                },
            });
        }
    }
}

/// The functions of the image before. Functions inside functions make the lengths of all
/// bodies add up to far more than the text, so that comparing them has a budget; beyond
/// it a function counts as changed.
#[derive(Default)]
struct Bodies<'t> {
    by_length: BTreeMap<(&'t str, usize), BTreeSet<&'t str>>,
    compared: usize,
}

impl<'t> Bodies<'t> {
    const MOST_COMPARED: usize = 64 << 20;

    fn add(&mut self, name: &'t str, body: &'t str) {
        let same = self.by_length.entry((name, body.len())).or_default();
        self.compared += body.len();
        if self.compared <= Self::MOST_COMPARED {
            same.insert(body);
        }
    }

    fn has(&mut self, name: &str, body: &str) -> bool {
        let Some(same) = self.by_length.get(&(name, body.len())) else { return false };
        self.compared += body.len();
        self.compared <= Self::MOST_COMPARED && same.contains(body)
    }
}

/// The line of a text, from 0, on which it stops being an earlier one.
fn first_changed(old: &str, new: &str) -> usize {
    let same = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new);
    let line = same.filter(|(byte, _)| *byte == b'\n').count();
    // A text that was cut has no such line; its last one is the nearest.
    line.min(new.lines().count().saturating_sub(1))
}

fn count(ways: i64) -> u32 {
    u32::try_from(ways.max(1)).unwrap_or(u32::MAX)
}

fn broken(
    before: Option<(&Reading, &str)>,
    after: &Reading,
    text: &str,
    found: &mut Vec<Difference>,
) {
    use exacta_core::judge::facts::Language;
    let was_sound = before.is_none_or(|(before, _)| before.sound);
    // The parser may call everything up to the mistake broken, from the first line on; what
    // was sound broke no earlier than where the text became another one.
    let changed = before.map_or(0, |(_, old)| first_changed(old, text));
    // Macros make much of C and C++ look broken to a parser that does not expand them.
    let macros = matches!(after.language, Language::C | Language::Cpp);
    let believable = !macros || before.is_some() || after.broken_bytes * 4 > text.len();
    if !after.sound && was_sound && believable {
        found.push(Difference {
            line: after.broken_line.unwrap_or_default().max(changed),
            in_before: false,
            kind: FactKind::SourceUnreadable {
                language: after.language,
                created: before.is_none(),
            },
        });
    }
}
