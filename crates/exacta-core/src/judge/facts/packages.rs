//! Manifests and lock files by name: one row a format.
//!
//! The path alone decides, so that a manifest never changes unseen, even when nobody can
//! read it. Which reader a format has is up to the inspector; it must name one for each.

use super::role::Parts;
use super::vocabulary::Ecosystem;
use crate::model::path::RelPath;

/// How a manifest is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `Cargo.toml`
    Cargo,
    /// `package.json`
    Npm,
    /// `deno.json`
    Deno,
    /// `import_map.json`
    ImportMap,
    /// `pnpm-workspace.yaml`
    PnpmWorkspace,
    /// `pyproject.toml`
    Pyproject,
    /// `Pipfile`
    Pipfile,
    /// `requirements.txt`
    Requirements,
    /// `setup.cfg`
    SetupCfg,
    /// `setup.py`
    SetupPy,
    /// `environment.yml` of conda
    Conda,
    /// `go.mod`, `go.work`
    GoMod,
    /// `pom.xml`
    Maven,
    /// `libs.versions.toml`
    GradleCatalog,
    /// `build.gradle`
    Gradle,
    /// `Gemfile`
    Gemfile,
    /// `Podfile`
    Podfile,
    /// `composer.json`
    Composer,
    /// `*.csproj`
    Nuget,
    /// `vcpkg.json`
    Vcpkg,
    /// `conanfile.txt`
    ConanText,
    /// `conanfile.py`
    ConanPython,
    /// `pubspec.yaml`
    Pubspec,
    /// `mix.exs`
    Mix,
    /// `Package.swift`
    SwiftPackage,
    /// A list whose grammar is not read: each line is taken for a dependency
    Lines,
}

impl Format {
    /// Whether the manifest is a program, which can do more than depend on others.
    #[must_use]
    pub const fn is_program(self) -> bool {
        matches!(
            self,
            Self::SetupPy | Self::Gradle | Self::ConanPython | Self::Mix | Self::SwiftPackage
        )
    }
}

/// Manifests by their folded names.
const MANIFESTS: &[(&str, Ecosystem, Format)] = &[
    ("cargo.toml", Ecosystem::Cargo, Format::Cargo),
    ("package.json", Ecosystem::Npm, Format::Npm),
    ("bower.json", Ecosystem::Npm, Format::Npm),
    ("deno.json", Ecosystem::Npm, Format::Deno),
    ("deno.jsonc", Ecosystem::Npm, Format::Deno),
    ("import_map.json", Ecosystem::Npm, Format::ImportMap),
    ("import-map.json", Ecosystem::Npm, Format::ImportMap),
    ("importmap.json", Ecosystem::Npm, Format::ImportMap),
    ("pnpm-workspace.yaml", Ecosystem::Npm, Format::PnpmWorkspace),
    ("pyproject.toml", Ecosystem::Python, Format::Pyproject),
    ("setup.cfg", Ecosystem::Python, Format::SetupCfg),
    ("setup.py", Ecosystem::Python, Format::SetupPy),
    ("pipfile", Ecosystem::Python, Format::Pipfile),
    ("environment.yml", Ecosystem::Python, Format::Conda),
    ("environment.yaml", Ecosystem::Python, Format::Conda),
    ("conda.yml", Ecosystem::Python, Format::Conda),
    ("conda.yaml", Ecosystem::Python, Format::Conda),
    ("go.mod", Ecosystem::Go, Format::GoMod),
    ("go.work", Ecosystem::Go, Format::GoMod),
    ("pom.xml", Ecosystem::Maven, Format::Maven),
    ("build.gradle", Ecosystem::Maven, Format::Gradle),
    ("build.gradle.kts", Ecosystem::Maven, Format::Gradle),
    ("settings.gradle", Ecosystem::Maven, Format::Gradle),
    ("settings.gradle.kts", Ecosystem::Maven, Format::Gradle),
    ("build.sbt", Ecosystem::Maven, Format::Lines),
    ("project.clj", Ecosystem::Maven, Format::Lines),
    ("deps.edn", Ecosystem::Maven, Format::Lines),
    ("gemfile", Ecosystem::Ruby, Format::Gemfile),
    ("gems.rb", Ecosystem::Ruby, Format::Gemfile),
    ("composer.json", Ecosystem::Composer, Format::Composer),
    ("directory.packages.props", Ecosystem::Nuget, Format::Nuget),
    ("packages.config", Ecosystem::Nuget, Format::Nuget),
    ("paket.dependencies", Ecosystem::Nuget, Format::Lines),
    ("vcpkg.json", Ecosystem::Cpp, Format::Vcpkg),
    ("vcpkg-configuration.json", Ecosystem::Cpp, Format::Vcpkg),
    ("conanfile.txt", Ecosystem::Cpp, Format::ConanText),
    ("conanfile.py", Ecosystem::Cpp, Format::ConanPython),
    ("podfile", Ecosystem::Swift, Format::Podfile),
    ("cartfile", Ecosystem::Swift, Format::Lines),
    ("package.swift", Ecosystem::Swift, Format::SwiftPackage),
    ("pubspec.yaml", Ecosystem::Dart, Format::Pubspec),
    ("pubspec_overrides.yaml", Ecosystem::Dart, Format::Pubspec),
    ("mix.exs", Ecosystem::Elixir, Format::Mix),
    ("rebar.config", Ecosystem::Elixir, Format::Lines),
    ("cpanfile", Ecosystem::Other, Format::Lines),
    ("brewfile", Ecosystem::Other, Format::Lines),
    ("berksfile", Ecosystem::Other, Format::Lines),
    ("module.bazel", Ecosystem::Other, Format::Lines),
    ("shard.yml", Ecosystem::Other, Format::Lines),
    ("build.zig.zon", Ecosystem::Other, Format::Lines),
];

/// Manifests by how their folded names end.
const ENDINGS: &[(&str, Ecosystem, Format)] = &[
    (".csproj", Ecosystem::Nuget, Format::Nuget),
    (".fsproj", Ecosystem::Nuget, Format::Nuget),
    (".vbproj", Ecosystem::Nuget, Format::Nuget),
    (".versions.toml", Ecosystem::Maven, Format::GradleCatalog),
];

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
    ("conda-lock.yml", Ecosystem::Python),
    ("pixi.lock", Ecosystem::Python),
    ("go.sum", Ecosystem::Go),
    ("go.work.sum", Ecosystem::Go),
    ("gemfile.lock", Ecosystem::Ruby),
    ("gems.locked", Ecosystem::Ruby),
    ("composer.lock", Ecosystem::Composer),
    ("packages.lock.json", Ecosystem::Nuget),
    ("paket.lock", Ecosystem::Nuget),
    ("gradle.lockfile", Ecosystem::Maven),
    ("verification-metadata.xml", Ecosystem::Maven),
    ("conda-lock.yaml", Ecosystem::Python),
    ("mise.lock", Ecosystem::Other),
    ("devbox.lock", Ecosystem::Other),
    ("chart.lock", Ecosystem::Other),
    ("buildscript-gradle.lockfile", Ecosystem::Maven),
    ("podfile.lock", Ecosystem::Swift),
    ("package.resolved", Ecosystem::Swift),
    ("cartfile.resolved", Ecosystem::Swift),
    ("pubspec.lock", Ecosystem::Dart),
    ("mix.lock", Ecosystem::Elixir),
    ("rebar.lock", Ecosystem::Elixir),
    ("conan.lock", Ecosystem::Cpp),
    ("flake.lock", Ecosystem::Other),
    ("shard.lock", Ecosystem::Other),
    ("module.bazel.lock", Ecosystem::Other),
    (".terraform.lock.hcl", Ecosystem::Other),
];

/// Family and format of the manifest at `path`, if it is one.
#[must_use]
pub fn manifest(path: &RelPath) -> Option<(Ecosystem, Format)> {
    manifest_of(&Parts::of(path.as_str()))
}

/// The family of the lock file at `path`, if it is one.
#[must_use]
pub fn lock_file(path: &RelPath) -> Option<Ecosystem> {
    lock_of(&Parts::of(path.as_str()))
}

pub(super) fn manifest_of(parts: &Parts) -> Option<(Ecosystem, Format)> {
    let name = parts.name();
    if parts.lists_requirements() {
        return Some((Ecosystem::Python, Format::Requirements));
    }
    let named = MANIFESTS.iter().find(|(known, ..)| *known == name);
    let ending = || ENDINGS.iter().find(|(ending, ..)| name.ends_with(ending));
    named.or_else(ending).map(|(_, ecosystem, format)| (*ecosystem, *format))
}

pub(super) fn lock_of(parts: &Parts) -> Option<Ecosystem> {
    let name = parts.name();
    LOCKS.iter().find(|(known, _)| *known == name).map(|(_, ecosystem)| *ecosystem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_requirements_are_known_by_name_and_by_folder() {
        for path in [
            "requirements.txt",
            "requirements-dev.txt",
            "requirements.in",
            "requirements3.txt",
            "dev-requirements.txt",
            "test_requirements.txt",
            "Requirements/Prod.txt",
            "deploy/requirements/base.in",
            "constraints.txt",
            "pip-constraints.txt",
        ] {
            let known = manifest(&RelPath::parse(path).unwrap());
            assert_eq!(known, Some((Ecosystem::Python, Format::Requirements)), "{path}");
        }
        for path in
            ["requirements.md", "requirements/notes.md", "docs/a.txt", "prerequirements.txt"]
        {
            assert_eq!(manifest(&RelPath::parse(path).unwrap()), None, "{path}");
        }
    }

    #[test]
    fn no_name_is_both_or_twice() {
        for (index, (name, ..)) in MANIFESTS.iter().enumerate() {
            assert!(!LOCKS.iter().any(|(lock, _)| lock == name), "{name}");
            assert!(!MANIFESTS.iter().skip(index + 1).any(|(other, ..)| other == name), "{name}");
        }
    }
}
