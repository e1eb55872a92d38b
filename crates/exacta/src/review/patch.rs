//! The net change of a plan as a patch that `git apply` takes, byte for byte.

use std::io::{self, Write};

use exacta_core::model::change::{Change, FileMode};
use exacta_core::model::digest::{Blob, Digest};
use exacta_core::model::path::RelPath;
use exacta_core::review::{HunkLine, Touched, hunks};
use exacta_core::text::lines::lines;

use super::Subject;

/// How git shortens the name of no file, and that of the empty file.
const NOTHING: &str = "0000000";
const EMPTY: &str = "e69de29";

/// Writes the patch.
///
/// Binary content is written as it is, in hunks like any other: git takes that, and it
/// needs no second form. The bytes are for files and pipes, never for a terminal.
pub(super) fn patch(plan: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
    for Touched { path, first, last, .. } in plan.touched() {
        file(plan, path, first, last, out)?;
    }
    Ok(())
}

fn file(
    plan: &Subject<'_>,
    path: &RelPath,
    first: &Change,
    last: &Change,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (old, new) = (image(plan, path, first.before)?, image(plan, path, last.after)?);
    let (mode_before, mode_after) = (git_mode(first.mode_before), git_mode(last.mode_after));
    let same = old == new;
    let modes_alike = mode_before == mode_after;
    if same && first.mode_before == last.mode_after {
        return Ok(());
    }
    if let (Some(_), Some(_), Some(was), Some(becomes)) =
        (&old, &new, first.mode_before, last.mode_after)
        && was != becomes
        && modes_alike
    {
        // Lines between sections are no part of a patch.
        writeln!(out, "# {path}: mode {was} becomes {becomes}, which a patch cannot say")?;
    }
    if same && modes_alike {
        return Ok(());
    }
    let (a, b) = (name("a/", path), name("b/", path));
    writeln!(out, "diff --git {a} {b}")?;
    match (&old, &new) {
        (None, _) => writeln!(out, "new file mode {mode_after}")?,
        (_, None) => writeln!(out, "deleted file mode {mode_before}")?,
        _ if !modes_alike => writeln!(out, "old mode {mode_before}\nnew mode {mode_after}")?,
        _ => {}
    }
    let (before, after) = (bytes(old.as_ref()), bytes(new.as_ref()));
    let hunks = hunks(before, after);
    if hunks.is_empty() {
        // Without content only this line tells an empty file from one that was cut off.
        return match (&old, &new) {
            (None, _) => writeln!(out, "index {NOTHING}..{EMPTY}"),
            (_, None) => writeln!(out, "index {EMPTY}..{NOTHING}"),
            _ => Ok(()),
        };
    }
    // A tab ends a name with spaces.
    let end = if path.as_str().contains(' ') { "\t" } else { "" };
    let side = |image: &Option<Blob>, name: &str| match image {
        Some(_) => format!("{name}{end}"),
        None => "/dev/null".into(),
    };
    writeln!(out, "--- {}\n+++ {}", side(&old, &a), side(&new, &b))?;
    let (before, after) = (lines(before), lines(after));
    for hunk in hunks {
        writeln!(out, "{}", hunk.header())?;
        for line in hunk.lines() {
            let (sign, line) = match line {
                HunkLine::Same(old, _) => (b' ', before.get(old)),
                HunkLine::Removed(old) => (b'-', before.get(old)),
                HunkLine::Added(new) => (b'+', after.get(new)),
            };
            let line = line.copied().unwrap_or_default();
            out.write_all(&[sign])?;
            out.write_all(line)?;
            if !line.ends_with(b"\n") {
                out.write_all(b"\n\\ No newline at end of file\n")?;
            }
        }
    }
    Ok(())
}

fn bytes(image: Option<&Blob>) -> &[u8] {
    image.map_or(&[], Blob::bytes)
}

fn image(plan: &Subject<'_>, path: &RelPath, digest: Option<Digest>) -> io::Result<Option<Blob>> {
    let Some(digest) = digest else { return Ok(None) };
    let missing = || io::Error::other(format!("the image {digest} of `{path}` is missing"));
    plan.blob(&digest).map(Some).ok_or_else(missing)
}

/// The mode as git knows it: executable or not.
fn git_mode(mode: Option<FileMode>) -> &'static str {
    if mode.is_some_and(FileMode::is_executable) { "100755" } else { "100644" }
}

/// A name as git writes it; a target has no other character that needs quotes.
fn name(prefix: &str, path: &RelPath) -> String {
    let path = path.as_str();
    if path.contains('"') {
        format!("\"{prefix}{}\"", path.replace('"', "\\\""))
    } else {
        format!("{prefix}{path}")
    }
}
