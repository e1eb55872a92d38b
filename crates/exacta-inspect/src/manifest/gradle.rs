//! Gradle: version catalogs and build scripts.

use std::sync::LazyLock;

use regex::Regex;

use super::model::{Dependency, Manifest};
use super::toml_text::{Document, Table, string};

/// `libs.versions.toml`. A version that no entry refers to counts by itself.
pub(super) fn catalog(text: &str) -> Result<Manifest, String> {
    let document = Document::parse(text)?;
    let root = document.root();
    let versions = root.at("versions");
    let mut manifest = Manifest::default();
    let mut used: Vec<&str> = Vec::new();
    for (table, key) in [(root.at("libraries"), "module"), (root.at("plugins"), "id")] {
        for entry in table.entries() {
            let inner = table.of(entry.value);
            let reference = inner.at("version").string("ref");
            used.extend(reference);
            let version = inner
                .string("version")
                .map(str::to_owned)
                .or_else(|| reference.map(|name| described(versions, name)))
                .unwrap_or_else(|| described(inner, "version"));
            let (name, version) = match (string(entry.value), inner.string(key)) {
                (Some(whole), _) => {
                    let (name, version) = whole.rsplit_once(':').unwrap_or((whole, ""));
                    (name.to_owned(), version.to_owned())
                }
                (None, Some(name)) => (name.to_owned(), version),
                (None, None) => {
                    let part = |key| inner.string(key).unwrap_or(entry.key);
                    (format!("{}:{}", part("group"), part("name")), version)
                }
            };
            manifest
                .require(&name, Dependency { version, line: entry.line, ..Dependency::default() });
        }
    }
    for entry in versions.entries().filter(|entry| !used.contains(&entry.key)) {
        let version = described(versions, entry.key);
        let name = format!("version {}", entry.key);
        manifest.require(&name, Dependency { version, line: entry.line, ..Dependency::default() });
    }
    Ok(manifest)
}

/// A version that is a text, or the texts of a rich one.
fn described(table: Table<'_, '_>, key: &str) -> String {
    if let Some(text) = table.string(key) {
        return text.to_owned();
    }
    let inner = table.at(key);
    let parts = inner.entries().filter_map(|entry| string(entry.value));
    parts.collect::<Vec<_>>().join(" ")
}

/// `group:name` or `group:name:version…` in quotes.
static COORDINATES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"["']([A-Za-z0-9_.-]+:[A-Za-z0-9_.-]+)(?::([^"':\s]+))?[^"'\s]*["']"#).ok()
});

/// `group: 'g', name: 'a', version: 'v'`, in Kotlin with `=`.
static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"group\s*[:=]\s*["']([^"']+)["']\s*,\s*name\s*[:=]\s*["']([^"']+)["'](?:\s*,\s*version\s*[:=]\s*["']([^"']+)["'])?"#,
    )
    .ok()
});

/// `id 'x' version 'y'`, `kotlin("jvm") version "y"`, `apply plugin: 'x'`.
static PLUGIN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"\b(?:id|kotlin|plugin:|from:)\s*\(?\s*["']([^"']+)["']\s*\)?(?:\s*version\s*\(?\s*["']?([^"'\s)]+))?"#,
    )
    .ok()
});

/// A build script: what it names, read line by line. A script is a program, so it always
/// asks besides.
pub(super) fn script(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    for (number, raw) in text.lines().enumerate() {
        let line = raw.trim();
        if line.starts_with("//") || line.starts_with('*') {
            continue;
        }
        let at = Some(number);
        let address = line.split(['"', '\'']).find(|part| part.contains("://"));
        if let Some(address) = address {
            manifest.fetch_from(&format!("repository {address}"), address, at);
            continue;
        }
        let mut require = |name: String, version: Option<regex::Match<'_>>| {
            let version = version.map(|version| version.as_str().to_owned()).unwrap_or_default();
            manifest.require(&name, Dependency { version, line: at, ..Dependency::default() });
        };
        for found in NAMED.iter().flat_map(|regex| regex.captures_iter(line)) {
            let part = |group| found.get(group).map(|one| one.as_str()).unwrap_or_default();
            require(format!("{}:{}", part(1), part(2)), found.get(3));
        }
        for (regex, kind) in [(&COORDINATES, ""), (&PLUGIN, "plugin ")] {
            for found in regex.iter().flat_map(|regex| regex.captures_iter(line)) {
                let name = found.get(1).map(|one| one.as_str()).unwrap_or_default();
                require(format!("{kind}{name}"), found.get(2));
            }
        }
    }
    manifest
}
