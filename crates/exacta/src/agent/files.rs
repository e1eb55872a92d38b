//! Entries of ours in files of the user: put in, found, taken out; everything else stays.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde_json::Value;

use super::before::Before;
use super::jsonc::{self, Step};
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
        let Some(text) = read(&place(project, self.file()))? else { return Ok(false) };
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

    /// Whether something of ours is there, as another version may have put it.
    pub(crate) fn is_alike(&self, project: &Path) -> bool {
        let text = read(&place(project, self.file())).ok().flatten().unwrap_or_default();
        match self {
            Self::Entry { at, .. } => {
                let json = parse(&text).unwrap_or_default();
                let list = find(&json, at).and_then(Value::as_array);
                list.is_some_and(|list| list.iter().any(is_ours))
            }
            Self::File { .. } => text.contains(PLUGIN_MARK),
            Self::Value { .. } | Self::Part { .. } => false,
        }
    }

    /// Puts it in.
    pub(crate) fn set(&self, project: &Path, before: &mut Before) -> Result<Done, String> {
        let path = place(project, self.file());
        if self.is_set(project)? {
            return Ok(Done::AsItWas);
        }
        let old = read(&path)?;
        let json = old.as_deref().filter(|text| !text.trim().is_empty()).unwrap_or("{}\n");
        let new = match self {
            Self::Entry { at, value, .. } => {
                jsonc::with_entry(&without_ours(json, at)?, at, value)?
            }
            Self::Value { at, value, .. } => jsonc::with_value(json, at, value)?,
            Self::Part { table, text, .. } => with_part(old.as_deref(), table, text)?,
            Self::File { text, .. } => {
                if old.as_deref().is_some_and(|old| !old.contains(PLUGIN_MARK)) {
                    return Err("a file of that name is there, and is not ours".into());
                }
                text.clone()
            }
        };
        let folders = missing_folders(project, &path);
        before.note(self.file(), old.as_deref(), &new, folders).map_err(|error| {
            format!("what it was cannot be kept, so it is not changed: {error}")
        })?;
        write(&path, &new)?;
        Ok(Done::Written)
    }

    /// Takes it out again. A file that then holds nothing goes.
    fn unset(&self, project: &Path) -> Result<Done, String> {
        let path = place(project, self.file());
        let Some(old) = read(&path)? else { return Ok(Done::AsItWas) };
        let new = match self {
            Self::Entry { at, .. } => without_ours(&old, at)?,
            Self::Value { at, value, .. } => {
                let json = parse(&old)?;
                // A version is everybody's as long as something else is there.
                let ours = find(&json, at) == Some(value);
                let alone = json.as_object().is_some_and(|fields| fields.len() == 1);
                if ours && (at.len() > 1 || alone) {
                    let steps: Vec<_> = at.iter().map(|name| Step::Field(name)).collect();
                    jsonc::without(&old, &steps)?
                } else {
                    old.clone()
                }
            }
            Self::Part { .. } => without_fence(&old),
            Self::File { .. } if old.contains(PLUGIN_MARK) => String::new(),
            Self::File { .. } => return Ok(Done::AsItWas),
        };
        if new == old {
            return Ok(Done::AsItWas);
        }
        if new.trim().is_empty() || new.trim() == "{}" {
            fs::remove_file(&path).map_err(|error| error.to_string())?;
            return Ok(Done::Removed);
        }
        write(&path, &new)?;
        Ok(Done::Written)
    }
}

/// Takes pieces out of their files. A file that is still as we left it becomes what it was, byte
/// for byte; from one that somebody changed meanwhile only what is ours goes.
pub(crate) fn take_out(
    pieces: &[Piece],
    project: &Path,
    before: &mut Before,
) -> Result<Vec<(&'static str, Done)>, (&'static str, String)> {
    let mut done: Vec<(&'static str, Done)> = Vec::new();
    for piece in pieces.iter().rev() {
        let file = piece.file();
        if done.iter().any(|(seen, done)| *seen == file && *done != Done::AsItWas) {
            continue;
        }
        let fail = |why: String| (file, why);
        let path = place(project, file);
        let now = read(&path).map_err(fail)?;
        let back = now.as_deref().and_then(|now| before.was(file, now));
        let outcome = match back {
            Some((Some(text), _)) => write(&path, text).map(|()| Done::Written),
            Some((None, folders)) => fs::remove_file(&path)
                .map(|()| Done::Removed)
                .map_err(|error| error.to_string())
                .inspect(|_| {
                    for folder in folders {
                        // One that holds something else stays.
                        let _ = fs::remove_dir(project.join(folder));
                    }
                }),
            None => {
                let ours = pieces.iter().rev().filter(|piece| piece.file() == file);
                ours.map(|piece| piece.unset(project)).try_fold(Done::AsItWas, |all, one| {
                    one.map(|one| if one == Done::AsItWas { all } else { one })
                })
            }
        };
        done.push((file, outcome.map_err(fail)?));
        before.forget(file).map_err(|error| fail(error.to_string()))?;
    }
    done.reverse();
    Ok(done)
}

/// Where a file of a host lies. One of opencode's may have comments, and then another ending.
fn place(project: &Path, file: &str) -> PathBuf {
    let path = project.join(file);
    let commented = project.join("opencode.jsonc");
    if file == "opencode.json" && !path.exists() && commented.exists() { commented } else { path }
}

/// The text of a list's file without entries of ours. An entry that starts others as well loses
/// our part alone.
fn without_ours(text: &str, at: &[&str]) -> Result<String, String> {
    let mut text = text.to_owned();
    loop {
        let json = parse(&text)?;
        let Some(list) = find(&json, at).and_then(Value::as_array) else { return Ok(text) };
        let mut steps: Vec<_> = at.iter().map(|name| Step::Field(name)).collect();
        let Some((index, entry)) = list.iter().enumerate().find(|(_, entry)| is_ours(entry)) else {
            return Ok(text);
        };
        steps.push(Step::Entry(index));
        let inner = entry.get("hooks").and_then(Value::as_array);
        if let Some(inner) = inner.filter(|inner| !inner.iter().all(is_ours)) {
            let Some(ours) = inner.iter().position(is_ours) else { return Ok(text) };
            steps.extend([Step::Field("hooks"), Step::Entry(ours)]);
        }
        text = jsonc::without(&text, &steps)?;
    }
}

/// Whether an entry starts our hook.
fn is_ours(entry: &Value) -> bool {
    let text = entry.to_string();
    text.contains("exacta") && (text.contains(" hook ") || text.contains("\"hook\""))
}

fn with_part(old: Option<&str>, table: &str, text: &str) -> Result<String, String> {
    let old = old.unwrap_or_default();
    let rest = without_fence(old);
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
    let gap = match () {
        () if rest.is_empty() => "",
        () if rest.ends_with('\n') => "\n",
        () => "\n\n",
    };
    let new = format!("{rest}{gap}{}\n{text}{}\n", FENCE[0], FENCE[1]);
    toml::from_str::<toml::Table>(&new).map_err(|error| error.to_string())?;
    Ok(new)
}

/// The text without our part.
fn without_fence(text: &str) -> String {
    let [begin, end] = FENCE;
    match (text.find(begin), text.find(end)) {
        (Some(from), Some(to)) if from < to => {
            let (before, rest) = text.split_at(from);
            let after = rest.split_once(end).map_or("", |(_, after)| after);
            let before = before.strip_suffix('\n').map_or(before, |without| {
                if without.is_empty() || without.ends_with('\n') { without } else { before }
            });
            format!("{before}{}", after.trim_start_matches('\n'))
        }
        _ => text.into(),
    }
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
    jsonc::value(if text.trim().is_empty() { "{}" } else { text })
}

fn find<'v>(json: &'v Value, at: &[&str]) -> Option<&'v Value> {
    at.iter().try_fold(json, |value, name| value.get(*name))
}

/// The folders that a file needs and that are not there, the innermost first.
fn missing_folders(project: &Path, path: &Path) -> Vec<String> {
    let above = path.ancestors().skip(1).take_while(|above| !above.exists());
    let below = above.filter_map(|above| above.strip_prefix(project).ok()?.to_str());
    below.map(str::to_owned).collect()
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

    /// What people have in these files: comments, an order and a layout of their own.
    const KEPT: [(&str, &str); 9] = [
        (
            ".claude/settings.json",
            "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[]}]},\"model\":\"x\"}",
        ),
        (".mcp.json", "{ \"mcpServers\": { \"other\": { \"command\": \"y\" } } }"),
        (
            ".codex/config.toml",
            "# mine\nmodel = \"x\" # why\n\n[mcp_servers.other]\ncommand = \"y\"\n\n\n",
        ),
        (".codex/hooks.json", "{}\n"),
        (
            ".cursor/hooks.json",
            "{\n\t\"version\": 1,\n\t\"hooks\": {\n\t\t\"stop\": [ {\"command\":\"y\"} ]\n\t}\n}",
        ),
        (".cursor/mcp.json", "{}"),
        (
            ".gemini/settings.json",
            "{\r\n  // the theme\r\n  \"theme\": \"x\", // dark\r\n  \"hooks\": {},\r\n}\r\n",
        ),
        ("opencode.jsonc", "{\n  /* model */ \"model\": \"x\", // \"quoted\"\n}\n"),
        (".opencode/plugins/own.ts", "export const Own = 1\n"),
    ];

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in KEPT {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn texts(folder: &Path) -> Vec<Option<String>> {
        KEPT.iter().map(|(name, _)| fs::read_to_string(folder.join(name)).ok()).collect()
    }

    #[test]
    fn what_was_there_stays_and_comes_back_byte_for_byte() {
        for agent in Agent::ALL {
            let (folder, state) = (folder(), tempfile::tempdir().unwrap());
            let before = texts(folder.path());
            let wiring = agent.wiring("exacta");
            for round in 0..2 {
                let mut notes = Before::of(state.path(), "p");
                for piece in &wiring.pieces {
                    let done = piece.set(folder.path(), &mut notes).unwrap();
                    assert!(round == 0 || done == Done::AsItWas, "{agent:?} {piece:?}");
                }
            }
            for piece in &wiring.pieces {
                assert!(piece.is_set(folder.path()).unwrap(), "{agent:?} {piece:?}");
            }
            let settings = fs::read_to_string(folder.path().join(".gemini/settings.json")).unwrap();
            assert!(settings.contains("// the theme\r\n  \"theme\": \"x\", // dark\r\n"));
            let mut notes = Before::of(state.path(), "p");
            take_out(&wiring.pieces, folder.path(), &mut notes).unwrap();
            assert_eq!(texts(folder.path()), before, "{agent:?}");
            assert_eq!(fs::read_dir(state.path().join("connect")).map_or(0, Iterator::count), 0);
        }
    }

    #[test]
    fn folders_that_were_made_go_and_others_stay() {
        for agent in Agent::ALL {
            let (folder, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            fs::create_dir(folder.path().join(".gemini")).unwrap();
            let mut notes = Before::of(state.path(), "p");
            let wiring = agent.wiring("exacta");
            for piece in &wiring.pieces {
                piece.set(folder.path(), &mut notes).unwrap();
            }
            take_out(&wiring.pieces, folder.path(), &mut notes).unwrap();
            let left: Vec<_> = fs::read_dir(folder.path()).unwrap().flatten().collect();
            assert_eq!(left.len(), 1, "{agent:?} {left:?}");
        }
    }

    #[test]
    fn what_somebody_wrote_after_us_stays() {
        for agent in Agent::ALL {
            let (folder, state) = (folder(), tempfile::tempdir().unwrap());
            let mut notes = Before::of(state.path(), "p");
            let wiring = agent.wiring("exacta");
            for piece in &wiring.pieces {
                piece.set(folder.path(), &mut notes).unwrap();
            }
            let mut after = Vec::new();
            for (name, _) in KEPT {
                let path = folder.path().join(name);
                let text = fs::read_to_string(&path).unwrap();
                let text = match name {
                    ".codex/config.toml" => format!("{text}[later]\nx = 1\n"),
                    ".opencode/plugins/own.ts" => text,
                    _ => text.replacen('{', "{\"later\": true, ", 1),
                };
                fs::write(&path, &text).unwrap();
                after.push(text.contains("later"));
            }
            take_out(&wiring.pieces, folder.path(), &mut notes).unwrap();
            for ((name, before), later) in KEPT.iter().zip(after) {
                let text = fs::read_to_string(folder.path().join(name)).unwrap();
                assert_eq!(text.contains("later"), later, "{agent:?} {name}: {text}");
                assert!(!text.contains("exacta"), "{agent:?} {name}: {text}");
                let comments = before.matches("//").count() + before.matches("/*").count();
                let kept = text.matches("//").count() + text.matches("/*").count();
                assert_eq!(comments, kept, "{agent:?} {name}: {text}");
            }
        }
    }

    #[test]
    fn an_entry_that_starts_others_too_loses_our_part_alone() {
        let text = "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [\
            {\"command\": \"mine\"}, {\"command\": \"exacta hook codex\"}]}]}}";
        let without = without_ours(text, &["hooks", "PreToolUse"]).unwrap();
        let list = parse(&without).unwrap()["hooks"]["PreToolUse"][0]["hooks"].clone();
        assert_eq!(list, serde_json::json!([{ "command": "mine" }]));
    }

    #[test]
    fn what_cannot_be_read_is_not_written() {
        let (folder, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(folder.path().join(".claude")).unwrap();
        let file = folder.path().join(".claude/settings.json");
        for text in ["[]", "{", "/* {}", "{\"hooks\":[]}", "{\"hooks\":{\"PreToolUse\":{}}}", "{,}"]
        {
            fs::write(&file, text).unwrap();
            let mut notes = Before::of(state.path(), "p");
            let wiring = Agent::ClaudeCode.wiring("exacta");
            let done = wiring.pieces.first().unwrap().set(folder.path(), &mut notes);
            assert!(done.is_err(), "{text}");
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
        }
    }
}
