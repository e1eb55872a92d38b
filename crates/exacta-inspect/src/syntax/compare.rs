//! What differs between two readings of one file.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use exacta_core::facts::FactKind;

use super::item::Item;
use super::read::Reading;
use crate::excerpt::shorten;

/// A fact about the syntax, the line it is on, and whether that is a line of the image
/// before.
pub(crate) struct Difference {
    pub(crate) line: usize,
    pub(crate) in_before: bool,
    pub(crate) kind: FactKind,
}

/// Breaking changes and complexity. `public` says whether others may use the file.
pub(crate) fn compare(
    before: Option<(&Reading, &str)>,
    after: Option<(&Reading, &str)>,
    public: bool,
) -> Vec<Difference> {
    let mut found = Vec::new();
    if public && let Some((before, _)) = before {
        let none = Vec::new();
        items(before, after.map_or(&none, |(after, _)| &after.items), &mut found);
    }
    if let Some(after) = after {
        complexity(before, after, &mut found);
        broken(before.map(|(reading, _)| reading), after.0, after.1, &mut found);
    }
    found
}

type ByName<'r> = BTreeMap<&'r str, Vec<&'r Item>>;

/// Overloads beyond this many are not compared.
const OVERLOADS: usize = 64;

fn by_name(items: &[Item]) -> ByName<'_> {
    let mut map = ByName::new();
    for item in items {
        let list = map.entry(&item.name).or_default();
        if list.len() < OVERLOADS {
            list.push(item);
        }
    }
    map
}

fn items(before: &Reading, after: &[Item], found: &mut Vec<Difference>) {
    let old = by_name(&before.items);
    let new = by_name(after);
    let mut successors: BTreeMap<String, VecDeque<&str>> = BTreeMap::new();
    for item in after.iter().filter(|item| !old.contains_key(item.name.as_str())) {
        successors.entry(shape_and_place(item)).or_default().push_back(&item.name);
    }
    let mut gone: BTreeSet<&str> = BTreeSet::new();
    for (name, items) in &old {
        let Some(first) = items.first() else { continue };
        if let Some(now) = new.get(name) {
            changed(before, items, now, found);
            continue;
        }
        gone.insert(name);
        let handed_on =
            |parent| new.get(parent).is_some_and(|now| now.iter().any(|item| item.handed_on()));
        if parents(name).any(|parent| gone.contains(parent) || handed_on(parent)) {
            continue;
        }
        let renamed_to = successors.get_mut(&shape_and_place(first)).and_then(VecDeque::pop_front);
        found.push(Difference {
            line: first.line,
            in_before: true,
            kind: FactKind::PublicRemoved {
                language: before.language,
                item: first.sort.to_owned(),
                name: one_line(name),
                renamed_to: renamed_to.map(one_line),
            },
        });
    }
}

fn one_line(name: &str) -> String {
    shorten(&name.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The names of what `name` is inside of, outermost first.
fn parents(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices(['.', ':']).filter_map(|(at, _)| name.get(..at))
}

/// Equal for two items of which only the name differs.
fn shape_and_place(item: &Item) -> String {
    let place = item.name.rfind(['.', ':']).and_then(|at| item.name.get(..at)).unwrap_or_default();
    format!("{} {place} {}", item.sort, item.signature())
}

fn changed(before: &Reading, old: &[&Item], new: &[&Item], found: &mut Vec<Difference>) {
    let lost: Vec<&&Item> = old
        .iter()
        .filter(|old| {
            !new.iter().any(|new| {
                old.sort == new.sort && old.shape == new.shape && old.parameters == new.parameters
            })
        })
        .collect();
    let Some(old) = lost.first() else { return };
    let closest = new
        .iter()
        .find(|new| old.fits(new))
        .or_else(|| new.iter().rfind(|new| new.sort == old.sort))
        .or_else(|| new.last());
    let Some(now) = closest else { return };
    // A re-export that became the thing itself, or the other way round, keeps its name.
    if old.handed_on() != now.handed_on() {
        return;
    }
    found.push(Difference {
        line: now.line,
        in_before: false,
        kind: FactKind::PublicSignature {
            language: before.language,
            item: now.sort.to_owned(),
            name: one_line(&now.name),
            from: shorten(&old.signature()),
            to: shorten(&now.signature()),
            compatible: lost.iter().all(|old| new.iter().any(|new| old.fits(new))),
        },
    });
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

fn count(ways: i64) -> u32 {
    u32::try_from(ways.max(1)).unwrap_or(u32::MAX)
}

fn broken(before: Option<&Reading>, after: &Reading, text: &str, found: &mut Vec<Difference>) {
    use exacta_core::facts::Language;
    let was_sound = before.is_none_or(|before| before.sound);
    // Macros make much of C and C++ look broken to a parser that does not expand them.
    let macros = matches!(after.language, Language::C | Language::Cpp);
    let believable = !macros || before.is_some() || after.broken_bytes * 4 > text.len();
    if !after.sound && was_sound && believable {
        found.push(Difference {
            line: 0,
            in_before: false,
            kind: FactKind::SourceUnreadable {
                language: after.language,
                created: before.is_none(),
            },
        });
    }
}
