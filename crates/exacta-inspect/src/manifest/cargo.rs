//! `Cargo.toml`.

use toml::de::DeValue;

use super::model::{Dependency, Manifest};
use super::toml_text::{Document, Table, string};

/// Reads every dependency table, also those of targets, the workspace and patches.
pub(super) fn read(text: &str) -> Result<Manifest, String> {
    let document = Document::parse(text)?;
    let root = document.root();
    let mut manifest = Manifest::default();
    tables(root, &mut manifest);
    for target in root.at("target").entries() {
        tables(root.of(target.value), &mut manifest);
    }
    dependencies(root.at("workspace").at("dependencies"), &mut manifest);
    for registry in root.at("patch").entries() {
        for entry in root.of(registry.value).entries() {
            let place = source(root.of(entry.value));
            manifest.fetch_from(&format!("patch {}", entry.key), place, entry.line);
        }
    }
    for entry in root.at("replace").entries() {
        manifest.fetch_from(
            &format!("replace {}", entry.key),
            source(root.of(entry.value)),
            entry.line,
        );
    }
    for entry in root.at("package").entries() {
        if entry.key == "build" || entry.key == "links" {
            let command = string(entry.value).unwrap_or("(off)").to_owned();
            manifest.run(entry.key, command, entry.line);
        }
    }
    let library = root.at("lib");
    if !root.at("package").is_empty() {
        manifest.offer("library", "src/lib.rs", None);
    }
    for entry in library.entries() {
        match (entry.key, entry.value) {
            ("path", value) => {
                manifest.offer("library", string(value).unwrap_or_default(), entry.line);
            }
            // A macro library runs inside every build that uses it.
            ("proc-macro" | "proc_macro", DeValue::Boolean(true)) => {
                manifest.run("proc-macro", "true", entry.line);
            }
            _ => {}
        }
    }
    for one in root.tables("bin") {
        if let (Some(name), Some(path)) = (one.string("name"), one.string("path")) {
            manifest.offer(&format!("program {name}"), path, None);
        }
    }
    Ok(manifest)
}

/// What of the package is asked for.
fn features(table: Table<'_, '_>) -> String {
    let mut features: Vec<&str> =
        table.strings("features").into_iter().map(|(feature, _)| feature).collect();
    features.sort_unstable();
    for key in ["default-features", "default_features"] {
        if matches!(table.value(key), Some(DeValue::Boolean(false))) {
            features.push("no defaults");
        }
    }
    features.join(" ")
}

fn tables(root: Table<'_, '_>, manifest: &mut Manifest) {
    for kind in [
        "dependencies",
        "dev-dependencies",
        "build-dependencies",
        "dev_dependencies",
        "build_dependencies",
    ] {
        dependencies(root.at(kind), manifest);
    }
}

fn dependencies(table: Table<'_, '_>, manifest: &mut Manifest) {
    for entry in table.entries() {
        let inner = table.of(entry.value);
        let name = inner.string("package").unwrap_or(entry.key);
        let version = string(entry.value).or_else(|| inner.string("version")).unwrap_or_default();
        manifest.require(
            name,
            Dependency {
                version: version.to_owned(),
                source: source(inner),
                detail: features(inner),
                line: entry.line,
            },
        );
    }
}

/// Git with what is taken from it, path or registry.
fn source(table: Table<'_, '_>) -> String {
    if let Some(git) = table.string("git") {
        let at =
            ["branch", "tag", "rev"].iter().find_map(|key| table.string(key)).unwrap_or_default();
        return format!("git {git} {at}").trim_end().to_owned();
    }
    if let Some(path) = table.string("path") {
        return format!("path {path}");
    }
    ["registry", "registry-index"]
        .iter()
        .find_map(|key| table.string(key))
        .map(|registry| format!("registry {registry}"))
        .unwrap_or_default()
}
