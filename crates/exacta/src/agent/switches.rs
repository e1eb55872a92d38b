//! What in a host's own settings keeps it from asking us, and what its version does not know.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::jsonc;
use super::wiring::Agent;

/// The first version of Claude Code that refuses when a hook cannot start.
const CLAUDE_BLOCKS: [u64; 3] = [2, 1, 295];

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The host does not ask us.
    Off(String),
    /// It asks us, and there is something to know.
    Know(String),
}

/// What keeps a host from asking us about this project.
pub(crate) fn found(
    agent: Agent,
    home: &Path,
    project: &Path,
    version: Option<&str>,
) -> Vec<Found> {
    match agent {
        Agent::ClaudeCode => claude(home, project, version),
        Agent::Codex => codex(home, project),
        Agent::Gemini => {
            let files = [project, home].map(|folder| folder.join(".gemini/settings.json"));
            let machine = PathBuf::from("/etc/gemini-cli/settings.json");
            let is_off = |json: &Value| {
                let config = json.get("hooksConfig");
                let disabled = config.and_then(|config| config.get("disabled")?.as_array());
                config.and_then(|config| config.get("enabled")) == Some(&Value::Bool(false))
                    || disabled.is_some_and(|names| names.iter().any(|name| name == "exacta"))
            };
            off(files.into_iter().chain([machine]), "`hooksConfig`", is_off)
        }
        Agent::Copilot => {
            let files = [
                home.join(".copilot/settings.json"),
                home.join(".copilot/config.json"),
                project.join(".github/copilot/settings.json"),
                project.join(".github/copilot/settings.local.json"),
            ];
            off(files, "`disableAllHooks`", |json| is_true(json, "disableAllHooks"))
        }
        _ => Vec::new(),
    }
}

fn claude(home: &Path, project: &Path, version: Option<&str>) -> Vec<Found> {
    let files = [
        project.join(".claude/settings.json"),
        project.join(".claude/settings.local.json"),
        home.join(".claude/settings.json"),
        PathBuf::from("/etc/claude-code/managed-settings.json"),
    ];
    let all = files.clone();
    let mut found = off(all, "`disableAllHooks`", |json| is_true(json, "disableAllHooks"));
    let managed = files.into_iter().skip(3);
    let only = |json: &Value| is_true(json, "allowManagedHooksOnly");
    found.extend(off(managed, "`allowManagedHooksOnly`", only));
    if let Some(version) = version.and_then(numbers).filter(|version| *version < CLAUDE_BLOCKS) {
        let [major, minor, patch] = version;
        found.push(Found::Know(format!(
            "{major}.{minor}.{patch} lets the tool run when a hook cannot start; from 2.1.295 on \
             it does not"
        )));
    }
    found
}

fn codex(home: &Path, project: &Path) -> Vec<Found> {
    let own = home.join(".codex/config.toml");
    let mut found = Vec::new();
    for file in [own.clone(), project.join(".codex/config.toml")] {
        let off = toml_at(&file).is_some_and(|table| {
            let features = table.get("features").and_then(toml::Value::as_table);
            features.and_then(|features| features.get("hooks"))
                == Some(&toml::Value::Boolean(false))
        });
        if off {
            found.push(Found::Off(format!("`features.hooks` in `{}`", file.display())));
        }
    }
    // Codex notes which hooks its user has looked at; it calls no other.
    let hook = format!("{}/.codex/hooks.json:pre_tool_use:", project.display());
    let trusted = toml_at(&own).is_some_and(|table| {
        let state = table.get("hooks").and_then(|hooks| hooks.get("state")?.as_table());
        state.is_some_and(|state| state.keys().any(|name| name.starts_with(&hook)))
    });
    if !trusted {
        found.push(Found::Off(
            "you have not trusted this hook in Codex yet (it asks at its start, or `/hooks`)"
                .into(),
        ));
    }
    found
}

/// The files in which a switch is set so that no hook runs.
fn off(
    files: impl IntoIterator<Item = PathBuf>,
    switch: &str,
    is_off: impl Fn(&Value) -> bool,
) -> Vec<Found> {
    let set = files.into_iter().filter(|file| {
        let json = fs::read_to_string(file).ok().and_then(|text| jsonc::value(&text).ok());
        json.as_ref().is_some_and(&is_off)
    });
    set.map(|file| Found::Off(format!("{switch} in `{}`", file.display()))).collect()
}

fn is_true(json: &Value, name: &str) -> bool {
    json.get(name) == Some(&Value::Bool(true))
}

fn toml_at(file: &Path) -> Option<toml::Table> {
    fs::read_to_string(file).ok()?.parse().ok()
}

/// The three numbers that a version begins with.
fn numbers(version: &str) -> Option<[u64; 3]> {
    let first =
        version.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    let mut parts = first.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().ok());
    Some([parts.next()??, parts.next()??, parts.next()??])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(folder: &Path, name: &str, text: &str) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn a_switch_that_turns_hooks_off_is_found_wherever_it_is() {
        for (agent, at_home, file, text) in [
            (
                Agent::ClaudeCode,
                false,
                ".claude/settings.local.json",
                "{\"disableAllHooks\": true}",
            ),
            (
                Agent::ClaudeCode,
                true,
                ".claude/settings.json",
                "{ // why\n\"disableAllHooks\": true,}",
            ),
            (
                Agent::Gemini,
                true,
                ".gemini/settings.json",
                "{\"hooksConfig\": {\"enabled\": false}}",
            ),
            (
                Agent::Gemini,
                false,
                ".gemini/settings.json",
                "{\"hooksConfig\": {\"disabled\": [\"exacta\"]}}",
            ),
            (Agent::Copilot, true, ".copilot/settings.json", "{\"disableAllHooks\": true}"),
        ] {
            let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            assert_eq!(found(agent, home.path(), project.path(), None), []);
            put(if at_home { home.path() } else { project.path() }, file, text);
            let seen = found(agent, home.path(), project.path(), None);
            assert!(matches!(seen.as_slice(), [Found::Off(_)]), "{agent:?} {file}: {seen:?}");
        }
    }

    #[test]
    fn codex_calls_only_hooks_that_its_user_trusts() {
        let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let look = || found(Agent::Codex, home.path(), project.path(), None);
        assert!(matches!(look().as_slice(), [Found::Off(_)]));
        let hook = format!("{}/.codex/hooks.json:pre_tool_use:0:0", project.path().display());
        let state = format!("[hooks.state.\"{hook}\"]\ntrusted_hash = \"sha256:x\"\n");
        put(home.path(), ".codex/config.toml", &state);
        assert_eq!(look(), []);
        put(home.path(), ".codex/config.toml", &format!("[features]\nhooks = false\n{state}"));
        assert!(matches!(look().as_slice(), [Found::Off(_)]));
    }

    #[test]
    fn an_older_claude_code_lets_tools_run_when_a_hook_cannot_start() {
        let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (version, known) in [
            ("2.1.197 (Claude Code)", true),
            ("2.1.294", true),
            ("2.1.295 (Claude Code)", false),
            ("3.0.0", false),
            ("odd", false),
        ] {
            let seen = found(Agent::ClaudeCode, home.path(), project.path(), Some(version));
            assert_eq!(matches!(seen.as_slice(), [Found::Know(_)]), known, "{version}");
        }
    }
}
