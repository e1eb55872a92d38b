//! What each agent needs to work on a copy, as data.

use std::collections::BTreeMap;

use serde::Deserialize;

/// One agent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    /// The program.
    pub(crate) program: String,
    /// What of the home it is shown; it cannot write there.
    #[serde(default)]
    pub(crate) reads: Vec<String>,
    /// Variables that are handed on.
    #[serde(default)]
    pub(crate) env: Vec<String>,
    /// What it talks to.
    #[serde(default)]
    pub(crate) hosts: Vec<String>,
    /// What makes it take up the last conversation.
    #[serde(default)]
    pub(crate) again: Vec<String>,
}

/// The agent of this name; any other program has no needs that are known.
pub(crate) fn profile(name: &str) -> Profile {
    let known: BTreeMap<String, Profile> =
        toml::from_str(include_str!("profiles.toml")).unwrap_or_default();
    let name = name.strip_suffix("-code").unwrap_or(name);
    let unknown = || Profile { program: name.into(), ..Profile::default() };
    known.get(name).cloned().unwrap_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profiles_are_read() {
        for name in ["claude", "codex", "cursor", "gemini", "opencode", "goose", "aider"] {
            assert!(!profile(name).hosts.is_empty(), "{name}");
        }
        assert_eq!(profile("claude-code").program, "claude");
        assert_eq!(profile("vim").program, "vim");
    }
}
