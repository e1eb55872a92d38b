//! Walks through a text once and picks the names out.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::name::Name;

/// More names than this cannot lower a score further.
const MAX_NAMES: usize = 16;
/// The longest text in quotes that may be a name, in bytes.
const MAX_QUOTED: usize = 200;

/// Every name in the text, once, in order.
pub(in crate::judge::score) fn names(text: &str) -> Vec<Name> {
    let mut found = Found::default();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '"', '\'', '“', '‘', '«']) {
        let (before, quoted) = rest.split_at(at);
        found.words(before);
        rest = found.quoted(before, quoted);
    }
    found.words(rest);
    found.names
}

#[derive(Default)]
struct Found {
    names: Vec<Name>,
    seen: BTreeSet<Name>,
}

impl Found {
    fn add(&mut self, name: Option<Name>) {
        if let Some(name) = name
            && self.names.len() < MAX_NAMES
            && self.seen.insert(name.clone())
        {
            self.names.push(name);
        }
    }

    fn words(&mut self, text: &str) {
        let apart = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '|' | '=' | '<' | '>');
        for token in text.split(apart) {
            self.add(Name::of_token(bare(token)));
        }
    }

    /// Takes what stands in quotes at the start of `text`; returns what is left. Quotes
    /// that do not close on their line are no quotes.
    fn quoted<'a>(&mut self, before: &str, text: &'a str) -> &'a str {
        if let Some(fence) = text.strip_prefix("```") {
            // A block of code is quoted for reading; its words are not what is asked for.
            return fence.split_once("```").map_or("", |(_, after)| after);
        }
        let mut chars = text.chars();
        let open = chars.next().unwrap_or_default();
        let inner = chars.as_str();
        let close = match open {
            '“' => '”',
            '‘' => '’',
            '«' => '»',
            same => same,
        };
        let apostrophe =
            matches!(open, '\'' | '‘') && before.ends_with(|c: char| c.is_alphanumeric());
        let end = inner
            .char_indices()
            .take_while(|(at, c)| *at <= MAX_QUOTED && *c != '\n')
            .find(|(_, c)| *c == close)
            .map(|(at, _)| at);
        match end {
            Some(end) if !apostrophe => {
                let (name, after) = inner.split_at(end);
                let after = after.strip_prefix(close).unwrap_or(after);
                self.name_or_words(open, name.trim());
                after
            }
            _ => inner,
        }
    }

    /// One word is a name. Several in backticks are a command; in other quotes they are
    /// text like any other.
    fn name_or_words(&mut self, open: char, quoted: &str) {
        if !quoted.contains(char::is_whitespace) {
            self.add(Name::of_quoted(quoted));
        } else if open != '`' {
            self.words(quoted);
        }
    }
}

/// The token without the punctuation around it.
fn bare(token: &str) -> &str {
    let mut token = token.trim_start_matches(['(', '[', '{', '*', '#', '…']);
    loop {
        let before = token;
        token = token.trim_end_matches(['.', ':', '!', '?', ']', '}', '*', '…']);
        token = token.strip_suffix("'s").or_else(|| token.strip_suffix("’s")).unwrap_or(token);
        if !token.ends_with("()") {
            token = token.strip_suffix(')').unwrap_or(token);
        }
        if token == before {
            return token;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    fn found(text: &str) -> Vec<String> {
        names(text).into_iter().map(|name| name.text).collect()
    }

    #[test]
    fn names_come_out_of_sentences() {
        for (text, expected) in [
            ("Rename `foo` to `bar` in src/a.rs.", &["foo", "bar", "src/a.rs"][..]),
            ("fix the overflow (see parse_header() and Plan::new).", &["parse_header", "new"]),
            ("it's what \"Widget\" doesn't do, isn't it", &["Widget"]),
            ("don't touch users' things or 'quoted' ones", &["quoted"]),
            ("run `cargo test -p my_crate` first", &[]),
            ("say “hello there” in a.txt", &["a.txt"]),
            ("an unclosed ` tick and a.rs", &["a.rs"]),
            ("twice a.rs and a.rs's end", &["a.rs"]),
            ("```\nlet x_y = b.rs;\n``` then c.rs", &["c.rs"]),
            ("``` never closed d_e", &[]),
            ("make the login page faster and/or nicer", &[]),
            ("`--dry-run` and `https://a.example/x` and `src/*.rs`", &["--dry-run"]),
            ("", &[]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn hostile_text_stays_linear() {
        for unit in ["“", "`", "'", "a_", "\"a", "(", "a.", "::", "()", "```", "a/"] {
            let text = unit.repeat(100_000 / unit.len());
            assert!(names(&text).len() <= MAX_NAMES);
        }
    }
}
