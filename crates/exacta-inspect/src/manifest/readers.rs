//! Which reader reads which manifest.

use exacta_core::facts::Ecosystem;
use exacta_core::path::RelPath;

use super::model::Manifest;
use super::{cargo, csproj, gemfile, gomod, json, maven, pyproject, requirements};

/// Reads one text.
pub(super) type Reader = fn(&str) -> Result<Manifest, String>;

/// Whether the file at a path says what a project depends on.
pub(crate) fn is_manifest(path: &RelPath) -> bool {
    reader(path).is_some()
}

/// Family and reader of the manifest at a path.
pub(super) fn reader(path: &RelPath) -> Option<(Ecosystem, Reader)> {
    let name = path.name().to_lowercase();
    Some(match name.as_str() {
        "cargo.toml" => (Ecosystem::Cargo, cargo::read),
        "package.json" => (Ecosystem::Npm, json::npm),
        "deno.json" | "deno.jsonc" => (Ecosystem::Npm, json::deno),
        "composer.json" => (Ecosystem::Composer, json::composer),
        "pyproject.toml" => (Ecosystem::Python, pyproject::pyproject),
        "pipfile" => (Ecosystem::Python, pyproject::pipfile),
        "go.mod" | "go.work" => (Ecosystem::Go, gomod::read),
        "pom.xml" => (Ecosystem::Maven, maven::read),
        "gemfile" | "gems.rb" => (Ecosystem::Ruby, |text| Ok(gemfile::read(text))),
        "directory.packages.props" | "packages.config" => (Ecosystem::Nuget, csproj::read),
        _ => {
            let (stem, ending) = name.rsplit_once('.')?;
            let lists = stem.starts_with("requirements") || stem.starts_with("constraints");
            match ending {
                "txt" | "in" if lists => (Ecosystem::Python, |text| Ok(requirements::read(text))),
                "csproj" | "fsproj" | "vbproj" => (Ecosystem::Nuget, csproj::read),
                _ => return None,
            }
        }
    })
}
