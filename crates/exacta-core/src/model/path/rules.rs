//! The spelling rules of a target path.

use alloc::string::String;
use core::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::device::is_device;
use super::fold::is_hidden;
use super::reserved::reserved;

/// The longest path, in bytes.
const MAX_PATH: usize = 1024;
/// The longest component, in bytes.
const MAX_COMPONENT: usize = 255;

/// A canonical, relative UTF-8 path below the project root.
///
/// A value of this type has passed every rule of PV-4 that can be decided from the
/// spelling alone. What is on disk (links, special files) is checked when it is opened.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct RelPath(String);

/// Why a string is not a target path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathFault {
    /// Nothing was given.
    #[error("the path is empty")]
    Empty,
    /// Longer than 1,024 bytes.
    #[error("the path has {0} bytes; 1024 is the most")]
    TooLong(usize),
    /// A component longer than 255 bytes.
    #[error("a component has {0} bytes; 255 is the most")]
    ComponentTooLong(usize),
    /// Starts with a slash.
    #[error("the path is absolute")]
    Absolute,
    /// Starts with a home directory.
    #[error("the path starts with `{0}`, which a shell takes for a home folder")]
    Home(String),
    /// Has a `..` component.
    #[error("the path has a `..` component")]
    Traversal,
    /// Has an empty or `.` component.
    #[error("the path has {0}")]
    NotCanonical(&'static str),
    /// Has a character that no target may have.
    #[error("the path has the character {name} at byte {at}")]
    Character {
        /// The character in a visible form.
        name: String,
        /// Its byte offset.
        at: usize,
    },
    /// A component starts or ends with white space.
    #[error("`{0}` starts or ends with white space")]
    EdgeSpace(String),
    /// A component ends with a dot.
    #[error("`{0}` ends with a dot")]
    TrailingDot(String),
    /// A component is a device name on Windows, or could be taken for one.
    #[error("`{0}` is a device name on Windows, or could be taken for one")]
    Device(String),
    /// A component is a reserved folder, or could be taken for one.
    #[error("{}", reserved_message(component, name))]
    Reserved {
        /// The component.
        component: String,
        /// The reserved name.
        name: &'static str,
    },
}

fn reserved_message(component: &str, name: &str) -> String {
    if component == name {
        format!("no plan may touch `{name}`")
    } else {
        format!("`{component}` could be taken for `{name}`, which no plan may touch")
    }
}

impl PathFault {
    /// What a planner can do about it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::Reserved { .. } => {
                "leave the state of the gate and of version control alone; change project files only"
            }
            Self::Character { .. }
            | Self::EdgeSpace(_)
            | Self::TrailingDot(_)
            | Self::Device(_) => "use a name that means the same file on every system",
            Self::TooLong(_) | Self::ComponentTooLong(_) => "use a shorter path",
            Self::Empty
            | Self::Absolute
            | Self::Home(_)
            | Self::Traversal
            | Self::NotCanonical(_) => {
                "name the file relative to the project root, such as `src/main.rs`"
            }
        }
    }
}

impl RelPath {
    /// Checks the spelling.
    ///
    /// # Errors
    /// The first rule of PV-4 that the text breaks.
    pub fn parse(text: &str) -> Result<Self, PathFault> {
        if text.is_empty() {
            return Err(PathFault::Empty);
        }
        if text.starts_with('/') {
            return Err(PathFault::Absolute);
        }
        for (at, c) in text.char_indices() {
            if c == '\\' || c == ':' || is_hidden(c) {
                return Err(PathFault::Character { name: visible(c), at });
            }
        }
        if text.len() > MAX_PATH {
            return Err(PathFault::TooLong(text.len()));
        }
        if let Some((first, _)) = text.split_once('/')
            && first.starts_with('~')
        {
            return Err(PathFault::Home(first.into()));
        }
        text.split('/').try_for_each(check_component)?;
        Ok(Self(text.into()))
    }

    /// The path as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The components, outermost first.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// The last component.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The folders above, innermost first: `a/b` then `a` for `a/b/c`.
    pub fn ancestors(&self) -> impl Iterator<Item = &str> {
        core::iter::successors(self.0.rsplit_once('/').map(|(dir, _)| dir), |dir| {
            dir.rsplit_once('/').map(|(up, _)| up)
        })
    }
}

fn check_component(component: &str) -> Result<(), PathFault> {
    match component {
        "" => return Err(PathFault::NotCanonical("an empty component")),
        "." => return Err(PathFault::NotCanonical("a `.` component")),
        ".." => return Err(PathFault::Traversal),
        _ => {}
    }
    if let Some(name) = reserved(component) {
        return Err(PathFault::Reserved { component: component.into(), name });
    }
    if component.len() > MAX_COMPONENT {
        return Err(PathFault::ComponentTooLong(component.len()));
    }
    if component.starts_with(char::is_whitespace) || component.ends_with(char::is_whitespace) {
        return Err(PathFault::EdgeSpace(component.into()));
    }
    if component.ends_with('.') {
        return Err(PathFault::TrailingDot(component.into()));
    }
    if is_device(component) {
        return Err(PathFault::Device(component.into()));
    }
    Ok(())
}

/// A character as a reader can see it: itself in backticks, or its code point.
fn visible(c: char) -> String {
    if is_hidden(c) { format!("U+{:04X}", u32::from(c)) } else { format!("`{c}`") }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn accepts_ordinary_and_merely_odd_names() {
        for ok in [
            "src/main.rs",
            "..foo",
            "a..b",
            "%2e%2e%2fx",
            "$HOME/x",
            "-rf",
            "--help",
            "git",
            "gitx/y",
            "agit~1.txt",
            "exacta/x",
            "com1x.txt",
            "CONSOLE.md",
            "nullable.rs",
            "日本語.txt",
            "foo~",
            ".github/workflows/ci.yml",
            ".gitignore",
            "..%c0%af",
            "\u{2025}/x",
            "git~1.txt",
            "файл.txt",
            "ελληνικά.md",
            "ΕΛΛΗΝΙΚΆ.md",
            "Ünïcode.rs",
            "gitx",
            ".hgx",
            ".гит",
            ".gitх",
            "гит~1.txt",
            "한국어.md",
            "עברית.txt",
            "عربي.txt",
            "हिन्दी.md",
            "naïve~1.txt",
            "src\u{2044}auth.py",
            "½.txt",
            "ノート.txt",
            "・メモ.txt",
            "côn.txt",
        ] {
            assert!(RelPath::parse(ok).is_ok(), "{ok:?}: {:?}", RelPath::parse(ok));
        }
        assert!(RelPath::parse(&"a".repeat(255)).is_ok());
    }

    #[test]
    fn refuses_what_is_not_canonical_or_not_portable() {
        for bad in [
            "",
            "/",
            "/x",
            "//x",
            "~/x",
            "~root/x",
            "file:///x",
            "..",
            "../x",
            "a/../b",
            "a/./b",
            "a//b",
            "a/",
            ".",
            "a\\b",
            "C:x",
            "x ",
            " x",
            "x\u{a0}",
            "x.",
            "foo..",
            "a\tb",
            "a\u{7f}b",
            "a\u{85}b",
            "a\u{2028}b",
            "a\u{3164}b",
            "cod\u{202e}gpj.exe",
            "CON",
            "nul",
            "a/CON/b",
            "PRN.md",
            "com9.log",
            "COM¹",
            "CONOUT$",
            "clock$",
            "nu\u{217c}",
            "a /b",
        ] {
            assert!(RelPath::parse(bad).is_err(), "{bad:?}");
        }
        assert!(RelPath::parse(&"a".repeat(256)).is_err());
        assert!(RelPath::parse(&["d"; 600].join("/")).is_err());
    }

    #[test]
    fn refuses_reserved_folders_under_every_disguise() {
        for bad in [
            ".git",
            ".GIT/config",
            ".giT/x",
            "sub/.git",
            ".jj/x",
            ".jJ/x",
            ".hg",
            ".SVN/x",
            ".exacta/x",
            ".EXACTA",
            "git~1/x",
            "GIT~2",
            "GI2837~1/x",
            "EXACTA~1/x",
            "exact~10/x",
            "ex12ab~1",
            ".GIT../x",
            ".git ",
            ".g\u{130}t/config",
            ".g\u{456}t/config",
            "․git/x",
            ".ｇit/x",
            ".g\u{131}t",
            ".ex\u{430}cta/x",
            ".\u{458}j/x",
            ".gít/x",
            // Capitals and rarer letters.
            ".GI\u{3a4}/x",
            ".GI\u{422}/x",
            ".\u{41d}g/x",
            ".SV\u{39d}/x",
            ".\u{395}XACTA/x",
            ".EXAC\u{3a4}A",
            ".EXA\u{3f9}TA/x",
            ".e\u{3a7}acta/x",
            ".\u{50c}it/x",
            ".gi\u{442}",
            ".gi\u{3c4}",
            ".\u{262}it/x",
            ".g\u{456}\u{1d1b}",
            ".g\u{268}t",
            ".\u{260}it",
            ".G\u{399}T",
            ".G\u{406}\u{442}",
            // Other dots, and signs that read as a slash.
            "\u{b7}git",
            "\u{b7}git/config",
            "\u{30fb}exacta",
            "\u{2022}hg/x",
            ".git\u{2044}hooks\u{2044}pre-commit",
            ".exacta\u{2215}policy.toml",
            "src\u{ff0f}.git",
            "a/b\u{29f8}\u{ff0e}git\u{29f9}x",
            ".git\u{30ce}config",
            "git~1\u{2216}config",
            "\u{672c}\u{30ce}.git",
            "x\u{2afd}.svn",
            ".git\u{2800}",
            "\u{2800}.git",
            // Aliases of DOS-like file systems.
            "\u{ff27}\u{ff29}\u{ff34}~1",
            "git\u{ff5e}1",
            "git\u{2dc}1",
            "git\u{223c}1",
            "git~\u{ff11}",
            "h\u{261}~1",
            "g\u{456}2837~1",
            // Nothing that shows nothing.
            "a\u{600}b",
            "a\u{e000}b",
            "a\u{fffe}b",
        ] {
            let fault = RelPath::parse(bad);
            assert!(fault.is_err(), "{bad:?}");
        }
    }

    #[test]
    fn ancestors_run_from_the_inside_out() {
        let path = RelPath::parse("a/b/c").unwrap();
        assert_eq!(path.ancestors().collect::<Vec<_>>(), ["a/b", "a"]);
        assert_eq!(path.name(), "c");
        assert_eq!(RelPath::parse("c").unwrap().ancestors().count(), 0);
    }
}
