//! The sections of a patch, one after the other, each file once.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::super::hunk::{Hunk, MAX_HUNKS, Tail};
use super::super::lines::{Cursor, TextLine};
use super::binary::MAX_UNPACKED;
use super::envelope;
use super::fault::{PatchFault, PatchProblem, Section};
use super::name::same_name;
use super::patch::{FilePatch, GitPatch};
use super::plain::{self, Written, read_plain, stray};
use super::section::{Room, read_section};
use super::squash::squash;
use super::summary;
use crate::model::path::RelPath;
use crate::text::shown::shown;

/// The most files of a patch; policy caps them much lower, this bounds memory.
const MAX_FILES: usize = 100_000;
/// The most patches of a series: a file is written once for each.
const MAX_PATCHES: usize = 1_000;
/// Reading stops after this many faults.
const MAX_FAULTS: usize = 100;

impl GitPatch {
    /// Reads the output of `git diff`, `git show`, `git format-patch` or `diff -u`.
    ///
    /// # Errors
    /// Every fault that was found: after a fault reading goes on at the next section.
    pub fn parse(bytes: &[u8]) -> Result<Self, Vec<PatchFault>> {
        let text: Arc<[u8]> = bytes.into();
        let mut reader = Reader::new(&text);
        reader.read(&text);
        let Reader { files, mut patches, faults, subjects, .. } = reader;
        if !faults.is_empty() {
            return Err(faults);
        }
        patches.push(files);
        // Without any context (`git diff -U0`) only the line numbers say where a hunk
        // belongs. As soon as one hunk has context, all hunks are held to it.
        let bare = |file: &FilePatch| file.hunks().all(|hunk: &Hunk| !hunk.has_context);
        if patches.iter().flatten().all(bare) {
            patches.iter_mut().flatten().for_each(FilePatch::unanchor);
        }
        patches.retain(|patch| !patch.is_empty());
        let files = match <[Vec<FilePatch>; 1]>::try_from(patches) {
            Ok([files]) => files,
            Err(series) => squash(series).map_err(|fault| vec![fault])?,
        };
        if files.is_empty() {
            return Err(vec![PatchFault::new(1, 1, PatchProblem::NoFiles)]);
        }
        Ok(Self { files, subjects })
    }
}

/// Which kind of sections a text has; it has one only.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Git,
    Plain,
}

struct Reader<'t> {
    cursor: Cursor<'t>,
    /// The patches of a series that are complete.
    patches: Vec<Vec<FilePatch>>,
    /// The files of the patch that is being read.
    files: Vec<FilePatch>,
    subjects: Vec<String>,
    /// Every name that a section of this patch is about, with the line of that section.
    seen: BTreeMap<RelPath, u32>,
    faults: Vec<PatchFault>,
    form: Option<Form>,
    /// Whether the diff stands in a mail or a commit.
    enveloped: bool,
    /// Names of a plain diff that have no folder before them.
    bare: bool,
    /// The first section of a plain diff whose one name was taken from behind `a/` or `b/`.
    alone: Option<u32>,
    count: usize,
    room: Room,
}

impl<'t> Reader<'t> {
    fn new(text: &'t [u8]) -> Self {
        Self {
            cursor: Cursor::new(text, 1),
            patches: Vec::new(),
            files: Vec::new(),
            subjects: Vec::new(),
            seen: BTreeMap::new(),
            faults: Vec::new(),
            form: None,
            enveloped: false,
            bare: false,
            alone: None,
            count: 0,
            room: Room { hunks: MAX_HUNKS, unpacked: MAX_UNPACKED },
        }
    }

    fn read(&mut self, text: &Arc<[u8]>) {
        self.check_start();
        while self.faults.len() < MAX_FAULTS
            && let Some(line) = self.cursor.peek()
        {
            let outcome = if self.count == MAX_FILES {
                Err(PatchFault::on(line, PatchProblem::TooManyFiles(MAX_FILES)))
            } else {
                self.next(text, line)
            };
            if let Err(fault) = outcome {
                let fault = fault.of(|| section_name(line));
                let stop = matches!(
                    fault.problem(),
                    PatchProblem::TooManyFiles(_) | PatchProblem::TooManyPatches(_)
                );
                self.faults.push(fault);
                if stop {
                    return;
                }
                self.skip_to_section(line.number);
            }
        }
        if !text.ends_with(b"\n") && self.faults.is_empty() {
            let last = self.cursor.number().saturating_sub(1).max(1);
            let fault =
                if text.is_empty() { PatchProblem::Empty } else { PatchProblem::Unterminated };
            self.faults.push(PatchFault::new(last, 1, fault));
        }
        if let Some(line) = self.alone.filter(|_| self.bare && self.faults.is_empty()) {
            self.faults.push(PatchFault::new(line, 1, PatchProblem::MixedNames));
        }
    }

    /// Reads one section, or what stands around sections.
    fn next(&mut self, text: &Arc<[u8]>, line: TextLine<'t>) -> Result<(), PatchFault> {
        if let Some(kind) = envelope::opens(line).filter(|_| self.form != Some(Form::Plain)) {
            self.enveloped = true;
            if self.patches.len() > MAX_PATCHES {
                return Err(PatchFault::on(line, PatchProblem::TooManyPatches(MAX_PATCHES)));
            }
            self.patches.push(core::mem::take(&mut self.files));
            self.seen.clear();
            self.subjects.extend(envelope::skip(&mut self.cursor, kind)?);
            return Ok(());
        }
        if self.enveloped && envelope::ends(&self.cursor) {
            return envelope::skip_end(&mut self.cursor);
        }
        let (form, file) = if line.bytes.starts_with(b"diff --git ") {
            let tail = if self.enveloped { Tail::Envelope } else { Tail::Nothing };
            (Form::Git, read_section(text, &mut self.cursor, &mut self.room, tail)?)
        } else if self.form != Some(Form::Git)
            && !self.enveloped
            && plain::starts(&self.cursor, line)
        {
            let (file, written) = read_plain(text, &mut self.cursor, &mut self.room.hunks)?;
            match written {
                Written::Bare => self.bare = true,
                Written::AloneBehind => self.alone = self.alone.or(Some(line.number)),
                Written::Behind | Written::AloneBare => {}
            }
            (Form::Plain, file)
        } else {
            return Err(PatchFault::on(line, other_section(line)));
        };
        if self.form.is_some_and(|before| before != form) {
            return Err(PatchFault::on(line, PatchProblem::OutOfPlace(shown(line.bytes))));
        }
        self.form = Some(form);
        self.claim(&file)?;
        self.count += 1;
        self.files.push(file);
        Ok(())
    }

    /// Text before the first section is one fault, however long it is.
    fn check_start(&mut self) {
        summary::skip(&mut self.cursor);
        let opens = |line: &TextLine<'_>| {
            line.bytes.starts_with(b"diff --git ")
                || line.bytes.starts_with(b"diff --")
                || envelope::opens(*line).is_some()
                || plain::starts(&self.cursor, *line)
        };
        let Some(line) = self.cursor.peek().filter(|line| !opens(line)) else { return };
        let problem = match stray(line) {
            PatchProblem::Garbage(text) => PatchProblem::Prose(text),
            known => known,
        };
        self.faults.push(PatchFault::on(line, problem));
        self.skip_to_section(line.number);
    }

    /// Each name belongs to one section only, the name that a rename leaves as well.
    fn claim(&mut self, file: &FilePatch) -> Result<(), PatchFault> {
        for path in file.renamed_from().into_iter().chain([&file.path]) {
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
            let starts = next.bytes.starts_with(b"diff --") || envelope::opens(next).is_some();
            if next.number > line && starts {
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
    same_name(names).map_or_else(|_| shown(names), |(path, _)| shown(path.as_str().as_bytes()))
}

fn other_section(line: TextLine<'_>) -> PatchProblem {
    if line.bytes.starts_with(b"diff --cc ") || line.bytes.starts_with(b"diff --combined ") {
        PatchProblem::Unsupported(Section::Combined)
    } else if line.bytes.starts_with(b"--- ") {
        PatchProblem::Plain(shown(line.bytes))
    } else {
        stray(line)
    }
}
