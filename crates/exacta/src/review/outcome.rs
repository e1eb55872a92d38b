//! A review written to a stream: to a terminal as lines, to a pipe as text or patch.

use std::io::{self, Write};

use super::diff::{Colours, patch};
use super::document::Document;
use super::section::{changes, compose};
use super::wrap::rows;
use super::{Look, ReviewPlan};

/// Writes the whole review.
pub(crate) fn show(plan: &ReviewPlan<'_>, look: Look, out: &mut dyn Write) -> io::Result<()> {
    write(&compose(plan, look.signs(), &colours(plan, look)), look, out)
}

/// Writes the difference alone. Into a file or a pipe goes a patch that `git apply` takes,
/// byte for byte; a terminal gets the same with everything visible.
pub(crate) fn diff(plan: &ReviewPlan<'_>, look: Look, out: &mut dyn Write) -> io::Result<()> {
    if !look.is_terminal() && !look.colour {
        return patch(plan, out);
    }
    let mut document = Document::default();
    changes(plan, look.signs(), &colours(plan, look), &mut document);
    write(&document, look, out)
}

/// Syntax colours, where any colours are wanted.
pub(super) fn colours(plan: &ReviewPlan<'_>, look: Look) -> Colours {
    if look.colour && !plan.changes.is_empty() { Colours::ask(plan) } else { Colours::default() }
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
