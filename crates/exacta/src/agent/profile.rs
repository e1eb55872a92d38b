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
    /// Folders of its home that it keeps, for this project alone.
    #[serde(default)]
    pub(crate) kept: Vec<String>,
    /// Files of the real home that are put into them first, when they are newer there.
    #[serde(default)]
    pub(crate) copies: Vec<String>,
    /// The one file that goes back to the real home when the agent has renewed it.
    #[serde(default)]
    pub(crate) credential: Option<String>,
    /// Variables that are set; `~` is its home.
    #[serde(default)]
    pub(crate) set: BTreeMap<String, String>,
    /// Variables that are handed on.
    #[serde(default)]
    pub(crate) env: Vec<String>,
    /// What it talks to.
    #[serde(default)]
    pub(crate) hosts: Vec<String>,
    /// What makes it take up the last conversation.
    #[serde(default)]
    pub(crate) again: Vec<String>,
    /// Whether its last argument is what it is told first.
    #[serde(default)]
    pub(crate) says: bool,
    /// What is on its screen while it works, in lower case.
    #[serde(default)]
    pub(crate) busy: Option<String>,
    /// How the last line of its screen begins when it waits.
    #[serde(default)]
    pub(crate) prompt: Option<String>,
}

/// How the end of a turn shows on the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ends {
    /// What is on the screen while the agent works, in lower case.
    pub(crate) busy: Option<String>,
    /// How the last line begins when it waits.
    pub(crate) prompt: Option<String>,
}

impl Profile {
    pub(crate) fn ends(&self) -> Ends {
        Ends { busy: self.busy.clone(), prompt: self.prompt.clone() }
    }
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
