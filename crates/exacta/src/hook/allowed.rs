//! What the operator lets agents do beside reading: commands and tools, by name.
//!
//! It stands in `agents.toml` beside the operator's policy, never in a project: a project must
//! not be able to let anything through. A file that other people can write to counts for
//! nothing, and one that cannot be read refuses everything.

use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::{env, fs, io};

use serde::Deserialize;

use crate::planner::Written;

/// The file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Agents {
    /// What hooks let through.
    #[serde(default)]
    pub(crate) hooks: Hooks,
    /// The model that drafts plans.
    #[serde(default)]
    pub(crate) planner: Option<Written>,
}

/// What hooks let through.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hooks {
    /// Commands, each as the words that it starts with.
    #[serde(default)]
    pub(crate) commands: Vec<Vec<String>>,
    /// Tools of MCP servers and tools that are not known here, by their whole name.
    #[serde(default)]
    pub(crate) tools: Vec<String>,
}

/// Where the file lies.
pub(crate) fn place() -> Option<PathBuf> {
    let config = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|p| p.is_absolute());
    let home = || env::var_os("HOME").map(|home| PathBuf::from(home).join(".config"));
    Some(config.or_else(home)?.join("exacta").join("agents.toml"))
}

/// Reads the file; nothing is let through where there is none.
pub(crate) fn read() -> Result<Agents, String> {
    let Some(path) = place() else { return Ok(Agents::default()) };
    let name = path.display();
    let seen = match fs::symlink_metadata(&path) {
        Ok(seen) => seen,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Agents::default()),
        Err(error) => return Err(format!("`{name}` cannot be read: {error}")),
    };
    let user = rustix::process::geteuid().as_raw();
    let folder = path.parent().and_then(|folder| fs::metadata(folder).ok());
    if !folder.is_some_and(|seen| [0, user].contains(&seen.uid()) && seen.mode() & 0o002 == 0) {
        return Err(format!("the folder of `{name}` must be one that nobody else can write to"));
    }
    if !seen.is_file() || seen.uid() != user || seen.mode() & 0o022 != 0 {
        return Err(format!("`{name}` must be a file of yours that nobody else can write to"));
    }
    let text =
        fs::read_to_string(&path).map_err(|error| format!("`{name}` cannot be read: {error}"))?;
    toml::from_str(&text).map_err(|error| format!("`{name}` is not right: {}", error.message()))
}
