//! Moving and removing: names change, bytes do not.

use rustix::fs::{self, Access, AtFlags, RenameFlags};
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

    /// Whether the folder that a spot lies in lets us change names, or the nearest one above
    /// it that is there.
    pub(super) fn is_writable_around(&self, at: &Spot) -> Result<(), PortError> {
        let wanted = Access::WRITE_OK | Access::EXEC_OK;
        let asked = self.in_folder(at, |folder| {
            retry_on_intr(|| fs::accessat(folder, ".", wanted, AtFlags::EACCESS))
        });
        let above = at.folder();
        match asked {
            Err(PortError::Gone(_)) if above != Spot::root() => self.is_writable_around(&above),
            Ok(Err(errno)) => Err(system("write to the folder of", at)(errno)),
            Ok(Ok(())) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn rename(
        &self,
        act: &'static str,
        from: &Spot,
        to: &Spot,
        flags: RenameFlags,
    ) -> Result<(), PortError> {
        let moved = self.between(from, to, |here, there| {
            retry_on_intr(|| fs::renameat_with(here, from.name(), there, to.name(), flags))
        })?;
        match moved {
            Ok(()) => Ok(()),
            Err(Errno::EXIST) => Err(PortError::Taken(to.clone())),
            Err(Errno::NOENT) => Err(PortError::Gone(from.clone())),
            Err(errno) => Err(system(act, from)(errno)),
        }
    }

    pub(super) fn unlink(&self, at: &Spot, flags: AtFlags) -> Result<(), PortError> {
        let unlinked =
            self.in_folder(at, |dir| retry_on_intr(|| fs::unlinkat(dir, at.name(), flags)));
        match unlinked {
            Ok(Ok(()) | Err(Errno::NOENT)) | Err(PortError::Gone(_)) => Ok(()),
            Ok(Err(errno)) => Err(system("remove", at)(errno)),
            Err(error) => Err(error),
        }
    }
}
