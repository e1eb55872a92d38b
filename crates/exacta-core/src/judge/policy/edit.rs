//! Changes one value of a policy file and leaves every other byte as it is: comments and the
//! order of keys belong to whoever wrote them.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use serde::Serialize;
use toml::de::DeTable;

use super::layer::{Layer, LayerName};
use super::read::read;
use super::registered::Check;
use super::words::Profile;
use crate::model::code::Code;
use crate::model::diagnostic::Issue;

/// What a person wants a policy file to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Edit {
    /// This profile.
    Profile(Profile),
    /// A check under this name, which must be free.
    Check(String, Check),
    /// No check under this name any more.
    NoCheck(String),
}

/// The text of a file after an edit; an empty text is a file that is not there yet.
///
/// # Errors
/// Every mistake in the file as it is, or why it cannot say this as well.
pub fn edited(name: LayerName, text: &str, edit: &Edit) -> Result<String, Vec<Issue>> {
    let before = read(name, text.as_bytes())?;
    let (document, _) = DeTable::parse_recoverable(text);
    let mut out = String::from(text);
    if text.trim().is_empty() {
        out = "version = 1\n".into();
    }
    match edit {
        Edit::Profile(profile) => {
            let value = format!("\"{}\"", profile.as_str());
            match document.get_ref().get("profile").map(toml::Spanned::span) {
                Some(span) => out.replace_range(span, &value),
                // What stands before the first table belongs to the top.
                None => out = after_version(&out, &format!("profile = {value}\n")),
            }
        }
        Edit::Check(check_name, check) => {
            if before.checks.contains_key(check_name) {
                return Err(fault(format!("there is a check `{check_name}` already")));
            }
            if !out.ends_with('\n') {
                out.push('\n');
            }
            let words: Vec<String> = check.command.iter().map(|word| quoted(word)).collect();
            let entry = format!(
                "\n[checks.{}]\ncommand = [{}]\ntimeout_seconds = {}\n",
                quoted(check_name),
                words.join(", "),
                check.timeout_seconds
            );
            out.push_str(&entry);
            if !check.runs.is_always() {
                out.push_str("runs = \"named\"\n");
            }
        }
        Edit::NoCheck(check_name) => {
            if !before.checks.contains_key(check_name) {
                return Err(fault(format!("there is no check `{check_name}` in this file")));
            }
            out = without_check(text, check_name);
        }
    }
    // The file must say exactly what it said before, and this.
    let after = read(name, out.as_bytes())?;
    let mut wanted = Layer { source: after.source, ..before };
    match edit {
        Edit::Profile(profile) => wanted.profile = Some(*profile),
        Edit::Check(check_name, check) => {
            wanted.checks.insert(check_name.clone(), check.clone());
        }
        Edit::NoCheck(check_name) => {
            wanted.checks.remove(check_name);
        }
    }
    if after == wanted {
        Ok(out)
    } else {
        Err(fault("the file cannot be changed by itself".into()))
    }
}

/// Puts a line behind the version, or at the top.
fn after_version(text: &str, line: &str) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let version = lines.iter().position(|line| line.trim_start().starts_with("version"));
    match version {
        Some(at) if lines.get(at).is_some_and(|line| line.ends_with('\n')) => {
            lines.insert(at + 1, line);
        }
        _ => lines.insert(0, line),
    }
    lines.concat()
}

/// Without the table of a check. One that is written in any other form than ours stays, which
/// whoever compares notices.
fn without_check(text: &str, name: &str) -> String {
    let headers = [name.to_string(), format!("'{name}'"), quoted(name)]
        .map(|name| format!("[checks.{name}]"));
    let head = |line: &str| line.split('#').next().unwrap_or_default().trim().to_string();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let Some(from) = lines.iter().position(|line| headers.contains(&head(line))) else {
        return text.into();
    };
    let (before, rest) = lines.split_at(from);
    let next = rest.iter().skip(1).position(|line| head(line).starts_with('['));
    let table = rest.get(..next.map_or(rest.len(), |at| at + 1)).unwrap_or(rest);
    // What is written behind its last value belongs to what follows.
    let last = table.iter().rposition(|line| !head(line).is_empty()).unwrap_or(0);
    let mut after = rest.get(last + 1..).unwrap_or_default();
    let is_blank = |line: Option<&&str>| line.is_none_or(|line| line.trim().is_empty());
    // One empty line less, so that two do not stand where one did.
    let mut before = before;
    if is_blank(before.last()) && is_blank(after.first()) {
        match after.split_first() {
            Some((_, others)) => after = others,
            None => before = before.split_last().map_or(before, |(_, others)| others),
        }
    }
    [before.concat(), after.concat()].concat()
}

/// A text as TOML writes it; JSON's escapes are among TOML's.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn fault(message: String) -> Vec<Issue> {
    vec![Issue::error(Code::PolicyInvalid, "edit", message).help("edit the file by hand")]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::policy::Runs;

    fn profile(text: &str, profile: Profile) -> String {
        edited(LayerName::Operator, text, &Edit::Profile(profile)).unwrap()
    }

    #[test]
    fn one_value_changes_and_every_other_byte_stays() {
        for (text, after) in [
            ("", "version = 1\nprofile = \"balanced\"\n"),
            (
                "version = 1 # mine\nttl_minutes = 5\n[caps]\nmax_files = 3\n",
                "version = 1 # mine\nprofile = \"balanced\"\nttl_minutes = 5\n[caps]\nmax_files = 3\n",
            ),
            (
                "# first\nprofile = 'manual' # why\nversion = 1",
                "# first\nprofile = \"balanced\" # why\nversion = 1",
            ),
            ("[caps]\nmax_files = 3\n", "profile = \"balanced\"\n[caps]\nmax_files = 3\n"),
            (
                "ttl_minutes = 3\nversion = 1",
                "profile = \"balanced\"\nttl_minutes = 3\nversion = 1",
            ),
        ] {
            assert_eq!(profile(text, Profile::Balanced), after, "{text}");
        }
        let long = "note = '''\nversion = 1\n'''\n";
        assert!(edited(LayerName::Operator, long, &Edit::Profile(Profile::Manual)).is_err());
    }

    #[test]
    fn a_check_is_added_once() {
        let check = Check {
            command: vec!["sh".into(), "a \"b\"\n".into()],
            runs: Runs::Always,
            timeout_seconds: 600,
        };
        let edit = Edit::Check("tests".into(), check.clone());
        let text = edited(LayerName::Operator, "version = 1", &edit).unwrap();
        assert_eq!(read(LayerName::Operator, text.as_bytes()).unwrap().checks["tests"], check);
        assert!(edited(LayerName::Operator, &text, &edit).is_err());
    }

    #[test]
    fn a_check_is_taken_out_and_every_other_byte_stays() {
        let out = |text: &str, name: &str| {
            edited(LayerName::Operator, text, &Edit::NoCheck(name.into())).ok()
        };
        let first = "version = 1 # mine\n\n[checks.\"a\"]\ncommand = [\"true\"]\n";
        let second = "\n# the second\n[checks.b]\ncommand = [\"false\"]\nruns = \"named\"\n";
        let caps = "\n[caps]\nmax_files = 3\n";
        let whole = [first, second, caps].concat();
        assert_eq!(out(first, "a").unwrap(), "version = 1 # mine\n");
        assert_eq!(out(&whole, "b").unwrap(), [first, "\n# the second\n", caps].concat());
        let without_a = out(&whole, "a").unwrap();
        assert!(without_a.contains("[checks.b]") && without_a.ends_with(caps), "{without_a}");
        assert_eq!(out(&whole, "c"), None);
        // Written in a form that is not ours: by hand.
        assert_eq!(out("[checks]\na = { command = [\"true\"] }\n", "a"), None);
        assert_eq!(
            out(
                "[checks.b]\ncommand = [\"\"\"\n[checks.a]\n\"\"\"]\n[checks.a]\ncommand=['x']\n",
                "a"
            ),
            None
        );
    }
}
