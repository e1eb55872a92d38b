//! The full difference of every file, and of every step where several touch one file.

use alloc::borrow::ToOwned as _;
use alloc::vec::Vec;

use super::Sheet;
use crate::model::change::{Change, FileMode};
use crate::model::digest::{Blob, Digest};
use crate::model::path::RelPath;
use crate::review::compose::Work;
use crate::review::difference::draw;
use crate::review::row::{Role, Row, RowKind};
use crate::review::subject::Touched;

pub(in crate::review) fn changes(work: &mut Work<'_>, sheet: &mut Sheet) {
    if let Some(note) = work.syntax.note {
        sheet.row(Row::prose(2).with(Role::Quiet, note));
    }
    for (index, file) in work.subject.shown().iter().enumerate() {
        if index > 0 {
            sheet.gap();
        }
        one(work, file, sheet);
    }
}

fn one(work: &mut Work<'_>, file: &Touched<'_>, sheet: &mut Sheet) {
    let verb = match (file.first.before, file.last.after) {
        _ if file.ends_as_it_began() => "in the end unchanged, touched",
        (None, _) => "created",
        (_, None) => "deleted",
        _ => "modified",
    };
    let net = file.net();
    let name = |path: &RelPath, row: Row| row.show(Role::Plain, path.as_str().as_bytes());
    let old = work.subject.other_half(file);
    let verb = if old.is_some() { "renamed" } else { verb };
    let mut row = Row::new(RowKind::File, 2);
    if let Some(old) = old {
        row = row.show(Role::Mark, old.path.as_str().as_bytes()).say(" ");
        row = row.with(Role::Becomes, "→").say(" ");
    }
    row = row.show(Role::Mark, file.path.as_str().as_bytes()).say(format!("  {verb} by "));
    for (at, change) in file.changes.iter().enumerate() {
        row = row.say(if at > 0 { ", " } else { "" }).show(Role::Plain, change.step.as_bytes());
    }
    let renamed_to = work.subject.renamed_to(&net).cloned();
    match (&net.renamed_from, &renamed_to) {
        _ if old.is_some() => {}
        (Some(from), _) => row = name(from, row.say(", renamed from ")),
        (None, Some(to)) => row = name(to, row.say(", renamed to ")),
        (None, None) => {}
    }
    sheet.row(row);
    if let [only] = file.changes.as_slice() {
        if renamed_to.is_some() && net.after.is_none() {
            sheet.row(Row::prose(2).say("its content is compared under the new name"));
            return;
        }
        return of_change(work, &net, Some(&only.step), sheet);
    }
    if !file.ends_as_it_began() {
        sheet.row(Row::prose(2).say(format!("all {} steps together:", file.changes.len())));
        of_change(work, &net, None, sheet);
    }
    for change in &file.changes {
        sheet.row(Row::prose(2).show(Role::Plain, change.step.as_bytes()).say(" alone:"));
        of_change(work, change, Some(&change.step), sheet);
    }
}

fn of_change(work: &mut Work<'_>, change: &Change, step: Option<&str>, sheet: &mut Sheet) {
    if let (Some(was), Some(becomes)) = (change.mode_before, change.mode_after)
        && was != becomes
    {
        let row = Row::prose(2).with(Role::Warning, format!("mode {was} "));
        sheet.row(row.with(Role::Becomes, "→").with(Role::Warning, format!(" {becomes}")));
    }
    if change.before.is_none() && change.mode_after.is_some_and(FileMode::is_executable) {
        sheet.row(Row::prose(2).with(Role::Warning, "may be executed"));
    }
    let subject = work.subject;
    let proven =
        |step: &str| subject.examined.laid_out.contains(&(step.to_owned(), change.path.clone()));
    if step.is_some_and(proven) {
        sheet.row(Row::prose(2).with(Role::Good, "only comments and layout differ"));
    }
    let image = |digest: Option<Digest>| -> Result<Option<Blob>, Digest> {
        digest.map(|digest| subject.blob(&digest).ok_or(digest)).transpose()
    };
    let images = (image(subject.before(change)), image(change.after));
    let (Ok(before), Ok(after)) = images else {
        let missing: Vec<Digest> = [images.0.err(), images.1.err()].into_iter().flatten().collect();
        sheet.rows(missing.iter().map(|digest| {
            Row::prose(2).with(Role::Error, format!("the image {digest} is missing"))
        }));
        return;
    };
    match (&before, &after) {
        (Some(before), Some(after)) if before == after => {
            sheet.row(Row::prose(2).say("the content stays the same"));
        }
        (None, Some(blob)) | (Some(blob), None) if blob.bytes().is_empty() => {
            sheet.row(Row::prose(2).say("an empty file"));
        }
        _ => draw(work, change, step, (before.as_ref(), after.as_ref()), sheet),
    }
}
