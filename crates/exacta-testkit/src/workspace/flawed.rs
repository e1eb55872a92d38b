//! A port with one planted fault, which the suite must notice.

use exacta_core::model::change::FileMode;
use exacta_core::model::tree::TreeFault;
use exacta_engine::workspace::{
    FolderSeen, Lock, Metadata, PortError, Scope, Sight, Space, Spot, Stamp, Workspace,
};
use rustix::io::Errno;

use super::ground::{Ground, MemoryGround, Planted};
use crate::shared::Shared;

/// What is wrong with the port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say what is wrong")]
pub enum Flaw {
    SeeFollowsLinks,
    SeeLosesModes,
    SeeLosesMetadata,
    SeeMissesSecondNames,
    SeeAllForgetsTheLast,
    ReadFollowsLinks,
    ReadInventsEmptyFiles,
    FoldersLookEmpty,
    FoldersLookTheSame,
    ListsAreUnsorted,
    StampsStandStill,
    InheritanceIsForgotten,
    StageReplaces,
    StageLosesModes,
    StageLosesMetadata,
    StageWritesHalf,
    StageReturnsAnyNumber,
    PrivateFoldersReplace,
    AppendTruncates,
    AppendLosesTheEnd,
    AppendFollowsLinks,
    SwapOverwrites,
    SwapDoesNothing,
    SwapKeepsModesInPlace,
    SwapOfOneIsFine,
    PlaceReplaces,
    PlaceCopies,
    PlaceDoesNotNameItsErrors,
    RemoveIgnoresFolders,
    RemoveFollowsLinks,
    FoldersAreRemovedWhole,
    LockForEveryone,
    LockIsNeverFreed,
    TurnForEveryone,
    NoRoom,
}

/// Every flaw.
pub const FLAWS: [Flaw; 35] = [
    Flaw::SeeFollowsLinks,
    Flaw::SeeLosesModes,
    Flaw::SeeLosesMetadata,
    Flaw::SeeMissesSecondNames,
    Flaw::SeeAllForgetsTheLast,
    Flaw::ReadFollowsLinks,
    Flaw::ReadInventsEmptyFiles,
    Flaw::FoldersLookEmpty,
    Flaw::FoldersLookTheSame,
    Flaw::ListsAreUnsorted,
    Flaw::StampsStandStill,
    Flaw::InheritanceIsForgotten,
    Flaw::StageReplaces,
    Flaw::StageLosesModes,
    Flaw::StageLosesMetadata,
    Flaw::StageWritesHalf,
    Flaw::StageReturnsAnyNumber,
    Flaw::PrivateFoldersReplace,
    Flaw::AppendTruncates,
    Flaw::AppendLosesTheEnd,
    Flaw::AppendFollowsLinks,
    Flaw::SwapOverwrites,
    Flaw::SwapDoesNothing,
    Flaw::SwapKeepsModesInPlace,
    Flaw::SwapOfOneIsFine,
    Flaw::PlaceReplaces,
    Flaw::PlaceCopies,
    Flaw::PlaceDoesNotNameItsErrors,
    Flaw::RemoveIgnoresFolders,
    Flaw::RemoveFollowsLinks,
    Flaw::FoldersAreRemovedWhole,
    Flaw::LockForEveryone,
    Flaw::LockIsNeverFreed,
    Flaw::TurnForEveryone,
    Flaw::NoRoom,
];

/// A project in memory whose port has one flaw.
pub struct Flawed {
    ground: MemoryGround,
    flaw: Flaw,
    held: Shared<Vec<Lock>>,
}

impl Flawed {
    /// An empty project with this flaw.
    #[must_use]
    pub fn new(flaw: Flaw) -> Self {
        Self { ground: MemoryGround::new(), flaw, held: Shared::default() }
    }

    fn is(&self, flaw: Flaw) -> bool {
        self.flaw == flaw
    }

    fn inner(&self) -> &dyn Workspace {
        self.ground.port()
    }

    /// The spot itself, or where a link there leads to if the flaw is this one.
    fn followed(&self, at: &Spot, flaw: Flaw) -> Spot {
        let target = if self.is(flaw) { self.ground.link_target(at) } else { None };
        target.unwrap_or_else(|| at.clone())
    }

    /// Writes a file anew with other bytes.
    fn rewrite(&self, at: &Spot, bytes: &[u8], mode: FileMode) -> Result<(), PortError> {
        self.inner().remove(at)?;
        self.inner().stage(at, bytes, mode, &Metadata::default()).map(|_| ())
    }

    fn mode_at(&self, at: &Spot) -> Result<FileMode, PortError> {
        match self.inner().see(at)? {
            Sight::File(seen) => Ok(seen.image.mode),
            _ => Err(PortError::Gone(at.clone())),
        }
    }
}

impl Ground for Flawed {
    fn port(&self) -> &dyn Workspace {
        self
    }

    fn other(&self) -> &dyn Workspace {
        self
    }

    fn plant(&self, path: &str, what: Planted<'_>) -> bool {
        self.ground.plant(path, what)
    }

    fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        self.ground.bytes(path)
    }
}

impl Workspace for Flawed {
    fn lock(&self) -> Result<Lock, PortError> {
        match self.inner().lock() {
            Err(PortError::Locked) if self.is(Flaw::LockForEveryone) => Ok(Lock::holding(())),
            Ok(lock) if self.is(Flaw::LockIsNeverFreed) => {
                self.held.borrow_mut().push(lock);
                Ok(Lock::holding(()))
            }
            other => other,
        }
    }

    fn turn(&self) -> Result<Lock, PortError> {
        if self.is(Flaw::TurnForEveryone) {
            return Ok(Lock::holding(()));
        }
        self.inner().turn()
    }

    fn see(&self, at: &Spot) -> Result<Sight, PortError> {
        let mut sight = self.inner().see(&self.followed(at, Flaw::SeeFollowsLinks))?;
        match &mut sight {
            Sight::File(seen) if self.is(Flaw::SeeLosesModes) => {
                seen.image.mode = FileMode::REGULAR;
            }
            Sight::File(seen) if self.is(Flaw::SeeLosesMetadata) => {
                seen.metadata = Metadata::default();
            }
            Sight::Unfit(TreeFault::HardLinked(_)) if self.is(Flaw::SeeMissesSecondNames) => {
                return Ok(Sight::Absent);
            }
            _ => {}
        }
        Ok(sight)
    }

    fn see_all(&self, spots: &[Spot]) -> Vec<Result<Sight, PortError>> {
        let mut sights = self.inner().see_all(spots);
        if self.is(Flaw::SeeAllForgetsTheLast) {
            sights.pop();
        }
        sights
    }

    fn stamp(&self, at: &Spot) -> Result<Option<Stamp>, PortError> {
        let stamp = self.inner().stamp(at)?;
        let still = |stamp: Stamp| Stamp { inode: stamp.inode, ..Stamp::default() };
        Ok(if self.is(Flaw::StampsStandStill) { stamp.map(still) } else { stamp })
    }

    fn read(&self, at: &Spot) -> Result<Vec<u8>, PortError> {
        match self.inner().read(&self.followed(at, Flaw::ReadFollowsLinks)) {
            Err(PortError::Gone(_)) if self.is(Flaw::ReadInventsEmptyFiles) => Ok(Vec::new()),
            other => other,
        }
    }

    fn look_folder(&self, at: &Spot) -> Result<Option<FolderSeen>, PortError> {
        let seen = self.inner().look_folder(at)?;
        Ok(seen.map(|seen| FolderSeen {
            inode: if self.is(Flaw::FoldersLookTheSame) { 1 } else { seen.inode },
            empty: seen.empty || self.is(Flaw::FoldersLookEmpty),
        }))
    }

    fn inherited_from(&self, folder: &Spot) -> Result<Metadata, PortError> {
        let inherited = self.inner().inherited_from(folder)?;
        let forgotten = self.is(Flaw::InheritanceIsForgotten);
        Ok(if forgotten { Metadata::default() } else { inherited })
    }

    fn list(&self, folder: &Spot) -> Result<Vec<String>, PortError> {
        let mut names = self.inner().list(folder)?;
        if self.is(Flaw::ListsAreUnsorted) {
            names.reverse();
        }
        Ok(names)
    }

    fn stage(
        &self,
        at: &Spot,
        bytes: &[u8],
        mode: FileMode,
        metadata: &Metadata,
    ) -> Result<u64, PortError> {
        let half = if self.is(Flaw::StageWritesHalf) { bytes.len() / 2 } else { bytes.len() };
        let mode = if self.is(Flaw::StageLosesModes) { FileMode::REGULAR } else { mode };
        let bare = Metadata::default();
        let metadata = if self.is(Flaw::StageLosesMetadata) { &bare } else { metadata };
        let staged = match self.inner().stage(at, &bytes[..half], mode, metadata) {
            Err(PortError::Taken(_)) if self.is(Flaw::StageReplaces) => {
                self.inner().remove(at)?;
                self.inner().stage(at, bytes, mode, metadata)
            }
            other => other,
        };
        staged.map(|inode| if self.is(Flaw::StageReturnsAnyNumber) { 1 } else { inode })
    }

    fn make_private(&self, at: &Spot) -> Result<(), PortError> {
        match self.inner().make_private(at) {
            Err(PortError::Refused { .. }) if self.is(Flaw::PrivateFoldersReplace) => {
                self.inner().remove(at)?;
                self.inner().make_private(at)
            }
            other => other,
        }
    }

    fn swap(&self, one: &Spot, other: &Spot) -> Result<(), PortError> {
        match self.flaw {
            Flaw::SwapDoesNothing => Ok(()),
            Flaw::SwapOverwrites => {
                self.inner().remove(other)?;
                self.inner().place(one, other)
            }
            Flaw::SwapKeepsModesInPlace => {
                let bytes = (self.inner().read(one)?, self.inner().read(other)?);
                let modes = (self.mode_at(one)?, self.mode_at(other)?);
                self.rewrite(one, &bytes.1, modes.0)?;
                self.rewrite(other, &bytes.0, modes.1)
            }
            _ => match self.inner().swap(one, other) {
                Err(PortError::Gone(_)) if self.is(Flaw::SwapOfOneIsFine) => Ok(()),
                swapped => swapped,
            },
        }
    }

    fn place(&self, from: &Spot, to: &Spot) -> Result<(), PortError> {
        if self.is(Flaw::PlaceCopies)
            && let Ok(bytes) = self.inner().read(from)
        {
            let mode = self.mode_at(from)?;
            return self.inner().stage(to, &bytes, mode, &Metadata::default()).map(|_| ());
        }
        match self.inner().place(from, to) {
            Err(PortError::Taken(_)) if self.is(Flaw::PlaceReplaces) => {
                self.inner().remove(to)?;
                self.inner().place(from, to)
            }
            Err(PortError::Taken(at)) if self.is(Flaw::PlaceDoesNotNameItsErrors) => {
                Err(PortError::System { act: "move", at, errno: Errno::EXIST })
            }
            other => other,
        }
    }

    fn append(&self, at: &Spot, bytes: &[u8]) -> Result<(), PortError> {
        if self.is(Flaw::AppendTruncates) {
            self.inner().remove(at)?;
        }
        let lost = usize::from(self.is(Flaw::AppendLosesTheEnd) && !bytes.is_empty());
        let at = self.followed(at, Flaw::AppendFollowsLinks);
        self.inner().append(&at, &bytes[..bytes.len() - lost])
    }

    fn remove(&self, at: &Spot) -> Result<(), PortError> {
        match self.inner().remove(&self.followed(at, Flaw::RemoveFollowsLinks)) {
            Err(PortError::System { .. }) if self.is(Flaw::RemoveIgnoresFolders) => Ok(()),
            other => other,
        }
    }

    fn remove_folder(&self, at: &Spot) -> Result<(), PortError> {
        if self.is(Flaw::FoldersAreRemovedWhole) {
            for name in self.inner().list(at)? {
                self.inner().remove(&super::ground::spot(&format!("{at}/{name}")))?;
            }
        }
        self.inner().remove_folder(at)
    }

    fn space(&self) -> Result<Space, PortError> {
        let space = self.inner().space()?;
        Ok(if self.is(Flaw::NoRoom) { Space { bytes: 0, ..space } } else { space })
    }

    fn stage_folder(&self, at: &Spot, metadata: &Metadata) -> Result<u64, PortError> {
        self.inner().stage_folder(at, metadata)
    }

    fn barrier(&self, scope: &Scope) -> Result<(), PortError> {
        self.inner().barrier(scope)
    }

    fn view(&self, into: &std::path::Path) -> Result<Box<dyn Workspace>, PortError> {
        self.inner().view(into)
    }
}
