//! Moving and removing: names change, bytes do not.

use rustix::fs::{self, AtFlags, RenameFlags};
use rustix::io::{Errno, retry_on_intr};

use super::sight::system;
use crate::workspace::port::PortError;
use crate::workspace::root::Root;
use crate::workspace::spot::Spot;

impl Root {
    pub(super) fn exchange(&self, one: &Spot, other: &Spot) -> Result<(), PortError> {
        self.rename("exchange", one, other, RenameFlags::EXCHANGE)
    }

    pub(super) fn move_to(&self, from: &Spot, to: &Spot) -> Result<(), PortError> {
        self.rename("move", from, to, RenameFlags::NOREPLACE)
    }

    fn rename(
        &self,
        act: &'static str,
        from: &Spot,
        to: &Spot,
        flags: RenameFlags,
    ) -> Result<(), PortError> {
        let (here, there) = (self.open_folder(from)?, self.open_folder(to)?);
        let moved =
            retry_on_intr(|| fs::renameat_with(&here, from.name(), &there, to.name(), flags));
        match moved {
            Ok(()) => Ok(()),
            Err(Errno::EXIST) => Err(PortError::Taken(to.clone())),
            Err(Errno::NOENT) => Err(PortError::Gone(from.clone())),
            Err(errno) => Err(system(act, from)(errno)),
        }
    }

    pub(super) fn unlink(&self, at: &Spot, flags: AtFlags) -> Result<(), PortError> {
        let folder = match self.open_folder(at) {
            Ok(folder) => folder,
            Err(PortError::Gone(_)) => return Ok(()),
            Err(error) => return Err(error),
        };
        match retry_on_intr(|| fs::unlinkat(&folder, at.name(), flags)) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(system("remove", at)(errno)),
        }
    }
}
