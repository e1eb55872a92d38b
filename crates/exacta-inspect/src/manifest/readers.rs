//! Which reader reads which manifest.

use exacta_core::judge::facts::{Ecosystem, Format, manifest};
use exacta_core::model::path::RelPath;

use super::model::Manifest;
use super::{
    cargo, csproj, gemfile, gomod, gradle, ini, json, lines, maven, program, pyproject,
    requirements, yaml,
};

/// Reads one text.
pub(super) type Reader = fn(&str) -> Result<Manifest, String>;

/// Whether the file at a path only says what a project depends on.
pub(crate) fn is_manifest(path: &RelPath) -> bool {
    manifest(path).is_some_and(|(_, format)| !format.is_program())
}

/// Family and reader of the manifest at a path.
pub(super) fn reader(path: &RelPath) -> Option<(Ecosystem, Reader)> {
    manifest(path).map(|(ecosystem, format)| (ecosystem, of_format(format)))
}

fn of_format(format: Format) -> Reader {
    match format {
        Format::Cargo => cargo::read,
        Format::Npm => json::npm,
        Format::Deno => json::deno,
        Format::ImportMap => json::import_map,
        Format::PnpmWorkspace => yaml::pnpm_workspace,
        Format::Pyproject => pyproject::pyproject,
        Format::Pipfile => pyproject::pipfile,
        Format::Requirements => requirements::read,
        Format::SetupCfg => |text| Ok(ini::setup_cfg(text)),
        Format::SetupPy => |text| Ok(program::setup_py(text)),
        Format::Conda => yaml::conda,
        Format::GoMod => gomod::read,
        Format::Maven => maven::read,
        Format::GradleCatalog => gradle::catalog,
        Format::Gradle => |text| Ok(gradle::script(text)),
        Format::Gemfile => |text| Ok(gemfile::gems(text)),
        Format::Podfile => |text| Ok(gemfile::pods(text)),
        Format::Composer => json::composer,
        Format::Nuget => csproj::read,
        Format::Vcpkg => json::vcpkg,
        Format::ConanText => |text| Ok(ini::conan(text)),
        Format::ConanPython => |text| Ok(program::conan(text)),
        Format::Pubspec => yaml::pubspec,
        Format::Mix => |text| Ok(program::mix(text)),
        Format::SwiftPackage => |text| Ok(program::swift(text)),
        Format::Lines => |text| Ok(lines::read(text)),
    }
}
