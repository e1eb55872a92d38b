//! Names through which code reaches out of itself, from the packed list.

use std::sync::LazyLock;

use exacta_core::judge::facts::{Language, Reach};
use hashbrown::{HashMap, HashSet};

use super::key::words;

/// What has to stand before a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behind {
    Nothing,
    Anything,
    This(&'static str),
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    languages: &'static str,
    behind: Behind,
    reach: Reach,
}

static NAMES: LazyLock<HashMap<&'static str, Vec<Entry>>> = LazyLock::new(|| {
    let mut names: HashMap<&'static str, Vec<Entry>> = HashMap::new();
    for line in include_str!("../../../data/reach.txt").lines() {
        let mut parts = line.split_ascii_whitespace();
        let (Some(kind), Some(languages), Some(name)) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        let Some(reach) = Reach::ALL.iter().copied().find(|reach| reach.as_str() == kind) else {
            continue;
        };
        let (behind, name) = match name.rsplit_once('.') {
            None => (Behind::Nothing, name),
            Some(("", name)) => (Behind::Anything, name),
            Some((part, name)) => (Behind::This(part), name),
        };
        names.entry(name).or_default().push(Entry { languages, behind, reach });
    }
    names
});

static CHECKS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    include_str!("../../../data/checks.txt").lines().filter(|line| !line.starts_with('#')).collect()
});

/// Whether a word names something through which code reaches out, or what holds it.
pub(crate) fn reaches_out(language: Language, word: &str) -> bool {
    static HOLDERS: LazyLock<HashSet<(&'static str, char)>> = LazyLock::new(|| {
        let entries = NAMES.iter().flat_map(|(name, all)| all.iter().map(move |one| (*name, one)));
        let words = entries.filter_map(|(name, entry)| match entry.behind {
            Behind::Nothing => Some((name, entry.languages)),
            Behind::This(part) => Some((part, entry.languages)),
            Behind::Anything => None,
        });
        words.flat_map(|(word, letters)| letters.chars().map(move |one| (word, one))).collect()
    });
    HOLDERS.contains(&(word, letter(language))) || HOLDERS.contains(&(word, '*'))
}

/// Whether a name says that a function checks or cleans.
pub(super) fn checks(name: &str) -> bool {
    // `require` brings a module in.
    name.len() <= 80
        && name != "require"
        && (CHECKS.contains(name.to_ascii_lowercase().as_str())
            || words(name).iter().any(|word| CHECKS.contains(word.as_str())))
}

pub(super) fn letter(language: Language) -> char {
    match language {
        Language::Python => 'p',
        Language::JavaScript | Language::TypeScript => 's',
        Language::Go => 'g',
        Language::Rust => 'r',
        Language::Java => 'j',
        Language::C | Language::Cpp => 'c',
    }
}

/// How the name reaches out; `before` is the code that stands before it.
pub(super) fn reach(language: Language, name: &str, before: &str) -> Option<Reach> {
    let entries = NAMES.get(name)?;
    let readings = readings(language, before);
    entries
        .iter()
        .filter(|entry| entry.languages == "*" || entry.languages.contains(letter(language)))
        .find(|entry| {
            readings.iter().any(|before| {
                let (member, holder) = holder(before);
                match entry.behind {
                    Behind::Nothing => {
                        !member
                            || matches!(holder, "std" | "super" | "self" | "globalThis" | "window")
                    }
                    Behind::Anything => member,
                    Behind::This(part) => member && holder == part,
                }
            })
        })
        .map(|entry| entry.reach)
}

/// What may stand before a name: the text as it is, and without each comment at its end. A
/// sentence that ends with a full stop is not a value.
fn readings(language: Language, before: &str) -> Vec<&str> {
    let mark = if language == Language::Python { "#" } else { "//" };
    let mut rest = before;
    let mut out = vec![rest];
    loop {
        let text = rest.trim_end();
        let line = text.rfind('\n').map_or(0, |at| at + 1);
        let ended = rest.get(text.len()..).is_some_and(|gap| gap.contains('\n'));
        let told = text.get(line..).and_then(|last| last.find(mark)).filter(|_| ended);
        let cut = match told {
            Some(at) => Some(line + at),
            None if text.ends_with("*/") => text.rfind("/*"),
            None => None,
        };
        let Some(shorter) = cut.and_then(|at| text.get(..at)) else { return out };
        rest = shorter;
        // The last one is the code itself; those between are comments as well.
        out.truncate(1);
        out.push(rest);
    }
}

/// Whether something stands before a name, and its last word.
fn holder(before: &str) -> (bool, &str) {
    let before = before.trim_end();
    let value = ["?.", "::", "->", "."].iter().find_map(|dot| before.strip_suffix(dot));
    let Some(value) = value else { return (false, "") };
    let value = value.trim_end();
    let start = value
        .char_indices()
        .rev()
        .find(|(_, c)| !(c.is_alphanumeric() || *c == '_'))
        .map_or(0, |(at, c)| at + c.len_utf8());
    (true, value.get(start..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_list_has_a_known_kind() {
        for line in include_str!("../../../data/reach.txt").lines() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let parts: Vec<&str> = line.split(' ').collect();
            assert_eq!(parts.len(), 3, "{line}");
            assert!(Reach::ALL.iter().any(|reach| reach.as_str() == parts[0]), "{line}");
            assert!(parts[1].chars().all(|c| "psgrjc*".contains(c)), "{line}");
        }
    }

    #[test]
    fn what_stands_before_a_name_counts() {
        let found = |name, before| reach(Language::JavaScript, name, before);
        assert_eq!(found("exec", ""), Some(Reach::RunsProgram));
        assert_eq!(found("exec", "/a/."), None);
        assert_eq!(found("exec", "// Some words.\n  "), Some(Reach::RunsProgram));
        assert_eq!(found("exec", "a; /* Some words. */ "), Some(Reach::RunsProgram));
        assert_eq!(found("env", "process. // Some words\n"), Some(Reach::ReadsEnvironment));
        assert_eq!(found("env", "process. /* Some\nwords */ "), Some(Reach::ReadsEnvironment));
        assert_eq!(found("env", "process."), Some(Reach::ReadsEnvironment));
        assert_eq!(found("env", "config."), None);
        assert_eq!(reach(Language::Rust, "Command", "std::process::"), Some(Reach::RunsProgram));
        assert_eq!(reach(Language::Rust, "Command", ""), Some(Reach::RunsProgram));
    }
}
