//! `Gemfile` and `Podfile`.
//!
//! Both are programs in Ruby. Declarations are read wherever they stand on a line; a
//! statement that is neither a declaration nor a part of the frame is not understood, and
//! may do anything.

use super::model::{Dependency, Manifest};

/// What a kind of list knows.
struct Grammar {
    /// The word that requires a package.
    require: &'static str,
    /// Where packages come from when nothing is said.
    usual: &'static str,
    /// Words that begin a statement without consequences of its own.
    frame: &'static [&'static str],
    /// Whether a statement that is not understood runs at installation; otherwise it is
    /// taken to require something.
    runs: bool,
}

const GEMS: Grammar = Grammar {
    require: "gem",
    usual: "https://rubygems.org",
    frame: &[
        "group",
        "end",
        "ruby",
        "platform",
        "platforms",
        "if",
        "unless",
        "else",
        "elsif",
        "path",
        "git",
        "github",
        "install_if",
        "}",
        ")",
        "]",
        "source",
        "plugin",
        "frozen_string_literal",
    ],
    runs: false,
};

const PODS: Grammar = Grammar {
    require: "pod",
    usual: "https://cdn.cocoapods.org",
    frame: &[
        "target",
        "end",
        "platform",
        "use_frameworks!",
        "use_modular_headers!",
        "project",
        "workspace",
        "inhibit_all_warnings!",
        "abstract_target",
        "inherit!",
        "if",
        "unless",
        "else",
        "}",
        ")",
        "]",
        "source",
        "plugin",
        "def",
        "install!",
        "podspec",
    ],
    runs: true,
};

/// What follows a name is read up to this many bytes.
const LONGEST: usize = 1024;

/// Words that run commands or other code.
const RUNS: &[&str] = &["system", "exec", "eval", "%x", "IO.popen", "spawn", "load "];

/// Words that bring in declarations from elsewhere or hide them.
const HIDES: &[&str] = &["eval", "load ", "require_relative", "send", "__method__", "method("];

/// `Gemfile`.
pub(super) fn gems(text: &str) -> Manifest {
    read(text, &GEMS)
}

/// `Podfile`.
pub(super) fn pods(text: &str) -> Manifest {
    read(text, &PODS)
}

fn read(text: &str, grammar: &Grammar) -> Manifest {
    let mut manifest = Manifest::default();
    let mut blocks = Blocks::default();
    let mut lines = text.lines().map(uncommented).enumerate();
    while let Some((number, first)) = lines.next() {
        let mut statement = first.trim().to_owned();
        // A statement goes on after a comma.
        while statement.ends_with([',', '\\']) {
            let Some((_, next)) = lines.next() else { break };
            statement.push(' ');
            statement.push_str(next.trim());
        }
        if !statement.is_empty() {
            let block = blocks.enter(&statement);
            read_statement(&statement, number, grammar, &block, &mut manifest);
        }
    }
    manifest
}

/// The blocks around a statement, each with the place that it says packages come from.
#[derive(Default)]
struct Blocks(Vec<String>);

impl Blocks {
    /// Words that open a block where a statement begins with them.
    const OPENING: &'static [&'static str] =
        &["if", "unless", "case", "begin", "def", "class", "module", "while", "until", "for"];
    /// Words of blocks that say where packages come from.
    const PLACES: &'static [&'static str] = &["git", "github", "gitlab", "path", "source"];

    /// Takes in what a statement opens and closes; gives the place that holds in it.
    fn enter(&mut self, statement: &str) -> String {
        let bare = unquoted(statement);
        let first = words(&bare).next().unwrap_or_default();
        let opens = Self::OPENING.contains(&first) || words(&bare).any(|word| word == "do");
        if opens {
            let place = Self::PLACES.contains(&first).then(|| {
                let address = strings(statement).first().copied().unwrap_or_default();
                format!("{first} {address}")
            });
            let around = self.0.last().cloned().unwrap_or_default();
            self.0.push(place.unwrap_or(around));
        }
        let place = self.0.last().cloned().unwrap_or_default();
        for _ in words(&bare).filter(|word| *word == "end") {
            self.0.pop();
        }
        place
    }
}

/// A statement without the insides of its texts, whose words mean nothing.
fn unquoted(statement: &str) -> String {
    let mut quote = None;
    let outside = |c: &char| {
        if let Some(open) = quote {
            quote = (*c != open).then_some(open);
            return false;
        }
        quote = matches!(c, '"' | '\'').then_some(*c);
        true
    };
    statement.chars().filter(outside).collect()
}

fn words(statement: &str) -> impl Iterator<Item = &str> {
    statement.split(|c: char| !(c.is_alphanumeric() || "_\"':!?.".contains(c)))
}

/// The line without a comment; a `#` in a text begins none.
fn uncommented(line: &str) -> &str {
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if c == '#' => return line.get(..at).unwrap_or(line),
            _ => {}
        }
    }
    line
}

fn read_statement(
    text: &str,
    number: usize,
    grammar: &Grammar,
    block: &str,
    manifest: &mut Manifest,
) {
    let line = Some(number);
    let runs = text.contains('`') || RUNS.iter().any(|word| text.contains(word));
    let mut declared = false;
    for (name, rest) in calls(text, grammar.require) {
        declared = true;
        let version: Vec<&str> = strings(rest)
            .into_iter()
            .filter(|text| text.starts_with(|c: char| c.is_ascii_digit() || "~><=!".contains(c)))
            .collect();
        manifest.require(
            name,
            Dependency {
                version: version.join(", "),
                source: place(rest).unwrap_or_else(|| block.to_owned()),
                line,
                ..Dependency::default()
            },
        );
    }
    for (name, _) in calls(text, "plugin") {
        declared = true;
        manifest.require(&format!("plugin {name}"), Dependency { line, ..Dependency::default() });
    }
    for (address, _) in calls(text, "source") {
        declared = true;
        if address.trim_end_matches('/') != grammar.usual {
            manifest.fetch_from(&format!("source {address}"), address, line);
        }
    }
    if runs {
        manifest.run(text, text, line);
    }
    let word = text.split(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let framed = grammar.frame.contains(&word);
    let hides = HIDES.iter().any(|word| text.contains(word));
    if hides || !(declared || framed || runs) {
        if grammar.runs && !hides {
            manifest.run(text, text, line);
        } else {
            manifest.require(text, Dependency { line, ..Dependency::default() });
        }
    }
}

/// Each call of `word` with a text as its first argument: the text and the rest up to the
/// next call.
fn calls<'t>(text: &'t str, word: &str) -> Vec<(&'t str, &'t str)> {
    let mut out = Vec::new();
    for (at, _) in text.match_indices(word) {
        let alone = text.get(..at).is_some_and(|before| {
            !before.ends_with(|c: char| c.is_alphanumeric() || "_:.\"'".contains(c))
        });
        let rest = text.get(at + word.len()..).unwrap_or_default();
        let argument = rest.trim_start_matches([' ', '\t', '(']);
        if alone
            && argument.len() < rest.len() + usize::from(rest.starts_with(['"', '\'']))
            && argument.starts_with(['"', '\''])
            && let Some((name, behind)) = argument
                .get(1..)
                .and_then(|inner| inner.split_once(argument.get(..1).unwrap_or_default()))
        {
            let ends =
                |(at, c): (usize, char)| (matches!(c, ';' | '}') || at > LONGEST).then_some(at);
            let end = behind.char_indices().find_map(ends).unwrap_or(behind.len());
            out.push((name, behind.get(..end).unwrap_or(behind)));
        }
    }
    out
}

/// Where a declaration says that its package comes from.
fn place(rest: &str) -> Option<String> {
    ["git:", "github:", "path:", "source:", ":git", ":github", ":path", "gitlab:", ":podspec"]
        .iter()
        .find_map(|key| {
            let (_, value) = rest.split_once(key)?;
            let place = strings(value).first().copied().unwrap_or_default();
            Some(format!("{} {place}", key.trim_matches(':')))
        })
}

/// The quoted parts of a line.
pub(super) fn strings(line: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(['"', '\'']) {
        let quote = rest.get(at..=at).unwrap_or("\"");
        let tail = rest.get(at + 1..).unwrap_or_default();
        let Some((inside, after)) = tail.split_once(quote) else { break };
        out.push(inside);
        rest = after;
    }
    out
}
