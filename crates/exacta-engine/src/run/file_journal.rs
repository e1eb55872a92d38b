//! A journal in one file of the state folder, each line vouched for by the key.

use exacta_core::model::digest::Digest;
use memchr::memmem::find_iter;
use memchr::{memchr, memrchr};

use crate::run::journal::{Fate, Journal, Milestone};
use crate::run::key::Key;
use crate::run::run_id::RunId;
use crate::workspace::{PortError, Spot, Workspace};

const FORMAT: &str = "exacta/journal/v1";

/// The journal file.
pub struct FileJournal<'a> {
    port: &'a dyn Workspace,
    key: &'a Key,
    file: Spot,
}

impl<'a> FileJournal<'a> {
    /// The journal of a project; nothing is written before the first event.
    #[must_use]
    pub fn new(port: &'a dyn Workspace, key: &'a Key) -> Self {
        Self { port, key, file: Spot::state().within("journal") }
    }

    fn tag(&self, run: &str, event: Milestone, manifest: &str) -> String {
        let parts = [run.as_bytes(), word(event).as_bytes(), manifest.as_bytes()];
        self.key.sign(FORMAT, &parts)
    }

    /// One line about `wanted`; `None` when it is about another run, torn, foreign or
    /// forged.
    fn read_line(&self, line: &str, wanted: &RunId) -> Option<Fate> {
        let mut parts = line.split(' ');
        let (format, event, run, manifest, tag) =
            (parts.next()?, parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        if run != wanted.as_str() {
            return None;
        }
        let event = [Milestone::Started, Milestone::Completed, Milestone::Aborted]
            .into_iter()
            .find(|known| word(*known) == event)?;
        let signed = [run.as_bytes(), word(event).as_bytes(), manifest.as_bytes()];
        if format != FORMAT || parts.next().is_some() || !self.key.verifies(FORMAT, &signed, tag) {
            return None;
        }
        Some(Fate { event, manifest: Digest::parse(manifest).ok()? })
    }
}

impl Journal for FileJournal<'_> {
    fn record(&self, run: &RunId, fate: Fate) -> Result<(), PortError> {
        let manifest = fate.manifest.to_string();
        let tag = self.tag(run.as_str(), fate.event, &manifest);
        // The leading newline ends a line that an earlier, torn append may have left.
        let line = format!("\n{FORMAT} {} {run} {manifest} {tag}\n", word(fate.event));
        self.port.append(&self.file, line.as_bytes())
    }

    fn fate(&self, run: &RunId) -> Result<Option<Fate>, PortError> {
        let bytes = match self.port.read(&self.file) {
            Ok(bytes) => bytes,
            Err(PortError::Gone(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        // Few lines are about any one run; only those are looked at more closely.
        let name = run.as_str().as_bytes();
        let line_at = |at: usize| {
            let (before, after) = bytes.split_at_checked(at)?;
            let start = memrchr(b'\n', before).map_or(0, |newline| newline + 1);
            let length = memchr(b'\n', after).unwrap_or(after.len());
            std::str::from_utf8(bytes.get(start..at + length)?).ok()
        };
        let places: Vec<usize> = find_iter(&bytes, name).collect();
        Ok(places.into_iter().rev().filter_map(line_at).find_map(|line| self.read_line(line, run)))
    }

    fn files(&self) -> Vec<Spot> {
        vec![self.file.clone()]
    }

    fn folders(&self) -> Vec<Spot> {
        vec![self.file.folder()]
    }
}

fn word(event: Milestone) -> &'static str {
    match event {
        Milestone::Started => "started",
        Milestone::Completed => "completed",
        Milestone::Aborted => "aborted",
    }
}
