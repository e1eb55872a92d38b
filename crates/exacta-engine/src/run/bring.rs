//! Bringing targets to one side, whatever state a dead process left them in.
//!
//! The slot tells whether a movement was made: the staged image is there or it is not.
//! So the same code serves rollback, recovery backward and recovery forward, and doing
//! it twice does nothing. What a user saved meanwhile is never overwritten: the target
//! keeps it, the other image stays in the slot, and the conflict is reported.

use exacta_core::path::RelPath;
use exacta_core::tree::TreeFault;

use crate::run::engine::Engine;
use crate::run::manifest::{Item, Manifest, Work};
use crate::workspace::{Image, PortError, Sight, Spot};

/// Which images the targets shall have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

/// A target that keeps what a user made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The target.
    pub path: RelPath,
    /// What it has now; `None` when it is absent or no regular file.
    pub now: Option<Image>,
    /// Why it cannot be a target, when something else lies there.
    pub unfit: Option<TreeFault>,
    /// What it would have got; `None` when it would have been removed.
    pub wanted: Option<Image>,
}

impl std::fmt::Display for Conflict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = &self.path;
        match (&self.now, &self.unfit) {
            (Some(_), _) => write!(f, "`{path}` was changed meanwhile and keeps that change"),
            (None, Some(fault)) => write!(
                f,
                "`{path}` was left as it is: {fault}; what it would have got is kept with the run"
            ),
            (None, None) => write!(
                f,
                "`{path}` was taken away meanwhile; what it would have got is kept with the run"
            ),
        }
    }
}

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Brought {
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

/// What is not ours to move. A second name of the file, as backups make them, is no work of a
/// user's that must be kept: it stands in the way until it is gone.
fn left_alone(target: &Spot, sight: Sight) -> Result<End, PortError> {
    match sight {
        Sight::Unfit(fault @ TreeFault::HardLinked(_)) => {
            Err(PortError::Refused { at: target.clone(), fault })
        }
        _ => Ok(End::UserKept),
    }
}

impl Engine<'_> {
    /// Brings every item to `side`; goes on past obstacles so that as much as possible
    /// is on one side.
    pub(crate) fn bring(&self, manifest: &Manifest, folder: &Spot, side: Side) -> Brought {
        let mut brought = Brought::default();
        let mut each = |item: &Item| match self.bring_one(item, folder, side) {
            Ok(End::There) => {}
            Ok(End::ThereWithRest) => brought.keep = true,
            Ok(End::UserKept) => match self.port.see(&item.target()) {
                Ok(sight) => brought.conflicts.push(Conflict {
                    path: item.path.clone(),
                    now: image(&sight),
                    unfit: match sight {
                        Sight::Unfit(fault) => Some(fault),
                        Sight::File(_) | Sight::Absent => None,
                    },
                    wanted: if side == Side::Before { item.before() } else { item.after() },
                }),
                Err(error) => brought.obstacles.push(error),
            },
            Err(error) => brought.obstacles.push(error),
        };
        match side {
            Side::Before => manifest.items.iter().rev().for_each(&mut each),
            Side::After => manifest.items.iter().for_each(&mut each),
        }
        brought
    }

    fn bring_one(&self, item: &Item, folder: &Spot, side: Side) -> Result<End, PortError> {
        let (slot, target) = (item.slot_in(folder), item.target());
        match (item.work, side) {
            (Work::Write { before, after }, Side::Before) => {
                self.swap_back(&slot, &target, before, after)
            }
            (Work::Write { before, after }, Side::After) => match self.port.see(&slot)? {
                Sight::File(seen) if seen.image == after => {
                    self.exchange_if(&slot, &target, before)
                }
                _ => Ok(End::There),
            },
            (Work::Place { after, inode }, Side::Before) => {
                self.take_back(&slot, &target, after, inode)
            }
            (Work::Place { .. }, Side::After) | (Work::Take { .. }, Side::Before) => {
                self.put(&slot, &target)
            }
            (Work::Take { before }, Side::After) => self.take(&slot, &target, before),
            (Work::PlaceFolder { inode }, Side::Before)
            | (Work::TakeFolder { inode }, Side::After) => {
                self.take_empty(&slot, &target, inode).map(|()| End::There)
            }
            (Work::PlaceFolder { .. }, Side::After) | (Work::TakeFolder { .. }, Side::Before) => {
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

    /// Takes a folder away if it is the one we made and nothing is in it.
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

/// Nothing is there, or could be: a folder above is no folder.
fn is_absent(sight: &Sight) -> bool {
    matches!(sight, Sight::Absent | Sight::Unfit(TreeFault::NotAFolder(_)))
}

fn image(sight: &Sight) -> Option<Image> {
    match sight {
        Sight::File(seen) => Some(seen.image),
        Sight::Absent | Sight::Unfit(_) => None,
    }
}
