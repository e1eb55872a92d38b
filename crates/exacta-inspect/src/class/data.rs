//! Data files that hold the same values in the same order.
//!
//! A text must be sound for a maintained parser of its format; then both texts are
//! compared word by word, without white space and without comments that are prose.

use exacta_core::model::path::RelPath;
use saphyr_parser::{Event, Parser};
use serde::de::IgnoredAny;
use toml_parser::Source;
use toml_parser::lexer::TokenKind;

use super::comments::{is_prose, is_prose_on_top, orders_on_top};

/// YAML is read up to so many bytes.
const MOST_YAML: usize = 256 << 10;

/// A format whose values can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Toml,
    Yaml,
}

/// The format of a data file, by its ending.
pub(super) fn format(path: &RelPath) -> Option<Format> {
    let name = path.name().to_lowercase();
    Some(match name.rsplit_once('.')?.1 {
        "json" => Format::Json,
        "toml" => Format::Toml,
        "yml" | "yaml" => Format::Yaml,
        _ => return None,
    })
}

/// Whether both texts hold the same values in the same order.
pub(super) fn same_values(format: Format, before: &str, after: &str, changed: &[&str]) -> bool {
    match format {
        Format::Json => json(before).is_some_and(|old| Some(old) == json(after)),
        Format::Toml => toml(before).is_some_and(|old| Some(old) == toml(after)),
        Format::Yaml => {
            // Half-lines of comments are not looked into.
            let told = changed.iter().all(|line| {
                let line = line.trim_start();
                !line.contains('#') || line.starts_with('#') && is_prose(line)
            });
            told && orders_on_top(before) == orders_on_top(after)
                && yaml(before).is_some_and(|old| Some(old) == yaml(after))
        }
    }
}

/// The text without white space between its words, if it is sound.
fn json(text: &str) -> Option<String> {
    serde_json::from_str::<IgnoredAny>(text).ok()?;
    let (mut out, mut inside, mut escaped) = (String::with_capacity(text.len()), false, false);
    for c in text.chars() {
        if inside {
            (inside, escaped) = (escaped || c != '"', !escaped && c == '\\');
        } else if c == '"' {
            inside = true;
        } else if matches!(c, ' ' | '\t' | '\n' | '\r') {
            continue;
        }
        out.push(c);
    }
    Some(out)
}

/// The words of a sound text, lines that hold nothing left out.
fn toml(text: &str) -> Option<Vec<&str>> {
    toml::from_str::<toml::Table>(text).ok()?;
    let mut words: Vec<&str> = Vec::new();
    // Inside the brackets of a value lines end where they like, and a comma may be the last.
    // A heading has brackets too, and no line ends in them.
    let mut open = 0_usize;
    for token in Source::new(text).lex() {
        let word = text.get(token.span().start()..token.span().end())?;
        match token.kind() {
            TokenKind::Whitespace | TokenKind::Eof => {}
            TokenKind::Newline => {
                if open == 0 && words.last().is_some_and(|last| *last != "\n") {
                    words.push("\n");
                }
            }
            TokenKind::Comment => {
                let row = text.get(..token.span().start())?.matches('\n').take(2).count();
                let order = row < 2 && !is_prose_on_top(word);
                if order {
                    words.push(if row == 0 { "first" } else { "second" });
                }
                if order || !is_prose(word) {
                    words.push(word);
                }
            }
            TokenKind::LeftSquareBracket => {
                open += 1;
                words.push(word);
            }
            TokenKind::RightSquareBracket => {
                open = open.saturating_sub(1);
                if words.last() == Some(&",") {
                    words.pop();
                }
                words.push(word);
            }
            _ => words.push(word),
        }
    }
    if words.last() == Some(&"\n") {
        words.pop();
    }
    Some(words)
}

/// What a parser of YAML reports, if templates and old dialects are out of play.
fn yaml(text: &str) -> Option<Vec<Event<'_>>> {
    let doubtful = text.len() > MOST_YAML
        || text.contains(['\t', '\u{b}'])
        || templated(text)
        || text.lines().any(|line| line.starts_with('%'));
    if doubtful {
        return None;
    }
    let mut events = Vec::new();
    for event in Parser::new_from_str(text) {
        events.push(event.ok()?.0);
    }
    Some(events)
}

/// Whether a program makes YAML of this text first. `${{` is a value like any other.
fn templated(text: &str) -> bool {
    text.contains("{%")
        || text.contains("<%")
        || text
            .match_indices("{{")
            .any(|(at, _)| !text.get(..at).unwrap_or_default().ends_with('$'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(format: Format, before: &str, after: &str) -> bool {
        let changed: Vec<&str> = before
            .lines()
            .filter(|line| !after.lines().any(|other| other == *line))
            .chain(after.lines().filter(|line| !before.lines().any(|other| other == *line)))
            .collect();
        same_values(format, before, after, &changed)
    }

    #[test]
    fn layout_and_prose_do_not_count_and_everything_else_does() {
        assert!(same(Format::Json, "{\"a\": [1, 2]}", "{\n  \"a\": [1,2]\n}\n"));
        assert!(!same(Format::Json, "{\"a\": 1, \"b\": 2}", "{\"b\": 2, \"a\": 1}"));
        assert!(!same(Format::Json, "{\"a\": \"x y\"}", "{\"a\": \"xy\"}"));
        assert!(!same(Format::Json, "{\"a\": 1}", "{\"a\": 1,}"));
        let toml = "# x\n# y\na = 1\n[t]\nb = 2\n";
        assert!(same(
            Format::Toml,
            toml,
            "# x\n# y\na   =   1\n\n[t]\n# A note about it.\nb = 2\n"
        ));
        assert!(!same(Format::Toml, toml, "# x\n# y\na = 1\n[t]\n# key = 3\nb = 2\n"));
        assert!(!same(Format::Toml, toml, "# x\n# y\na = 2\n[t]\nb = 2\n"));
        assert!(!same(Format::Toml, toml, "# x\n# y\n[t]\nb = 2\n"));
        assert!(same(
            Format::Toml,
            "\n\na = [1, 2]\n",
            "\n\na = [\n  1,\n  # The second one.\n  2,\n]\n"
        ));
        assert!(!same(Format::Toml, "\n\na = [[1], 2]\n", "\n\na = [[1, 2]]\n"));
        assert!(!same(Format::Toml, "\n\na = [1, 2]\n", "\n\na = [2, 1]\n"));
        assert!(!same(Format::Toml, "\n\n[a]\nb = 1\n", "\n\n[[a]]\nb = 1\n"));
        let yaml = "a:\n  - b\n  - c\nd: |\n  # text\n";
        assert!(same(
            Format::Yaml,
            yaml,
            "a:\n  - b\n  # A note about c.\n  - c\n\nd: |\n  # text\n"
        ));
        assert!(!same(Format::Yaml, yaml, "a:\n  - b\n  - c\nd: |\n  # other text\n"));
        assert!(!same(
            Format::Yaml,
            yaml,
            "a:\n  - b\n  - c\nd: |\n  # text\n  # more words here\n"
        ));
        assert!(!same(Format::Yaml, yaml, "a:\n  - b\n  - 'c'\nd: |\n  # text\n"));
        assert!(same(Format::Yaml, "# What it shows.\na: 1\n", "# Words of the shop.\na: 1\n"));
        for order in ["#cloud-config", "# yaml-language-server: $schema=x", "#jinja2: trim:True"] {
            let after = format!("{order}\na: 1\n");
            assert!(!same(Format::Yaml, "# What it shows.\na: 1\n", &after), "{order}");
            assert!(!same(Format::Yaml, &after, "# What it shows.\na: 1\n"), "{order}");
        }
        let cloud = "#cloud-config\na: 1\n";
        assert!(!same(Format::Yaml, cloud, &format!("# Words of the shop.\n{cloud}")));
        let schema = "#:schema x\na = 1\n";
        assert!(!same(Format::Toml, schema, &format!("# Words of the shop.\n{schema}")));
        assert!(same(Format::Toml, "# What it shows.\na = 1\n", "# Words of the shop.\na = 1\n"));
        assert!(!same(Format::Toml, "# What it shows.\na = 1\n", "#:schema x\na = 1\n"));
        assert!(!same(Format::Yaml, "a: {{ b }}\n", "# A note on this.\na: {{ b }}\n"));
    }
}
