//! The operator's own policy file, as a person changes it through the gate: written whole or
//! not at all, in a folder that passed every check.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::PathBuf;
use std::sync::Arc;

use exacta_core::judge::policy::{Edit, LayerName, edited};

use super::folder::Folder;
use super::load::{FILE, FILE_LIMIT, PolicyError, load};
use super::note::NoteStanding;
use super::places::Places;
use super::refusal::Refusal;
use crate::workspace::Root;

/// Where the operator's policy lies, seen from one project.
#[derive(Clone, Debug)]
pub struct OperatorPolicy {
    root: Arc<Root>,
    places: Places,
}

impl OperatorPolicy {
    /// The policy of the operator who works on a project.
    #[must_use]
    pub const fn new(root: Arc<Root>, places: Places) -> Self {
        Self { root, places }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.places.operator.join(FILE)
    }

    /// Whether the file could be changed like this; nothing is written.
    ///
    /// # Errors
    /// Why not.
    pub fn foresee(&self, edit: &Edit) -> Result<(), PolicyError> {
        self.text(edit).map(drop)
    }

    /// Notes the policy as it is now: a person has confirmed it, or nothing is looser.
    ///
    /// # Errors
    /// When it cannot be read or noted.
    pub fn note(&self) -> Result<(), PolicyError> {
        let Some(store) = &self.places.noted else { return Ok(()) };
        load(&self.root, &self.places)?.note.keep(store)
    }

    /// Notes the policy when it is met for the first time, or is nowhere looser than it was.
    /// How it stood before.
    ///
    /// # Errors
    /// When it cannot be read or noted.
    pub fn meet(&self) -> Result<NoteStanding, PolicyError> {
        let loaded = load(&self.root, &self.places)?;
        if let (Some(store), NoteStanding::First | NoteStanding::Tighter) =
            (&self.places.noted, &loaded.standing)
        {
            loaded.note.keep(store)?;
        }
        Ok(loaded.standing)
    }

    /// Notes the policy if no record of this user is known, before the first one begins: from
    /// then on a note that is missing was taken away.
    ///
    /// # Errors
    /// When it cannot be read or noted.
    pub fn meet_first(&self) -> Result<(), PolicyError> {
        let Some(store) = &self.places.noted else { return Ok(()) };
        let loaded = load(&self.root, &self.places)?;
        let path = PathBuf::from(self.root.id().path);
        // Where it may not be noted, no record begins either.
        if loaded.standing == NoteStanding::First && store.lies_outside(&path).is_ok() {
            loaded.note.keep(store)?;
        }
        Ok(())
    }

    /// Whether what lies there counts as it is.
    ///
    /// # Errors
    /// When a person has to confirm it first, or it cannot be read.
    pub(crate) fn is_confirmed(&self) -> Result<(), PolicyError> {
        match load(&self.root, &self.places)?.standing {
            NoteStanding::Unconfirmed { .. } => Err(self.refused(Refusal::Unconfirmed)),
            _ => Ok(()),
        }
    }

    /// Changes one value of the file, which is made when it is not there.
    ///
    /// # Errors
    /// When the folder cannot be trusted or written, or the file has mistakes; then it stays
    /// as it was.
    pub(crate) fn change(&self, edit: &Edit) -> Result<(), PolicyError> {
        let folder = &self.places.operator;
        let unwritable =
            |error: std::io::Error| self.refused(Refusal::Unwritable(error.to_string()));
        if !folder.exists() {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(unwritable)?;
        }
        let text = self.text(edit)?;
        let path = self.path();
        let mode =
            fs::symlink_metadata(&path).map_or(0o600, |meta| meta.permissions().mode() & 0o777);
        let aside = folder.join(format!("{FILE}.new-{}", std::process::id()));
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(&aside)
            .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
            .and_then(|()| fs::rename(&aside, &path))
            .and_then(|()| fs::File::open(folder)?.sync_all());
        if written.is_err() {
            let _ = fs::remove_file(&aside);
        }
        written.map_err(unwritable)
    }

    /// What the file would say.
    fn text(&self, edit: &Edit) -> Result<String, PolicyError> {
        let owners = [self.places.owners.user, self.places.owners.system];
        let folder = Folder::open(&self.places.operator, &owners, &self.root)
            .map_err(|refusal| self.refused(refusal))?;
        let bytes = match folder {
            None => None,
            Some(folder) => {
                folder.read(FILE, FILE_LIMIT).map_err(|refusal| self.refused(refusal))?
            }
        };
        let text = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
        edited(LayerName::Operator, &text, edit).map_err(|issues| PolicyError::Invalid {
            path: self.path(),
            text,
            issues,
        })
    }

    fn refused(&self, refusal: Refusal) -> PolicyError {
        PolicyError::Refused { path: self.path(), refusal }
    }
}
