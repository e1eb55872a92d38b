//! `package.json`, `deno.json` and `composer.json`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

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

fn object(text: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("not a JSON object".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// The line on which each key is written first, found in one pass.
struct Keys<'t> {
    lines: BTreeMap<&'t str, usize>,
}

impl<'t> Keys<'t> {
    fn of(text: &'t str) -> Self {
        let mut lines = BTreeMap::new();
        for (number, line) in text.lines().enumerate() {
            let quoted = line.trim_start().strip_prefix('"').and_then(|rest| rest.split_once('"'));
            if let Some((key, rest)) = quoted
                && rest.trim_start().starts_with(':')
            {
                lines.entry(key).or_insert(number);
            }
        }
        Self { lines }
    }

    fn line(&self, key: &str) -> Option<usize> {
        self.lines.get(key).copied()
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn table<'v>(
    root: &'v Map<String, Value>,
    key: &str,
) -> impl Iterator<Item = (&'v String, &'v Value)> {
    root.get(key).and_then(Value::as_object).into_iter().flatten()
}

/// `package.json`.
pub(super) fn npm(text: &str) -> Result<Manifest, String> {
    let root = object(text)?;
    let keys = Keys::of(text);
    let mut manifest = Manifest::default();
    for kind in ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"] {
        for (name, value) in table(&root, kind) {
            manifest.require(name, requirement(&keys, name, &plain(value)));
        }
    }
    for kind in ["overrides", "resolutions"] {
        for (name, value) in table(&root, kind) {
            manifest.require(&format!("{kind} {name}"), requirement(&keys, name, &plain(value)));
        }
    }
    if let Some(pnpm) = root.get("pnpm") {
        manifest.run("pnpm", pnpm.to_string(), keys.line("pnpm"));
    }
    if let Some(tool) = root.get("packageManager") {
        manifest.require("packageManager", requirement(&keys, "packageManager", &plain(tool)));
    }
    for (name, value) in table(&root, "scripts") {
        if LIFECYCLE.contains(&name.as_str()) {
            manifest.run(name, plain(value), keys.line(name));
        }
    }
    for key in ["gypfile", "lint-staged", "husky", "simple-git-hooks", "pre-commit"] {
        if let Some(value) = root.get(key) {
            manifest.run(key, plain(value), keys.line(key));
        }
    }
    if let Some(registry) = root.get("publishConfig").and_then(|config| config.get("registry")) {
        manifest.fetch_from("publish", plain(registry), keys.line("publishConfig"));
    }
    Ok(manifest)
}

/// What npm takes for an address instead of a version.
fn requirement(keys: &Keys<'_>, name: &str, value: &str) -> Dependency {
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
    Dependency { version: version.to_owned(), source: source.to_owned(), line: keys.line(name) }
}

/// `deno.json`; comments as in `deno.jsonc` are allowed.
pub(super) fn deno(text: &str) -> Result<Manifest, String> {
    let bare: String = text
        .lines()
        .map(|line| {
            if line.trim_start().starts_with("//") { "\n".to_owned() } else { format!("{line}\n") }
        })
        .collect();
    let root = object(&bare)?;
    let keys = Keys::of(text);
    let mut manifest = Manifest::default();
    for (name, value) in table(&root, "imports") {
        let value = plain(value);
        let source = if value.contains("://") { value.clone() } else { String::new() };
        manifest.require(name, Dependency { version: value, source, line: keys.line(name) });
    }
    for (name, value) in table(&root, "tasks") {
        manifest.run(name, plain(value), keys.line(name));
    }
    Ok(manifest)
}

/// `composer.json`.
pub(super) fn composer(text: &str) -> Result<Manifest, String> {
    let root = object(text)?;
    let keys = Keys::of(text);
    let mut manifest = Manifest::default();
    for kind in ["require", "require-dev"] {
        for (name, value) in table(&root, kind) {
            // The language and its extensions are not packages.
            if name.contains('/') {
                let dependency = Dependency {
                    version: plain(value),
                    line: keys.line(name),
                    ..Dependency::default()
                };
                manifest.require(name, dependency);
            }
        }
    }
    for (name, value) in table(&root, "scripts") {
        manifest.run(name, plain(value), keys.line(name));
    }
    if let Some(repositories) = root.get("repositories") {
        manifest.fetch_from("repositories", repositories.to_string(), keys.line("repositories"));
    }
    Ok(manifest)
}
