//! What makes a token a name.

use alloc::string::String;

/// Endings that tell a file name from the end of a sentence.
const ENDINGS: &[&str] = &[
    "bash", "bat", "c", "cc", "cfg", "cjs", "conf", "cpp", "cs", "csproj", "css", "csv", "cts",
    "cxx", "dart", "env", "ex", "exs", "fish", "fs", "go", "gradle", "graphql", "groovy", "h",
    "hh", "hpp", "hs", "htm", "html", "ini", "ipynb", "java", "jl", "js", "json", "jsonc", "jsonl",
    "jsx", "kt", "kts", "less", "lock", "lua", "md", "mdx", "mjs", "ml", "mts", "nix", "php", "pl",
    "png", "proto", "ps1", "py", "pyi", "rb", "rs", "rst", "sass", "scala", "scss", "sh", "sql",
    "svelte", "svg", "swift", "tex", "tf", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml", "yml",
    "zig", "zsh",
];

/// Products and sites whose names look like file names.
const BRANDS: &[&str] = &[
    "alpine.js",
    "angular.js",
    "backbone.js",
    "chart.js",
    "d3.js",
    "discord.js",
    "docs.rs",
    "ember.js",
    "express.js",
    "moment.js",
    "nest.js",
    "next.js",
    "node.js",
    "nuxt.js",
    "p5.js",
    "react.js",
    "solid.js",
    "three.js",
    "vue.js",
];

/// Files known by a whole name without an ending.
const BARE: &[&str] =
    &["Dockerfile", "Gemfile", "Jenkinsfile", "Justfile", "Makefile", "Procfile", "Rakefile"];

/// Words about spelling that are spelt that way.
const SPELLINGS: &[&str] = &["camelCase", "snake_case"];

/// How a name is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::judge::score) enum NameKind {
    /// Among the paths.
    Path,
    /// As a whole word.
    Identifier,
    /// As it is.
    Quoted,
}

/// Something that the intent names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::judge::score) struct Name {
    /// How it is looked for.
    pub(in crate::judge::score) kind: NameKind,
    /// The name itself.
    pub(in crate::judge::score) text: String,
}

impl Name {
    /// A token of plain text.
    pub(super) fn of_token(token: &str) -> Option<Self> {
        if is_address(token) {
            return None;
        }
        let name = |kind, text: &str| Self { kind, text: text.into() };
        as_path(token)
            .map(|path| name(NameKind::Path, path))
            .or_else(|| as_identifier(token).map(|word| name(NameKind::Identifier, word)))
    }

    /// A token that stood in quotes or backticks.
    pub(super) fn of_quoted(token: &str) -> Option<Self> {
        let short = token.chars().nth(1).is_none();
        let mute = !token.chars().any(char::is_alphanumeric);
        let blank = token.contains(char::is_whitespace);
        if short || mute || blank || is_address(token) || token.contains(['*', '{', '}']) {
            return None;
        }
        Self::of_token(token).or_else(|| {
            let word = token.chars().all(is_word);
            let kind = if word { NameKind::Identifier } else { NameKind::Quoted };
            Some(Self { kind, text: token.into() })
        })
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_address(token: &str) -> bool {
    token.contains("://") || token.starts_with("www.") || token.contains('@')
}

/// The path in a token: with a folder and something that no word has, or a file name
/// with a known ending.
fn as_path(token: &str) -> Option<&str> {
    let token = token.strip_prefix("./").unwrap_or(token);
    let folder = token.ends_with('/');
    let path = without_line(token.trim_end_matches('/'));
    let spelt = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '/');
    let absolute = path.starts_with('/');
    let inner = path.strip_prefix('/').unwrap_or(path);
    if path.is_empty() || !path.chars().all(spelt) || inner.split('/').any(str::is_empty) {
        return None;
    }
    let last = inner.rsplit('/').next().unwrap_or(inner);
    if has_ending(last) {
        return Some(path);
    }
    let odd = |part: &str| part.contains('_') || is_dot_name(part);
    let found = if inner.contains('/') {
        !absolute && (folder || inner.split('/').any(odd))
    } else {
        !absolute && ((folder && last.len() > 1) || is_dot_name(last) || BARE.contains(&last))
    };
    found.then_some(path)
}

/// `src/a.rs:12:5` names a line of `src/a.rs`.
fn without_line(token: &str) -> &str {
    let mut path = token;
    while let Some((head, number)) = path.rsplit_once(':')
        && !number.is_empty()
        && number.bytes().all(|b| b.is_ascii_digit())
    {
        path = head;
    }
    path
}

fn has_ending(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let Some((stem, ending)) = lower.rsplit_once('.') else { return false };
    stem.chars().any(char::is_alphanumeric)
        && ENDINGS.binary_search(&ending).is_ok()
        && !BRANDS.contains(&lower.as_str())
}

/// `.gitignore`, and neither `.NET` nor `...`.
fn is_dot_name(part: &str) -> bool {
    part.strip_prefix('.').is_some_and(|rest| {
        rest.len() > 2 && rest != "net" && rest.starts_with(|c: char| c.is_ascii_lowercase())
    })
}

/// The identifier in a token: `a_b`, `a::b`, `a()`, `camelCase`. Of a qualified name the
/// last part, because the others need not stand beside it in the code.
fn as_identifier(token: &str) -> Option<&str> {
    let called = token.strip_suffix("()");
    let path = called.unwrap_or(token);
    let last = path.rsplit([':', '.', '#']).next().unwrap_or(path);
    let qualified = path.contains("::");
    let spelt = path.chars().all(|c| is_word(c) || matches!(c, ':' | '.' | '#'));
    if !spelt || !last.chars().all(is_word) || !last.starts_with(|c: char| !c.is_ascii_digit()) {
        return None;
    }
    if SPELLINGS.contains(&last) {
        return None;
    }
    let marked =
        called.is_some() || qualified || (last == path && (has_joint(last) || has_hump(last)));
    marked.then_some(last)
}

/// A low line between two letters or digits.
fn has_joint(word: &str) -> bool {
    let inner = word.trim_matches('_');
    inner.contains('_') && inner.chars().any(|c| c.is_ascii_alphabetic())
}

/// Two small letters, a capital, a small letter: `parseHeader`, and not `iPhone`,
/// `macOS` or `GitHub`.
fn has_hump(word: &str) -> bool {
    let bytes = word.as_bytes();
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && bytes.windows(4).any(|four| match four {
            [a, b, c, d] => {
                a.is_ascii_lowercase()
                    && b.is_ascii_lowercase()
                    && c.is_ascii_uppercase()
                    && d.is_ascii_lowercase()
            }
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_for_its_search() {
        assert!(ENDINGS.is_sorted());
    }

    #[test]
    fn plain_words_are_no_names() {
        for token in [
            "parser",
            "and/or",
            "client/server",
            "input/output",
            "CI/CD",
            "24/7",
            "TCP/IP",
            "w/o",
            "e.g",
            "i.e",
            "Node.js",
            "next.js",
            "docs.rs",
            "GitHub",
            "JavaScript",
            "PostgreSQL",
            "macOS",
            "iPhone",
            "iOS",
            "URLs",
            "APIs",
            "README",
            "v1.2.3",
            "1.0",
            "50%",
            ".NET",
            "...",
            "file(s)",
            "self-contained",
            "snake_case",
            "camelCase",
            "https://a.example/b.rs",
            "me@a.example",
            "_important_",
            "__bold__",
            "C++",
            "",
            "/",
            "->",
            "yes/no/maybe",
            "a.b",
            "/api/users",
            "example.com",
        ] {
            assert_eq!(Name::of_token(token), None, "{token}");
        }
    }

    #[test]
    fn names_are_found_and_reduced() {
        use NameKind::{Identifier, Path};
        for (token, kind, text) in [
            ("src/a.rs", Path, "src/a.rs"),
            ("./src/a.rs:12:5", Path, "src/a.rs"),
            ("a.rs", Path, "a.rs"),
            ("Cargo.toml", Path, "Cargo.toml"),
            ("docs/", Path, "docs"),
            (".github/workflows", Path, ".github/workflows"),
            (".gitignore", Path, ".gitignore"),
            ("Makefile", Path, "Makefile"),
            ("my_crate/src", Path, "my_crate/src"),
            ("/srv/a.rs", Path, "/srv/a.rs"),
            ("parse_header", Identifier, "parse_header"),
            ("MAX_LEN", Identifier, "MAX_LEN"),
            ("parse()", Identifier, "parse"),
            ("Plan::parse", Identifier, "parse"),
            ("list.sort()", Identifier, "sort"),
            ("parseHeader", Identifier, "parseHeader"),
        ] {
            let expected = Name { kind, text: text.into() };
            assert_eq!(Name::of_token(token), Some(expected), "{token}");
        }
    }
}
