//! Rolling targets back or forward, whatever state a dead process left them in.
//!
//! The slot shows whether a movement was made: the staged image is there or it is not.
//! So the same code serves rollback and recovery in both directions, and doing it twice
//! does nothing. What a user saved meanwhile is never overwritten: the target keeps it,
//! the other image stays in the slot, and the conflict is reported.

use exacta_core::model::path::RelPath;
use exacta_core::model::tree::TreeFault;

use crate::run::engine::Engine;
use crate::run::manifest::{Item, Manifest, Work};
use crate::workspace::{Image, PortError, Sight, Spot};

/// Which images the targets shall have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Roll {
    /// Their before images.
    Back,
    /// Their after images.
    Forward,
}

/// A target that keeps what a user made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The target.
    pub path: RelPath,
    /// What it has now; `None` when it is absent or not a regular file.
    pub now: Option<Image>,
    /// Why it cannot be a target, when something else lies there.
    pub unfit: Option<TreeFault>,
    /// What it would have received; `None` when it would have been removed.
    pub wanted: Option<Image>,
}

impl std::fmt::Display for Conflict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = &self.path;
        match (&self.now, &self.unfit) {
            (Some(_), _) => write!(f, "`{path}` was changed meanwhile and keeps that change"),
            (None, Some(fault)) => write!(
                f,
                "`{path}` was left as it is: {fault}; its other version is kept with the run"
            ),
            (None, None) => {
                write!(f, "`{path}` was removed meanwhile; its other version is kept with the run")
            }
        }
    }
}

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Rolled {
    pub(crate) conflicts: Vec<Conflict>,
    pub(crate) obstacles: Vec<PortError>,
    /// A slot holds something unknown, so the run's folder must not be deleted.
    pub(crate) keep: bool,
}

/// How one item ended.
enum End {
    There,
    /// As it should be, but the slot holds neither image: a torn write, or a user's.
    ThereWithRest,
    UserKept,
}

/// What is not ours to move. A second name of the file, as backups make them, is not a user's
/// work that must be kept: it stands in the way until it is gone.
fn left_alone(target: &Spot, sight: Sight) -> Result<End, PortError> {
    match sight {
        Sight::Unfit(fault @ TreeFault::HardLinked(_)) => {
            Err(PortError::Refused { at: target.clone(), fault })
        }
        _ => Ok(End::UserKept),
    }
}

impl Engine<'_> {
    /// Rolls every item back or forward; goes on past obstacles, so that as much as possible
    /// is done.
    pub(crate) fn roll(&self, manifest: &Manifest, folder: &Spot, roll: Roll) -> Rolled {
        let mut rolled = Rolled::default();
        let mut each = |item: &Item| match self.roll_one(item, folder, roll) {
            Ok(End::There) => {}
            Ok(End::ThereWithRest) => rolled.keep = true,
            Ok(End::UserKept) => match self.port.see(&item.target()) {
                Ok(sight) => rolled.conflicts.push(conflict(item, sight, roll)),
                Err(error) => rolled.obstacles.push(error),
            },
            Err(error) => rolled.obstacles.push(error),
        };
        match roll {
            Roll::Back => manifest.items.iter().rev().for_each(&mut each),
            Roll::Forward => manifest.items.iter().for_each(&mut each),
        }
        rolled
    }

    fn roll_one(&self, item: &Item, folder: &Spot, roll: Roll) -> Result<End, PortError> {
        let (slot, target) = (item.slot_in(folder), item.target());
        match (item.work, roll) {
            (Work::Write { before, after }, Roll::Back) => {
                self.swap_back(&slot, &target, before, after)
            }
            (Work::Write { before, after }, Roll::Forward) => match self.port.see(&slot)? {
                Sight::File(seen) if seen.image == after => {
                    self.exchange_if(&slot, &target, before)
                }
                _ => Ok(End::There),
            },
            (Work::Place { after, inode }, Roll::Back) => {
                self.take_back(&slot, &target, after, inode)
            }
            (Work::Place { .. }, Roll::Forward) | (Work::Take { .. }, Roll::Back) => {
                self.put(&slot, &target)
            }
            (Work::Take { before }, Roll::Forward) => self.take(&slot, &target, before),
            (Work::PlaceFolder { inode }, Roll::Back)
            | (Work::TakeFolder { inode }, Roll::Forward) => {
                self.take_empty(&slot, &target, inode).map(|()| End::There)
            }
            (Work::PlaceFolder { .. }, Roll::Forward) | (Work::TakeFolder { .. }, Roll::Back) => {
                self.put_folder(&slot, &target).map(|()| End::There)
            }
        }
    }

    /// Undoes an exchange, if it was made.
    fn swap_back(
        &self,
        slot: &Spot,
        target: &Spot,
        before: Image,
        after: Image,
    ) -> Result<End, PortError> {
        let held = match self.port.see(slot)? {
            Sight::Absent => return Ok(End::There),
            Sight::File(seen) if seen.image == after => return Ok(End::There),
            other => image(&other),
        };
        if image(&self.port.see(target)?) == Some(before) {
            return Ok(if held == Some(before) { End::There } else { End::ThereWithRest });
        }
        self.exchange_if(slot, target, after)
    }

    /// Exchanges if the target is `expected`; a user's save in between is put back.
    fn exchange_if(&self, slot: &Spot, target: &Spot, expected: Image) -> Result<End, PortError> {
        match self.port.see(target)? {
            Sight::File(seen) if seen.image == expected => {}
            sight => return left_alone(target, sight),
        }
        match self.port.swap(slot, target) {
            Ok(()) => {}
            Err(PortError::Gone(_)) => return Ok(End::UserKept),
            Err(error) => return Err(error),
        }
        match self.port.see(slot)? {
            Sight::File(seen) if seen.image == expected => Ok(End::There),
            _ => {
                self.port.swap(slot, target)?;
                Ok(End::UserKept)
            }
        }
    }

    /// Undoes a creation, if it was made and the file is still ours.
    fn take_back(
        &self,
        slot: &Spot,
        target: &Spot,
        after: Image,
        inode: u64,
    ) -> Result<End, PortError> {
        if self.port.see(slot)? != Sight::Absent {
            return Ok(End::There);
        }
        match self.port.see(target)? {
            sight if is_absent(&sight) => Ok(End::There),
            // A folder is neither our file nor an edit of it.
            Sight::Unfit(TreeFault::Folder) => Ok(End::There),
            Sight::File(seen) if seen.image == after && seen.inode == inode => {
                self.move_out(slot, target, after)
            }
            sight => left_alone(target, sight),
        }
    }

    /// Makes a deletion, if it was not made.
    fn take(&self, slot: &Spot, target: &Spot, before: Image) -> Result<End, PortError> {
        if self.port.see(slot)? != Sight::Absent {
            return Ok(End::There);
        }
        match self.port.see(target)? {
            sight if is_absent(&sight) => Ok(End::There),
            Sight::File(seen) if seen.image == before => self.move_out(slot, target, before),
            sight => left_alone(target, sight),
        }
    }

    fn move_out(&self, slot: &Spot, target: &Spot, expected: Image) -> Result<End, PortError> {
        match self.port.place(target, slot) {
            Ok(()) => {}
            Err(PortError::Gone(_)) => return Ok(End::There),
            Err(error) => return Err(error),
        }
        match self.port.see(slot)? {
            Sight::File(seen) if seen.image == expected => Ok(End::There),
            _ => match self.port.place(slot, target) {
                Ok(()) | Err(PortError::Taken(_)) => Ok(End::UserKept),
                Err(error) => Err(error),
            },
        }
    }

    /// Moves what is in the slot to the target, if it is still in the slot.
    fn put(&self, slot: &Spot, target: &Spot) -> Result<End, PortError> {
        let held = self.port.see(slot)?;
        if held == Sight::Absent {
            return Ok(End::There);
        }
        match self.port.place(slot, target) {
            Ok(()) => Ok(End::There),
            Err(PortError::Taken(_)) => {
                let same = image(&held).is_some() && image(&held) == image(&self.port.see(target)?);
                Ok(if same { End::There } else { End::UserKept })
            }
            // The folder it lay in is gone or was replaced: the image stays in the slot.
            Err(PortError::Gone(_) | PortError::Refused { .. }) => Ok(End::UserKept),
            Err(error) => Err(error),
        }
    }

    fn put_folder(&self, slot: &Spot, target: &Spot) -> Result<(), PortError> {
        if self.port.look_folder(slot)?.is_none() {
            return Ok(());
        }
        match self.port.place(slot, target) {
            Ok(()) | Err(PortError::Taken(_) | PortError::Gone(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Removes a folder if it is the one we made and nothing is in it.
    fn take_empty(&self, slot: &Spot, target: &Spot, inode: u64) -> Result<(), PortError> {
        if self.port.look_folder(slot)?.is_some() {
            return Ok(());
        }
        match self.port.look_folder(target)? {
            Some(seen) if seen.inode == inode && seen.empty => {}
            _ => return Ok(()),
        }
        match self.port.place(target, slot) {
            Ok(()) => {}
            Err(PortError::Gone(_)) => return Ok(()),
            Err(error) => return Err(error),
        }
        match self.port.look_folder(slot)? {
            Some(seen) if !seen.empty => match self.port.place(slot, target) {
                Ok(()) | Err(PortError::Taken(_)) => Ok(()),
                Err(error) => Err(error),
            },
            _ => Ok(()),
        }
    }

    /// The forward movement of a folder that an earlier run made.
    pub(crate) fn take_folder(&self, item: &Item, folder: &Spot) -> Result<(), PortError> {
        match item.work {
            Work::TakeFolder { inode } => {
                self.take_empty(&item.slot_in(folder), &item.target(), inode)
            }
            _ => Ok(()),
        }
    }
}

fn conflict(item: &Item, sight: Sight, roll: Roll) -> Conflict {
    Conflict {
        path: item.path.clone(),
        now: image(&sight),
        unfit: match sight {
            Sight::Unfit(fault) => Some(fault),
            Sight::File(_) | Sight::Absent => None,
        },
        wanted: if roll == Roll::Back { item.before() } else { item.after() },
    }
}

/// Nothing is there, or could be: what stands in the place of a folder above is not one.
fn is_absent(sight: &Sight) -> bool {
    matches!(sight, Sight::Absent | Sight::Unfit(TreeFault::NotAFolder(_)))
}

fn image(sight: &Sight) -> Option<Image> {
    match sight {
        Sight::File(seen) => Some(seen.image),
        Sight::Absent | Sight::Unfit(_) => None,
    }
}
