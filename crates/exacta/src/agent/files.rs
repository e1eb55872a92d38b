//! Entries of ours in files of the user: put in, found, taken out; everything else stays.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde_json::{Map, Value};

use super::wiring::{PLUGIN_MARK, Piece};

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    /// It was written.
    Written,
    /// It is as it should be.
    AsItWas,
    /// It held nothing else and is gone.
    Removed,
}

const FENCE: [&str; 2] = ["# exacta: begin", "# exacta: end"];

impl Piece {
    /// The file, below the project.
    pub(crate) fn file(&self) -> &'static str {
        match self {
            Self::Entry { file, .. }
            | Self::Value { file, .. }
            | Self::Part { file, .. }
            | Self::File { file, .. } => file,
        }
    }

    /// Whether the host calls us because of it, rather than us being a server of it.
    pub(crate) fn is_hook(&self) -> bool {
        match self {
            Self::Entry { .. } | Self::File { .. } => true,
            Self::Value { .. } | Self::Part { .. } => false,
        }
    }

    /// Whether it is there, whole.
    pub(crate) fn is_set(&self, project: &Path) -> Result<bool, String> {
        let Some(text) = read(&project.join(self.file()))? else { return Ok(false) };
        Ok(match self {
            Self::Entry { at, value, .. } => {
                let json = parse(&text)?;
                let list = find(&json, at).and_then(Value::as_array);
                list.is_some_and(|list| list.contains(value))
            }
            Self::Value { at, value, .. } => find(&parse(&text)?, at) == Some(value),
            Self::Part { text: part, .. } => text.contains(part.as_str()),
            Self::File { text: wanted, .. } => text == *wanted,
        })
    }

    /// Puts it in.
    pub(crate) fn set(&self, project: &Path) -> Result<Done, String> {
        let path = project.join(self.file());
        if self.is_set(project)? {
            return Ok(Done::AsItWas);
        }
        let old = read(&path)?;
        let new = match self {
            Self::Entry { at, value, .. } => {
                let mut json = parse(old.as_deref().unwrap_or("{}"))?;
                let list = make(&mut json, at, &Value::Array(Vec::new()))?;
                let Value::Array(list) = list else {
                    return Err(format!("`{}` is not a list there", at.join(".")));
                };
                list.retain(|entry| !is_ours(entry));
                list.push(value.clone());
                pretty(&json)?
            }
            Self::Value { at, value, .. } => {
                let mut json = parse(old.as_deref().unwrap_or("{}"))?;
                *make(&mut json, at, value)? = value.clone();
                pretty(&json)?
            }
            Self::Part { table, text, .. } => {
                let old = old.unwrap_or_default();
                let rest = without_fence(&old);
                let there: toml::Table = toml::from_str(&rest).map_err(|e| e.to_string())?;
                let mut at = Some(&there);
                let mut found = None;
                for name in table.split('.') {
                    found = at.and_then(|table| table.get(name));
                    at = found.and_then(toml::Value::as_table);
                }
                if found.is_some() {
                    return Err(format!("`[{table}]` is there already, and is not ours"));
                }
                let gap = if rest.is_empty() || rest.ends_with("\n\n") { "" } else { "\n" };
                let new = format!("{rest}{gap}{}\n{text}{}\n", FENCE[0], FENCE[1]);
                toml::from_str::<toml::Table>(&new).map_err(|error| error.to_string())?;
                new
            }
            Self::File { text, .. } => {
                if old.is_some_and(|old| !old.contains(PLUGIN_MARK)) {
                    return Err("a file of that name is there, and is not ours".into());
                }
                text.clone()
            }
        };
        write(&path, &new)?;
        Ok(Done::Written)
    }

    /// Takes it out again. A file that then holds nothing goes.
    pub(crate) fn unset(&self, project: &Path) -> Result<Done, String> {
        let path = project.join(self.file());
        let Some(old) = read(&path)? else { return Ok(Done::AsItWas) };
        let new = match self {
            Self::Entry { at, .. } => {
                let mut json = parse(&old)?;
                if let Some(list) = find_mut(&mut json, at).and_then(Value::as_array_mut) {
                    list.retain(|entry| !is_ours(entry));
                }
                prune(&mut json, at);
                pretty(&json)?
            }
            Self::Value { at, value, .. } => {
                let mut json = parse(&old)?;
                // A version is everybody's as long as something else is there.
                let ours = find(&json, at) == Some(value);
                let alone = json.as_object().is_some_and(|fields| fields.len() == 1);
                if ours && (at.len() > 1 || alone) {
                    remove(&mut json, at);
                }
                pretty(&json)?
            }
            Self::Part { .. } => without_fence(&old),
            Self::File { .. } if old.contains(PLUGIN_MARK) => String::new(),
            Self::File { .. } => return Ok(Done::AsItWas),
        };
        if new.trim().is_empty() || new.trim() == "{}" {
            fs::remove_file(&path).map_err(|error| error.to_string())?;
            return Ok(Done::Removed);
        }
        if new == old || same_json(&new, &old) {
            return Ok(Done::AsItWas);
        }
        write(&path, &new)?;
        Ok(Done::Written)
    }
}

fn same_json(one: &str, two: &str) -> bool {
    matches!((serde_json::from_str::<Value>(one), serde_json::from_str::<Value>(two)),
        (Ok(one), Ok(two)) if one == two)
}

/// Whether an entry starts our hook.
fn is_ours(entry: &Value) -> bool {
    let text = entry.to_string();
    text.contains("exacta") && (text.contains(" hook ") || text.contains("\"hook\""))
}

fn read(path: &Path) -> Result<Option<String>, String> {
    match fs::symlink_metadata(path) {
        Ok(seen) if !seen.is_file() => Err("it is not a regular file".into()),
        Ok(_) => fs::read_to_string(path).map(Some).map_err(|error| error.to_string()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

fn parse(text: &str) -> Result<Value, String> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => Ok(Value::Object(fields)),
        Ok(_) => Err("it is not a JSON object".into()),
        Err(error) => Err(format!("it is not plain JSON: {error}")),
    }
}

fn pretty(json: &Value) -> Result<String, String> {
    let text = serde_json::to_string_pretty(json).map_err(|error| error.to_string())?;
    Ok(text + "\n")
}

fn find<'v>(json: &'v Value, at: &[&str]) -> Option<&'v Value> {
    at.iter().try_fold(json, |value, name| value.get(*name))
}

fn find_mut<'v>(json: &'v mut Value, at: &[&str]) -> Option<&'v mut Value> {
    at.iter().try_fold(json, |value, name| value.get_mut(*name))
}

/// The value at a path, made where there is none.
fn make<'v>(json: &'v mut Value, at: &[&str], last: &Value) -> Result<&'v mut Value, String> {
    let mut value = json;
    for (index, name) in at.iter().enumerate() {
        let empty =
            if index + 1 == at.len() { last.clone() } else { Value::Object(Map::default()) };
        let Value::Object(fields) = value else {
            return Err(format!("`{}` is not an object there", at.join(".")));
        };
        value = fields.entry((*name).to_owned()).or_insert(empty);
    }
    Ok(value)
}

fn remove(json: &mut Value, at: &[&str]) {
    let Some((last, above)) = at.split_last() else { return };
    if let Some(Value::Object(fields)) = find_mut(json, above) {
        fields.shift_remove(*last);
    }
    prune(json, above);
}

/// Removes what holds nothing any more, from the end of a path.
fn prune(json: &mut Value, at: &[&str]) {
    for length in (1..=at.len()).rev() {
        let Some(path) = at.get(..length) else { return };
        let empty = match find(json, path) {
            Some(Value::Object(fields)) => fields.is_empty(),
            Some(Value::Array(list)) => list.is_empty(),
            _ => false,
        };
        let Some((last, above)) = path.split_last().filter(|_| empty) else { return };
        if let Some(Value::Object(fields)) = find_mut(json, above) {
            fields.shift_remove(*last);
        }
    }
}

/// The text without our part.
fn without_fence(text: &str) -> String {
    let [begin, end] = FENCE;
    match (text.find(begin), text.find(end)) {
        (Some(from), Some(to)) if from < to => {
            let (before, rest) = text.split_at(from);
            let after = rest.split_once(end).map_or("", |(_, after)| after);
            let before =
                before.strip_suffix("\n\n").map_or(before.to_owned(), |b| format!("{b}\n"));
            format!("{before}{}", after.trim_start_matches('\n'))
        }
        _ => text.into(),
    }
}

/// Replaces a file in one step, with the rights that it had.
fn write(path: &Path, text: &str) -> Result<(), String> {
    let fail = |error: io::Error| error.to_string();
    let folder = path.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf);
    fs::create_dir_all(&folder).map_err(fail)?;
    let mut file = tempfile::NamedTempFile::new_in(&folder).map_err(fail)?;
    file.write_all(text.as_bytes()).map_err(fail)?;
    let mode = fs::metadata(path).map(|seen| seen.permissions());
    let mode = mode.unwrap_or_else(|_| std::os::unix::fs::PermissionsExt::from_mode(0o644));
    fs::set_permissions(file.path(), mode).map_err(fail)?;
    file.as_file().sync_all().map_err(fail)?;
    file.persist(path).map(drop).map_err(|error| fail(error.error))
}

#[cfg(test)]
mod tests {
    use super::super::wiring::Agent;
    use super::*;

    #[test]
    fn what_was_there_stays_and_comes_back() {
        for agent in Agent::ALL {
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            let kept = [
                (
                    ".claude/settings.json",
                    "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[]}]},\"model\":\"x\"}",
                ),
                (".codex/config.toml", "model = \"x\"\n\n[mcp_servers.other]\ncommand = \"y\"\n"),
                (
                    ".cursor/hooks.json",
                    "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"y\"}]}}",
                ),
                (".gemini/settings.json", "{\"theme\":\"x\"}"),
                ("opencode.json", "{\"model\":\"x\"}"),
            ];
            for (name, text) in kept {
                fs::create_dir_all(at(name).parent().unwrap()).unwrap();
                fs::write(at(name), text).unwrap();
            }
            let wiring = agent.wiring("exacta");
            for piece in &wiring.pieces {
                assert!(
                    !piece.is_set(folder.path()).unwrap() || piece.file() == ".cursor/hooks.json"
                );
                piece.set(folder.path()).unwrap();
            }
            for piece in &wiring.pieces {
                assert!(piece.is_set(folder.path()).unwrap(), "{agent:?} {piece:?}");
                assert_eq!(piece.set(folder.path()), Ok(Done::AsItWas));
            }
            for piece in wiring.pieces.iter().rev() {
                piece.unset(folder.path()).unwrap();
            }
            for (name, text) in kept {
                let now = fs::read_to_string(at(name)).unwrap();
                assert!(now == text || same_json(&now, text), "{agent:?} {name}: {now}");
            }
        }
    }

    #[test]
    fn what_cannot_be_read_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".claude")).unwrap();
        let file = folder.path().join(".claude/settings.json");
        for text in
            ["// a comment\n{}", "[]", "{", "{\"hooks\":[]}", "{\"hooks\":{\"PreToolUse\":{}}}"]
        {
            fs::write(&file, text).unwrap();
            let wiring = Agent::ClaudeCode.wiring("exacta");
            assert!(wiring.pieces.first().unwrap().set(folder.path()).is_err(), "{text}");
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
        }
    }
}
