//! Patterns that can destroy or take over.

use std::sync::LazyLock;

use exacta_core::judge::facts::{Danger, FactKind};

use super::book::{Book, Hit};
use super::danger_rules::{Peril, RULES};
use super::scan::Found;
use super::side::{Side, quoted};
use super::statement::Statement;
use super::subject::Subject;
use crate::excerpt::excerpt;

static BOOK: LazyLock<Book<Peril>> = LazyLock::new(|| Book::new(RULES));

/// Reports every danger that `changed` lines, in ascending order, have a part in. A line
/// is read together with those it goes on in.
pub(crate) fn detect(
    subject: &Subject<'_>,
    side: &Side<'_>,
    changed: &[usize],
    found: &mut Vec<Found>,
) {
    if subject.prose {
        return;
    }
    // The first line that no statement had yet.
    let mut floor = 0;
    for index in changed {
        if *index < floor || side.is_comment(*index) {
            continue;
        }
        let Some(statement) = Statement::around(subject, side, *index, floor) else { continue };
        floor = statement.last + 1;
        for hit in BOOK.search(subject, &statement.plain, &statement.lower) {
            let start = statement.first_letter(hit.start, hit.end);
            let (first, at) = statement.place(start);
            let (last, _) = statement.place(hit.end.saturating_sub(1).max(start));
            let touched = changed.get(changed.partition_point(|line| *line < first)..);
            let line = touched.and_then(<[_]>::first).filter(|line| **line <= last);
            if let Some(line) = line
                && counts(&hit, &statement, side, first, subject)
            {
                let text = excerpt(statement.plain.get(hit.start..hit.end).unwrap_or_default());
                let kind = FactKind::DangerousPattern { danger: hit.kind.danger, text };
                let dormant = side.is_test(first) || side.in_text(first, at);
                found.push(Found { dormant, ..Found::at(*line, kind) });
            }
        }
    }
}

/// Whether the pattern does there what it is feared for.
fn counts(
    hit: &Hit<'_, Peril>,
    statement: &Statement,
    side: &Side<'_>,
    line: usize,
    subject: &Subject<'_>,
) -> bool {
    let Peril { danger, needs } = *hit.kind;
    let argument = statement.plain.get(hit.group.0..hit.group.1).unwrap_or_default();
    let whole = hit.group == (hit.start, hit.end);
    let matched = statement.lower.get(hit.start..hit.end).unwrap_or_default();
    let before = statement.lower.get(..hit.start).unwrap_or_default();
    let more = statement.lower.get(hit.end..).unwrap_or_default();
    needs.is_none_or(|word| side.mentions(word))
        && (whole || hit.and_more || !harmless(danger, argument, subject))
        && !excused(danger, &statement.lower, before, matched, subject)
        && !(danger == Danger::SqlDrop
            && (is_prose(subject, statement, hit.start, more) || takes_back(side, statement, line)))
}

/// Whether what the pattern acts on makes it harmless.
fn harmless(danger: Danger, argument: &str, subject: &Subject<'_>) -> bool {
    let argument = argument.trim();
    match danger {
        Danger::RecursiveDelete => {
            let targets: Vec<&str> = argument
                .split_whitespace()
                .filter(|t| !t.starts_with('-') && !t.starts_with('>') && !t.starts_with("2>"))
                .collect();
            !targets.is_empty() && targets.iter().all(|target| passing(target, subject.test))
        }
        // A literal was known when the program was written.
        Danger::Eval | Danger::Shell => literal(argument),
        // What a table is made of without its rows.
        Danger::SqlDrop => ["constraint", "index", "default", "not", "key", "foreign", "primary"]
            .iter()
            .any(|word| argument.eq_ignore_ascii_case(word)),
        // So was a constant, by the custom of writing it in capitals.
        Danger::SqlText => {
            !argument.is_empty() && !argument.bytes().any(|byte| byte.is_ascii_lowercase())
        }
        _ => false,
    }
}

/// A target that builds, caches or the program itself made and can make again.
fn passing(target: &str, test: bool) -> bool {
    let target = target.trim_matches(['"', '\'', '`', ',', '(', ')', ';', '&', '*']);
    if target.contains("..") || target.starts_with('~') || target.contains("HOME") {
        return false;
    }
    let words = crate::fold::words(target);
    let temporary =
        ["tmp", "temp", "temporary", "tempdir", "tmpdir", "scratch", "cache", "workdir"]
            .iter()
            .any(|word| words.contains(&format!(" {word} ")));
    if temporary || test && !target.starts_with('/') && !target.is_empty() {
        return true;
    }
    let first = target.trim_start_matches("./").split('/').next().unwrap_or_default();
    [
        "build",
        "dist",
        "out",
        "target",
        "node_modules",
        "coverage",
        ".next",
        "__pycache__",
        ".cache",
        ".pytest_cache",
        ".mypy_cache",
        ".tox",
        ".venv",
        "venv",
        "bin",
        "obj",
        "site",
        "_build",
        "htmlcov",
        ".eggs",
        ".nyc_output",
        "storybook-static",
        ".turbo",
        ".parcel-cache",
        "lib-cov",
    ]
    .contains(&first)
        || first.ends_with(".egg-info")
        || words.contains(" build ") && !target.starts_with('/')
}

/// One string without anything put into it.
fn literal(argument: &str) -> bool {
    let inner = argument.trim_start_matches(['b', 'r', 'u', 'B', 'R', 'U']);
    let Some(quote @ ('"' | '\'' | '`')) = inner.chars().next() else {
        return argument.bytes().all(|b| b.is_ascii_digit()) && !argument.is_empty();
    };
    let body = inner.get(1..).unwrap_or_default();
    let Some((text, rest)) = body.split_once(quote) else { return false };
    let filled = argument.starts_with(['f', 'F']) || quote == '`' && text.contains("${");
    let built = rest.trim_start().starts_with(['+', '%', '.']);
    !(filled || built)
}

/// Places where the pattern is the subject rather than the deed. `before` is what stands
/// before it in its statement.
fn excused(
    danger: Danger,
    statement: &str,
    before: &str,
    matched: &str,
    subject: &Subject<'_>,
) -> bool {
    let trimmed = statement.trim_start();
    let declared = ["def", "function", "fn", "func"]
        .iter()
        .any(|keyword| before.trim_end().ends_with(keyword));
    match danger {
        Danger::Eval | Danger::Shell | Danger::RecursiveDelete => declared,
        Danger::Deserialise if matched.contains("yaml.load") => {
            trimmed.contains("safeloader") || trimmed.contains("loader=yaml.safe")
        }
        Danger::Deserialise | Danger::SqlText => subject.test,
        Danger::SqlDrop => {
            trimmed.contains("temporary table") || trimmed.contains("temp table") || subject.test
        }
        Danger::WorldWritable => {
            trimmed.contains("& 0o777") || trimmed.contains("& 0777") || trimmed.contains("&0o777")
        }
        Danger::DisabledCheck => {
            declared_option(trimmed, matched)
                || matched.starts_with("test -") && is_test_of_file(matched)
        }
        _ => false,
    }
}

/// `"--no-verify"` as an option of one's own, not as one that git gets.
fn declared_option(statement: &str, matched: &str) -> bool {
    let words = crate::fold::words(statement);
    matched == "--no-verify"
        && ["\"--no-verify", "'--no-verify"].iter().any(|quoted| statement.contains(quoted))
        && !["git", "commit", "push", "merge", "rebase", "publish"]
            .iter()
            .any(|word| words.contains(&format!(" {word} ")))
}

/// `test -d build`: the shell's own question about a file.
fn is_test_of_file(matched: &str) -> bool {
    let question = matched.get("test -".len()..).unwrap_or_default();
    question.starts_with(|c: char| c.is_ascii_alphabetic()) && question.get(1..2) == Some(" ")
}

/// Words on a page that only sound like a statement: neither quoted nor a line that holds
/// nothing else.
fn is_prose(subject: &Subject<'_>, statement: &Statement, start: usize, more: &str) -> bool {
    let page = subject.web() && !subject.ends_in(&["js", "mjs", "cjs", "ts", "mts"]);
    if !page || quoted(&statement.plain, start) {
        return false;
    }
    let before = statement.lower.get(..start).unwrap_or_default();
    let opens = before.trim().is_empty() || before.contains("alter table");
    let more = more.trim_start();
    let ends = more.is_empty()
        || [";", ",", ")", "'", "\"", "`", "cascade", "restrict"]
            .iter()
            .any(|end| more.starts_with(end));
    !(opens && ends)
}

/// The way back of a migration drops what the way forward made.
fn takes_back(side: &Side<'_>, statement: &Statement, line: usize) -> bool {
    let function = side.function(line).map(str::to_ascii_lowercase);
    let back = ["down", "downgrade", "rollback"];
    function.is_some_and(|name| back.contains(&name.as_str()))
        || ["exports.down ", "exports.down=", "down: ", "def downgrade", "def down"]
            .iter()
            .any(|start| statement.lower.trim_start().starts_with(start))
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_pattern_compiles() {
        assert!(super::BOOK.sound());
    }
}
