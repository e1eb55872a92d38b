//! A series of patches as one: each applies to what those before it left.
//!
//! Nothing is known of the files here, so a file is followed by name: where its bytes come
//! from and every section that is applied to them since. What cannot be said as one change of
//! one file (two files that trade places, a name that is used again after its file moved
//! away) is refused.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::fault::{PatchFault, PatchProblem};
use super::patch::{FileOp, FilePatch, GitMode, Part};
use crate::model::path::RelPath;
use crate::text::shown::shown;

/// The bytes of a file on their way through the series.
#[derive(Clone)]
struct Thread {
    /// The name they had before the series; `None` if it made them.
    origin: Option<RelPath>,
    parts: Vec<Part>,
    old_mode: Option<GitMode>,
    new_mode: Option<GitMode>,
    line: u32,
}

/// What a name stands for after the patches so far.
enum State {
    Here(Thread),
    Deleted(Thread),
    /// Its file has another name now.
    MovedAway,
}

#[derive(Default)]
struct Series {
    names: BTreeMap<RelPath, State>,
    /// Names that a file had before the series.
    existed: BTreeSet<RelPath>,
}

/// Joins the patches of a series, given in order, to one change for each file.
pub(super) fn squash(patches: Vec<Vec<FilePatch>>) -> Result<Vec<FilePatch>, PatchFault> {
    let mut series = Series::default();
    for mut patch in patches {
        // A copy is of the file before this patch, whatever else the patch does to it.
        patch.sort_by_key(|file| file.copied_from().is_none());
        for file in patch {
            series.add(file)?;
        }
    }
    series.end()
}

impl Series {
    fn add(&mut self, file: FilePatch) -> Result<(), PatchFault> {
        let line = file.line;
        match &file.op {
            FileOp::Create => {
                let thread = match self.names.remove(&file.path) {
                    // What was deleted and is made again has been changed.
                    Some(State::Deleted(thread)) => grown(thread, &file),
                    None => begun(None, &file),
                    other => return Err(tangled(&file.path, line, other.as_ref())),
                };
                self.names.insert(file.path, State::Here(thread));
            }
            FileOp::Modify => {
                let thread = grown(self.take(&file.path, line)?, &file);
                self.names.insert(file.path, State::Here(thread));
            }
            FileOp::Delete => {
                let thread = grown(self.take(&file.path, line)?, &file);
                self.names.insert(file.path, State::Deleted(thread));
            }
            FileOp::Rename { from } => {
                let thread = grown(self.take(from, line)?, &file);
                self.names.insert(from.clone(), State::MovedAway);
                self.place(file.path, thread, line)?;
            }
            FileOp::Copy { from } => {
                let source = self.take(from, line)?;
                let thread = grown(source.clone(), &file);
                // A file that was only looked at is as it was.
                if !source.parts.is_empty() || source.origin.as_ref() != Some(from) {
                    self.names.insert(from.clone(), State::Here(source));
                }
                self.place(file.path, thread, line)?;
            }
        }
        Ok(())
    }

    /// Takes the bytes that a name stands for.
    fn take(&mut self, path: &RelPath, line: u32) -> Result<Thread, PatchFault> {
        match self.names.remove(path) {
            Some(State::Here(thread)) => Ok(thread),
            None => {
                self.existed.insert(path.clone());
                let origin = Some(path.clone());
                Ok(Thread { origin, parts: Vec::new(), old_mode: None, new_mode: None, line })
            }
            other => Err(tangled(path, line, other.as_ref())),
        }
    }

    fn place(&mut self, path: RelPath, thread: Thread, line: u32) -> Result<(), PatchFault> {
        let back = thread.origin.as_ref() == Some(&path);
        match self.names.get(&path) {
            None => {}
            Some(State::MovedAway) if back => {}
            Some(State::Deleted(old)) if old.origin.is_none() => {}
            other => return Err(tangled(&path, line, other)),
        }
        self.names.insert(path, State::Here(thread));
        Ok(())
    }

    fn end(self) -> Result<Vec<FilePatch>, PatchFault> {
        let Self { names, existed } = self;
        let moved: BTreeSet<RelPath> = names
            .iter()
            .filter(|(_, state)| matches!(state, State::MovedAway))
            .map(|(path, _)| path.clone())
            .collect();
        let mut heirs: BTreeSet<RelPath> = BTreeSet::new();
        let mut files = Vec::new();
        let mut lost = Vec::new();
        for (path, state) in names {
            match state {
                State::MovedAway => {}
                State::Deleted(thread) => match thread.origin.clone() {
                    Some(origin) if origin == path => {
                        files.push(file(FileOp::Delete, path, thread));
                    }
                    Some(origin) => lost.push((origin, thread)),
                    // Made and deleted on the way: nothing is left of it.
                    None => {
                        file(FileOp::Delete, path, thread).apply(None)?;
                    }
                },
                State::Here(thread) => {
                    let op = match &thread.origin {
                        Some(origin) if *origin == path => FileOp::Modify,
                        _ if existed.contains(&path) => {
                            return Err(tangled(&path, thread.line, None));
                        }
                        None => FileOp::Create,
                        Some(origin) if moved.contains(origin) && heirs.insert(origin.clone()) => {
                            FileOp::Rename { from: origin.clone() }
                        }
                        Some(origin) => FileOp::Copy { from: origin.clone() },
                    };
                    let stays = op == FileOp::Modify
                        && thread.new_mode.is_none()
                        && !thread.parts.iter().any(Part::changes_content);
                    if !stays {
                        files.push(file(op, path, thread));
                    }
                }
            }
        }
        // Files that were moved and then deleted.
        for (origin, thread) in lost {
            if moved.contains(&origin) && heirs.insert(origin.clone()) {
                files.push(file(FileOp::Delete, origin, thread));
            }
        }
        files.sort_by(|one, other| one.path.as_str().cmp(other.path.as_str()));
        Ok(files)
    }
}

fn begun(origin: Option<RelPath>, file: &FilePatch) -> Thread {
    let FilePatch { parts, old_mode, new_mode, line, .. } = file.clone();
    Thread { origin, parts, old_mode, new_mode, line }
}

fn grown(mut thread: Thread, file: &FilePatch) -> Thread {
    if thread.parts.is_empty() {
        thread.line = file.line;
        thread.old_mode = file.old_mode;
    }
    thread.parts.extend(file.parts.iter().cloned());
    thread.new_mode = file.new_mode.or(thread.new_mode);
    thread
}

fn file(op: FileOp, path: RelPath, thread: Thread) -> FilePatch {
    let Thread { parts, old_mode, new_mode, line, .. } = thread;
    FilePatch { op, path, old_mode, new_mode, line, parts }
}

fn tangled(path: &RelPath, line: u32, state: Option<&State>) -> PatchFault {
    let path = shown(path.as_str().as_bytes());
    PatchFault::new(
        line,
        1,
        match state {
            Some(State::Here(_)) => PatchProblem::StillThere(path),
            Some(State::Deleted(_) | State::MovedAway) => PatchProblem::NotThere(path),
            None => PatchProblem::Tangled(path),
        },
    )
}
