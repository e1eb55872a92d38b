//! Every file with what happens to it, its modes and the names of its images.

use alloc::string::String;
use alloc::vec::Vec;

use super::steps::{effect, rename};
use super::titled;
use crate::model::change::Change;
use crate::model::digest::Digest;
use crate::review::compose::Work;
use crate::review::model::{FileState, Part, PartKind, ReviewedFile};
use crate::review::row::{Role, Row};
use crate::review::subject::Touched;

/// The files as data.
pub(in crate::review) fn list(work: &mut Work<'_>) -> Vec<ReviewedFile> {
    let shown = work.subject.shown();
    shown.iter().map(|file| of_file(work, file)).collect()
}

fn of_file(work: &mut Work<'_>, file: &Touched<'_>) -> ReviewedFile {
    let net = file.net();
    let subject = work.subject;
    let renamed_to = subject.renamed_to(file.last);
    let state = match (net.before, net.after) {
        _ if file.ends_as_it_began() => FileState::Unchanged,
        (None, Some(_)) if file.last.renamed_from.is_some() => FileState::RenamedFrom,
        (None, _) => FileState::Created,
        (Some(_), None) if renamed_to.is_some() => FileState::RenamedTo,
        (Some(_), None) => FileState::Deleted,
        (Some(_), Some(_)) => FileState::Modified,
    };
    let lines = work.lines(&net);
    ReviewedFile {
        path: file.path.clone(),
        state,
        added: lines.added,
        removed: lines.removed,
        mode_before: net.mode_before,
        mode_after: net.mode_after,
        before: net.before,
        after: net.after,
        renamed: net.renamed_from.as_ref().or(renamed_to).cloned(),
        steps: file.changes.iter().map(|change| change.step.clone()).collect(),
    }
}

pub(in crate::review) fn files(work: &mut Work<'_>) -> Part {
    let files = work.subject.shown();
    titled(PartKind::Files, format!("Files ({})", files.len()), |sheet| {
        for file in files {
            let subject = work.subject;
            let old = subject.other_half(&file);
            // A file that goes on under another name has the image before under the old one.
            let before = old.and_then(|old| old.before);
            let net = file.net();
            let images = Change { before: before.or(net.before), ..net.clone() };
            let size = |digest: Option<Digest>| {
                digest.and_then(|digest| subject.blob(&digest)).map(|blob| blob.bytes().len())
            };
            // Beside a hash there is no room for it in a window of 80 columns.
            let bytes = match (size(images.before), size(images.after)) {
                (Some(before), Some(after)) => format!("  {before} to {after} bytes"),
                (Some(size), None) | (None, Some(size)) => format!("  {size} bytes"),
                (None, None) => String::new(),
            };
            let row = match old {
                Some(old) => rename(work, old, &net, Row::content(2)),
                None => effect(work, &net, Row::content(2)),
            };
            sheet.row(row.with(Role::Quiet, bytes));
            for (word, digest) in [("before", images.before), ("after ", images.after)] {
                let image = match digest {
                    None => "nothing".into(),
                    Some(digest) if subject.blob(&digest).is_some() => format!("{digest}"),
                    Some(digest) => format!("{digest}  missing"),
                };
                sheet.row(Row::prose(6).with(Role::Quiet, format!("{word} {image}")));
            }
        }
    })
}
