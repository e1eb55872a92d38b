//! The port's operations, each handed to the file that knows how.

use std::fs::File;
use std::path::{Path, PathBuf};

use exacta_core::model::change::FileMode;
use rustix::fs::{AtFlags, OFlags};

use super::attributes;
use crate::workspace::lock::Lock;
use crate::workspace::port::{
    FolderSeen, Metadata, PortError, Scope, Sight, Space, Stamp, Workspace,
};
use crate::workspace::root::Root;
use crate::workspace::spot::Spot;

impl Workspace for Root {
    fn lock(&self) -> Result<Lock, PortError> {
        self.private_folder(&Spot::state())?;
        let at = Spot::state().within("lock");
        let file = self.own_file(&at, OFlags::RDWR)?;
        Lock::take(File::from(file), &at)
    }

    fn turn(&self) -> Result<Lock, PortError> {
        self.private_folder(&Spot::state())?;
        let at = Spot::state().within("turn");
        let file = self.own_file(&at, OFlags::RDWR)?;
        Lock::wait(File::from(file), &at)
    }

    fn hold(&self, at: &Spot) -> Result<Lock, PortError> {
        let file = self.own_file(at, OFlags::RDWR)?;
        Lock::take(File::from(file), at)
    }

    fn is_held(&self, at: &Spot) -> Result<bool, PortError> {
        match self.own_file_there(at) {
            Ok(file) => Lock::is_taken(&File::from(file), at),
            Err(PortError::Gone(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn see(&self, at: &Spot) -> Result<Sight, PortError> {
        self.sight(at)
    }

    fn see_all(&self, spots: &[Spot]) -> Vec<Result<Sight, PortError>> {
        self.sights(spots)
    }

    fn stamp(&self, at: &Spot) -> Result<Option<Stamp>, PortError> {
        self.stamp_of(at)
    }

    fn read(&self, at: &Spot) -> Result<Vec<u8>, PortError> {
        self.bytes(at)
    }

    fn look_folder(&self, at: &Spot) -> Result<Option<FolderSeen>, PortError> {
        self.folder_seen(at)
    }

    fn inherited_from(&self, folder: &Spot) -> Result<Metadata, PortError> {
        self.inherited(folder)
    }

    fn list(&self, folder: &Spot) -> Result<Vec<String>, PortError> {
        self.names(folder)
    }

    fn stage(
        &self,
        at: &Spot,
        bytes: &[u8],
        mode: FileMode,
        metadata: &Metadata,
    ) -> Result<u64, PortError> {
        self.write_new(at, bytes, mode, metadata)
    }

    fn stage_folder(&self, at: &Spot, metadata: &Metadata) -> Result<u64, PortError> {
        self.new_folder(at, metadata)
    }

    fn make_private(&self, at: &Spot) -> Result<(), PortError> {
        self.private_folder(at)
    }

    fn may_change(&self, at: &Spot) -> Result<(), PortError> {
        self.is_writable_around(at)
    }

    fn can_remake(&self, at: &Spot, metadata: &Metadata) -> Result<(), PortError> {
        attributes::can_apply(metadata, at)
    }

    fn swap(&self, one: &Spot, other: &Spot) -> Result<(), PortError> {
        self.exchange(one, other)
    }

    fn place(&self, from: &Spot, to: &Spot) -> Result<(), PortError> {
        self.move_to(from, to)
    }

    fn append(&self, at: &Spot, bytes: &[u8]) -> Result<(), PortError> {
        self.add(at, bytes)
    }

    fn remove(&self, at: &Spot) -> Result<(), PortError> {
        self.unlink(at, AtFlags::empty())
    }

    fn remove_folder(&self, at: &Spot) -> Result<(), PortError> {
        self.unlink(at, AtFlags::REMOVEDIR)
    }

    fn barrier(&self, scope: &Scope) -> Result<(), PortError> {
        self.make_durable(scope)
    }

    fn view(&self, into: &Path) -> Result<Box<dyn Workspace>, PortError> {
        Ok(Box::new(self.copy_into(into)?))
    }

    fn location(&self) -> Result<PathBuf, PortError> {
        self.found()
    }

    fn space(&self) -> Result<Space, PortError> {
        self.room()
    }
}
