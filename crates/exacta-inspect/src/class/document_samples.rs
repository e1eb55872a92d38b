//! What stands in the samples of a document: source that is only shown, or a command that
//! somebody may copy and run.

use super::comments::is_prose;

/// Languages of samples that nobody runs from a document. Rust is not among them: its
/// samples are tests, and shells are what people copy from.
const SAMPLES: &[&str] = &[
    "js",
    "javascript",
    "jsx",
    "ts",
    "typescript",
    "tsx",
    "go",
    "golang",
    "python",
    "py",
    "python3",
    "c",
    "cpp",
    "c++",
    "cc",
    "h",
    "java",
    "kotlin",
    "json",
    "json5",
    "jsonc",
    "yaml",
    "yml",
    "toml",
    "xml",
    "html",
    "css",
    "diff",
    "text",
    "txt",
    "ini",
    "sql",
    "csharp",
    "cs",
    "graphql",
    "jinja",
    "asm",
    "cmake",
    "csv",
    "dart",
    "dockerfile",
    "ebnf",
    "elixir",
    "gradle",
    "groovy",
    "haskell",
    "hcl",
    "http",
    "log",
    "lua",
    "makefile",
    "meson",
    "nginx",
    "nim",
    "output",
    "php",
    "plaintext",
    "proto",
    "protobuf",
    "ruby",
    "scala",
    "scss",
    "svelte",
    "swift",
    "vue",
    "zig",
];

/// Whether a sample with this word behind its sign is of a language that nobody runs from here.
pub(super) fn is_shown(info: &str) -> bool {
    let word = info.split([' ', ',', '{']).next().unwrap_or_default().to_lowercase();
    SAMPLES.contains(&word.as_str())
}

/// A remark inside a sample of any kind.
pub(super) fn is_remark(line: &str) -> bool {
    let trimmed = line.trim_start();
    (trimmed.starts_with("// ") || trimmed.starts_with("# ")) && is_prose(trimmed)
}

/// Whether a line can only be source of a program: an assignment with spaces around it, a call
/// of something with its brackets, the head of a block. No shell reads any of these.
pub(super) fn is_source(line: &str) -> bool {
    let text = line.trim();
    let option = text.split_whitespace().any(|word| {
        word.strip_prefix('-')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic() || c == '-'))
    });
    if !is_plain_sample(line)
        || option
        || text.contains(['$', '`', '|', '!'])
        || text.contains("&&")
    {
        return false;
    }
    let name = |word: &str| {
        !word.is_empty()
            && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
            && word.starts_with(|c: char| c.is_alphabetic() || c == '_')
    };
    let called = text.split_once('(').is_some_and(|(callee, _)| name(callee))
        && text.ends_with([')', ';', ':', ',', '(', '{']);
    let assigned = text.split_once(" = ").is_some_and(|(target, _)| {
        target.split_whitespace().all(|word| name(word.trim_start_matches('*')))
    });
    let head = ["def ", "class ", "if ", "for ", "while ", "with ", "except ", "elif "]
        .iter()
        .any(|word| text.starts_with(word))
        && text.ends_with(':')
        || matches!(text, "else:" | "try:" | "finally:" | "}" | "};" | "} else {" | "pass");
    called || assigned || head
}

/// Whether a line of a sample is no test, no template and fetches nothing.
pub(super) fn is_plain_sample(line: &str) -> bool {
    let trimmed = line.trim_start();
    !trimmed.starts_with(">>>")
        && !["$ ", "% "].iter().any(|prompt| trimmed.starts_with(prompt))
        && !TEMPLATES.iter().any(|sign| line.contains(sign))
        && !fetches(line)
}

/// Signs that a renderer fills in wherever they stand.
pub(super) const TEMPLATES: &[&str] = &["{{", "{%", "<%", "<?", "@@", "!include"];

/// What runs something wherever it stands.
const RUNS: &[&str] = &["sudo ", "| sh", "|sh", "| bash", "|bash", "| zsh", "Invoke-", "eval "];

/// Programs that fetch: a command where an option or an address follows, or nothing comes before.
const FETCHERS: &[&str] = &["curl", "wget", "iwr", "irm"];

/// Whether a line has a command that fetches or runs something.
pub(super) fn fetches(line: &str) -> bool {
    let mut words =
        line.split_whitespace().map(|word| word.trim_start_matches(['`', '(', '"', '\'']));
    let begins = words.clone().next().is_some_and(|word| FETCHERS.contains(&word));
    let command = words.any(|word| FETCHERS.contains(&word))
        && words.any(|word| word.starts_with('-') && word.len() > 1 || word.contains("://"));
    RUNS.iter().any(|sign| line.contains(sign)) || begins && !line.ends_with('.') || command
}
