//! A journal in one file of the state folder, each line vouched for by the key.

use exacta_core::digest::Digest;

use crate::run::journal::{Event, Fate, Journal};
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

    fn tag(&self, run: &str, event: Event, manifest: &str) -> String {
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
        let event = [Event::Started, Event::Completed, Event::Aborted]
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
        Ok(bytes
            .rsplit(|byte| *byte == b'\n')
            .filter(|line| run_of(line) == Some(run.as_str().as_bytes()))
            .find_map(|line| self.read_line(std::str::from_utf8(line).ok()?, run)))
    }

    fn files(&self) -> Vec<Spot> {
        vec![self.file.clone()]
    }

    fn folders(&self) -> Vec<Spot> {
        vec![self.file.folder()]
    }
}

/// Which run a line is about, whether or not it can be believed.
fn run_of(line: &[u8]) -> Option<&[u8]> {
    line.split(|byte| *byte == b' ').nth(2)
}

fn word(event: Event) -> &'static str {
    match event {
        Event::Started => "started",
        Event::Completed => "completed",
        Event::Aborted => "aborted",
    }
}
