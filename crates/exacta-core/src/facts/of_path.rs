//! Facts that the path alone proves.
//!
//! They need no inspector, so they hold even when the inspector died.

use alloc::string::String;
use alloc::vec::Vec;

use super::fact::Fact;
use super::kind::FactKind;
use super::role::Parts;
use super::vocabulary::{Ecosystem, TestLoss};
use crate::path::{RelPath, auto_run};

/// Lock files by their folded names.
const LOCKS: &[(&str, Ecosystem)] = &[
    ("cargo.lock", Ecosystem::Cargo),
    ("package-lock.json", Ecosystem::Npm),
    ("npm-shrinkwrap.json", Ecosystem::Npm),
    ("yarn.lock", Ecosystem::Npm),
    ("pnpm-lock.yaml", Ecosystem::Npm),
    ("bun.lock", Ecosystem::Npm),
    ("bun.lockb", Ecosystem::Npm),
    ("deno.lock", Ecosystem::Npm),
    ("poetry.lock", Ecosystem::Python),
    ("pipfile.lock", Ecosystem::Python),
    ("pdm.lock", Ecosystem::Python),
    ("uv.lock", Ecosystem::Python),
    ("pylock.toml", Ecosystem::Python),
    ("go.sum", Ecosystem::Go),
    ("go.work.sum", Ecosystem::Go),
    ("gemfile.lock", Ecosystem::Ruby),
    ("gems.locked", Ecosystem::Ruby),
    ("composer.lock", Ecosystem::Composer),
    ("packages.lock.json", Ecosystem::Nuget),
    ("gradle.lockfile", Ecosystem::Maven),
];

/// Manifests by their folded names.
const MANIFESTS: &[(&str, Ecosystem)] = &[
    ("cargo.toml", Ecosystem::Cargo),
    ("package.json", Ecosystem::Npm),
    ("deno.json", Ecosystem::Npm),
    ("deno.jsonc", Ecosystem::Npm),
    ("pyproject.toml", Ecosystem::Python),
    ("setup.cfg", Ecosystem::Python),
    ("pipfile", Ecosystem::Python),
    ("go.mod", Ecosystem::Go),
    ("go.work", Ecosystem::Go),
    ("pom.xml", Ecosystem::Maven),
    ("gemfile", Ecosystem::Ruby),
    ("gems.rb", Ecosystem::Ruby),
    ("composer.json", Ecosystem::Composer),
    ("directory.packages.props", Ecosystem::Nuget),
    ("packages.config", Ecosystem::Nuget),
];

/// The family of the lock file at `path`, if it is one.
fn lock_file(name: &str) -> Option<Ecosystem> {
    LOCKS.iter().find(|(known, _)| *known == name).map(|(_, ecosystem)| *ecosystem)
}

/// The family of the manifest at `path`, if it is one.
fn manifest(name: &str) -> Option<Ecosystem> {
    let listed = MANIFESTS.iter().find(|(known, _)| *known == name).map(|(_, e)| *e);
    listed.or_else(|| {
        let (stem, ending) = name.rsplit_once('.')?;
        let lists = stem.starts_with("requirements") || stem.starts_with("constraints");
        match ending {
            "txt" | "in" if lists => Some(Ecosystem::Python),
            "csproj" | "fsproj" | "vbproj" => Some(Ecosystem::Nuget),
            _ => None,
        }
    })
}

/// Everything that follows from the path of a changed file.
///
/// `created` and `deleted` say whether there is no image before or after the step.
#[must_use]
pub fn of_path(step: &str, path: &RelPath, created: bool, deleted: bool) -> Vec<Fact> {
    let parts = Parts::of(path.as_str());
    let mut kinds = Vec::new();
    if let Some(ecosystem) = manifest(parts.name()) {
        kinds.push(FactKind::ManifestChanged { ecosystem });
    }
    if let Some(ecosystem) = lock_file(parts.name()) {
        kinds.push(FactKind::LockFileChanged { ecosystem });
    }
    if let Some(sign) = parts.vendored() {
        kinds.push(FactKind::VendoredCode { sign: sign.into(), created });
    }
    if let Some(why) = auto_run(path) {
        kinds.push(FactKind::RunsByItself { why });
    }
    if deleted && parts.test() && parts.source() {
        let (loss, name) = (TestLoss::FileDeleted, String::new());
        kinds.push(FactKind::TestsLost { loss, name, count: 1 });
    }
    if let Some(role) = parts.role() {
        kinds.push(FactKind::HasRole { role });
    }
    kinds
        .into_iter()
        .map(|kind| Fact {
            step: step.into(),
            path: path.clone(),
            line: None,
            excerpt: String::new(),
            kind,
        })
        .collect()
}

/// Whether any of a project's paths is a test.
#[must_use]
pub fn project_has_tests<'a>(paths: impl IntoIterator<Item = &'a str>) -> bool {
    paths.into_iter().any(|path| Parts::of(path).test())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str, created: bool, deleted: bool) -> Vec<&'static str> {
        of_path("step_1", &RelPath::parse(path).unwrap(), created, deleted)
            .iter()
            .map(|fact| fact.kind.name())
            .collect()
    }

    #[test]
    fn manifests_and_lock_files_are_known_by_name() {
        for path in [
            "Cargo.toml",
            "crates/a/Cargo.toml",
            "package.json",
            "pyproject.toml",
            "requirements-dev.txt",
            "requirements.txt",
            "go.mod",
            "pom.xml",
            "Gemfile",
            "composer.json",
            "src/App.csproj",
        ] {
            assert!(names(path, false, false).contains(&"manifest_changed"), "{path}");
        }
        for path in ["Cargo.lock", "package-lock.json", "yarn.lock", "go.sum", "poetry.lock"] {
            assert!(names(path, false, false).contains(&"lock_file_changed"), "{path}");
        }
        assert_eq!(names("src/package.rs", false, false), ["file_role"]);
    }

    #[test]
    fn deleted_tests_and_vendored_files_show() {
        assert_eq!(names("tests/a.rs", false, true), ["tests_lost", "file_role"]);
        assert_eq!(names("vendor/x/y.go", true, false), ["vendored_code", "file_role"]);
        assert!(project_has_tests(["src/a.rs", "tests/a.rs"]));
        assert!(!project_has_tests(["src/a.rs"]));
    }

    #[test]
    fn facts_survive_the_wire_and_bad_paths_do_not() {
        for fact in of_path("step_1", &RelPath::parse("vendor/Makefile").unwrap(), true, false) {
            let text = serde_json::to_string(&fact).unwrap();
            assert_eq!(serde_json::from_str::<Fact>(&text).unwrap(), fact);
            let escaped = text.replace("vendor/Makefile", "../Makefile");
            assert!(serde_json::from_str::<Fact>(&escaped).is_err());
        }
    }
}
