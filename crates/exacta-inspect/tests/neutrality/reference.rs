//! Compilers and parsers that say whether two texts are the same program.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::Pair;

/// Who is asked.
pub(crate) enum Reference {
    Python,
    C,
    /// Node with the parser in this folder, or with the one that it brings along.
    Acorn(Option<PathBuf>),
    /// The words outside of comments, one by one.
    Words,
}

/// Bytecode without lines. Names of locals may differ if each stands for one other: a name
/// that is looked up by its text, a parameter or a global stays.
const PYTHON: &str = include_str!("reference.py");

/// The tree of acorn, with the names of locals numbered by eslint-scope where that is there.
const ACORN: &str = include_str!("reference.js");

impl Reference {
    /// Another parser: the one that the command has put somewhere, or node's own.
    pub(crate) fn acorn() -> Option<Self> {
        if let Some(folder) = std::env::var_os("EXACTA_ACORN") {
            return Some(Self::Acorn(Some(folder.into())));
        }
        let own = "require('internal/deps/acorn/acorn/dist/acorn')";
        let asked = Command::new("node").args(["--expose-internals", "-e", own]).output();
        asked.is_ok_and(|answer| answer.status.success()).then_some(Self::Acorn(None))
    }

    /// The pairs that are not the same program.
    pub(crate) fn differ(&self, pairs: &[Pair]) -> Vec<String> {
        let tell = |pair: &Pair| {
            format!("{}\n--- before\n{}\n--- after\n{}", pair.origin, pair.before, pair.after)
        };
        match self {
            Self::Python => listed(Command::new("python3").args(["-c", PYTHON]), pairs),
            Self::Acorn(folder) => {
                let mut node = Command::new("node");
                listed(node.args(["--expose-internals", "-e", ACORN, "x"]).args(folder), pairs)
            }
            Self::C => pairs.iter().filter(|p| !same_in_c(&p.before, &p.after)).map(tell).collect(),
            Self::Words => pairs
                .iter()
                .filter(|p| !same_words(&words(&p.before), &words(&p.after)))
                .map(tell)
                .collect(),
        }
    }
}

/// Hands all pairs over at once and reads which of them differ.
fn listed(command: &mut Command, pairs: &[Pair]) -> Vec<String> {
    let texts: Vec<(&str, &str)> =
        pairs.iter().map(|p| (p.before.as_str(), p.after.as_str())).collect();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let question = serde_json::to_vec(&texts).unwrap();
    let writer = std::thread::spawn(move || input.write_all(&question));
    let answer = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(answer.status.success(), "the reference failed");
    let differ: Vec<usize> = serde_json::from_slice(&answer.stdout).unwrap();
    differ
        .iter()
        .map(|i| {
            let pair = &pairs[*i];
            format!("{}\n--- before\n{}\n--- after\n{}", pair.origin, pair.before, pair.after)
        })
        .collect()
}

/// Whether gcc makes the same assembly of both; of texts that it does not take alone, whether
/// its preprocessor leaves the same words when it removes comments.
fn same_in_c(before: &str, after: &str) -> bool {
    let whole = ["-x", "c", "-w", "-g0", "-O1", "-D__LINE__=0", "-S", "-o", "-", "-"];
    let left = ["-x", "c", "-w", "-fpreprocessed", "-E", "-P", "-"];
    let made = gcc(&whole, before);
    if made.is_some() {
        return made == gcc(&whole, after);
    }
    let left =
        |text: &str| gcc(&left, text).map(|left| written_out(&String::from_utf8_lossy(&left)));
    match (left(before), left(after)) {
        (Some(one), Some(other)) => same_words(&one, &other),
        (one, other) => one.is_none() && other.is_none(),
    }
}

/// Whether words are the same but for names within one outermost block that stand for each
/// other there.
fn same_words(before: &[String], after: &[String]) -> bool {
    let name = |word: &str| word.starts_with(|c: char| c.is_alphabetic() || c == '_');
    // The comma before a closing brace says nothing.
    let kept = |words: &[String]| -> Vec<String> {
        let closes = |at: usize| words.get(at + 1).is_some_and(|next| next == "}");
        let last = |at: usize| words[at] == "," && closes(at);
        (0..words.len()).filter(|at| !last(*at)).map(|at| words[at].clone()).collect()
    };
    let (before, after) = (kept(before), kept(after));
    if before.len() != after.len() {
        return false;
    }
    let (mut depth, mut start) = (0_usize, 0);
    for at in 0..before.len() {
        match before[at].as_str() {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if (depth > 0 || before[at] != "}") && at + 1 < before.len() {
            continue;
        }
        let (old, new) = (&before[start..=at], &after[start..=at]);
        let mut there = std::collections::BTreeMap::new();
        let mut back = std::collections::BTreeMap::new();
        for (index, (one, other)) in old.iter().zip(new).enumerate() {
            let member = index > 0 && matches!(old[index - 1].as_str(), "." | ">");
            if one != other && (member || !name(one) || !name(other) || old.contains(other)) {
                return false;
            }
            let plain = !member && name(one);
            if plain
                && (there.insert(one, other).is_some_and(|known| known != other)
                    || back.insert(other, one).is_some_and(|known| known != one))
            {
                return false;
            }
        }
        start = at + 1;
    }
    true
}

/// What the preprocessor leaves, word by word; its own lines whole, for their ends count.
fn written_out(left: &str) -> Vec<String> {
    let mut out = Vec::new();
    for line in left.lines() {
        if line.trim_start().starts_with('#') {
            out.push(line.split_whitespace().collect::<Vec<_>>().join(" "));
        } else {
            out.extend(words(line));
        }
    }
    out
}

fn gcc(args: &[&str], text: &str) -> Option<Vec<u8>> {
    let mut child = Command::new("gcc")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let text = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let answer = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    answer.status.success().then_some(answer.stdout)
}

/// Words outside of comments, for JavaScript without regular expressions.
fn words(text: &str) -> Vec<String> {
    let (mut out, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let end = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if first.is_whitespace() {
            first.len_utf8()
        } else if matches!(first, '"' | '\'' | '`') {
            let mut escaped = false;
            let mut after = rest.char_indices().skip(1);
            let close = after.find(|(_, c)| {
                let closes = !escaped && *c == first;
                escaped = !escaped && *c == '\\';
                closes
            });
            let close = close.map_or(rest.len(), |(at, _)| at + 1);
            out.push(rest[..close].to_owned());
            close
        } else if first.is_alphanumeric() || first == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            out.push(rest[..end].to_owned());
            end
        } else {
            out.push(first.to_string());
            first.len_utf8()
        };
        rest = &rest[end..];
    }
    out
}
