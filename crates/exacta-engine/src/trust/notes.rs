//! What somebody noted while looking at a plan and before deciding: what they have reviewed,
//! what they leave out, what they want to say. One file an intent, so that it is still there
//! for the plan that takes this one's place. Nothing rests on it: a file that is gone or
//! damaged is a blank page.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use exacta_core::model::id::{CorrelationId, ProjectId};

use super::disk::{self, fault};
use super::place::{TrustError, TrustStore};

/// So many intents of a project have notes; the oldest are dropped.
const MOST: usize = 200;

impl TrustStore {
    /// Keeps the notes about an intent, as a JSON text.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn keep_notes(
        &self,
        project: &ProjectId,
        intent: &CorrelationId,
        text: &str,
    ) -> Result<(), TrustError> {
        let folder = self.notes_of(project);
        disk::private_folder(&folder)?;
        let path = folder.join(intent.as_str());
        if !path.exists() {
            drop_oldest(&folder)?;
        }
        disk::write(&path, text.as_bytes())
    }

    /// The notes about an intent, if there are any.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn notes(
        &self,
        project: &ProjectId,
        intent: &CorrelationId,
    ) -> Result<Option<String>, TrustError> {
        let bytes = disk::read(&self.notes_of(project).join(intent.as_str()))?;
        Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
    }

    /// Drops the notes about an intent.
    ///
    /// # Errors
    /// When they are there and cannot be removed.
    pub fn drop_notes(
        &self,
        project: &ProjectId,
        intent: &CorrelationId,
    ) -> Result<(), TrustError> {
        let path = self.notes_of(project).join(intent.as_str());
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(fault(&path)(error)),
            _ => Ok(()),
        }
    }

    fn notes_of(&self, project: &ProjectId) -> PathBuf {
        self.folder().join("notes").join(project.as_str())
    }
}

/// Makes room for one more.
fn drop_oldest(folder: &Path) -> Result<(), TrustError> {
    let mut there: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder).map_err(fault(folder))? {
        let entry = entry.map_err(fault(folder))?;
        let written = entry.metadata().and_then(|meta| meta.modified());
        there.push((written.unwrap_or(SystemTime::UNIX_EPOCH), entry.path()));
    }
    there.sort();
    let surplus = (there.len() + 1).saturating_sub(MOST);
    for (_, path) in there.into_iter().take(surplus) {
        fs::remove_file(&path).map_err(fault(&path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_kept_for_an_intent_and_never_more_than_there_is_room_for() {
        let folder = tempfile::TempDir::new().unwrap();
        let store = TrustStore::new(Some(folder.path().as_os_str()), None).unwrap();
        let project = ProjectId::parse("p").unwrap();
        let intent = |number: usize| CorrelationId::parse(&format!("i-{number}")).unwrap();
        assert_eq!(store.notes(&project, &intent(0)).unwrap(), None);
        store.keep_notes(&project, &intent(0), "{}").unwrap();
        store.keep_notes(&project, &intent(0), "[1]").unwrap();
        assert_eq!(store.notes(&project, &intent(0)).unwrap().as_deref(), Some("[1]"));
        store.drop_notes(&project, &intent(0)).unwrap();
        store.drop_notes(&project, &intent(0)).unwrap();
        assert_eq!(store.notes(&project, &intent(0)).unwrap(), None);
        for number in 1..=MOST + 3 {
            store.keep_notes(&project, &intent(number), "{}").unwrap();
        }
        let there = fs::read_dir(store.notes_of(&project)).unwrap().count();
        assert_eq!(there, MOST);
        assert!(store.notes(&project, &intent(MOST + 3)).unwrap().is_some());
    }
}
