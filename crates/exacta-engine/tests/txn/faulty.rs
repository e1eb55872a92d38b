//! A port with one planted fault, to see whether the suites would notice.

use std::collections::BTreeMap;

use exacta_core::model::change::FileMode;
use exacta_core::model::path::RelPath;
use exacta_engine::workspace::{
    FolderSeen, Image, Lock, Metadata, PortError, Scope, Sight, Space, Spot, Stamp, Workspace,
};
use exacta_testkit::{Shared, forward_to};

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
    barriers: Shared<u32>,
    late: Shared<Option<Scope>>,
    /// What the targets were when they were first looked at.
    first: Shared<BTreeMap<Spot, Image>>,
    /// Which target went into which slot.
    swapped: Shared<BTreeMap<Spot, Spot>>,
    folder: Shared<u64>,
}

impl<'a> Faulty<'a> {
    pub(crate) fn new(port: &'a dyn Workspace, fault: Fault) -> Self {
        Self {
            port,
            fault,
            barriers: Shared::new(0),
            late: Shared::default(),
            first: Shared::default(),
            swapped: Shared::default(),
            folder: Shared::new(0),
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
    forward_to!(port: turn stamp read make_private remove remove_folder view);

    fn lock(&self) -> Result<Lock, PortError> {
        match self.port.lock() {
            Err(PortError::Locked) if self.is(Fault::LockForEveryone) => Ok(Lock::holding(())),
            other => other,
        }
    }

    fn see_all(&self, spots: &[Spot]) -> Vec<Result<Sight, PortError>> {
        if self.is(Fault::LooksForgotten) && spots.iter().all(in_state) {
            return Vec::new();
        }
        spots.iter().map(|at| self.see(at)).collect()
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
                seen.metadata = Metadata::default();
            }
        }
        Ok(sight)
    }

    fn look_folder(&self, at: &Spot) -> Result<Option<FolderSeen>, PortError> {
        let seen = self.port.look_folder(at)?;
        Ok(seen.map(|seen| FolderSeen {
            inode: if self.is(Fault::AnyFolderIsOurs) { self.folder.get() } else { seen.inode },
            empty: seen.empty || self.is(Fault::FoldersLookEmpty),
        }))
    }

    fn inherited_from(&self, folder: &Spot) -> Result<Metadata, PortError> {
        if self.is(Fault::HeritageForgotten) {
            return Ok(Metadata::default());
        }
        self.port.inherited_from(folder)
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
        metadata: &Metadata,
    ) -> Result<u64, PortError> {
        let half = self.is(Fault::StageWritesHalf) && is_slot(at);
        let bytes = if half { &bytes[..bytes.len() / 2] } else { bytes };
        let mode = if self.is(Fault::StageDropsMode) { FileMode::REGULAR } else { mode };
        let bare = Metadata::default();
        let metadata = if self.is(Fault::StageDropsMetadata) { &bare } else { metadata };
        self.port.stage(at, bytes, mode, metadata)
    }

    fn stage_folder(&self, at: &Spot, metadata: &Metadata) -> Result<u64, PortError> {
        let inode = self.port.stage_folder(at, metadata)?;
        self.folder.set(inode);
        Ok(inode)
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

    fn space(&self) -> Result<Space, PortError> {
        let endless = Space { bytes: u64::MAX, files: None, largest: None };
        if self.is(Fault::EndlessSpace) { Ok(endless) } else { self.port.space() }
    }
}
