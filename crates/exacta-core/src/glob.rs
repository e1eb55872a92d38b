//! Path globs, one dialect everywhere: `*` stays inside a folder, `**` crosses folders,
//! and a plain name stands for that file or for everything in that folder.
//!
//! A glob that could never match a target is refused: a list of exceptions that matches
//! nothing would protect nothing.

use alloc::string::{String, ToString as _};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Why a text is not a glob.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GlobFault {
    /// The pattern language does not know it.
    #[error("{0}")]
    Syntax(String),
    /// No target could match it.
    #[error("it matches no file: targets are relative, without `.`, `..` or empty parts")]
    NeverMatches,
}

/// Compiles a glob.
///
/// # Errors
/// When the text is not a glob, or could never match a target.
pub fn compile(glob: &str) -> Result<GlobSet, GlobFault> {
    compile_all(&[glob.to_string()])
}

/// Compiles many globs into one matcher, whose cost for a path hardly grows with them.
///
/// # Errors
/// When one of the texts is not a glob, or could never match a target.
pub fn compile_all(globs: &[String]) -> Result<GlobSet, GlobFault> {
    compile_set(globs, false)
}

/// The same where letter case does not matter: for rules that must not be evaded by a name
/// that some file systems take for the same.
///
/// # Errors
/// As [`compile_all`].
pub fn compile_any_case(globs: &[String]) -> Result<GlobSet, GlobFault> {
    compile_set(globs, true)
}

fn compile_set(globs: &[String], any_case: bool) -> Result<GlobSet, GlobFault> {
    let mut set = GlobSet::builder();
    for glob in globs {
        // `docs/` is how people write a folder.
        let glob = glob.strip_suffix('/').unwrap_or(glob);
        if glob.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(GlobFault::NeverMatches);
        }
        add(&mut set, glob, any_case)?;
        if !glob.contains(['*', '?', '[', '{', '\\']) {
            add(&mut set, &format!("{glob}/**"), any_case)?;
        }
    }
    set.build().map_err(|error| GlobFault::Syntax(error.kind().to_string()))
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
    fn globs_that_protect_nothing_are_refused() {
        for glob in ["", "/src/**", "./src", "a//b", "../x", "a/./b", "/"] {
            assert_eq!(compile(glob).unwrap_err(), GlobFault::NeverMatches, "{glob}");
        }
        assert!(matches!(compile("a[").unwrap_err(), GlobFault::Syntax(_)));
    }
}
