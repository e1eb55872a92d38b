//! Locked packages whose content is another one although nothing says that they moved.
//!
//! A lock file says of each package which bytes it is. Another digest beside the same name and
//! version means other bytes under an old name, and a digest that is gone means any bytes. An
//! entry is known by the lines around it in which it keeps its name and version; no grammar of
//! any one format is needed, so that formats to come are read as well.

use std::collections::{BTreeMap, BTreeSet};

use exacta_core::judge::facts::{Ecosystem, FactKind};

use crate::detect::Found;
use crate::excerpt::{shorten, visible};

/// So many facts of one file are enough.
const MOST: usize = 20;
/// So many headings around a digest may be the one of its entry.
const ABOVE: usize = 8;

/// Names behind which digests stand.
const NAMES: &[&str] = &[
    "integrity",
    "checksum",
    "hash",
    "hashes",
    "sha1",
    "sha256",
    "sha384",
    "sha512",
    "shasum",
    "md5",
    "contenthash",
    "narhash",
    "digest",
    "h1",
    "index",
];

/// What is known of one entry.
#[derive(Default)]
struct Entry {
    digests: BTreeSet<String>,
    line: usize,
}

/// What changed although name and version stayed.
pub(crate) fn contents(ecosystem: Ecosystem, old: &[&str], new: &[&str], found: &mut Vec<Found>) {
    let (was, is) = (entries(old), entries(new));
    let address = |digest: &String| digest.contains("://");
    // Packages of which something still says which bytes they are.
    let sealed: BTreeSet<&String> = is
        .iter()
        .filter(|(_, entry)| !entry.digests.iter().all(address))
        .map(|((owner, _), _)| owner)
        .collect();
    let owners = owners(new);
    let stays: BTreeMap<&str, usize> =
        owners.iter().enumerate().map(|(line, owner)| (owner.as_str(), line)).collect();
    for ((owner, place), entry) in &was {
        if found.len() >= MOST {
            return;
        }
        let now = is.get(&(owner.clone(), place.clone()));
        let line = match now {
            Some(now) => {
                let gone = entry.digests.difference(&now.digests).next();
                let came = now.digests.difference(&entry.digests).next();
                if gone.is_none() || came.is_none() {
                    continue;
                }
                now.line
            }
            // The package stays and nothing says any more which bytes it is.
            None if sealed.contains(owner) || entry.digests.iter().all(address) => continue,
            None => match stays.get(owner.as_str()) {
                Some(line) => *line,
                None => continue,
            },
        };
        let shown = |text: &str| shorten(&visible(text));
        let one = |digests: Option<&Entry>| {
            digests
                .and_then(|entry| entry.digests.first())
                .map(|text| shown(text))
                .unwrap_or_default()
        };
        let kind = FactKind::DependencySource {
            ecosystem,
            name: shown(owner.trim()),
            from: one(Some(entry)),
            to: one(now),
        };
        found.push(Found::at(line, kind));
    }
}

type Key = (String, String);

/// Every digest by its entry and by the rest of its line.
fn entries(lines: &[&str]) -> BTreeMap<Key, Entry> {
    let owners = owners(lines);
    let mut out: BTreeMap<Key, Entry> = BTreeMap::new();
    let mut inside = false;
    for (number, line) in lines.iter().enumerate() {
        let (rest, digests) = without_digests(line, inside);
        let name = line.trim().trim_matches('"');
        let rest = rest.trim().trim_end_matches(',').to_owned();
        inside = name.starts_with("hashes") && line.trim_end().ends_with(['[', ':'])
            || inside && line.trim_start().starts_with(['"', '\'', '-', '{']);
        if digests.is_empty() {
            continue;
        }
        let owner = owners.get(number).cloned().unwrap_or_default();
        let entry =
            out.entry((owner, rest)).or_insert_with(|| Entry { line: number, ..Entry::default() });
        entry.digests.extend(digests);
    }
    out
}

/// For each line the heading and version of the entry that it stands in. An entry begins where
/// a line stands further left than those that follow, or after an empty one.
fn owners(lines: &[&str]) -> Vec<String> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    // Where the parent of each line stands, from the stack of lines further left.
    let mut stack: Vec<(usize, usize)> = Vec::new();
    let mut parents: Vec<Option<usize>> = Vec::with_capacity(lines.len());
    for (number, line) in lines.iter().enumerate() {
        let header = line.starts_with('[');
        let depth = if header { 0 } else { indent(line) + 1 };
        if line.trim().is_empty() {
            stack.clear();
            parents.push(None);
            continue;
        }
        while stack.last().is_some_and(|(known, _)| *known >= depth) {
            stack.pop();
        }
        parents.push(stack.last().map(|(_, line)| *line));
        stack.push((depth, number));
    }
    // What an entry says of itself: its name and version, kept with the line that heads it.
    let mut said: BTreeMap<usize, String> = BTreeMap::new();
    for (number, line) in lines.iter().enumerate() {
        let bare = line.trim().trim_start_matches("- ").trim_start_matches('"');
        let says = ["version", "name", "resolution:", "revision", "rev\""]
            .iter()
            .any(|word| bare.starts_with(word));
        if says && let Some(Some(parent)) = parents.get(number) {
            let (rest, _) = without_digests(line, false);
            let known = said.entry(*parent).or_default();
            if known.len() < 400 {
                known.push_str(rest.trim().trim_end_matches(','));
            }
        }
    }
    parents
        .iter()
        .map(|parent| {
            let mut at = *parent;
            for _ in 0..ABOVE {
                let Some(line) = at else { break };
                if let Some(known) = said.get(&line) {
                    let heading = lines.get(line).map(|line| line.trim()).unwrap_or_default();
                    return format!("{heading} {known}");
                }
                at = parents.get(line).copied().flatten();
            }
            let heading = parent.and_then(|line| lines.get(line)).map(|line| line.trim());
            heading.unwrap_or_default().to_owned()
        })
        .collect()
}

/// A line with every digest replaced, and the digests.
fn without_digests(line: &str, inside: bool) -> (String, Vec<String>) {
    let mut out = String::with_capacity(line.len());
    let mut digests = Vec::new();
    let mut before = String::new();
    let word =
        |c: char| c.is_alphanumeric() || matches!(c, '+' | '/' | '=' | '_' | '-' | ':' | '.');
    for piece in line.split_inclusive(|c: char| !word(c)) {
        let end = piece.trim_end_matches(|c: char| !word(c)).len();
        let (token, rest) = piece.split_at_checked(end).unwrap_or((piece, ""));
        if is_digest(token, &before, inside) {
            digests.push(token.to_owned());
            out.push('#');
        } else {
            out.push_str(token);
        }
        out.push_str(rest);
        if !token.trim_end_matches([':', '=']).is_empty() {
            before = token.trim_end_matches([':', '=']).to_ascii_lowercase();
        }
    }
    (out, digests)
}

fn is_digest(token: &str, before: &str, inside: bool) -> bool {
    let marked = [
        "sha1-", "sha256-", "sha384-", "sha512-", "sha1:", "sha256:", "sha384:", "sha512:", "md5:",
        "h1:", "zh:",
    ]
    .iter()
    .any(|mark| token.len() > mark.len() && token.starts_with(mark));
    let hex = token.len() >= 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit());
    let address = token.contains("://");
    marked
        || hex
        || address
        || (NAMES.contains(&before) || inside) && token.len() >= 4 && !token.contains('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(before: &str, after: &str) -> usize {
        let mut found = Vec::new();
        let lines = |text: &'static str| text.lines().collect::<Vec<_>>();
        let (before, after) = (before.to_owned().leak(), after.to_owned().leak());
        contents(Ecosystem::Npm, &lines(before), &lines(after), &mut found);
        found.len()
    }

    const CARGO: &str = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"r\"\nchecksum = \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"\n\n[[package]]\nname = \"b\"\nversion = \"1.0.0\"\nsource = \"r\"\nchecksum = \"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\"\n";
    const NPM: &str = "{\n  \"packages\": {\n    \"node_modules/a\": {\n      \"version\": \"1.0.0\",\n      \"resolved\": \"https://r.example/a.tgz\",\n      \"integrity\": \"sha512-aaaa\"\n    }\n  }\n}\n";

    #[test]
    fn other_bytes_under_an_old_version_are_told() {
        assert_eq!(told(CARGO, &CARGO.replace("bbbbbb\"", "bbbbbc\"")), 1);
        assert_eq!(told(NPM, &NPM.replace("sha512-aaaa", "sha512-aaab")), 1);
        assert_eq!(told("a/b v1.0.0 h1:aaaa=\n", "a/b v1.0.0 h1:aaab=\n"), 1, "one line an entry");
        assert_eq!(told(NPM, &NPM.replace(",\n      \"integrity\": \"sha512-aaaa\"", "")), 1);
    }

    #[test]
    fn another_version_has_other_bytes() {
        let moved =
            CARGO.replace("name = \"b\"\nversion = \"1.0.0\"", "name = \"b\"\nversion = \"1.0.1\"");
        assert_eq!(told(CARGO, &moved.replace("bbbbbb\"", "bbbbbc\"")), 0);
        let moved = NPM.replace("1.0.0", "1.0.1").replace("sha512-aaaa", "sha512-aaab");
        assert_eq!(told(NPM, &moved), 0);
        assert_eq!(told("a/b v1.0.0 h1:aaaa=\n", "a/b v1.0.1 h1:aaab=\n"), 0);
        assert_eq!(told(CARGO, CARGO), 0);
    }
}
