//! The full difference of every file, and of every step where several touch one file.

use exacta_core::change::{Change, FileMode};
use exacta_core::digest::{Blob, Digest};
use exacta_core::path::RelPath;

use crate::render::style;
use crate::review::diff::{Brush, Colours};
use crate::review::document::Document;
use crate::review::look::Signs;
use crate::review::plan::Touched;
use crate::review::{ReviewPlan, text};

pub(in crate::review) fn changes(
    plan: &ReviewPlan<'_>,
    signs: Signs,
    colours: &Colours,
    document: &mut Document,
) {
    if let Some(note) = colours.note {
        let quiet = style::QUIET;
        document.line(format!("  {quiet}{note}{quiet:#}"));
    }
    let mut brush = Brush::new(signs, colours);
    for (index, file) in plan.touched().iter().enumerate() {
        if index > 0 {
            document.line("");
        }
        one(plan, file, signs, &mut brush, document);
    }
}

fn one(
    plan: &ReviewPlan<'_>,
    file: &Touched<'_>,
    signs: Signs,
    brush: &mut Brush<'_>,
    document: &mut Document,
) {
    let path = text::line(file.path.as_str().as_bytes(), signs);
    let steps: Vec<String> =
        file.changes.iter().map(|change| text::line(change.step.as_bytes(), signs)).collect();
    let word = match (file.first.before, file.last.after) {
        _ if file.ends_as_it_began() => "in the end unchanged, touched",
        (None, _) => "created",
        (_, None) => "deleted",
        _ => "modified",
    };
    let mark = style::MARK;
    let net = file.net();
    let other = |name: &RelPath| text::line(name.as_str().as_bytes(), signs);
    let renamed = match (&net.renamed_from, plan.renamed_to(&net)) {
        (Some(from), _) => format!(", renamed from {}", other(from)),
        (None, Some(to)) => format!(", renamed to {}", other(to)),
        (None, None) => String::new(),
    };
    document.stop();
    document.content(format!("  {mark}{path}{mark:#}  {word} by {}{renamed}", steps.join(", ")));
    if file.changes.len() == 1 {
        if !renamed.is_empty() && net.after.is_none() {
            document.line("  its content is compared under the new name");
            return;
        }
        return draw(plan, &net, signs, brush, document);
    }
    if !file.ends_as_it_began() {
        document.line(format!("  all {} steps together:", steps.len()));
        draw(plan, &net, signs, brush, document);
    }
    for (change, step) in file.changes.iter().zip(steps) {
        document.line(format!("  {step} alone:"));
        draw(plan, change, signs, brush, document);
    }
}

fn draw(
    plan: &ReviewPlan<'_>,
    change: &Change,
    signs: Signs,
    brush: &mut Brush<'_>,
    document: &mut Document,
) {
    if let (Some(was), Some(becomes)) = (change.mode_before, change.mode_after)
        && was != becomes
    {
        let (warning, sign) = (style::WARNING, signs.becomes);
        document.line(format!("  {warning}mode {was} {sign} {becomes}{warning:#}"));
    }
    if change.before.is_none() && change.mode_after.is_some_and(FileMode::is_executable) {
        let warning = style::WARNING;
        document.line(format!("  {warning}may be executed{warning:#}"));
    }
    let images = (image(plan, plan.before(change)), image(plan, change.after));
    let (Ok(before), Ok(after)) = images else {
        for missing in [images.0.err(), images.1.err()].into_iter().flatten() {
            let error = style::ERROR;
            document.line(format!("  {error}the image {missing} is missing{error:#}"));
        }
        return;
    };
    match (&before, &after) {
        (Some(before), Some(after)) if before == after => {
            document.line("  the content stays the same");
        }
        (None, Some(blob)) | (Some(blob), None) if blob.bytes().is_empty() => {
            document.line("  an empty file");
        }
        _ => brush.draw(before.as_ref(), after.as_ref(), document),
    }
}

/// The image, if there is to be one; its name when it is missing.
fn image(plan: &ReviewPlan<'_>, digest: Option<Digest>) -> Result<Option<Blob>, Digest> {
    digest.map(|digest| plan.blob(&digest).ok_or(digest)).transpose()
}
