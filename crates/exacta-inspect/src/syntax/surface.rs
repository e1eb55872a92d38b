//! What a file hands out before and after, and what becomes of names over a whole plan.
//!
//! A step is judged by its own images, with one exception: a name that leaves one file and
//! arrives in another under which users find it all the same is not gone. Which files those
//! are depends on the language: those of one package in Go and Java, everything that is
//! linked in C, and elsewhere a module of which the first one hands everything on. So what
//! is gone is kept until every step was read.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use exacta_core::judge::facts::{FactKind, Language};
use exacta_core::model::path::RelPath;

use super::compare::Difference;
use super::item::Item;
use super::read::Reading;
use super::successor::successors;
use crate::excerpt::shorten;

type ByName<'r> = BTreeMap<&'r str, Vec<&'r Item>>;

/// Overloads beyond this many are not compared.
const OVERLOADS: usize = 64;

/// The names that a step takes from a file and those it brings.
#[derive(Default)]
pub(crate) struct Surface {
    gone: Vec<Gone>,
    come: Vec<Item>,
    /// What makes names of two files one name; `None` where nothing does.
    home: Option<String>,
    /// What other files call this one.
    module: String,
    /// Modules of which the file hands everything on.
    open: Vec<String>,
}

/// A name that is not in the file any more.
struct Gone {
    language: Language,
    name: String,
    items: Vec<Item>,
    renamed_to: Option<String>,
    excerpt: String,
}

/// A fact about a line of the image before.
pub(crate) struct Told {
    pub(crate) line: usize,
    pub(crate) excerpt: String,
    pub(crate) kind: FactKind,
}

fn by_name<'r>(items: impl Iterator<Item = &'r Item>) -> ByName<'r> {
    let mut map = ByName::new();
    for item in items {
        let list = map.entry(&item.name).or_default();
        if list.len() < OVERLOADS {
            list.push(item);
        }
    }
    map
}

/// Compares what two images of a file that others build on hand out. `moved` says whether
/// the file was in another folder before, `excerpt` what a line of the image before says.
/// Each reading comes with the text that was read.
pub(crate) fn surface(
    path: &RelPath,
    moved: bool,
    (before, before_text): (Option<&Reading>, &str),
    (after, after_text): (Option<&Reading>, &str),
    excerpt: &dyn Fn(usize) -> String,
    found: &mut Vec<Difference>,
) -> Surface {
    let none = Vec::new();
    let (was, is) = (
        before.map_or(&none, |reading| &reading.items),
        after.map_or(&none, |reading| &reading.items),
    );
    let ended = before.zip(after).is_some_and(|(before, after)| {
        package(path, moved, before, after, found) && after.items.is_empty()
    });
    let known: BTreeSet<&str> = was.iter().map(|item| item.name.as_str()).collect();
    let come = is.iter().filter(|item| !known.contains(item.name.as_str())).cloned().collect();
    let gone = match before {
        Some(before) if !ended => gone((before, before_text), (is, after_text), excerpt, found),
        _ => Vec::new(),
    };
    let reading = after.or(before);
    Surface {
        gone,
        come,
        home: reading.and_then(|reading| home(path, reading)),
        module: module_name(path.as_str()),
        open: after.map(|reading| reading.open.clone()).unwrap_or_default(),
    }
}

fn gone(
    (before, before_text): (&Reading, &str),
    (after, after_text): (&[Item], &str),
    excerpt: &dyn Fn(usize) -> String,
    found: &mut Vec<Difference>,
) -> Vec<Gone> {
    let old = by_name(before.items.iter().filter(|item| !item.quiet));
    let new = by_name(after.iter());
    let mut lost: Vec<(&Item, &Vec<&Item>)> = Vec::new();
    for (name, items) in &old {
        let Some(first) = items.first() else { continue };
        if let Some(now) = new.get(name) {
            let told = changed(before.language, items, now);
            found.extend(told.map(|(line, kind)| Difference { line, in_before: false, kind }));
            continue;
        }
        let handed_on =
            |parent| new.get(parent).is_some_and(|now| now.iter().any(|item| item.handed_on()));
        if parents(name).any(handed_on) || first.is_told_by(&old, &new) {
            continue;
        }
        lost.push((first, items));
    }
    let come: Vec<&Item> =
        after.iter().filter(|item| !item.quiet && !old.contains_key(item.name.as_str())).collect();
    let firsts: Vec<&Item> = lost.iter().map(|(first, _)| *first).collect();
    let renamed = successors(&firsts, &come, before_text, after_text);
    lost.into_iter()
        .map(|(first, items)| Gone {
            language: before.language,
            name: first.name.clone(),
            items: items.iter().map(|item| (*item).clone()).collect(),
            renamed_to: renamed.get(first.name.as_str()).map(|name| one_line(name)),
            excerpt: excerpt(first.line),
        })
        .collect()
}

impl Item {
    /// Whether a name on a list of what is public says nothing that is not said elsewhere:
    /// the thing itself is gone too, or there is no such list any more.
    fn is_told_by(&self, old: &ByName<'_>, new: &ByName<'_>) -> bool {
        let Some((list, name)) = self.name.split_once('.') else { return self.sort == "list" };
        self.sort == "listed name"
            && (!new.contains_key(list) || old.contains_key(name) && !new.contains_key(name))
    }
}

/// Whether the file belongs to another package now, which is told once for the whole file.
fn package(
    path: &RelPath,
    moved: bool,
    before: &Reading,
    after: &Reading,
    found: &mut Vec<Difference>,
) -> bool {
    let (Some((name, _)), Some((now, line))) = (&before.package, &after.package) else {
        return false;
    };
    // A package of Go is its folder.
    let elsewhere = moved && before.language == Language::Go;
    let to = if elsewhere { path.ancestors().next().unwrap_or(".") } else { now.as_str() };
    if before.items.is_empty() || name.is_empty() || !elsewhere && to == name {
        return false;
    }
    found.push(Difference {
        line: *line,
        in_before: false,
        kind: FactKind::PublicRemoved {
            language: before.language,
            item: "package".to_owned(),
            name: one_line(name),
            renamed_to: Some(one_line(to)),
        },
    });
    true
}

/// What two files share when a name in one is the same name in the other.
fn home(path: &RelPath, reading: &Reading) -> Option<String> {
    let package = reading.package.as_ref().map(|(name, _)| name.as_str());
    match reading.language {
        Language::Go => {
            let folder = path.ancestors().next().unwrap_or_default();
            Some(format!("go {folder}\n{}", package.unwrap_or_default()))
        }
        Language::Java => Some(format!("java {}", package.unwrap_or_default())),
        // What is not in a header is found by the linker.
        Language::C | Language::Cpp => {
            let ending = path.name().rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
            ending.is_some_and(|ending| ending.starts_with('c')).then(|| "c".to_owned())
        }
        _ => None,
    }
}

/// What a module is called where others hand it on: by its file, or by its folder when the
/// file stands for it. Headers are called by their whole name.
pub(super) fn module_name(path: &str) -> String {
    let mut parts = path.trim_matches(['"', '\'', '<', '>']).rsplit('/');
    let file = parts.next().unwrap_or_default();
    let (stem, ending) = file.split_once('.').unwrap_or((file, ""));
    match stem {
        _ if ending.starts_with('h') => file.to_owned(),
        "index" | "mod" | "__init__" => parts.next().unwrap_or_default().to_owned(),
        _ => stem.to_owned(),
    }
}

/// What is gone in the end of each step, once all of them were read.
pub(crate) fn meet(surfaces: &[Surface]) -> Vec<Vec<Told>> {
    let mut at_home: BTreeMap<(&str, &str), VecDeque<Vec<&Item>>> = BTreeMap::new();
    let mut in_module: BTreeMap<(&str, &str), Vec<&Item>> = BTreeMap::new();
    for surface in surfaces {
        for (name, items) in by_name(surface.come.iter()) {
            // What a type can do may be said in any file.
            let anywhere = items.iter().any(|item| item.sort == "implementation");
            let home = if anywhere { Some("") } else { surface.home.as_deref() };
            if let Some(home) = home {
                at_home.entry((home, name)).or_default().push_back(items.clone());
            }
            in_module.entry((&surface.module, name)).or_default().extend(items);
        }
    }
    let mut told = Vec::with_capacity(surfaces.len());
    for surface in surfaces {
        let mut lost: BTreeSet<&str> = BTreeSet::new();
        let mut of_step = Vec::new();
        for gone in &surface.gone {
            let items: Vec<&Item> = gone.items.iter().collect();
            let Some(first) = items.first() else { continue };
            let home =
                if first.sort == "implementation" { Some("") } else { surface.home.as_deref() };
            let arrived = home
                .and_then(|home| at_home.get_mut(&(home, gone.name.as_str()))?.pop_front())
                .or_else(|| {
                    surface.open.iter().find_map(|module| {
                        in_module.get(&(module.as_str(), gone.name.as_str())).cloned()
                    })
                });
            let kind = if let Some(arrived) = arrived {
                changed(gone.language, &items, &arrived).map(|(_, kind)| kind)
            } else {
                let known = parents(&gone.name).any(|parent| lost.contains(parent));
                lost.insert(&gone.name);
                (!known).then(|| FactKind::PublicRemoved {
                    language: gone.language,
                    item: first.sort.to_owned(),
                    name: one_line(&gone.name),
                    renamed_to: gone.renamed_to.clone(),
                })
            };
            of_step.extend(kind.map(|kind| Told {
                line: first.line,
                excerpt: gone.excerpt.clone(),
                kind,
            }));
        }
        told.push(of_step);
    }
    told
}

fn one_line(name: &str) -> String {
    shorten(&name.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The names of what `name` is inside of, outermost first.
fn parents(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices(['.', ':']).filter_map(|(at, _)| name.get(..at))
}

/// Whether what has a name is another thing now, and the line of what it is now.
fn changed(language: Language, old: &[&Item], new: &[&Item]) -> Option<(usize, FactKind)> {
    let lost: Vec<&&Item> = old.iter().filter(|old| !new.iter().any(|new| old.same(new))).collect();
    let old = lost.first()?;
    let now = new
        .iter()
        .find(|new| old.fits(new))
        .or_else(|| new.iter().rfind(|new| new.sort == old.sort))
        .or_else(|| new.last())?;
    // A re-export that became the thing itself, or the other way round, keeps its name.
    if old.handed_on() != now.handed_on() {
        return None;
    }
    let (mut from, mut to) = (old.signature(), now.signature());
    if from == to {
        (from, to) = (old.bonds(), now.bonds());
    }
    let kind = FactKind::PublicSignature {
        language,
        item: now.sort.to_owned(),
        name: one_line(&now.name),
        from: shorten(&from),
        to: shorten(&to),
        compatible: lost.iter().all(|old| new.iter().any(|new| old.fits(new))),
    };
    Some((now.line, kind))
}
