//! Manifests that are programs: `setup.py`, `conanfile.py`, `mix.exs`, `Package.swift`.
//!
//! A program can depend on anything; what it names in so many words is read here. All of
//! these files run by themselves, so that a change to one always asks besides.

use super::gemfile::strings;
use super::ini::reference;
use super::model::{Dependency, Lines, Manifest};
use super::requirements::require;

/// A declaration is read up to this many bytes.
const LONGEST: usize = 4 << 10;

/// More declarations than any program has; what follows is not read.
const MOST: usize = 2_000;

/// The text from an opening bracket to the one that closes it, or to the bound. Brackets
/// in texts do not count.
fn bracketed(text: &str, from: usize) -> &str {
    let (mut depth, mut quote) = (0_usize, None);
    let rest = text.get(from..).unwrap_or_default();
    for (at, c) in rest.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return rest.get(..=at).unwrap_or(rest);
                }
            }
            _ => {}
        }
        if at > LONGEST {
            return rest.get(..at).unwrap_or(rest);
        }
    }
    rest
}

/// Each quoted part of a text and where it begins. Quotes do not go over lines.
fn quoted(text: &str) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split('#').next().unwrap_or_default();
        for part in strings(if code.matches(['"', '\'']).count() % 2 == 0 { code } else { line }) {
            // Parts are slices of the line.
            let at = (part.as_ptr() as usize).saturating_sub(line.as_ptr() as usize);
            out.push((offset + at, part));
        }
        offset += line.len();
    }
    out
}

/// The places after each of `words` at which a value begins: behind `=`, `:` or `(`.
fn values<'t>(text: &'t str, words: &[&str]) -> Vec<(usize, &'t str)> {
    let mut out = Vec::new();
    for word in words {
        for (at, _) in text.match_indices(word) {
            let tail = text.get(at..).unwrap_or_default();
            let ends = |(at, c): (usize, char)| (!(c.is_alphanumeric() || c == '_')).then_some(at);
            let Some(name) = tail.char_indices().take(64).find_map(ends) else { continue };
            let rest = tail.get(name..).unwrap_or_default();
            // `name = …`, `name += …`, `"name": …`, `x["name"] = …` or `name(…)`.
            let sign = rest.trim_start_matches(['"', '\'', ']']).trim_start_matches([' ', '+']);
            let value = match sign.strip_prefix(['=', ':']) {
                Some(value) => value.trim_start(),
                None if rest.starts_with('(') => rest,
                None => continue,
            };
            out.push((at + name + (rest.len() - value.len()), value));
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// The places of a declaration. Where there are more than can be read, that is a
/// requirement of its own: nobody knows what it asks for.
fn places<T>(all: impl Iterator<Item = T>, manifest: &mut Manifest) -> Vec<T> {
    let mut out: Vec<T> = all.take(MOST + 1).collect();
    if out.len() > MOST {
        out.pop();
        manifest.require("(more than can be read)", Dependency::default());
    }
    out
}

/// `setup.py`: what stands in lists behind names such as `install_requires`. What is
/// computed is kept as it is written.
pub(super) fn setup_py(text: &str) -> Manifest {
    let lines = Lines::new(text);
    let mut manifest = Manifest::default();
    let mut read_to = 0;
    let values = values(text, &["require", "REQUIRE", "dependency_links", "cmdclass"]);
    for (at, value) in places(values.into_iter(), &mut manifest) {
        if at < read_to {
            continue;
        }
        if value.starts_with(['[', '(', '{']) {
            let inner = bracketed(text, at);
            read_to = at + inner.len();
            for (offset, part) in quoted(inner) {
                // A key of `extras_require` names a list, not a package.
                let behind = inner.get(offset + part.len() + 1..).unwrap_or_default();
                if !behind.trim_start().starts_with(':') {
                    require(part, Some(lines.at(at + offset)), &mut manifest);
                }
            }
        } else {
            let computed = value.split([',', '\n']).next().unwrap_or_default().trim();
            if !computed.is_empty() {
                let line = Some(lines.at(at));
                manifest.require(computed, Dependency { line, ..Dependency::default() });
            }
        }
    }
    manifest
}

/// `conanfile.py`: references such as `fmt/10.1` in lines about requirements.
pub(super) fn conan(text: &str) -> Manifest {
    let lines = Lines::new(text);
    let mut manifest = Manifest::default();
    for (at, value) in places(values(text, &["requires"]).into_iter(), &mut manifest) {
        let inner = if value.starts_with(['(', '[']) {
            bracketed(text, at)
        } else {
            value.split('\n').next().unwrap_or_default()
        };
        for (offset, part) in quoted(inner).into_iter().filter(|(_, part)| part.contains('/')) {
            reference(part, Some(lines.at(at + offset)), &mut manifest);
        }
    }
    manifest
}

/// `mix.exs`: tuples such as `{:name, "~> 1.0", only: :test}`.
pub(super) fn mix(text: &str) -> Manifest {
    let lines = Lines::new(text);
    let mut manifest = Manifest::default();
    for (at, _) in places(text.match_indices("{:"), &mut manifest) {
        let tuple = bracketed(text, at);
        let Some((name, rest)) = tuple.trim_start_matches("{:").split_once(',') else { continue };
        let keys = ["git:", "github:", "path:", "hex:", "in_umbrella:", "only:", "runtime:"];
        let key = keys.iter().find(|key| rest.contains(*key));
        if !rest.trim_start().starts_with('"') && key.is_none() || name.contains(['\n', ' ']) {
            continue;
        }
        let version = rest.trim_start().strip_prefix('"').and_then(|rest| rest.split('"').next());
        let source = place(rest, keys.get(..3).unwrap_or_default());
        manifest.require(
            name.trim(),
            Dependency {
                version: version.unwrap_or_default().to_owned(),
                source,
                line: Some(lines.at(at)),
                ..Dependency::default()
            },
        );
    }
    manifest
}

/// `key: "place"` of the first key that is there.
fn place(text: &str, keys: &[&str]) -> String {
    keys.iter()
        .find_map(|key| {
            let (_, rest) = text.split_once(key)?;
            let place = strings(rest).first().copied().unwrap_or_default();
            Some(format!("{} {place}", key.trim_matches(':')))
        })
        .unwrap_or_default()
}

/// `Package.swift`: packages and finished programs with where they come from.
pub(super) fn swift(text: &str) -> Manifest {
    let lines = Lines::new(text);
    let mut manifest = Manifest::default();
    for call in [".package(", ".binaryTarget("] {
        for (at, _) in places(text.match_indices(call), &mut manifest) {
            let call = bracketed(text, at + call.len() - 1);
            let parts = quoted(call);
            let of = |key: &str| {
                let (_, rest) = call.split_once(key)?;
                strings(rest).first().copied()
            };
            let source = of("url:").or_else(|| of("path:")).or_else(|| of("id:"));
            let Some(name) = source.or_else(|| parts.first().map(|(_, part)| *part)) else {
                continue;
            };
            let version: Vec<&str> =
                parts.iter().map(|(_, part)| *part).filter(|part| *part != name).collect();
            manifest.require(
                name,
                Dependency {
                    version: version.join(" "),
                    source: if call.contains("path:") {
                        format!("path {name}")
                    } else {
                        String::new()
                    },
                    line: Some(lines.at(at)),
                    ..Dependency::default()
                },
            );
        }
    }
    manifest
}
