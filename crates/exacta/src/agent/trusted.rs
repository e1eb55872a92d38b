//! Whether a host trusts this folder, as it has written down itself. In a folder that they do
//! not trust, some hosts call no hook of the project, and their tools run.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::wiring::Agent;

/// Whether the host calls hooks of this project; `None` where it does not depend on trust, or
/// nothing is known.
pub(crate) fn calls_hooks(agent: Agent, home: &Path, project: &Path) -> Option<bool> {
    match agent {
        Agent::Gemini => {
            let text = fs::read(home.join(".gemini/trustedFolders.json")).unwrap_or_default();
            let known: Value = serde_json::from_slice(&text).unwrap_or_default();
            let rules = known.as_object().cloned().unwrap_or_default();
            let says = |folder: &Path, word: &str| {
                let rule = folder.to_str().and_then(|folder| rules.get(folder));
                rule.and_then(Value::as_str) == Some(word)
            };
            let here = says(project, "TRUST_FOLDER");
            let above = project.ancestors().any(|above| {
                says(above, "TRUST_FOLDER")
                    || above.ancestors().nth(1).is_some_and(|_| says(above, "TRUST_PARENT"))
            });
            Some((here || above) && !says(project, "DO_NOT_TRUST"))
        }
        Agent::Codex => {
            let text = fs::read_to_string(home.join(".codex/config.toml")).unwrap_or_default();
            let known: toml::Table = text.parse().unwrap_or_default();
            let projects = known.get("projects").and_then(toml::Value::as_table);
            let level = project.to_str().and_then(|name| projects?.get(name)?.get("trust_level"));
            Some(level.and_then(toml::Value::as_str) == Some("trusted"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_is_what_the_host_wrote_down() {
        let home = tempfile::tempdir().unwrap();
        let (at, project) = (home.path(), Path::new("/srv/shop"));
        assert_eq!(calls_hooks(Agent::ClaudeCode, at, project), None);
        for agent in [Agent::Gemini, Agent::Codex] {
            assert_eq!(calls_hooks(agent, at, project), Some(false));
        }
        fs::create_dir_all(at.join(".gemini")).unwrap();
        fs::create_dir_all(at.join(".codex")).unwrap();
        let gemini = at.join(".gemini/trustedFolders.json");
        fs::write(&gemini, "{\"/srv/shop\": \"TRUST_FOLDER\"}").unwrap();
        assert_eq!(calls_hooks(Agent::Gemini, at, project), Some(true));
        assert_eq!(calls_hooks(Agent::Gemini, at, Path::new("/srv/other")), Some(false));
        fs::write(&gemini, "{\"/srv\": \"TRUST_FOLDER\", \"/srv/shop\": \"DO_NOT_TRUST\"}")
            .unwrap();
        assert_eq!(calls_hooks(Agent::Gemini, at, project), Some(false));
        fs::write(
            at.join(".codex/config.toml"),
            "[projects.\"/srv/shop\"]\ntrust_level = \"trusted\"\n",
        )
        .unwrap();
        assert_eq!(calls_hooks(Agent::Codex, at, project), Some(true));
        fs::write(at.join(".codex/config.toml"), "not toml [").unwrap();
        assert_eq!(calls_hooks(Agent::Codex, at, project), Some(false));
    }
}
