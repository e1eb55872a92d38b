//! Path globs, one dialect everywhere: `*` stays inside a folder, `**` crosses folders,
//! and a plain name stands for that file or for everything in that folder.
//!
//! A glob that could never match a target is refused: a list of exceptions that matches
//! nothing would protect nothing.

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::model::path::{fold_key, is_hidden};

/// The longest glob, in bytes: as long as the longest path.
const MAX_GLOB: usize = 1024;

/// Why a text is not a glob.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GlobFault {
    /// The pattern language does not know it.
    #[error("{0}")]
    Syntax(String),
    /// No target could match it.
    #[error("it matches no file: targets are relative, without `.`, `..` or empty parts")]
    NeverMatches,
    /// No target could match it, for what does not show.
    #[error(
        "it matches no file: white space begins or ends a part of it, or a character is hidden"
    )]
    Hidden,
    /// A character class that holds the slash.
    #[error("a character class cannot hold `/`")]
    Slash,
    /// Longer than any path.
    #[error("it has {0} bytes; {MAX_GLOB} is the most")]
    TooLong(usize),
}

/// Compiled globs; the cost for a path hardly grows with their number.
#[derive(Clone, Debug)]
pub struct Globs {
    set: GlobSet,
    /// For each pattern of the set the glob that it stands for.
    owners: Vec<usize>,
    /// Whether names that some file systems take for one are one.
    folded: bool,
}

impl Globs {
    /// Whether any of the globs matches.
    #[must_use]
    pub fn is_match(&self, path: &str) -> bool {
        self.set.is_match(path) || self.folded(path).is_some_and(|folded| self.set.is_match(folded))
    }

    /// The globs that match, by their position in the list they were compiled from.
    #[must_use]
    pub fn matches(&self, path: &str) -> BTreeSet<usize> {
        let mut patterns = self.set.matches(path);
        if let Some(folded) = self.folded(path) {
            patterns.extend(self.set.matches(folded));
        }
        patterns.into_iter().filter_map(|at| self.owners.get(at).copied()).collect()
    }

    /// The path as such file systems know it, where that makes a difference.
    fn folded(&self, path: &str) -> Option<String> {
        let folded = self.folded.then(|| fold_key(path))?;
        (!path.is_ascii() && folded != path).then(|| folded.into_owned())
    }
}

/// Whether a glob is a file name with nothing special in it but `*`: such a one needs no
/// compiling, which costs more than matching a whole folder.
#[must_use]
pub fn is_starred_name(glob: &str) -> bool {
    let special = ['?', '[', ']', '{', '}', '\\', '/'];
    glob.contains('*') && !glob.contains("**") && !glob.contains(special)
}

/// Whether a glob for which [`is_starred_name`] holds matches a name in the same folder.
#[must_use]
pub fn matches_starred_name(glob: &str, name: &str) -> bool {
    let mut parts = glob.split('*');
    let (Some(first), Some(last)) = (parts.next(), parts.next_back()) else {
        return glob == name;
    };
    let Some(mut rest) = name.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else {
        return false;
    };
    // The first place that fits leaves most room for the parts that follow.
    parts.all(|part| {
        let after = rest.find(part).and_then(|at| rest.get(at + part.len()..));
        after.is_some_and(|after| {
            rest = after;
            true
        })
    }) && !name.contains('/')
}

/// Compiles a glob.
///
/// # Errors
/// When the text is not a glob, or could never match a target.
pub fn compile(glob: &str) -> Result<Globs, GlobFault> {
    compile_all(&[glob.to_string()])
}

/// Compiles many globs into one matcher.
///
/// # Errors
/// When one of the texts is not a glob, or could never match a target.
pub fn compile_all(globs: &[String]) -> Result<Globs, GlobFault> {
    compile_set(globs, false)
}

/// The same where neither letter case nor the way in which letters are put together matters:
/// for rules that must not be evaded by a name that some file systems take for the same.
///
/// # Errors
/// As [`compile_all`].
pub fn compile_any_case(globs: &[String]) -> Result<Globs, GlobFault> {
    compile_set(globs, true)
}

fn compile_set(globs: &[String], folded: bool) -> Result<Globs, GlobFault> {
    let mut set = GlobSet::builder();
    let mut owners = Vec::with_capacity(globs.len());
    for (owner, glob) in globs.iter().enumerate() {
        if glob.len() > MAX_GLOB {
            return Err(GlobFault::TooLong(glob.len()));
        }
        // `docs/` is how people write a folder.
        let glob = glob.strip_suffix('/').unwrap_or(glob);
        let glob = classes_inside_folders(glob)?;
        if glob.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(GlobFault::NeverMatches);
        }
        if glob.split('/').any(is_hidden_in) {
            return Err(GlobFault::Hidden);
        }
        let other = folded.then(|| fold_key(&glob).into_owned());
        let other = other.filter(|other| *other != *glob).map(Cow::Owned);
        for glob in [Some(glob), other].into_iter().flatten() {
            add(&mut set, &glob, folded)?;
            owners.push(owner);
            if !glob.contains(['*', '?', '[', '{', '\\']) {
                add(&mut set, &format!("{glob}/**"), folded)?;
                owners.push(owner);
            }
        }
    }
    let set = set.build().map_err(|error| GlobFault::Syntax(error.kind().to_string()))?;
    Ok(Globs { set, owners, folded })
}

/// Whether a part has something that does not show, so that no target has a part like it.
fn is_hidden_in(part: &str) -> bool {
    let edge = part.starts_with(char::is_whitespace) || part.ends_with(char::is_whitespace);
    edge || part.chars().any(is_hidden)
}

/// Character classes match inside a folder like `*` and `?`: a negated one gets the slash
/// as one more exception, and one that holds it is refused.
fn classes_inside_folders(glob: &str) -> Result<Cow<'_, str>, GlobFault> {
    if !glob.contains('[') {
        return Ok(Cow::Borrowed(glob));
    }
    let mut out = String::with_capacity(glob.len() + 1);
    let mut rest = glob;
    while let Some(c) = rest.chars().next() {
        let (taken, after) = rest.split_at(c.len_utf8());
        if c == '\\' {
            let escaped = after.chars().next().map_or(0, char::len_utf8);
            let (escaped, after) = after.split_at(escaped);
            out.push_str(taken);
            out.push_str(escaped);
            rest = after;
            continue;
        }
        out.push_str(taken);
        rest = after;
        if c != '[' {
            continue;
        }
        let sign = usize::from(rest.starts_with(['!', '^']));
        let (sign, body) = rest.split_at(sign);
        // A bracket that comes first is a member of the class.
        let first = usize::from(body.starts_with(']'));
        let Some(end) = body.get(first..).and_then(|tail| tail.find(']')).map(|at| at + first)
        else {
            // Never closed: the compiler says so.
            continue;
        };
        let (body, after) = body.split_at(end);
        out.push_str(sign);
        if sign.is_empty() {
            if holds_slash(body) {
                return Err(GlobFault::Slash);
            }
            out.push_str(body);
        } else {
            // A last `-` stands for itself only at the end.
            let (members, dash) = body.strip_suffix('-').map_or((body, ""), |start| (start, "-"));
            out.push_str(members);
            out.push('/');
            out.push_str(dash);
        }
        rest = after;
    }
    Ok(Cow::Owned(out))
}

/// Whether the slash is a member of the class, by itself or within a range.
fn holds_slash(body: &str) -> bool {
    let members: Vec<char> = body.chars().collect();
    let ranges = members.windows(3).any(|range| match range {
        [low, '-', high] => (*low..=*high).contains(&'/'),
        _ => false,
    });
    ranges || members.contains(&'/')
}

fn add(set: &mut GlobSetBuilder, glob: &str, any_case: bool) -> Result<(), GlobFault> {
    let built = GlobBuilder::new(glob)
        .literal_separator(true)
        .backslash_escape(true)
        .case_insensitive(any_case)
        .build();
    set.add(built.map_err(|error| GlobFault::Syntax(error.kind().to_string()))?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_stand_for_files_and_folders() {
        for (glob, path, matches) in [
            ("src", "src/a/b.rs", true),
            ("src/", "src/a.rs", true),
            ("src", "src", true),
            ("src", "srcs/a", false),
            ("src/*", "src/a", true),
            ("src/*", "src/a/b", false),
            ("src/**", "src/a/b", true),
            ("**/x", "a/b/x", true),
        ] {
            assert_eq!(compile(glob).unwrap().is_match(path), matches, "{glob} {path}");
        }
    }

    #[test]
    fn names_that_are_one_to_a_file_system_are_one_to_a_rule() {
        for (glob, path) in [
            ("\u{e9}.txt", "e\u{301}.txt"),
            ("e\u{301}.txt", "\u{e9}.txt"),
            ("k.txt", "\u{212a}.txt"),
            ("\u{212a}.txt", "K.txt"),
            ("stra\u{df}e/*", "STRASSE/x"),
            ("STRASSE", "stra\u{df}e/x"),
            ("src/**", "SRC/x"),
        ] {
            let globs = compile_any_case(&[glob.to_string()]).unwrap();
            assert!(globs.is_match(path), "{glob} {path}");
            assert_eq!(globs.matches(path), BTreeSet::from([0]), "{glob} {path}");
            assert!(!compile(glob).unwrap().is_match(path), "{glob} {path}");
        }
        for dead in ["src/** ", " src/**", "src /x", "x\u{200b}"] {
            assert_eq!(compile(dead).unwrap_err(), GlobFault::Hidden, "{dead:?}");
        }
        for dead in ["./x", "a//b", "../x"] {
            assert_eq!(compile(dead).unwrap_err(), GlobFault::NeverMatches, "{dead:?}");
        }
    }

    #[test]
    fn starred_names_match_like_compiled_globs() {
        let names = [
            "",
            "a",
            "b",
            "ab",
            "ba",
            "aab",
            "abb",
            "abab",
            "a.txt",
            "requirements.txt",
            "requirements-dev.txt",
            "requirements",
            "x.csproj",
            ".csproj",
            "csproj",
            "a/b",
            "é",
        ];
        let globs = [
            "*",
            "a*",
            "*a",
            "a*b",
            "*a*",
            "*a*b",
            "a*a*b",
            "a*b*",
            "*ab*ab*",
            "*.csproj",
            "requirements*.txt",
            "é*",
        ];
        for glob in globs {
            assert!(is_starred_name(glob), "{glob}");
            let compiled = compile(glob).unwrap();
            for name in names.into_iter().filter(|name| !name.is_empty()) {
                let simple = matches_starred_name(glob, name);
                assert_eq!(simple, compiled.is_match(name), "{glob} {name}");
            }
        }
        for glob in ["a", "**", "a/*", "a?*", "[a]*", "{a,b}*", "\\*", "**a"] {
            assert!(!is_starred_name(glob), "{glob}");
        }
    }

    #[test]
    fn globs_that_protect_nothing_are_refused() {
        for glob in ["", "/src/**", "./src", "a//b", "../x", "a/./b", "/"] {
            assert_eq!(compile(glob).unwrap_err(), GlobFault::NeverMatches, "{glob}");
        }
        assert!(matches!(compile("a[").unwrap_err(), GlobFault::Syntax(_)));
    }

    #[test]
    fn character_classes_stay_inside_a_folder() {
        for (glob, path, matches) in [
            ("a[!x]b", "a/b", false),
            ("a[^x]b", "a/b", false),
            ("a[!x]b", "ayb", true),
            ("a[!x]b", "axb", false),
            ("a[!]]b", "a/b", false),
            ("a[!]]b", "a]b", false),
            ("a[!]]b", "ayb", true),
            ("a[!x-]b", "a/b", false),
            ("a[!x-]b", "a-b", false),
            ("a[!x-]b", "ayb", true),
            ("a\\[!x]b", "a[!x]b", true),
            ("src/[!.]*", "src/a", true),
            ("src/[!.]*", "src/a/b", false),
            ("a[0-9]", "a5", true),
        ] {
            assert_eq!(compile(glob).unwrap().is_match(path), matches, "{glob} {path}");
        }
        for glob in ["a[/]b", "a[.-0]b", "a[+-9]b", "[]-z/]x"] {
            assert_eq!(compile(glob).unwrap_err(), GlobFault::Slash, "{glob}");
        }
    }

    #[test]
    fn each_match_names_its_glob() {
        let globs = compile_all(&["a".into(), "b".into(), "c/*".into()]).unwrap();
        for (path, matched) in [("a/x", &[0][..]), ("b", &[1]), ("c/x", &[2]), ("d", &[])] {
            assert_eq!(globs.matches(path).into_iter().collect::<Vec<_>>(), matched, "{path}");
        }
    }

    #[test]
    fn a_glob_is_no_longer_than_a_path() {
        assert!(compile(&"a".repeat(1024)).is_ok());
        assert_eq!(compile(&"a".repeat(1025)).unwrap_err(), GlobFault::TooLong(1025));
    }
}
