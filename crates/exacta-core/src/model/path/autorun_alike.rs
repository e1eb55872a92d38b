//! Names that could be taken for that of a file that runs by itself.
//!
//! Nothing runs `confтest.py` with a Cyrillic letter. But a reader who is shown it believes
//! to know what it is, and some file systems and tools fold more than others.

use alloc::string::String;

use super::autorun::{classify, is_listed};
use super::fold::{look_alike_key, look_alike_key_of_capitals};
use super::rules::RelPath;

/// The path of a file that runs by itself which this one looks like, and is not.
#[must_use]
pub fn auto_run_alike(path: &RelPath) -> Option<String> {
    if is_listed(path) {
        return None;
    }
    let text = path.as_str();
    let capitals =
        (!text.is_ascii() || text.contains('I')).then(|| look_alike_key_of_capitals(text));
    [Some(look_alike_key(text)), capitals, keeping_digits(text)]
        .into_iter()
        .flatten()
        // A key has `rn` for `m`; no name that is compared with has both.
        .flat_map(|key| [key.replace("rn", "m"), key])
        .find(|alike| classify(alike).is_some())
}

/// The key of a text whose digits are digits and no letters: `profile.ps1` has one.
fn keeping_digits(text: &str) -> Option<String> {
    let digit = |c: char| matches!(c, '0' | '1');
    text.contains(digit).then(|| {
        let pieces = text.split_inclusive(digit).map(|piece| {
            let letters = piece.trim_end_matches(digit);
            let mut key = look_alike_key(letters);
            key.extend(piece.chars().skip(letters.chars().count()));
            key
        });
        pieces.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::super::autorun_names::{FOLDERS, GIT_HOOKS, NAMES, PAIRS, PREFIXES, SUFFIXES};
    use super::*;

    fn alike(path: &str) -> Option<String> {
        auto_run_alike(&RelPath::parse(path).unwrap())
    }

    #[test]
    fn disguised_names_are_known() {
        for (path, is) in [
            ("conf\u{442}est.py", "conftest.py"),
            ("a/b/c\u{43e}nftest.py", "a/b/conftest.py"),
            (".g\u{131}tmodules", ".gitmodules"),
            (".G\u{130}TMODULES", ".gitmodules"),
            ("\u{ff2d}akefile", "makefile"),
            ("\u{43c}akefile", "makefile"),
            ("rnakefile", "makefile"),
            ("Dockerfi1e", "dockerfile"),
            ("DockerfiIe", "dockerfile"),
            (".y\u{430}rnrc", ".yarnrc"),
            (".yamrc", ".yarnrc"),
            (".vsc\u{3bf}de/tasks.json", ".vscode/tasks.json"),
            (".github/w\u{43e}rkflows/ci.yml", ".github/workflows/ci.yml"),
            ("\u{b7}envrc", ".envrc"),
            ("AG\u{395}NTS.md", "agents.md"),
            ("pr\u{43e}file.ps1", "profile.ps1"),
            ("hooks/pre\u{2011}commit", "hooks/pre-commit"),
        ] {
            assert_eq!(alike(path).as_deref(), Some(is), "{path}");
        }
    }

    #[test]
    fn the_names_themselves_and_others_are_not() {
        for path in [
            "conftest.py",
            "MAKEFILE",
            ".yarnrc",
            "src/main.rs",
            "src/file_101.rs",
            "intern/modern.rs",
            "LICENSE",
            "日本語.txt",
            "файл.txt",
            "café.py",
        ] {
            assert_eq!(alike(path), None, "{path}");
        }
    }

    #[test]
    fn every_name_can_be_compared_with() {
        let tables = [NAMES, FOLDERS, PREFIXES, SUFFIXES];
        let names = tables.into_iter().flatten().flat_map(|(_, names)| names.iter().copied());
        let pairs = PAIRS.iter().flat_map(|(_, outer, inner)| [*outer, *inner]);
        for name in names.chain(pairs).chain(GIT_HOOKS.iter().copied()) {
            let key = keeping_digits(name).unwrap_or_else(|| look_alike_key(name));
            assert!(key == name || key.replace("rn", "m") == name, "{name}");
        }
    }
}
