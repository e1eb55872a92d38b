//! `pyproject.toml` and `Pipfile`.

use super::model::{Dependency, Manifest};
use super::requirements::{normal, require_any};
use super::toml_text::{Document, Table, string, words};

/// The tables of the standard, of Poetry, PDM, uv and Hatch.
pub(super) fn pyproject(text: &str) -> Result<Manifest, String> {
    let document = Document::parse(text)?;
    let root = document.root();
    let mut manifest = Manifest::default();
    let project = root.at("project");
    let tool = root.at("tool");
    let uv = tool.at("uv");
    list(project, "dependencies", &mut manifest);
    for (table, keys) in [
        (project.at("optional-dependencies"), None),
        (root.at("dependency-groups"), None),
        (root.at("tool").at("pdm").at("dev-dependencies"), None),
        (root.at("build-system"), Some("requires")),
        (uv, Some("dev-dependencies")),
        (uv, Some("override-dependencies")),
        (uv, Some("constraint-dependencies")),
        (uv, Some("build-constraint-dependencies")),
    ] {
        match keys {
            Some(key) => list(table, key, &mut manifest),
            None => table.entries().for_each(|entry| list(table, entry.key, &mut manifest)),
        }
    }
    let poetry = root.at("tool").at("poetry");
    tables(poetry.at("dependencies"), &mut manifest);
    tables(poetry.at("dev-dependencies"), &mut manifest);
    for group in poetry.at("group").entries() {
        tables(poetry.of(group.value).at("dependencies"), &mut manifest);
    }
    registries(poetry, "source", &mut manifest);
    registries(uv, "index", &mut manifest);
    registries(tool.at("pdm"), "source", &mut manifest);
    for table in [uv, uv.at("pip")] {
        for key in ["index-url", "extra-index-url", "find-links", "no-index", "default-index"] {
            addresses(table, key, &mut manifest);
        }
    }
    hatch(tool.at("hatch"), &mut manifest);
    for entry in tool.at("setuptools").at("dynamic").entries() {
        if entry.key.ends_with("dependencies") {
            let name = format!("{} {}", entry.key, words(entry.value));
            manifest.require(&name, Dependency { line: entry.line, ..Dependency::default() });
        }
    }
    for table in ["scripts", "gui-scripts"] {
        for entry in project.at(table).entries() {
            let target = string(entry.value).unwrap_or_default();
            manifest.offer(&format!("program {}", entry.key), target, entry.line);
        }
    }
    for entry in uv.at("sources").entries() {
        manifest.fetch_from(&normal(entry.key), words(entry.value), entry.line);
    }
    for entry in root.at("build-system").entries() {
        if entry.key == "build-backend" {
            manifest.run("build-backend", string(entry.value).unwrap_or_default(), entry.line);
        }
        if entry.key == "backend-path" {
            manifest.run("backend-path", words(entry.value), entry.line);
        }
    }
    let pytest = tool.at("pytest").at("ini_options");
    for key in ["addopts", "pythonpath"] {
        let listed: Vec<&str> = pytest.strings(key).into_iter().map(|(text, _)| text).collect();
        let given = pytest.string(key).map_or_else(|| listed.join(" "), str::to_owned);
        if pytest.value(key).is_some() {
            manifest.run(&format!("pytest {key}"), given, pytest.line(key));
        }
    }
    for (name, table) in [
        ("hatch build hook", tool.at("hatch").at("build").at("hooks")),
        ("setuptools command", tool.at("setuptools").at("cmdclass")),
        ("poetry build", poetry.at("build")),
    ] {
        for entry in table.entries() {
            manifest.run(&format!("{name} {}", entry.key), words(entry.value), entry.line);
        }
    }
    // Elsewhere in these tables stand files that a package is made of.
    let pdm = tool.at("pdm").at("build");
    for (name, table, key) in [
        ("poetry build", poetry, "build"),
        ("pdm build custom-hook", pdm, "custom-hook"),
        ("pdm build run-setuptools", pdm, "run-setuptools"),
    ] {
        if let Some(value) = table.value(key).filter(|value| !value.is_table()) {
            manifest.run(name, words(value), table.line(key));
        }
    }
    Ok(manifest)
}

/// Environments of Hatch with packages of their own, and hooks of single targets.
fn hatch(hatch: Table<'_, '_>, manifest: &mut Manifest) {
    for environment in hatch.at("envs").entries() {
        let environment = hatch.of(environment.value);
        for key in ["dependencies", "extra-dependencies"] {
            list(environment, key, manifest);
        }
    }
    for target in hatch.at("build").at("targets").entries() {
        let target = hatch.of(target.value);
        for hook in target.at("hooks").entries() {
            let name = format!("hatch build hook {}", hook.key);
            manifest.run(&name, words(hook.value), hook.line);
        }
        list(target, "dependencies", manifest);
    }
}

/// One address or a list of them below a key.
fn addresses(table: Table<'_, '_>, key: &str, manifest: &mut Manifest) {
    let one = table.value(key).map(|value| string(value).unwrap_or("on"));
    let many = table.strings(key);
    if let Some(address) = one.filter(|_| many.is_empty()) {
        manifest.fetch_from(&format!("{key} {address}"), address, table.line(key));
    }
    for (address, line) in many {
        manifest.fetch_from(&format!("{key} {address}"), address, line);
    }
}

/// `Pipfile`.
pub(super) fn pipfile(text: &str) -> Result<Manifest, String> {
    let document = Document::parse(text)?;
    let root = document.root();
    let mut manifest = Manifest::default();
    tables(root.at("packages"), &mut manifest);
    tables(root.at("dev-packages"), &mut manifest);
    registries(root, "source", &mut manifest);
    Ok(manifest)
}

fn list(table: Table<'_, '_>, key: &str, manifest: &mut Manifest) {
    for (text, line) in table.strings(key) {
        require_any(text, line, manifest);
    }
}

/// `name = "^1"` or `name = { version = "^1", git = "…" }`.
fn tables(table: Table<'_, '_>, manifest: &mut Manifest) {
    for entry in table.entries() {
        if entry.key == "python" {
            continue;
        }
        let inner = table.of(entry.value);
        let version = string(entry.value).or_else(|| inner.string("version")).unwrap_or_default();
        let mut extras: Vec<&str> =
            inner.strings("extras").into_iter().map(|(extra, _)| extra).collect();
        extras.sort_unstable();
        let source = ["git", "url", "path", "file", "source", "index"]
            .iter()
            .find_map(|key| inner.string(key).map(|place| format!("{key} {place}")))
            .unwrap_or_default();
        manifest.require(
            &normal(entry.key),
            Dependency {
                version: version.to_owned(),
                source,
                detail: extras.join(" "),
                line: entry.line,
            },
        );
    }
}

fn registries(table: Table<'_, '_>, key: &str, manifest: &mut Manifest) {
    for (position, one) in table.tables(key).into_iter().enumerate() {
        let name = one.string("name").map_or_else(|| position.to_string(), str::to_owned);
        manifest.fetch_from(&format!("index {name}"), one.string("url").unwrap_or_default(), None);
    }
}
