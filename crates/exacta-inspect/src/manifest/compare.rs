//! What a manifest asks for now that it did not ask for before.

use exacta_core::judge::facts::{Ecosystem, FactKind, Language, Reason};
use exacta_core::model::path::RelPath;

use super::gitmodules;
use super::model::{Dependency, Manifest, Script};
use super::readers::reader;
use super::requirements::HASH;
use super::resembles::resembles;
use super::version::step;
use crate::detect::mask_secrets;
use crate::excerpt::{shorten, visible};

/// A difference and where it is.
pub(crate) struct Difference {
    pub(crate) line: Option<usize>,
    pub(crate) in_before: bool,
    pub(crate) kind: FactKind,
}

/// Compares the two texts of the manifest at `path`; nothing when it is none.
pub(crate) fn compare(
    path: &RelPath,
    before: Option<&str>,
    after: Option<&str>,
) -> Vec<Difference> {
    let mut found = Vec::new();
    if path.name().eq_ignore_ascii_case(".gitmodules") {
        submodules(before.unwrap_or_default(), after.unwrap_or_default(), &mut found);
    }
    let Some((ecosystem, read)) = reader(path) else { return found };
    let read = |text: &str| read(text.strip_prefix('\u{feff}').unwrap_or(text));
    let old = before.map_or_else(|| Ok(Manifest::default()), read);
    let new = after.map_or_else(|| Ok(Manifest::default()), read);
    match (old, new) {
        // It was so before: nobody knows what changed in it.
        (Err(_), Err(_)) => found.push(Difference {
            line: None,
            in_before: false,
            kind: FactKind::NotAnalysed { reason: Reason::DoesNotParse },
        }),
        (_, Err(reason)) => found.push(Difference {
            line: None,
            in_before: false,
            kind: FactKind::ManifestUnreadable { ecosystem, reason: shown(&reason) },
        }),
        // What an unreadable manifest asked for is not known, so everything counts.
        (Err(_), Ok(new)) => manifests(ecosystem, &Manifest::default(), &new, &mut found),
        (Ok(old), Ok(new)) => manifests(ecosystem, &old, &new, &mut found),
    }
    let alike: Vec<Difference> = found
        .iter()
        .filter_map(|one| Some(Difference { kind: resembles(&one.kind)?, ..*one }))
        .collect();
    found.extend(alike);
    found
}

/// Text for a fact.
fn shown(text: &str) -> String {
    shorten(&visible(&mask_secrets(text)))
}

fn manifests(ecosystem: Ecosystem, old: &Manifest, new: &Manifest, found: &mut Vec<Difference>) {
    let none = Vec::new();
    for (name, now) in &new.dependencies {
        let was = old.dependencies.get(name).unwrap_or(&none);
        if was.is_empty() {
            added(ecosystem, name, now, found);
        } else {
            changed(ecosystem, name, was, now, found);
        }
    }
    for (name, was) in &old.dependencies {
        if !new.dependencies.contains_key(name)
            && let Some(first) = was.first()
        {
            found.push(Difference {
                line: first.line,
                in_before: true,
                kind: FactKind::DependencyRemoved {
                    ecosystem,
                    name: shown(name),
                    from: asked(first),
                },
            });
        }
    }
    each_change(
        &old.scripts,
        &new.scripts,
        |name, from, to| FactKind::BuildScript { ecosystem, name, from, to },
        found,
    );
    each_change(
        &old.registries,
        &new.registries,
        |name, from, to| FactKind::DependencySource { ecosystem, name, from, to },
        found,
    );
    if let Some(language) = language(ecosystem) {
        entries(language, &old.entries, &new.entries, found);
    }
}

/// The language of those who use the packages of a family.
fn language(ecosystem: Ecosystem) -> Option<Language> {
    match ecosystem {
        Ecosystem::Cargo => Some(Language::Rust),
        Ecosystem::Npm => Some(Language::JavaScript),
        Ecosystem::Python => Some(Language::Python),
        Ecosystem::Go => Some(Language::Go),
        _ => None,
    }
}

/// What users of the package ask for and get no longer, or get from elsewhere.
fn entries(language: Language, old: &Scripts, new: &Scripts, found: &mut Vec<Difference>) {
    let item = || "entry point".to_owned();
    for (name, was) in old {
        let (line, in_before, kind) = match new.get(name) {
            Some(now) if now.command == was.command => continue,
            Some(now) => {
                let (from, to) = (shown(&was.command), shown(&now.command));
                let (name, compatible) = (shown(name), false);
                let item = item();
                let kind = FactKind::PublicSignature { language, item, name, from, to, compatible };
                (now.line, false, kind)
            }
            None => {
                let (name, renamed_to) = (shown(name), None);
                (
                    was.line,
                    true,
                    FactKind::PublicRemoved { language, item: item(), name, renamed_to },
                )
            }
        };
        found.push(Difference { line, in_before, kind });
    }
}

fn asked(dependency: &Dependency) -> String {
    let version = if dependency.version.is_empty() { "*" } else { &dependency.version };
    let place = if dependency.source.is_empty() { version } else { &dependency.source };
    if dependency.detail.is_empty() {
        return shown(place);
    }
    shown(&format!("{place} ({})", dependency.detail))
}

/// Whether a source leaves both the registry and the project.
fn from_elsewhere(source: &str) -> bool {
    !source.is_empty()
        && !["path ", "file:", "link:", "portal:", "./", "../", "npm:"]
            .iter()
            .any(|start| source.starts_with(start))
}

fn added(ecosystem: Ecosystem, name: &str, now: &[Dependency], found: &mut Vec<Difference>) {
    let Some(first) = now.first() else { return };
    found.push(Difference {
        line: first.line,
        in_before: false,
        kind: FactKind::DependencyAdded { ecosystem, name: shown(name), to: asked(first) },
    });
    if let Some(foreign) = now.iter().find(|one| from_elsewhere(&one.source)) {
        found.push(Difference {
            line: foreign.line,
            in_before: false,
            kind: FactKind::DependencySource {
                ecosystem,
                name: shown(name),
                from: String::new(),
                to: shown(&foreign.source),
            },
        });
    }
}

fn changed(
    ecosystem: Ecosystem,
    name: &str,
    was: &[Dependency],
    now: &[Dependency],
    found: &mut Vec<Difference>,
) {
    let known = |list: &[Dependency], one: &Dependency| {
        list.iter().any(|other| {
            other.version == one.version && other.source == one.source && other.detail == one.detail
        })
    };
    let Some(to) = now.iter().find(|one| !known(was, one)) else { return };
    let Some(from) = was.iter().find(|one| !known(now, one)).or_else(|| was.first()) else {
        return;
    };
    let unpinned = from.detail.contains(HASH) && !to.detail.contains(HASH);
    let kind = if unpinned && from.source == to.source {
        FactKind::DependencySource {
            ecosystem,
            name: shown(name),
            from: shown(&from.detail),
            to: "any file of its name (no hash)".to_owned(),
        }
    } else if from.source == to.source {
        FactKind::DependencyVersion {
            ecosystem,
            name: shown(name),
            from: asked(from),
            to: asked(to),
            step: step(&from.version, &to.version),
        }
    } else {
        FactKind::DependencySource {
            ecosystem,
            name: shown(name),
            from: shown(&from.source),
            to: shown(&to.source),
        }
    };
    found.push(Difference { line: to.line, in_before: false, kind });
}

type Scripts = std::collections::BTreeMap<String, Script>;

fn each_change(
    old: &Scripts,
    new: &Scripts,
    kind: impl Fn(String, String, String) -> FactKind,
    found: &mut Vec<Difference>,
) {
    for (name, now) in new {
        let was = old.get(name).map(|script| script.command.as_str()).unwrap_or_default();
        if was != now.command || !old.contains_key(name) {
            let kind = kind(shown(name), shown(was), shown(&now.command));
            found.push(Difference { line: now.line, in_before: false, kind });
        }
    }
    // What has no name of its own but what it does is taken for changed, not for removed,
    // where something of its kind came in its place.
    let unnamed = |name: &str, script: &Script| name.ends_with(script.command.as_str());
    let count = |from: &Scripts, without: &Scripts| {
        from.iter().filter(|(name, one)| !without.contains_key(*name) && unnamed(name, one)).count()
    };
    let mut replaced = count(new, old).min(count(old, new));
    for (name, was) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
        if unnamed(name, was) && replaced > 0 {
            replaced -= 1;
            continue;
        }
        let kind = kind(shown(name), shown(&was.command), String::new());
        found.push(Difference { line: was.line, in_before: true, kind });
    }
}

fn submodules(before: &str, after: &str, found: &mut Vec<Difference>) {
    let (old, new) = (gitmodules::read(before), gitmodules::read(after));
    for (name, (line, place)) in &new {
        if old.get(name).map(|(_, was)| was) != Some(place) {
            let kind = FactKind::Submodule { name: shown(name), url: shown(place) };
            found.push(Difference { line: Some(*line), in_before: false, kind });
        }
    }
    for (name, (line, _)) in &old {
        if !new.contains_key(name) {
            let kind = FactKind::Submodule { name: shown(name), url: String::new() };
            found.push(Difference { line: Some(*line), in_before: true, kind });
        }
    }
}
