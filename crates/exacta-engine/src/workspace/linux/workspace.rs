//! The port's operations, each handed to the file that knows how.

use std::fs::File;
use std::path::{Path, PathBuf};

use exacta_core::change::FileMode;
use rustix::fs::{AtFlags, OFlags};

use super::attributes;
use crate::workspace::lock::Lock;
use crate::workspace::port::{
    Dress, FolderSeen, Looked, Pair, PortError, Scope, Sight, Space, Stamp, Workspace,
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

    fn see(&self, at: &Spot) -> Result<Sight, PortError> {
        self.sight(at)
    }

    fn see_all(&self, spots: &[Spot]) -> Vec<Result<Sight, PortError>> {
        self.sights(spots)
    }

    fn see_behind(
        &self,
        spots: &[Spot],
        act: &mut dyn FnMut(usize) -> bool,
    ) -> Vec<Result<Sight, PortError>> {
        self.sights_behind(spots, act)
    }

    fn stamp(&self, at: &Spot) -> Result<Option<Stamp>, PortError> {
        self.stamp_of(at)
    }

    fn look_ahead(&self, pairs: &[Pair], then: &mut dyn FnMut(Looked) -> bool) {
        self.pairs_ahead(pairs, then);
    }

    fn read(&self, at: &Spot) -> Result<Vec<u8>, PortError> {
        self.bytes(at)
    }

    fn look_folder(&self, at: &Spot) -> Result<Option<FolderSeen>, PortError> {
        self.folder_seen(at)
    }

    fn heritage(&self, folder: &Spot) -> Result<Dress, PortError> {
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
        dress: &Dress,
    ) -> Result<u64, PortError> {
        self.write_new(at, bytes, mode, dress)
    }

    fn stage_folder(&self, at: &Spot, dress: &Dress) -> Result<u64, PortError> {
        self.new_folder(at, dress)
    }

    fn make_private(&self, at: &Spot) -> Result<(), PortError> {
        self.private_folder(at)
    }

    fn may_change(&self, at: &Spot) -> Result<(), PortError> {
        self.is_writable_around(at)
    }

    fn can_remake(&self, at: &Spot, dress: &Dress) -> Result<(), PortError> {
        attributes::can_put_on(dress, at)
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
