//! Facts that the path alone proves.
//!
//! They need no inspector, so they hold even when the inspector died.

use alloc::string::String;
use alloc::vec::Vec;

use super::fact::Fact;
use super::kind::FactKind;
use super::packages::{lock_of, manifest_of};
use super::role::Parts;
use super::vocabulary::TestLoss;
use crate::model::path::{RelPath, auto_run, auto_run_program};

/// Everything that follows from the path of a changed file.
///
/// `created` and `deleted` say whether there is no image before or after the step.
#[must_use]
pub fn of_path(step: &str, path: &RelPath, created: bool, deleted: bool) -> Vec<Fact> {
    let parts = Parts::of(path.as_str());
    let mut kinds = Vec::new();
    if let Some((ecosystem, _)) = manifest_of(&parts) {
        kinds.push(FactKind::ManifestChanged { ecosystem });
    }
    if let Some(ecosystem) = lock_of(&parts) {
        kinds.push(FactKind::LockFileChanged { ecosystem });
    }
    if let Some(sign) = parts.vendored() {
        kinds.push(FactKind::VendoredCode { sign: sign.into(), created });
    }
    if let Some(why) = auto_run(path) {
        let program = auto_run_program(path).unwrap_or_default();
        kinds.push(FactKind::RunsByItself { why, program });
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
            "requirements/prod.txt",
            "dev-requirements.txt",
            "setup.cfg",
            "setup.py",
            "environment.yml",
            "gradle/libs.versions.toml",
            "build.gradle.kts",
            "vcpkg.json",
            "conanfile.txt",
            "Podfile",
            "pubspec.yaml",
            "import_map.json",
            "mix.exs",
            "Package.swift",
            "pnpm-workspace.yaml",
        ] {
            assert!(names(path, false, false).contains(&"manifest_changed"), "{path}");
        }
        for path in ["Cargo.lock", "package-lock.json", "yarn.lock", "go.sum", "mix.lock"] {
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
