//! Content that stands for content to come.
//!
//! A note about later work beside finished code is everyday life and only shown. A
//! placeholder is a line where the work itself is missing.

use std::sync::LazyLock;

use exacta_core::judge::facts::{FactKind, Language, Placeholder};

use super::line::Line;
use super::phrases::{Phrases, undisguised};
use super::placeholder_words::{Meaning, TABLE, Weight};
use super::scan::Found;
use super::subject::Subject;
use crate::excerpt::excerpt;
use crate::fold::{fold, unleet, words};

static PHRASES: LazyLock<Phrases<Meaning>> = LazyLock::new(|| Phrases::new(TABLE, undisguised));

/// The marks of a note, as [`unleet`] spells them.
const MARKS: [&str; 4] = ["todo", "flxme", "xxx", "tbd"];

/// Reports the placeholder of a line, if it is one.
pub(super) fn detect(subject: &Subject<'_>, line: &Line<'_>, found: &mut Vec<Found>) {
    let kind = note(subject, line)
        .or_else(|| phrase(subject, line))
        .or_else(|| left_out(subject, line))
        .or_else(|| stub(subject, line));
    if let Some(kind) = kind {
        found.push(Found::new(line, kind));
    }
}

fn placeholder(placeholder: Placeholder, line: &Line<'_>) -> FactKind {
    FactKind::PlaceholderAdded { placeholder, text: excerpt(line.raw) }
}

/// `TODO` and its like, under any disguise.
fn note(subject: &Subject<'_>, line: &Line<'_>) -> Option<FactKind> {
    let (start, end) = mark(line, subject)?;
    let written = line.plain.get(start..end)?;
    let disguised = !line.raw.contains(written) || written.bytes().any(|b| b.is_ascii_digit());
    let rest = unleet(&words(line.plain.get(end..).unwrap_or_default()));
    let ahead: Vec<&str> = rest.split_whitespace().take(8).collect();
    if disguised || ahead.is_empty() || asks_for_work(&ahead) {
        return Some(placeholder(Placeholder::Todo, line));
    }
    (!subject.prose).then(|| FactKind::TodoNote { text: excerpt(line.raw) })
}

/// Byte range of the mark in the plain text: in capitals anywhere, or as the first word
/// of a comment in any case.
fn mark(line: &Line<'_>, subject: &Subject<'_>) -> Option<(usize, usize)> {
    let plain = line.plain.as_ref();
    let mut start = None;
    let mut first_word = true;
    for (at, byte) in plain.bytes().chain([b' ']).enumerate() {
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            start.get_or_insert(at);
            continue;
        }
        let Some(from) = start.take() else { continue };
        let word = plain.get(from..at)?;
        if (3..=5).contains(&word.len()) && MARKS.contains(&unleet(word).as_str()) {
            let capitals = word.bytes().all(|b| !b.is_ascii_lowercase());
            let opens_comment = first_word && from > 0 && line.comment;
            let letters = word.bytes().any(|b| b.is_ascii_alphabetic());
            // `XXX` is also a mask and prose may list what is to do.
            let alone = !word.eq_ignore_ascii_case("xxx") || opens_comment;
            if letters
                && alone
                && (capitals || opens_comment)
                && (!subject.prose || byte_ends_note(byte))
            {
                return Some((from, at));
            }
        }
        first_word = false;
    }
    None
}

fn byte_ends_note(byte: u8) -> bool {
    matches!(byte, b':' | b'!')
}

/// Whether the words behind a mark say that the work itself is missing.
fn asks_for_work(ahead: &[&str]) -> bool {
    let near = ahead.get(..ahead.len().min(3)).unwrap_or(ahead);
    let verbs = ["implement", "implementation", "implementing", "stub", "placeholder"];
    let is = |word: &str, list: &[&str]| list.iter().any(|entry| unleet(entry) == word);
    let work = ["implementation", "function", "method", "body", "logic", "code", "rest", "stub"];
    // `fill in` and `complete the body`, but not `fill the cache`.
    let unfinished = near.iter().enumerate().any(|(at, word)| {
        let mut next = ahead.iter().skip(at + 1).skip_while(|word| is(word, &["the"]));
        is(word, &["fill", "complete", "finish"])
            && next.next().is_none_or(|next| {
                is(next, &work) || is(next, &["in", "this", "it", "me", "here", "later", "up"])
            })
    });
    let generated = ahead.starts_with(&["auto", "generated"]);
    let orders = near.iter().any(|word| is(word, &verbs)) || unfinished || generated;
    let adds = ["add", "insert", "put", "write", "do", "call", "handle", "use", "goes", "your"];
    let here = ahead.last() == Some(&"here")
        && (ahead.len() <= 2 || ahead.iter().any(|word| is(word, &adds) || is(word, &work)));
    let yours = ahead.contains(&"your");
    let later = ahead.len() <= 2 && ahead.contains(&"later");
    let replace = ahead.first().is_some_and(|word| *word == "replace")
        && ahead
            .iter()
            .any(|word| ["actual", "real", "me", "proper"].map(unleet).iter().any(|w| w == word));
    let vague = ahead.len() <= 2
        && ["logic", "code", "body", "this", "it", "write", "add", "do"]
            .iter()
            .any(|word| ahead.first() == Some(&unleet(word).as_str()));
    orders || here || yours || later || replace || vague
}

fn phrase(subject: &Subject<'_>, line: &Line<'_>) -> Option<FactKind> {
    let (text, (kind, weight)) = PHRASES.first(&unleet(&line.words))?;
    let elided = line.raw.contains("...") || line.raw.contains('…');
    let counts = match weight {
        Weight::Alone if *kind == Placeholder::Filler => !subject.test,
        Weight::Alone if *kind == Placeholder::Elision && !elided => {
            !subject.prose && !in_sentence(line, text)
        }
        Weight::Alone => (!subject.prose || elided) && !about_heirs(line, text),
        Weight::InComment => elided && !subject.prose && has_comment(line),
        Weight::OpensComment => {
            line.comment
                && !subject.prose
                && unleet(line.words.trim_start()).starts_with(&unleet(text))
        }
        Weight::Excuse => has_comment(line) && !(subject.prose || subject.test || subject.sample),
        Weight::InError => {
            raises(line)
                && !(subject.prose || subject.test || settings(subject))
                && !abstract_method(line)
        }
    };
    counts.then(|| placeholder(*kind, line))
}

/// Whether the phrase is in the midst of a sentence, which tells what code does. One that
/// stands for code is said shortly: in a comment little goes before it or nothing follows,
/// and outside of comments nothing does.
fn in_sentence(line: &Line<'_>, phrase: &str) -> bool {
    const SENTENCE: usize = 4;
    let (all, phrase) = (unleet(&line.words), unleet(phrase));
    let Some((before, after)) = all.split_once(&format!(" {phrase} ")) else { return false };
    let (before, after) = (before.split_whitespace().count(), after.split_whitespace().count());
    if has_comment(line) {
        return before >= SENTENCE && after > 0;
    }
    before >= SENTENCE || after > 0 && before + after >= SENTENCE
}

/// Whether `implement this method` is told to those who write further types, not to whoever
/// finishes this one: somebody else must do it, or a sentence goes on from line to line.
fn about_heirs(line: &Line<'_>, phrase: &str) -> bool {
    const GOES_ON: usize = 3;
    if !phrase.starts_with("implement this ") {
        return false;
    }
    let (all, phrase) = (unleet(&line.words), unleet(phrase));
    let Some((before, after)) = all.split_once(&format!(" {phrase} ")) else { return false };
    let before: Vec<&str> = before.split_whitespace().collect();
    let is = |word: &str, list: &[&str]| list.iter().any(|entry| unleet(entry) == word);
    let may = |word: &str| is(word, &["should", "must", "may", "can", "could", "shall"]);
    match before.as_slice() {
        [word] => may(word) && after.split_whitespace().count() >= GOES_ON,
        [.., who, word] => {
            may(word)
                && !is(who, &["you", "we", "i", "one", "somebody", "someone", "todo", "fixme"])
        }
        [] => false,
    }
}

/// Whether the file holds settings, in which lines of code are only named, as in a list of
/// lines that need no test.
fn settings(subject: &Subject<'_>) -> bool {
    subject.ends_in(&["toml", "cfg", "ini", "coveragerc", "json"])
}

/// A comment that says nothing but that something belongs there: `// ... other methods`,
/// or an ellipsis alone where lines went away.
fn left_out(subject: &Subject<'_>, line: &Line<'_>) -> Option<FactKind> {
    let written = line.raw.trim();
    let (comment, whole) = match written.strip_prefix("{/*") {
        Some(inside) => (inside.trim_end_matches('}'), true),
        None => (written.trim_start_matches(['/', '*', '#', '-', '!', '<', ';']), line.comment),
    };
    let said = comment.trim().trim_end_matches("*/").trim_end_matches("-->").trim();
    let dots = |text: &str| text.starts_with("...") || text.starts_with('…');
    let opens = dots(said.trim_start_matches(['[', '(']));
    if subject.prose || !whole || !opens || said.len() == written.len() {
        return None;
    }
    let words = words(&fold(said));
    let counts = if words.trim().is_empty() {
        line.replaced.gone >= 2 && line.replaced.gone > line.replaced.come
    } else {
        let things = [
            "rest",
            "remaining",
            "existing",
            "previous",
            "omitted",
            "unchanged",
            "code",
            "methods",
            "functions",
            "handlers",
            "component",
            "components",
            "imports",
            "implementation",
            "logic",
            "snip",
            "truncated",
        ];
        // A sentence may go on from the line above with three dots, too.
        let ends = said.ends_with("...") || said.ends_with(['…', ']', ')']);
        let alone =
            !["//", "#", "*", "/*"].iter().any(|mark| line.above().trim().starts_with(mark));
        (ends || alone) && things.iter().any(|thing| words.contains(&format!(" {thing} ")))
    };
    counts.then(|| placeholder(Placeholder::Elision, line))
}

/// Whether some of the line is a comment.
fn has_comment(line: &Line<'_>) -> bool {
    line.comment || ["//", "/*", "#", "<!--", "--"].iter().any(|mark| line.plain.contains(mark))
}

/// Whether the line throws, panics or is the macro itself.
fn raises(line: &Line<'_>) -> bool {
    !line.comment
        && ["raise ", "throw ", "panic", "unimplemented!(", "todo!(", "return errors.new", "fatal("]
            .iter()
            .any(|word| line.lower.contains(word))
}

/// An interface whose heirs do the work is finished as it is.
fn abstract_method(line: &Line<'_>) -> bool {
    let says = [
        "subclass",
        "override",
        "must",
        "should",
        "not supported",
        "abstract",
        "derived",
        "platform",
    ];
    says.iter().any(|word| line.lower.contains(word))
        || line.lines_above(12).take_while(|above| !above.trim().is_empty()).any(|above| {
            let above = above.to_ascii_lowercase();
            above.contains("abstract") || above.contains("protocol") || above.contains("subclass")
        })
        || matches!(line.lower.trim(), "raise notimplementederror" | "raise notimplementederror()")
            && documented(line)
}

/// `raise NotImplementedError` below a docstring is how Python writes an interface.
fn documented(line: &Line<'_>) -> bool {
    let above = line.above().trim();
    above.ends_with("\"\"\"") || above.ends_with("'''")
}

/// Bodies that do nothing yet.
fn stub(subject: &Subject<'_>, line: &Line<'_>) -> Option<FactKind> {
    if subject.prose || line.comment || settings(subject) {
        return None;
    }
    let lower = line.lower.trim();
    let macros =
        ["todo!(", "unimplemented!(", "todo!{", "unimplemented!{", "todo![", "unimplemented!["];
    if macros.iter().any(|name| lower.contains(name) && !in_quotes(lower, name)) {
        return Some(placeholder(Placeholder::Unimplemented, line));
    }
    let thrown = ["(\"todo\")", "('todo')", "(\"todo:", "('todo:"];
    if raises(line) && !subject.test && thrown.iter().any(|text| lower.contains(text)) {
        return Some(placeholder(Placeholder::Unimplemented, line));
    }
    let above = line.above().trim_start();
    let body_of_function = above.starts_with("def ") || above.starts_with("async def ");
    if matches!(lower, "pass" | "...")
        && subject.language == Some(Language::Python)
        && body_of_function
        && line.replaced.gone > 0
        && line.replaced.gone >= line.replaced.come
        && !(subject.test || abstract_method(line))
    {
        return Some(placeholder(Placeholder::Unimplemented, line));
    }
    let (code, comment) = lower.split_once('#')?;
    let empty = matches!(code.trim(), "pass" | "...");
    let note = unleet(&words(comment));
    let says = [
        "todo",
        "implement",
        "placeholder",
        "stub",
        "later",
        "your",
        "fixme",
        "logic here",
        "code here",
        "code goes here",
        "logic goes here",
        "fill in",
    ]
    .iter()
    .any(|word| note.contains(&format!(" {} ", unleet(word))));
    let dots = note.trim().is_empty();
    // Whoever says that there is nothing to do has finished.
    let finished = [
        "nothing",
        "no op",
        "noop",
        "not needed",
        "not required",
        "not necessary",
        "intentionally",
        "intentional",
        "deliberately",
        "by design",
        "unused",
        "ignore",
        "ignored",
        "optional",
        "no action",
    ]
    .iter()
    .any(|word| note.contains(&format!(" {} ", unleet(word))));
    (empty && (says || dots || body_of_function && !finished))
        .then(|| placeholder(Placeholder::Unimplemented, line))
}

/// Whether the first `needle` stands behind an odd number of quotes.
fn in_quotes(text: &str, needle: &str) -> bool {
    text.split_once(needle).is_some_and(|(before, _)| before.matches('"').count() % 2 == 1)
}
