//! Before anything is written: is every target what the plan was made for, and what
//! must be made, moved and carried over.

use std::collections::{BTreeMap, BTreeSet};

use exacta_core::model::change::{Change, FileMode};
use exacta_core::model::digest::{Blob, Digest};
use exacta_core::model::path::RelPath;
use exacta_core::model::tree::TreeFault;

use crate::run::engine::Engine;
use crate::run::fault::{Drift, Found, StageError};
use crate::run::fold::{self, Folded, Named};
use crate::run::images::{ImageError, Images};
use crate::workspace::{Image, Metadata, PortError, Seen, Sight, Spot};

/// A folder that an earlier run made, to be removed if it is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OldFolder {
    pub(crate) path: RelPath,
    pub(crate) inode: u64,
}

/// A file that will leave its place.
pub(crate) struct Leaving {
    pub(crate) path: RelPath,
    pub(crate) step: String,
    pub(crate) before: Image,
    pub(crate) metadata: Metadata,
}

/// A file that gets a new image.
pub(crate) struct Arriving {
    pub(crate) path: RelPath,
    pub(crate) step: String,
    pub(crate) before: Option<Image>,
    pub(crate) after: Image,
    pub(crate) metadata: Metadata,
}

/// What staging needs to know beyond the files that get new images.
#[derive(Default)]
pub(crate) struct Survey {
    pub(crate) leaving: Vec<Leaving>,
    /// New folders, outermost first.
    pub(crate) folders: Vec<(RelPath, Metadata)>,
    /// What could never be restored as it is.
    pub(crate) lost: Vec<PortError>,
}

/// How a target differs from what was expected; `None` when it does not.
fn drift(expected: Option<Named>, sight: &Sight) -> Option<Found> {
    match (expected, sight) {
        (None, Sight::Absent) => None,
        (None, Sight::File(seen)) => Some(Found::Appeared(seen.image)),
        (Some(_), Sight::Absent) => Some(Found::Vanished),
        (Some((digest, mode)), Sight::File(seen)) => {
            if seen.image.digest != digest {
                Some(Found::Changed(seen.image))
            } else if mode.is_some_and(|mode| mode != seen.image.mode) {
                Some(Found::Mode(seen.image))
            } else {
                None
            }
        }
        (_, Sight::Unfit(fault)) => Some(Found::Unfit(fault.clone())),
    }
}

impl Engine<'_> {
    /// Every target that is not what the changes were made for; empty means no drift.
    ///
    /// # Errors
    /// When the changes contradict each other or the system does not say.
    pub fn drift(&self, changes: &[Change]) -> Result<Vec<Drift>, StageError> {
        let folded = fold::fold(changes).map_err(StageError::Inconsistent)?;
        let spots: Vec<Spot> = folded.iter().map(|item| Spot::target(&item.path)).collect();
        let mut surveyor = Surveyor::new(*self, &folded, &[], &Nowhere);
        for (sight, item) in self.port.see_all(&spots).into_iter().zip(folded) {
            surveyor.take_in(item, sight?)?;
        }
        match surveyor.end() {
            Ok(_) => Ok(Vec::new()),
            Err(StageError::Drift(drifts)) => Ok(drifts),
            Err(other) => Err(other),
        }
    }
}

/// Looking for drift needs no image.
struct Nowhere;

impl Images for Nowhere {
    fn image(&self, digest: &Digest) -> Result<Blob, ImageError> {
        Err(ImageError::Missing(*digest))
    }
}

/// What is known of a folder above a target.
enum Above {
    There,
    ToBeMade,
}

/// Compares targets with the plan, one after the other.
pub(crate) struct Surveyor<'e> {
    engine: Engine<'e>,
    images: &'e dyn Images,
    old_folders: &'e [OldFolder],
    leaving: BTreeSet<String>,
    known: BTreeMap<String, Above>,
    drifts: Vec<Drift>,
    survey: Survey,
}

impl<'e> Surveyor<'e> {
    pub(crate) fn new(
        engine: Engine<'e>,
        folded: &[Folded],
        old_folders: &'e [OldFolder],
        images: &'e dyn Images,
    ) -> Self {
        let leaving = folded
            .iter()
            .filter(|item| item.after.is_none())
            .map(|item| item.path.as_str().into())
            .collect();
        let (known, drifts, survey) = (BTreeMap::new(), Vec::new(), Survey::default());
        Self { engine, images, old_folders, leaving, known, drifts, survey }
    }

    /// One more target. Answers what must be written for it; once one target is not what
    /// the plan was made for, nothing must.
    pub(crate) fn take_in(
        &mut self,
        item: Folded,
        mut sight: Sight,
    ) -> Result<Option<Arriving>, StageError> {
        if self.makes_room(&sight, &item) {
            sight = Sight::Absent;
        }
        match drift(item.before, &sight) {
            Some(found) => self.drifts.push(Drift { path: item.path, found }),
            None if self.drifts.is_empty() => return self.plan(item, sight),
            None => {}
        }
        Ok(None)
    }

    /// What else must be made and moved.
    pub(crate) fn end(self) -> Result<Survey, StageError> {
        if self.drifts.is_empty() { Ok(self.survey) } else { Err(StageError::Drift(self.drifts)) }
    }

    /// Whether what is in the way of a new file leaves in this very run.
    fn makes_room(&self, sight: &Sight, item: &Folded) -> bool {
        item.before.is_none()
            && match sight {
                Sight::Unfit(TreeFault::NotAFolder(above)) => self.leaving.contains(above),
                Sight::Unfit(TreeFault::Folder) => {
                    self.old_folders.iter().any(|folder| folder.path == item.path)
                }
                _ => false,
            }
    }

    fn plan(&mut self, item: Folded, sight: Sight) -> Result<Option<Arriving>, StageError> {
        let Folded { path, after, step, .. } = item;
        match (sight, after) {
            (Sight::File(Seen { image: before, metadata, .. }), None) => {
                // Rolling the run back has to make the file again.
                let target = Spot::target(&path);
                self.survey.lost.extend(self.engine.port.can_remake(&target, &metadata).err());
                self.survey.leaving.push(Leaving { path, step, before, metadata });
                Ok(None)
            }
            (Sight::File(seen), Some((digest, mode))) => {
                let Seen { image: before, metadata, .. } = seen;
                let after = Image { digest, mode: mode.unwrap_or(before.mode) };
                let arriving = Arriving { path, step, before: Some(before), after, metadata };
                // A change that changes nothing needs no movement.
                Ok((before != after).then_some(arriving))
            }
            (_, Some((digest, mode))) => {
                let after = Image { digest, mode: mode.unwrap_or(FileMode::REGULAR) };
                let metadata = self.make_way(&path)?;
                Ok(Some(Arriving { path, step, before: None, after, metadata }))
            }
            (_, None) => Ok(None),
        }
    }

    /// Notes the folders a new file needs; returns what the file inherits or takes over.
    fn make_way(&mut self, path: &RelPath) -> Result<Metadata, StageError> {
        let port = self.engine.port;
        let mut missing = Vec::new();
        let mut nearest = Spot::root();
        for above in path.ancestors() {
            let folder =
                RelPath::parse(above).map_err(|_| StageError::Inconsistent(path.clone()))?;
            let there = match self.known.get(above) {
                Some(Above::There) => true,
                Some(Above::ToBeMade) => false,
                None => port.look_folder(&Spot::target(&folder))?.is_some(),
            };
            if there {
                self.known.insert(above.into(), Above::There);
                nearest = Spot::target(&folder);
                break;
            }
            missing.push(folder);
        }
        let metadata = port.inherited_from(&nearest)?;
        for folder in missing.into_iter().rev() {
            if self.known.insert(folder.as_str().into(), Above::ToBeMade).is_none() {
                self.survey.folders.push((folder, metadata.clone()));
            }
        }
        if let Some(spot) = self.images.origin(path)
            && let Sight::File(seen) = port.see(&spot)?
        {
            return Ok(seen.metadata);
        }
        Ok(metadata)
    }
}
