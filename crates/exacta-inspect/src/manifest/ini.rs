//! `setup.cfg` and `conanfile.txt`.

use super::model::{Dependency, Manifest};
use super::requirements::require_any;

/// One line that says something: section, key and value; a line further in belongs to the
/// key above it.
struct Entry<'t> {
    section: &'t str,
    key: String,
    value: &'t str,
    below: bool,
    line: usize,
}

fn entries(text: &str) -> Vec<Entry<'_>> {
    let (mut section, mut key) = ("", String::new());
    let mut out = Vec::new();
    for (line, raw) in text.lines().enumerate() {
        let trimmed = raw.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        let indented = raw.starts_with([' ', '\t']);
        if !indented && let Some(name) = trimmed.strip_prefix('[') {
            section = name.split(']').next().unwrap_or_default().trim();
            key.clear();
            continue;
        }
        if indented && !key.is_empty() {
            out.push(Entry { section, key: key.clone(), value: trimmed, below: true, line });
            continue;
        }
        let (name, value) = trimmed.split_once(['=', ':']).unwrap_or((trimmed, ""));
        key = name.trim().to_lowercase().replace('-', "_");
        out.push(Entry { section, key: key.clone(), value: value.trim(), below: false, line });
    }
    out
}

/// `setup.cfg`: requirements of the package, of its build and of its extras.
pub(super) fn setup_cfg(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    for entry in entries(text) {
        let line = Some(entry.line);
        match (entry.section, entry.key.as_str()) {
            ("options", "install_requires" | "setup_requires" | "tests_require")
            | ("options.extras_require", _)
            | ("metadata", "requires_dist" | "setup_requires_dist") => {
                // Beside the key a semicolon ends a requirement, below it a line does.
                let most = if entry.below { 1 } else { usize::MAX };
                for one in entry.value.splitn(most, ';') {
                    require_any(one, line, &mut manifest);
                }
            }
            ("options", "dependency_links") | ("easy_install", "index_url" | "find_links")
                if !entry.value.is_empty() =>
            {
                let name = format!("{} {}", entry.key, entry.value);
                manifest.fetch_from(&name, entry.value, line);
            }
            ("options", "cmdclass") | ("global", "commands" | "setup_hooks") => {
                manifest.run(&format!("{} {}", entry.key, entry.value), entry.value, line);
            }
            _ => {}
        }
    }
    manifest
}

/// `conanfile.txt`: one reference a line.
pub(super) fn conan(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    let mut section = "";
    for (number, raw) in text.lines().enumerate() {
        let line = raw.split('#').next().unwrap_or_default().trim();
        if let Some(name) = line.strip_prefix('[') {
            section = name.split(']').next().unwrap_or_default().trim();
        } else if section.ends_with("requires") && !line.is_empty() {
            reference(line, Some(number), &mut manifest);
        }
    }
    manifest
}

/// `name/version@user/channel`.
pub(super) fn reference(text: &str, line: Option<usize>, manifest: &mut Manifest) {
    let (name, version) = text.split_once('/').unwrap_or((text, ""));
    let (version, place) = version.split_once('@').unwrap_or((version, ""));
    manifest.require(
        name.trim(),
        Dependency {
            version: version.trim().to_owned(),
            source: place.trim().to_owned(),
            line,
            ..Dependency::default()
        },
    );
}
