//! Manifests in JSON: `package.json`, `deno.json`, import maps, `composer.json`, `vcpkg.json`.

use serde_json::Value;

use super::json_text::JsonText;
use super::model::{Dependency, Manifest};

/// Scripts that npm and its like run without being asked by name, and the build.
const LIFECYCLE: &[&str] = &[
    "preinstall",
    "install",
    "postinstall",
    "preprepare",
    "prepare",
    "postprepare",
    "prepublish",
    "prepublishOnly",
    "publish",
    "postpublish",
    "prepack",
    "postpack",
    "preuninstall",
    "uninstall",
    "postuninstall",
    "dependencies",
    "prebuild",
    "build",
    "postbuild",
    "preversion",
    "version",
    "postversion",
    "pretest",
    "posttest",
    "prestart",
    "poststart",
];

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// `package.json`.
pub(super) fn npm(text: &str) -> Result<Manifest, String> {
    let json = JsonText::strict(text)?;
    let mut manifest = Manifest::default();
    for kind in ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"] {
        for (name, value, line) in json.table(kind) {
            manifest.require(name, requirement(&plain(value), line));
        }
    }
    for kind in ["overrides", "resolutions"] {
        for (name, value, line) in json.table(kind) {
            manifest.require(&format!("{kind} {name}"), requirement(&plain(value), line));
        }
    }
    if let Some(pnpm) = json.root.get("pnpm") {
        manifest.run("pnpm", pnpm.to_string(), json.line("", "pnpm"));
    }
    if let Some(tool) = json.root.get("packageManager") {
        let line = json.line("", "packageManager");
        manifest.require("packageManager", requirement(&plain(tool), line));
    }
    for (name, value, line) in json.table("scripts") {
        if LIFECYCLE.contains(&name.as_str()) {
            manifest.run(name, plain(value), line);
        }
    }
    for key in [
        "gypfile",
        "lint-staged",
        "husky",
        "simple-git-hooks",
        "pre-commit",
        // Packages whose own scripts may run.
        "trustedDependencies",
    ] {
        if let Some(value) = json.root.get(key) {
            manifest.run(key, plain(value), json.line("", key));
        }
    }
    entry_points(&json, &mut manifest);
    if let Some(registry) = json.root.get("publishConfig").and_then(|config| config.get("registry"))
    {
        manifest.fetch_from("publish", plain(registry), json.line("", "publishConfig"));
    }
    Ok(manifest)
}

/// What users of the package load and run.
fn entry_points(json: &JsonText, manifest: &mut Manifest) {
    for key in ["main", "module", "browser", "exports", "bin"] {
        match json.root.get(key) {
            Some(Value::Object(_)) => {
                for (name, value, line) in json.table(key) {
                    manifest.offer(&format!("{key} {name}"), plain(value), line);
                }
            }
            Some(value) => {
                let target = plain(value);
                let target = target.strip_prefix("./").unwrap_or(&target);
                manifest.offer(key, target, json.line("", key));
            }
            None if key == "main" => manifest.offer(key, "index.js", None),
            None => {}
        }
    }
}

/// What npm takes for an address instead of a version.
fn requirement(value: &str, line: Option<usize>) -> Dependency {
    let start = value.split(':').next().unwrap_or_default();
    let address = [
        "git",
        "git+https",
        "git+ssh",
        "git+http",
        "http",
        "https",
        "github",
        "gitlab",
        "bitbucket",
        "gist",
        "file",
        "link",
        "portal",
        "ssh",
    ]
    .contains(&start)
        && value.contains(':');
    let shorthand = !value.starts_with(['@', '.', '~', '^'])
        && value.split('/').count() == 2
        && !value.contains(' ')
        && start != "npm"
        && start != "workspace";
    let alias = start == "npm";
    let (version, source) = if address || shorthand || alias {
        (value.rsplit_once(['#', '@']).map(|(_, v)| v).unwrap_or_default(), value)
    } else {
        (value, "")
    };
    Dependency {
        version: version.to_owned(),
        source: source.to_owned(),
        line,
        ..Dependency::default()
    }
}

/// `deno.json`; comments are allowed.
pub(super) fn deno(text: &str) -> Result<Manifest, String> {
    let json = JsonText::relaxed(text)?;
    let mut manifest = Manifest::default();
    imports(&json, &mut manifest);
    for (name, value, line) in json.table("tasks") {
        manifest.run(name, plain(value), line);
    }
    if let Some(map) = json.root.get("importMap") {
        let line = json.line("", "importMap");
        manifest.require(&format!("importMap {}", plain(map)), requirement("", line));
    }
    Ok(manifest)
}

/// `import_map.json`.
pub(super) fn import_map(text: &str) -> Result<Manifest, String> {
    let json = JsonText::relaxed(text)?;
    let mut manifest = Manifest::default();
    imports(&json, &mut manifest);
    Ok(manifest)
}

/// Names and what they stand for, everywhere or for a part of the program.
fn imports(json: &JsonText, manifest: &mut Manifest) {
    let mut add = |name: &str, value: &Value, line| {
        let version = plain(value);
        let source = if version.contains("://") { version.clone() } else { String::new() };
        manifest.require(name, Dependency { version, source, line, ..Dependency::default() });
    };
    for (name, value, line) in json.table("imports") {
        add(name, value, line);
    }
    for (scope, inner, line) in json.table("scopes") {
        for (name, value) in inner.as_object().into_iter().flatten() {
            add(&format!("{scope} {name}"), value, line);
        }
    }
}

/// `vcpkg.json` and `vcpkg-configuration.json`.
pub(super) fn vcpkg(text: &str) -> Result<Manifest, String> {
    let json = JsonText::relaxed(text)?;
    let mut manifest = Manifest::default();
    let mut list = |kind: &str, list: Option<&Value>, line: Option<usize>| {
        for one in list.and_then(Value::as_array).into_iter().flatten() {
            let of = |key| one.get(key).map(plain).unwrap_or_default();
            let name = one.as_str().map_or_else(|| of("name"), str::to_owned);
            let version = ["version>=", "version", "version-string", "version-semver"]
                .iter()
                .map(|key| of(key))
                .collect::<String>();
            let dependency =
                Dependency { version, detail: of("features"), line, ..Dependency::default() };
            manifest.require(&format!("{kind}{name}"), dependency);
        }
    };
    list("", json.root.get("dependencies"), json.line("", "dependencies"));
    list("override ", json.root.get("overrides"), json.line("", "overrides"));
    for (_, feature, line) in json.table("features") {
        list("", feature.get("dependencies"), line);
    }
    let configuration = json.root.get("vcpkg-configuration");
    for key in ["builtin-baseline", "default-registry", "registries", "overlay-ports"] {
        let value = json.root.get(key).or_else(|| configuration?.get(key));
        if let Some(value) = value {
            manifest.fetch_from(key, plain(value), json.line("", key));
        }
    }
    Ok(manifest)
}

/// `composer.json`.
pub(super) fn composer(text: &str) -> Result<Manifest, String> {
    let json = JsonText::strict(text)?;
    let mut manifest = Manifest::default();
    for kind in ["require", "require-dev"] {
        for (name, value, line) in json.table(kind) {
            // The language and its extensions are not packages.
            if name.contains('/') {
                let version = plain(value);
                manifest.require(name, Dependency { version, line, ..Dependency::default() });
            }
        }
    }
    for (name, value, line) in json.table("scripts") {
        manifest.run(name, plain(value), line);
    }
    if let Some(plugins) = json.root.get("config").and_then(|config| config.get("allow-plugins")) {
        manifest.run("allow-plugins", plain(plugins), json.line("config", "allow-plugins"));
    }
    if let Some(repositories) = json.root.get("repositories") {
        let line = json.line("", "repositories");
        manifest.fetch_from("repositories", repositories.to_string(), line);
    }
    Ok(manifest)
}
