//! Dependency manifests before and after.
//!
//! Input: a path and two texts. Output: what the manifest asks for now that it did not
//! ask for before. Errors: a manifest that cannot be read any more is a fact itself.
//! Next: the step puts line and excerpt to each difference.

mod about;
mod cargo;
mod compare;
mod csproj;
mod gemfile;
mod gitmodules;
mod gomod;
mod gradle;
mod ini;
mod json;
mod json_text;
mod lines;
mod maven;
mod model;
mod program;
mod pyproject;
mod readers;
mod requirements;
mod resembles;
mod toml_text;
mod version;
mod yaml;

pub(crate) use about::about;
pub(crate) use compare::compare;
pub(crate) use readers::is_manifest;
