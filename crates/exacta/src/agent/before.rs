//! What a file of the user was before `connect` wrote to it, so that `--undo` gives it back byte
//! for byte. It lies with the state of the user, because settings may hold secrets.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use exacta_core::model::digest::Digest;
use serde::{Deserialize, Serialize};

/// What is known of one file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Was {
    /// Its text; nothing where there was no file.
    text: Option<String>,
    /// Folders that were made for it, the innermost first.
    folders: Vec<String>,
    /// What we left it as.
    left_as: Digest,
}

/// The notes of one project.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Notes {
    version: u32,
    files: BTreeMap<String, Was>,
}

const VERSION: u32 = 1;

/// The notes, and where they lie.
#[derive(Debug)]
pub(crate) struct Before {
    place: PathBuf,
    notes: Notes,
}

impl Before {
    /// Reads the notes of a project. Notes that cannot be read are none: then entries of ours are
    /// taken out one by one.
    pub(crate) fn of(state: &Path, project: &str) -> Self {
        let key: String = Digest::of(project.as_bytes()).to_string().chars().take(16).collect();
        let place = state.join("connect").join(format!("{key}.json"));
        let notes = fs::read(&place).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let notes = notes.filter(|notes: &Notes| notes.version == VERSION);
        Self { place, notes: notes.unwrap_or_default() }
    }

    /// Notes that a file is changed by us.
    pub(super) fn note(
        &mut self,
        file: &str,
        old: Option<&str>,
        new: &str,
        folders: Vec<String>,
    ) -> io::Result<()> {
        let left_as = Digest::of(new.as_bytes());
        let old_digest = old.map(|old| Digest::of(old.as_bytes()));
        match self.notes.files.get_mut(file) {
            // One more change of ours.
            Some(was) if old_digest == Some(was.left_as) => was.left_as = left_as,
            // Somebody changed it between two of ours: what was before is not known any more.
            Some(_) if old.is_some() => drop(self.notes.files.remove(file)),
            _ => {
                let was = Was { text: old.map(Into::into), folders, left_as };
                self.notes.files.insert(file.into(), was);
            }
        }
        self.save()
    }

    /// What a file was, if it is still as we left it.
    pub(super) fn was(&self, file: &str, now: &str) -> Option<(Option<&str>, &[String])> {
        let was = self.notes.files.get(file)?;
        let same = was.left_as == Digest::of(now.as_bytes());
        same.then_some((was.text.as_deref(), was.folders.as_slice()))
    }

    /// Forgets a file.
    pub(super) fn forget(&mut self, file: &str) -> io::Result<()> {
        if self.notes.files.remove(file).is_none() {
            return Ok(());
        }
        self.save()
    }

    fn save(&mut self) -> io::Result<()> {
        if self.notes.files.is_empty() {
            return match fs::remove_file(&self.place) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        self.notes.version = VERSION;
        let folder = self.place.parent().unwrap_or(Path::new("/"));
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let fresh = self.place.with_extension("new");
        let mut file =
            OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&fresh)?;
        file.write_all(&serde_json::to_vec(&self.notes)?)?;
        file.sync_all()?;
        fs::rename(&fresh, &self.place)
    }
}
