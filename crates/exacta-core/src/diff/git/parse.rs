//! The sections of a patch, one after the other, each file once.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::super::apply::Anchor;
use super::super::hunk::{Hunk, MAX_HUNKS};
use super::super::lines::{Cursor, TextLine};
use super::fault::{PatchFault, PatchProblem, Section};
use super::name::same_name;
use super::patch::{FileOp, FilePatch, GitPatch};
use super::section::read_section;
use crate::path::RelPath;
use crate::shown::shown;

/// The most files of a patch; policy caps them much lower, this bounds memory.
const MAX_FILES: usize = 100_000;
/// Reading stops after this many faults.
const MAX_FAULTS: usize = 100;

impl GitPatch {
    /// Reads the output of `git diff`.
    ///
    /// # Errors
    /// Every fault that was found: after a fault reading goes on at the next section.
    pub fn parse(bytes: &[u8]) -> Result<Self, Vec<PatchFault>> {
        let text: Arc<[u8]> = bytes.into();
        let mut reader = Reader {
            cursor: Cursor::new(&text, 1),
            files: Vec::new(),
            seen: BTreeMap::new(),
            faults: Vec::new(),
        };
        reader.read(&text);
        let Reader { mut files, faults, .. } = reader;
        if !faults.is_empty() {
            return Err(faults);
        }
        let mut hunks = files.iter().flat_map(|file| &file.hunks);
        // Without any context (`git diff -U0`) only the line numbers say where a hunk
        // belongs. As soon as one hunk has context, all hunks are held to it.
        if hunks.all(|hunk: &Hunk| !hunk.has_context) {
            for file in &mut files {
                file.anchor = Anchor::LineNumbers;
            }
        }
        Ok(Self { files })
    }
}

struct Reader<'t> {
    cursor: Cursor<'t>,
    files: Vec<FilePatch>,
    /// Every name that a section is about, with the line of that section.
    seen: BTreeMap<RelPath, u32>,
    faults: Vec<PatchFault>,
}

impl Reader<'_> {
    fn read(&mut self, text: &Arc<[u8]>) {
        let mut room = MAX_HUNKS;
        self.check_start();
        while self.faults.len() < MAX_FAULTS
            && let Some(line) = self.cursor.peek()
        {
            let outcome = if self.files.len() == MAX_FILES {
                Err(PatchFault::on(line, PatchProblem::TooManyFiles(MAX_FILES)))
            } else if line.bytes.starts_with(b"diff --git ") {
                read_section(text, &mut self.cursor, &mut room)
            } else {
                Err(PatchFault::on(line, other_section(line)))
            };
            match outcome.and_then(|file| self.claim(&file).map(|()| file)) {
                Ok(file) => self.files.push(file),
                Err(fault) => {
                    let fault = fault.of(|| section_name(line));
                    let stop = matches!(fault.problem(), PatchProblem::TooManyFiles(_));
                    self.faults.push(fault);
                    if stop {
                        return;
                    }
                    self.skip_to_section(line.number);
                }
            }
        }
        if !text.ends_with(b"\n") && self.faults.is_empty() {
            let last = self.cursor.number().saturating_sub(1).max(1);
            let fault =
                if text.is_empty() { PatchProblem::Empty } else { PatchProblem::Unterminated };
            self.faults.push(PatchFault::new(last, 1, fault));
        }
    }

    /// Text before the first section is one fault, however long it is.
    fn check_start(&mut self) {
        let Some(line) = self.cursor.peek().filter(|line| !line.bytes.starts_with(b"diff --"))
        else {
            return;
        };
        let problem = if line.bytes.starts_with(b"--- ") {
            PatchProblem::Plain(shown(line.bytes))
        } else {
            PatchProblem::Prose(shown(line.bytes))
        };
        self.faults.push(PatchFault::on(line, problem));
        self.skip_to_section(line.number);
    }

    /// Each name belongs to one section only, the name that a rename leaves as well.
    fn claim(&mut self, file: &FilePatch) -> Result<(), PatchFault> {
        let from = match &file.op {
            FileOp::Rename { from } => Some(from),
            _ => None,
        };
        for path in from.into_iter().chain([&file.path]) {
            if let Some(line) = self.seen.insert(path.clone(), file.line) {
                let problem =
                    PatchProblem::Repeated { path: shown(path.as_str().as_bytes()), line };
                return Err(PatchFault::new(file.line, 1, problem));
            }
        }
        Ok(())
    }

    /// Moves to the next line after `line` that starts a section. Such a line can be no
    /// line of a hunk, because those start with another character.
    fn skip_to_section(&mut self, line: u32) {
        while let Some(next) = self.cursor.peek() {
            if next.number > line && next.bytes.starts_with(b"diff --") {
                return;
            }
            self.cursor.next_line();
        }
    }
}

/// The file that a section is about, as its first line names it.
fn section_name(line: TextLine<'_>) -> String {
    let names = ["diff --git ", "diff --cc ", "diff --combined "]
        .iter()
        .find_map(|start| line.bytes.strip_prefix(start.as_bytes()))
        .unwrap_or(line.bytes);
    same_name(names).map_or_else(|_| shown(names), |path| shown(path.as_str().as_bytes()))
}

fn other_section(line: TextLine<'_>) -> PatchProblem {
    if line.bytes.starts_with(b"diff --cc ") || line.bytes.starts_with(b"diff --combined ") {
        PatchProblem::Unsupported(Section::Combined)
    } else {
        PatchProblem::Garbage(shown(line.bytes))
    }
}
