//! A review written to a stream: to a terminal as lines, to a pipe as text or patch.

use std::io::{self, Write};

use exacta_core::review::{Syntax, changes, compose};

use super::Subject;
use super::document::Document;
use super::patch::patch;
use crate::inspector;
use crate::paint::Look;
use crate::paint::wrap::rows;

/// Writes the whole review.
pub(crate) fn show(subject: &Subject<'_>, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let review = compose(subject, &syntax(subject, look));
    write(&Document::of_review(&review, look), look, out)
}

/// Writes the difference alone. Into a file or a pipe goes a patch that `git apply` takes,
/// byte for byte; a terminal gets the same with everything visible.
pub(crate) fn diff(subject: &Subject<'_>, look: Look, out: &mut dyn Write) -> io::Result<()> {
    if !look.is_terminal() && !look.colour {
        return patch(subject, out);
    }
    let part = changes(subject, &syntax(subject, look));
    write(&Document::of_part(&part, look), look, out)
}

/// The kinds of words, where any colours are wanted.
pub(super) fn syntax(subject: &Subject<'_>, look: Look) -> Syntax {
    if look.colour && !subject.changes.is_empty() {
        Syntax::read(subject, inspector::words)
    } else {
        Syntax::default()
    }
}

/// Writes a document, line by line.
pub(super) fn write(document: &Document, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    for (line, breaks) in document.lines() {
        let line = look.finish(&line);
        let Some(width) = look.width else {
            writeln!(out, "{line}")?;
            continue;
        };
        // A terminal that wraps by itself would put untrusted text at the start of a row,
        // where ours stands.
        for (index, row) in rows(&line, width, look.signs(), breaks).enumerate() {
            if index > 0 && !row.tail {
                writeln!(out)?;
            }
            write!(out, "{}", row.text)?;
        }
        writeln!(out)?;
    }
    out.flush()
}
