//! A port with one planted fault, to see whether the suites would notice.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;

use exacta_core::change::FileMode;
use exacta_core::path::RelPath;
use exacta_engine::workspace::{
    Dress, FolderSeen, Image, Lock, PortError, Scope, Sight, Space, Spot, Stamp, Workspace,
};

/// What is wrong with the port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    NoFirstBarrier,
    NoSecondBarrier,
    FirstBarrierTooLate,
    BarrierForgetsBytes,
    BarrierForgetsEntries,
    BarrierForgetsJournal,
    BarrierForgetsManifest,
    BarrierForgetsSlots,
    BarrierForgetsRunFolder,
    ReadBackSkipped,
    ModeNotSeen,
    MetadataNotSeen,
    SwapInThreeSteps,
    SwapDoesNothing,
    PlaceDoesNothing,
    PlaceReplaces,
    StageDropsMode,
    StageDropsMetadata,
    StageWritesHalf,
    FoldersLookEmpty,
    AnyFolderIsOurs,
    AppendLosesTheEnd,
    LockForEveryone,
    EndlessSpace,
    RunsNotListed,
    HeritageForgotten,
    LooksForgotten,
}

pub(crate) const FAULTS: [Fault; 27] = [
    Fault::NoFirstBarrier,
    Fault::NoSecondBarrier,
    Fault::FirstBarrierTooLate,
    Fault::BarrierForgetsBytes,
    Fault::BarrierForgetsEntries,
    Fault::BarrierForgetsJournal,
    Fault::BarrierForgetsManifest,
    Fault::BarrierForgetsSlots,
    Fault::BarrierForgetsRunFolder,
    Fault::ReadBackSkipped,
    Fault::ModeNotSeen,
    Fault::MetadataNotSeen,
    Fault::SwapInThreeSteps,
    Fault::SwapDoesNothing,
    Fault::PlaceDoesNothing,
    Fault::PlaceReplaces,
    Fault::StageDropsMode,
    Fault::StageDropsMetadata,
    Fault::StageWritesHalf,
    Fault::FoldersLookEmpty,
    Fault::AnyFolderIsOurs,
    Fault::AppendLosesTheEnd,
    Fault::LockForEveryone,
    Fault::EndlessSpace,
    Fault::RunsNotListed,
    Fault::HeritageForgotten,
    Fault::LooksForgotten,
];

pub(crate) struct Faulty<'a> {
    port: &'a dyn Workspace,
    fault: Fault,
    barriers: Cell<u32>,
    late: RefCell<Option<Scope>>,
    /// What the targets were when they were first looked at.
    first: RefCell<BTreeMap<Spot, Image>>,
    /// Which target went into which slot.
    swapped: RefCell<BTreeMap<Spot, Spot>>,
    folder: Cell<u64>,
}

impl<'a> Faulty<'a> {
    pub(crate) fn new(port: &'a dyn Workspace, fault: Fault) -> Self {
        Self {
            port,
            fault,
            barriers: Cell::new(0),
            late: RefCell::default(),
            first: RefCell::default(),
            swapped: RefCell::default(),
            folder: Cell::new(0),
        }
    }

    fn is(&self, fault: Fault) -> bool {
        self.fault == fault
    }
}

fn in_state(at: &Spot) -> bool {
    at.as_str().starts_with(".exacta")
}

fn is_slot(at: &Spot) -> bool {
    in_state(at) && at.name().bytes().all(|b| b.is_ascii_digit())
}

fn keep(spots: &[Spot], wanted: impl Fn(&Spot) -> bool) -> Vec<Spot> {
    spots.iter().filter(|at| wanted(at)).cloned().collect()
}

impl Workspace for Faulty<'_> {
    fn turn(&self) -> Result<Lock, PortError> {
        self.port.turn()
    }

    fn lock(&self) -> Result<Lock, PortError> {
        match self.port.lock() {
            Err(PortError::Locked) if self.is(Fault::LockForEveryone) => Ok(Lock::unshared()),
            other => other,
        }
    }

    fn see_behind(
        &self,
        spots: &[Spot],
        act: &mut dyn FnMut(usize) -> bool,
    ) -> Vec<Result<Sight, PortError>> {
        if !(0..spots.len()).all(act) || self.is(Fault::LooksForgotten) {
            return Vec::new();
        }
        self.see_all(spots)
    }

    fn see(&self, at: &Spot) -> Result<Sight, PortError> {
        let mut sight = self.port.see(at)?;
        if let Sight::File(seen) = &mut sight {
            if self.is(Fault::ReadBackSkipped) {
                let first = self.first.borrow();
                let known = self.swapped.borrow().get(at).and_then(|t| first.get(t).copied());
                seen.image = known.unwrap_or(seen.image);
            }
            if !in_state(at) {
                self.first.borrow_mut().entry(at.clone()).or_insert(seen.image);
            }
            if self.is(Fault::ModeNotSeen) {
                seen.image.mode = FileMode::REGULAR;
            }
            if self.is(Fault::MetadataNotSeen) {
                seen.dress = Dress::default();
            }
        }
        Ok(sight)
    }

    fn stamp(&self, at: &Spot) -> Result<Option<Stamp>, PortError> {
        self.port.stamp(at)
    }

    fn read(&self, at: &Spot) -> Result<Vec<u8>, PortError> {
        self.port.read(at)
    }

    fn look_folder(&self, at: &Spot) -> Result<Option<FolderSeen>, PortError> {
        let seen = self.port.look_folder(at)?;
        Ok(seen.map(|seen| FolderSeen {
            inode: if self.is(Fault::AnyFolderIsOurs) { self.folder.get() } else { seen.inode },
            empty: seen.empty || self.is(Fault::FoldersLookEmpty),
        }))
    }

    fn heritage(&self, folder: &Spot) -> Result<Dress, PortError> {
        if self.is(Fault::HeritageForgotten) {
            return Ok(Dress::default());
        }
        self.port.heritage(folder)
    }

    fn list(&self, folder: &Spot) -> Result<Vec<String>, PortError> {
        if self.is(Fault::RunsNotListed) && folder.name() == "runs" {
            return Ok(Vec::new());
        }
        self.port.list(folder)
    }

    fn stage(
        &self,
        at: &Spot,
        bytes: &[u8],
        mode: FileMode,
        dress: &Dress,
    ) -> Result<u64, PortError> {
        let half = self.is(Fault::StageWritesHalf) && is_slot(at);
        let bytes = if half { &bytes[..bytes.len() / 2] } else { bytes };
        let mode = if self.is(Fault::StageDropsMode) { FileMode::REGULAR } else { mode };
        let bare = Dress::default();
        let dress = if self.is(Fault::StageDropsMetadata) { &bare } else { dress };
        self.port.stage(at, bytes, mode, dress)
    }

    fn stage_folder(&self, at: &Spot, dress: &Dress) -> Result<u64, PortError> {
        let inode = self.port.stage_folder(at, dress)?;
        self.folder.set(inode);
        Ok(inode)
    }

    fn make_private(&self, at: &Spot) -> Result<(), PortError> {
        self.port.make_private(at)
    }

    fn swap(&self, one: &Spot, other: &Spot) -> Result<(), PortError> {
        self.swapped.borrow_mut().insert(one.clone(), other.clone());
        match self.fault {
            Fault::SwapDoesNothing => Ok(()),
            Fault::SwapInThreeSteps => {
                let aside = Spot::target(&RelPath::parse("aside").unwrap());
                self.port.place(other, &aside)?;
                self.port.place(one, other)?;
                self.port.place(&aside, one)
            }
            _ => self.port.swap(one, other),
        }
    }

    fn place(&self, from: &Spot, to: &Spot) -> Result<(), PortError> {
        if is_slot(to) {
            self.swapped.borrow_mut().insert(to.clone(), from.clone());
        }
        match self.fault {
            Fault::PlaceDoesNothing if !in_state(to) => Ok(()),
            Fault::PlaceReplaces => match self.port.place(from, to) {
                Err(PortError::Taken(_)) => {
                    self.port.remove(to)?;
                    self.port.place(from, to)
                }
                other => other,
            },
            _ => self.port.place(from, to),
        }
    }

    fn append(&self, at: &Spot, bytes: &[u8]) -> Result<(), PortError> {
        let lost = if self.is(Fault::AppendLosesTheEnd) { 8 } else { 0 };
        self.port.append(at, &bytes[..bytes.len() - lost])
    }

    fn remove(&self, at: &Spot) -> Result<(), PortError> {
        self.port.remove(at)
    }

    fn remove_folder(&self, at: &Spot) -> Result<(), PortError> {
        self.port.remove_folder(at)
    }

    fn barrier(&self, scope: &Scope) -> Result<(), PortError> {
        let number = self.barriers.replace(self.barriers.get() + 1);
        let mut scope = scope.clone();
        match self.fault {
            Fault::NoFirstBarrier if number == 0 => return Ok(()),
            Fault::NoSecondBarrier if number == 1 => return Ok(()),
            Fault::FirstBarrierTooLate => {
                if let Some(late) = self.late.replace(Some(scope.clone())) {
                    self.port.barrier(&late)?;
                } else {
                    return Ok(());
                }
            }
            Fault::BarrierForgetsBytes => scope.files.clear(),
            Fault::BarrierForgetsEntries => scope.folders.clear(),
            Fault::BarrierForgetsJournal => {
                scope.files = keep(&scope.files, |at| at.name() != "journal");
                scope.folders = keep(&scope.folders, |at| at.name() != ".exacta");
            }
            Fault::BarrierForgetsManifest => {
                scope.files = keep(&scope.files, |at| at.name() != "manifest");
            }
            Fault::BarrierForgetsSlots => scope.files = keep(&scope.files, |at| !is_slot(at)),
            Fault::BarrierForgetsRunFolder => {
                scope.folders = keep(&scope.folders, |at| at.folder().name() != "runs");
            }
            _ => {}
        }
        self.port.barrier(&scope)
    }

    fn view(&self, into: &Path) -> Result<Box<dyn Workspace>, PortError> {
        self.port.view(into)
    }

    fn space(&self) -> Result<Space, PortError> {
        let endless = Space { bytes: u64::MAX, files: None, largest: None };
        if self.is(Fault::EndlessSpace) { Ok(endless) } else { self.port.space() }
    }
}
