//! Whether a line among the words of a document is a sentence, or something that a renderer
//! obeys.

use super::comments::is_prose;
use super::document_lines::Markup;
use super::document_samples::{TEMPLATES, fetches};

/// Directives of reStructuredText that only set words apart.
pub(super) const PLAIN: &[&str] = &[
    "note",
    "warning",
    "tip",
    "hint",
    "important",
    "caution",
    "danger",
    "attention",
    "seealso",
    "admonition",
    "versionadded",
    "versionchanged",
    "versionremoved",
    "deprecated",
    "rubric",
    "code-block",
    "code",
    "sourcecode",
    "currentmodule",
    "centered",
    "compound",
    "contents",
    "epigraph",
    "glossary",
    "hlist",
    "index",
    "list-table",
    "math",
    "pull-quote",
    "sidebar",
    "table",
    "tabularcolumns",
    "toctree",
    "topic",
];

/// Options of such directives that say how something looks.
const OPTIONS: &[&str] = &[
    "align",
    "caption",
    "class",
    "depth",
    "emphasize-lines",
    "header-rows",
    "hidden",
    "linenos",
    "local",
    "maxdepth",
    "name",
    "noindex",
    "no-index",
    "numbered",
    "sorted",
    "titlesonly",
    "widths",
];

/// Signs of raw markup, directives and commands among words.
const SIGNS: &[&str] = &[
    "${",
    "](javascript",
    "](data:",
    "include::",
    "$ ",
    ":::",
    "javascript:",
    "data:text",
    "file://",
];

/// The same where directives have lines of their own.
const DIRECTIVES: &[&str] = &["#+", "%%", "[["];

pub(super) fn is_plain_line(markup: Markup, line: &str) -> bool {
    if TEMPLATES.iter().any(|sign| line.contains(sign)) || fetches(line) {
        return false;
    }
    if markup == Markup::Marks && is_hidden_remark(line) {
        return true;
    }
    let words = without_code(line);
    let trimmed = words.trim_start();
    let signs = SIGNS.iter().any(|sign| words.contains(sign));
    let prompt = trimmed.starts_with(['$', '>', '%', '!', '@'])
        && !trimmed.starts_with("> ")
        && !trimmed.starts_with("![");
    let directive = match markup {
        // A colon apart from the words begins what a list says of a word.
        Markup::Marks => trimmed.starts_with(':') && !trimmed.starts_with(": "),
        Markup::Directives | Markup::Delimited => {
            DIRECTIVES.iter().any(|sign| words.contains(sign)) || !is_plain_directive(trimmed)
        }
    };
    let markup = words.match_indices('<').any(|(at, _)| {
        let rest = words.get(at + 1..).unwrap_or_default();
        let address = rest.starts_with("http://") || rest.starts_with("https://") || is_mail(rest);
        let next = rest.chars().next();
        !address && next.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'))
    });
    !signs && !prompt && !directive && !markup
}

/// Whether an address of mail stands between the brackets.
fn is_mail(rest: &str) -> bool {
    let inside = rest.split_once('>').map_or("", |(inside, _)| inside);
    let plain = |part: &str| {
        !part.is_empty()
            && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+'))
    };
    inside.split_once('@').is_some_and(|(name, host)| plain(name) && plain(host))
}

/// Whether a line is a remark that no reader is shown.
fn is_hidden_remark(line: &str) -> bool {
    let inside = line.trim().strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
    inside.is_some_and(|words| {
        let count = words.split_whitespace().count();
        count >= 3 && !words.contains(['<', '>', '[', ':']) && is_prose(words)
    })
}

/// Whether a line that may be a directive only sets words apart, or says where a link leads.
pub(super) fn is_plain_directive(line: &str) -> bool {
    if let Some(rest) = line.strip_prefix(".. ") {
        let target = rest.starts_with('_') && rest.contains(':');
        let named = rest.split_once("::").is_some_and(|(name, _)| PLAIN.contains(&name));
        return target || named;
    }
    if line == "::" {
        return true;
    }
    if line.starts_with("..") || line.starts_with(':') && !is_role(line) && !is_option(line) {
        return false;
    }
    // A word that stands alone before the sign, with brackets behind it, is obeyed elsewhere.
    let obeyed = line.split_once("::").is_some_and(|(word, rest)| {
        rest.contains('[') && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
    });
    !obeyed
}

/// Whether a line says how a directive looks.
fn is_option(line: &str) -> bool {
    let name = line.strip_prefix(':').and_then(|rest| rest.split_once(':'));
    name.is_some_and(|(name, _)| OPTIONS.contains(&name))
}

/// A word that is shown in another way, such as a reference.
fn is_role(line: &str) -> bool {
    let end = line.find('`').unwrap_or(0);
    line.get(..end).is_some_and(|role| {
        role.len() > 2
            && role.ends_with(':')
            && role.chars().all(|c| {
                c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, ':' | '-' | '+' | '_')
            })
    })
}

/// A line without what stands between backticks, which is shown as it is: as many of them end
/// it as began it.
fn without_code(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        let (words, code) = rest.split_at(at);
        let inside = code.trim_start_matches('`');
        let signs = code.len() - inside.len();
        // A sign without its fellow hides nothing.
        let Some(end) = closing(inside, signs) else { break };
        out.push_str(words);
        out.push('`');
        rest = inside.get(end..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// Where the text goes on behind the next run of exactly so many backticks.
fn closing(text: &str, signs: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text.get(at..)?.find('`') {
        let start = at + found;
        let run = text.get(start..)?;
        let length = run.len() - run.trim_start_matches('`').len();
        at = start + length;
        if length == signs {
            return Some(at);
        }
    }
    None
}
