//! What stands in the samples of a document: source that is only shown, or a command that
//! somebody may copy and run.

use super::comments::is_prose;

/// Languages of samples that no tester of documents runs: values, what programs print, and
/// how something looks. What is written in any other is compared to the byte.
const SAMPLES: &[&str] = &[
    "text",
    "txt",
    "plain",
    "plaintext",
    "output",
    "log",
    "diff",
    "patch",
    "json",
    "json5",
    "jsonc",
    "yaml",
    "yml",
    "toml",
    "xml",
    "html",
    "css",
    "scss",
    "ini",
    "csv",
    "tsv",
    "ebnf",
    "proto",
    "protobuf",
    "graphql",
];

/// Whether a sample with this word behind its sign is of a language that nobody runs from here.
pub(super) fn is_shown(info: &str) -> bool {
    // More words than the language are for a program.
    SAMPLES.contains(&info.to_lowercase().as_str())
}

/// A remark inside a sample of any kind. Statements that were code are none here: behind `#`
/// they are run where a sample hides its lines so.
pub(super) fn is_remark(line: &str) -> bool {
    let trimmed = line.trim_start();
    (trimmed.starts_with("// ") || trimmed.starts_with("# "))
        && is_prose(trimmed)
        && !trimmed.ends_with([';', '{', '}', ')'])
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
