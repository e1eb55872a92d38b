//! What a text is that is neither a plan nor a patch, as far as its first lines show it.
//!
//! Nothing is read from such a text. It is only named, so that whoever handed it in learns how
//! to make what they meant.

use alloc::string::String;

use crate::model::code::Code;
use crate::model::diagnostic::Issue;

/// The most bytes in which a line of a patch is looked for.
const MOST_BYTES: usize = 64 * 1024;

/// The same finding, in the words for what the text is.
pub(super) fn named(issue: Issue, text: &str) -> Issue {
    let unmarked = text.trim_start_matches('\u{feff}');
    let body = unmarked.trim_start();
    if body.is_empty() {
        return issue.help(
            "hand in a plan, which is one JSON object with a `steps` array, or a patch; `git diff` \
             prints nothing where nothing differs",
        );
    }
    let marked = unmarked.len() < text.len();
    let patch = patch_line(unmarked);
    let meant_as_plan = body.starts_with(['{', '[', '"']) || body.starts_with("```json");
    if meant_as_plan || issue.code != Code::PlanParseNonjson || (patch == Some(1) && !marked) {
        return issue;
    }
    let (line, message, help): (usize, String, &'static str) = if let Some(line) = patch {
        if marked && line == 1 {
            let help = "save it as UTF-8 without a byte order mark, or let git write the file: \
                        `git diff --output=FILE`";
            (1, "the patch starts with a byte order mark".into(), help)
        } else {
            let help = "hand in the patch alone, from that line on: no words before it and no fence \
                        around it";
            (line, format!("a patch starts at line {line}, behind other text"), help)
        }
    } else if is_context(body) {
        let message = "this is a diff in the old context format";
        (1, message.into(), "make it with `git diff` or `diff -u`")
    } else if is_normal(first_line(body)) {
        (
            1,
            "this is a diff without names and context".into(),
            "make it with `git diff` or `diff -u`",
        )
    } else if is_summary(first_line(body)) {
        let message = "this is a summary of a diff, not the diff itself";
        (1, message.into(), "make it with `git diff`, without `--stat`, `--raw` or `--name-status`")
    } else {
        let help = "answer with one JSON object and nothing else: no comments, no trailing commas, no \
                    text around it; a patch starts with `diff --git` or `--- `";
        return if issue.rule == "json" { issue.help(help) } else { issue };
    };
    let rule = if marked && line == 1 { "byte_order_mark" } else { "json" };
    let line = u32::try_from(line).unwrap_or(u32::MAX);
    Issue::error(Code::PlanParseNonjson, rule, message).place(line, 1).help(help)
}

/// The line, from 1, at which a patch starts.
fn patch_line(text: &str) -> Option<usize> {
    let head = text.get(..text.floor_char_boundary(MOST_BYTES)).unwrap_or(text);
    let mut lines = head.lines().enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let names = line.starts_with("--- ")
            && lines.peek().is_some_and(|(_, next)| next.starts_with("+++ "));
        if names || line.starts_with("diff --git ") {
            return Some(index + 1);
        }
    }
    None
}

fn first_line(body: &str) -> &str {
    body.lines().next().unwrap_or_default()
}

/// `*** old`, `--- new`, a row of stars.
fn is_context(body: &str) -> bool {
    let mut lines = body.lines();
    let mut next = || lines.next().unwrap_or_default();
    next().starts_with("*** ") && next().starts_with("--- ") && next().starts_with("*****")
}

/// `12,13c12`, as `diff` without options writes it.
fn is_normal(line: &str) -> bool {
    let numbers = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b',')
    };
    let parts = line.trim_end().split_once(['a', 'c', 'd']);
    parts.is_some_and(|(old, new)| numbers(old) && numbers(new))
}

/// A line of `--stat`, `--raw`, `--name-status` or `--numstat`.
fn is_summary(line: &str) -> bool {
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let counted = line.rsplit_once(" | ").is_some_and(|(_, counts)| {
        counts.split_whitespace().next().is_some_and(|word| is_number(word) || word == "Bin")
    });
    let raw = line
        .strip_prefix(':')
        .is_some_and(|rest| rest.split(' ').take(2).all(|mode| mode.len() == 6 && is_number(mode)));
    let mut columns = line.split('\t');
    let first = columns.next().unwrap_or_default();
    let status = matches!(first, "A" | "M" | "D" | "T") && columns.next().is_some();
    let mut columns = line.split('\t');
    let numbered = columns.by_ref().take(2).filter(|word| is_number(word) || *word == "-").count();
    counted || raw || status || (numbered == 2 && columns.next().is_some())
}

#[cfg(test)]
mod tests {
    use crate::read::parse::{Limits, draft};

    #[test]
    fn a_text_that_is_neither_plan_nor_patch_is_named() {
        let patch = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
        for (text, line, message, help) in [
            ("", 1, "is empty", "prints nothing where nothing differs"),
            (" \n\n", 1, "is empty", "`git diff`"),
            (&*format!("Sure, here it is:\n\n{patch}"), 3, "starts at line 3", "from that line on"),
            (&*format!("```diff\n{patch}```\n"), 2, "starts at line 2", "no fence"),
            (&*format!("\u{feff}{patch}"), 1, "byte order mark", "--output=FILE"),
            (" src/a.rs | 2 +-\n 1 file changed\n", 1, "summary", "--stat"),
            (" logo.png | Bin 0 -> 12 bytes\n", 1, "summary", "--stat"),
            (":100644 100644 7bf8c38 0000000 M\ta.rs\n", 1, "summary", "--raw"),
            ("M\tsrc/a.rs\nA\tb.rs\n", 1, "summary", "--name-status"),
            ("12\t3\tsrc/a.rs\n", 1, "summary", "`git diff`"),
            ("31c31,32\n< a\n---\n> b\n", 1, "without names", "diff -u"),
            ("*** a.rs\n--- b.rs\n***************\n", 1, "context format", "diff -u"),
            ("hello world\n", 1, "`hello` was found", "a patch starts with"),
        ] {
            let issues = draft(text.as_bytes(), Limits::default()).unwrap_err();
            assert_eq!(issues.len(), 1, "{text}");
            assert!(issues[0].message.contains(message), "{text}: {}", issues[0].message);
            assert!(issues[0].help.contains(help), "{text}: {}", issues[0].help);
            assert_eq!(issues[0].place.unwrap().line, line, "{text}");
        }
    }

    #[test]
    fn what_is_meant_as_json_keeps_its_own_words() {
        for text in ["{\"steps\": [}", "[1,]", "```json\n{\n```", "\u{feff}{}"] {
            let issues = draft(text.as_bytes(), Limits::default()).unwrap_err();
            assert!(!issues[0].help.contains("a patch starts"), "{text}: {}", issues[0].help);
        }
    }
}
