//! What stands around a diff: the mail of `format-patch`, the commit of `git show`.
//!
//! Headers and message are skipped, the first line of the message is kept as the subject.
//! Nothing that looks like a part of a diff may be among what is skipped: whoever reads the
//! text by eye, and every other tool, must find the same sections.

use alloc::string::String;

use super::super::hunk::starts_file;
use super::super::lines::{Cursor, TextLine};
use super::fault::{PatchFault, PatchProblem};
use crate::text::shown::shown;

/// What a text around a diff is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Envelope {
    /// `git format-patch`.
    Mail,
    /// `git show`, `git log -p`.
    Commit,
}

/// What the next line opens, if it opens something.
pub(super) fn opens(line: TextLine<'_>) -> Option<Envelope> {
    let (kind, rest) =
        match (line.bytes.strip_prefix(b"From "), line.bytes.strip_prefix(b"commit ")) {
            (Some(rest), _) => (Envelope::Mail, rest),
            (None, Some(rest)) => (Envelope::Commit, rest),
            (None, None) => return None,
        };
    let end = rest.iter().position(|byte| *byte == b' ').unwrap_or(rest.len());
    let (name, behind) = rest.split_at_checked(end)?;
    let hex = name.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let fits = match kind {
        // The date is always this one; it marks a mail that git wrote.
        Envelope::Mail => matches!(name.len(), 40 | 64) && behind == b" Mon Sep 17 00:00:00 2001",
        Envelope::Commit => {
            (4..=64).contains(&name.len()) && (behind.is_empty() || behind.starts_with(b" ("))
        }
    };
    (hex && fits).then_some(kind)
}

/// Skips headers and message up to the diff, the next envelope or the end; gives the subject.
pub(super) fn skip(cursor: &mut Cursor<'_>, kind: Envelope) -> Result<Option<String>, PatchFault> {
    cursor.next_line();
    let subject = match kind {
        Envelope::Mail => mail_headers(cursor)?,
        Envelope::Commit => None,
    };
    let mut first = None;
    while let Some(line) = cursor.peek() {
        if line.bytes.starts_with(b"diff --") || opens(line).is_some() || ends_mail(line) {
            break;
        }
        if looks_like_a_diff(cursor, line) {
            return Err(PatchFault::on(line, PatchProblem::InMessage(shown(line.bytes))));
        }
        let indented = line.bytes.strip_prefix(b"    ").filter(|text| !text.is_empty());
        if kind == Envelope::Commit && first.is_none() {
            first = indented.map(shown);
        }
        cursor.next_line();
    }
    Ok(subject.or(first))
}

/// Reads the headers of a mail; what a mail program has encoded cannot be read exactly.
fn mail_headers(cursor: &mut Cursor<'_>) -> Result<Option<String>, PatchFault> {
    let mut subject: Option<String> = None;
    let mut in_subject = false;
    while let Some(line) = cursor.next_line().filter(|line| !line.bytes.is_empty()) {
        let lower = line.bytes.to_ascii_lowercase();
        let value = |name: &[u8]| lower.strip_prefix(name).map(<[u8]>::trim_ascii);
        let encoded = value(b"content-transfer-encoding:")
            .is_some_and(|how| !matches!(how, b"7bit" | b"8bit" | b"binary"));
        let parted = value(b"content-type:").is_some_and(|kind| kind.starts_with(b"multipart/"));
        if encoded || parted {
            return Err(PatchFault::on(line, PatchProblem::Encoded(shown(line.bytes))));
        }
        let goes_on = line.bytes.starts_with(b" ") || line.bytes.starts_with(b"\t");
        if let (true, true, Some(subject)) = (in_subject, goes_on, &mut subject) {
            subject.push(' ');
            subject.push_str(&shown(line.bytes.trim_ascii()));
        } else if let Some(text) = line.bytes.strip_prefix(b"Subject: ") {
            subject = Some(shown(text));
            in_subject = true;
        } else {
            in_subject = false;
        }
    }
    // Words that are encoded say nothing to a reader.
    Ok(subject.filter(|text| !text.contains("=?")).map(|text| bare(&text).into()))
}

/// The subject without `[PATCH 1/3]`.
fn bare(subject: &str) -> &str {
    match subject.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((tag, rest)) if tag.contains("PATCH") => rest,
        _ => subject,
    }
}

/// A line that a reader would take for a part of a diff.
fn looks_like_a_diff(cursor: &Cursor<'_>, line: TextLine<'_>) -> bool {
    const STARTS: [&[u8]; 6] =
        [b"diff -", b"@@ -", b"@@@ ", b"GIT binary patch", b"Index: ", b"+++ "];
    STARTS.iter().any(|start| line.bytes.starts_with(start)) || starts_file(cursor)
}

/// The line that a mail's signature starts with.
fn ends_mail(line: TextLine<'_>) -> bool {
    line.bytes == b"-- "
}

/// Whether a diff in an envelope ends here: at the signature of the mail, or at an empty line
/// before the next envelope, the mail's own last lines or the end.
pub(super) fn ends(cursor: &Cursor<'_>) -> bool {
    let mut ahead = cursor.clone();
    match ahead.peek() {
        None => true,
        Some(line) if ends_mail(line) || opens(line).is_some() => true,
        Some(line) if line.bytes.is_empty() => {
            while ahead.peek().is_some_and(|line| line.bytes.is_empty()) {
                ahead.next_line();
            }
            ahead.peek().is_none_or(|line| {
                opens(line).is_some() || line.bytes.starts_with(b"base-commit: ") || ends_mail(line)
            })
        }
        Some(_) => false,
    }
}

/// Skips what stands behind a diff in an envelope: a base, a signature, empty lines. Text that
/// could be the rest of a hunk is refused.
pub(super) fn skip_end(cursor: &mut Cursor<'_>) -> Result<(), PatchFault> {
    let mut signed = false;
    while let Some(line) = cursor.peek() {
        let based = line.bytes.starts_with(b"base-commit: ")
            || line.bytes.starts_with(b"prerequisite-patch-id: ");
        if opens(line).is_some() {
            return Ok(());
        }
        if ends_mail(line) && !signed {
            signed = true;
        } else if signed {
            let rest = matches!(line.bytes.first(), Some(b' ' | b'+' | b'-' | b'@' | b'\\'));
            if rest || looks_like_a_diff(cursor, line) {
                return Err(PatchFault::on(line, PatchProblem::Garbage(shown(line.bytes))));
            }
        } else if !line.bytes.is_empty() && !based {
            return Err(PatchFault::on(line, PatchProblem::Garbage(shown(line.bytes))));
        }
        cursor.next_line();
    }
    Ok(())
}
