//! Committing: the staged images take the place of the targets.
//!
//! Input: [`Staged`]. Output: [`Committed`], which is visible but can still go back,
//! and from that a [`Receipt`]. The two barriers of the protocol are here and nowhere
//! else on the way forward.

use std::collections::BTreeMap;

use exacta_core::model::digest::Digest;
use exacta_core::model::path::RelPath;
use exacta_core::model::tree::TreeFault;
use rustix::io::Errno;

use crate::run::engine::Engine;
use crate::run::fault::{Cause, CommitError, Drift, Found};
use crate::run::journal::{Fate, Milestone};
use crate::run::layout::{Shelf, manifest_in};
use crate::run::manifest::{Item, Manifest, Work};
use crate::run::receipt::{Receipt, RolledBack};
use crate::run::stage::RunFolder;
use crate::run::watch::{Phase, Progress, Watch};
use crate::workspace::{Image, Lock, Metadata, PortError, Scope, Seen, Sight, Spot, Stamp};

/// A run that is written beside the project. No target has been touched. Dropping it deletes
/// what was staged.
#[must_use = "a staged run is discarded unless it is committed"]
pub struct Staged<'a> {
    /// Dropped before the lock: nobody else may enter while the folder is deleted.
    pub(crate) folder: RunFolder<'a>,
    pub(crate) engine: Engine<'a>,
    pub(crate) lock: Lock,
    pub(crate) manifest: Manifest,
    pub(crate) digest: Digest,
    pub(crate) carried: CarriedMetadata,
}

/// Owner and attributes of what leaves its place, by slot, as they were carried over.
pub(crate) type CarriedMetadata = BTreeMap<String, Metadata>;

/// A file that was swapped out: its target, where it is now, and its stamp.
type Original = (RelPath, Spot, Stamp);

/// A run whose images are in place, but which is not yet on the record as completed.
#[must_use = "a committed run is rolled back by recovery unless it is sealed"]
pub struct Committed<'a> {
    run: Staged<'a>,
    /// The originals as they came out, in item order.
    originals: Vec<Original>,
}

impl<'a> Staged<'a> {
    /// The hash of the manifest that the journal will name.
    #[must_use]
    pub fn manifest(&self) -> Digest {
        self.digest
    }

    /// Puts every image in place, or none.
    ///
    /// # Errors
    /// See [`CommitError`]; it says whether the targets were rolled back.
    pub fn commit(mut self, watch: &dyn Watch) -> Result<Committed<'a>, CommitError> {
        self.folder.start();
        match self.swap_in(watch) {
            Ok(originals) => Ok(Committed { run: self, originals }),
            Err(cause) => Err(self.roll_back_after(cause)),
        }
    }

    /// Deletes the staged images, as dropping does.
    pub fn discard(self) {
        drop(self);
    }

    fn swap_in(&self, watch: &dyn Watch) -> Result<Vec<Original>, Cause> {
        let Engine { port, journal, .. } = self.engine;
        journal.record(&self.manifest.run, self.fate(Milestone::Started))?;
        port.barrier(&self.first_scope()).map_err(|error| self.cause_of(error))?;
        let total = self.manifest.items.len();
        for (moved, item) in self.manifest.items.iter().enumerate() {
            if watch.cancelled() {
                return Err(Cause::Cancelled);
            }
            self.move_in(item).map_err(|cause| match cause {
                Cause::Drift(found) => Cause::Drift(self.whole_drift(found, moved)),
                cause => cause,
            })?;
            watch.progress(Progress { phase: Phase::Swapping, done: moved + 1, total });
        }
        self.check_what_came_out()
    }

    /// Every target that is not what the plan was made for, once one was `found` after so many
    /// were `moved`: those that are in place already are judged by what came out.
    fn whole_drift(&self, found: Vec<Drift>, moved: usize) -> Vec<Drift> {
        let mut drifts = found;
        for (number, item) in self.manifest.items.iter().enumerate() {
            if item.is_folder() || drifts.iter().any(|drift| drift.path == item.path) {
                continue;
            }
            let at = if number < moved { self.slot(item) } else { item.target() };
            // What cannot be looked at now is not called changed.
            let Ok(sight) = self.engine.port.see(&at) else { continue };
            let found = match (item.before(), sight) {
                (Some(before), sight) => self.original(item, before, sight).err(),
                (None, Sight::File(seen)) if number >= moved => Some(Found::Appeared(seen.image)),
                (None, _) => None,
            };
            drifts.extend(found.map(|found| Drift { path: item.path.clone(), found }));
        }
        drifts.sort_by(|one, other| one.path.cmp(&other.path));
        drifts
    }

    /// Where the staged image of an item lies, and its original afterwards.
    fn slot(&self, item: &Item) -> Spot {
        item.slot_in(&self.folder.spot)
    }

    fn move_in(&self, item: &Item) -> Result<(), Cause> {
        let port = self.engine.port;
        let (slot, target) = (self.slot(item), item.target());
        let moved = match item.work {
            Work::Write { .. } => port.swap(&slot, &target),
            Work::Place { .. } | Work::PlaceFolder { .. } => port.place(&slot, &target),
            Work::Take { .. } => port.place(&target, &slot),
            Work::TakeFolder { .. } => {
                return Ok(self.engine.take_folder(item, &self.folder.spot)?);
            }
        };
        let found = match moved {
            Ok(()) => return Ok(()),
            Err(PortError::Gone(_)) => Found::Vanished,
            Err(PortError::Taken(at)) if at == target => match port.see(&target)? {
                Sight::File(seen) => Found::Appeared(seen.image),
                Sight::Unfit(fault) => Found::Unfit(fault),
                Sight::Absent => Found::Vanished,
            },
            // People know the target, not the slot it is exchanged with.
            Err(PortError::System { act, at, errno }) if at == slot => {
                return Err(Cause::Port(PortError::System { act, at: target, errno }));
            }
            Err(error) => return Err(self.cause_of(error)),
        };
        Err(Cause::Drift(vec![Drift { path: item.path.clone(), found }]))
    }

    /// A target that became something else is drift, whichever operation met it.
    fn cause_of(&self, error: PortError) -> Cause {
        let PortError::Refused { at, fault } = &error else { return error.into() };
        match self.manifest.items.iter().find(|item| item.target() == *at) {
            Some(item) => {
                let (path, found) = (item.path.clone(), Found::Unfit(fault.clone()));
                Cause::Drift(vec![Drift { path, found }])
            }
            None => error.into(),
        }
    }

    /// Only once it is out of its place is it certain what a target was: a file that someone
    /// saved at the last moment is in its slot, and goes back.
    fn check_what_came_out(&self) -> Result<Vec<Original>, Cause> {
        let items: Vec<&Item> =
            self.manifest.items.iter().filter(|item| item.before().is_some()).collect();
        let slots: Vec<Spot> = items.iter().map(|item| self.slot(item)).collect();
        let (mut drifts, mut originals) = (Vec::new(), Vec::new());
        let mut sights = self.engine.port.see_all(&slots).into_iter();
        for (item, slot) in items.into_iter().zip(slots) {
            let (path, Some(before)) = (&item.path, item.before()) else { continue };
            // What was not looked at may be anything.
            let unseen = || PortError::System { act: "read", at: slot.clone(), errno: Errno::IO };
            let sight = sights.next().unwrap_or_else(|| Err(unseen()))?;
            match self.original(item, before, sight) {
                Ok(seen) => originals.push((path.clone(), slot, seen.stamp)),
                Err(found) => drifts.push(Drift { path: path.clone(), found }),
            }
        }
        if drifts.is_empty() { Ok(originals) } else { Err(Cause::Drift(drifts)) }
    }

    /// The original of an item, if that is what was seen; otherwise how it differs.
    fn original(&self, item: &Item, before: Image, sight: Sight) -> Result<Seen, Found> {
        match sight {
            Sight::File(seen) if seen.image.digest != before.digest => {
                Err(Found::Changed(seen.image))
            }
            Sight::File(seen) if seen.image != before => Err(Found::Mode(seen.image)),
            // What was carried over is no longer what the file had.
            Sight::File(seen) if self.carried.get(&item.slot) != Some(&seen.metadata) => {
                Err(Found::Metadata)
            }
            Sight::File(seen) => Ok(seen),
            // People know the target, not its slot.
            Sight::Unfit(TreeFault::Symlink(at)) if at == self.slot(item).as_str() => {
                Err(Found::Unfit(TreeFault::Symlink(item.path.as_str().into())))
            }
            Sight::Unfit(fault) => Err(Found::Unfit(fault)),
            Sight::Absent => Err(Found::Vanished),
        }
    }

    fn fate(&self, event: Milestone) -> Fate {
        Fate { event, manifest: self.digest }
    }

    /// Everything that recovery relies on, and the originals that undo relies on.
    fn first_scope(&self) -> Scope {
        let mut scope = Scope {
            files: vec![manifest_in(&self.folder.spot)],
            folders: vec![
                self.folder.spot.clone(),
                Shelf::Runs.spot(),
                Spot::state(),
                Spot::root(),
            ],
        };
        for item in &self.manifest.items {
            match item.work {
                Work::Write { .. } => {
                    scope.files.extend([self.slot(item), item.target()]);
                }
                Work::Place { .. } => scope.files.push(self.slot(item)),
                Work::Take { .. } => scope.files.push(item.target()),
                Work::PlaceFolder { .. } => scope.folders.push(self.slot(item)),
                Work::TakeFolder { .. } => {}
            }
        }
        self.engine.with_journal(scope)
    }

    fn roll_back_after(self, cause: Cause) -> CommitError {
        match self.engine.settle_back(&self.manifest, self.digest, &self.folder.spot) {
            Ok(conflicts) => CommitError::RolledBack { cause, conflicts },
            Err(obstacles) => CommitError::Unsettled { cause, obstacles },
        }
    }
}

impl Committed<'_> {
    /// Records the run as completed; from now on only undo reverses it.
    ///
    /// # Errors
    /// See [`CommitError`]; it says whether the targets were rolled back.
    pub fn seal(self) -> Result<Receipt, CommitError> {
        let Self { run, originals } = self;
        let engine = run.engine;
        let id = &run.manifest.run;
        let sealed = engine.journal.record(id, run.fate(Milestone::Completed)).and_then(|()| {
            engine.port.barrier(&engine.second_scope(&run.manifest, &run.folder.spot))
        });
        if let Err(error) = sealed {
            return Err(run.roll_back_after(error.into()));
        }
        let written = |(_, slot, stamp): &Original| !matches!(engine.port.stamp(slot), Ok(Some(now)) if now.has_bytes_of(stamp));
        let late = originals.into_iter().filter(written).map(|(path, ..)| path).collect();
        // A shelf mark, not part of the promise: where it is lost, recovery looks at the
        // run once more and finds it done.
        let _ = engine.port.place(&run.folder.spot, &Shelf::Kept.of(id, engine.key));
        drop(run.lock);
        Ok(Receipt::of(&run.manifest, run.digest, late))
    }

    /// Rolls the run back.
    ///
    /// # Errors
    /// [`CommitError::Unsettled`] when something stands in the way.
    pub fn roll_back(self) -> Result<RolledBack, CommitError> {
        let Self { run, .. } = self;
        let id = run.manifest.run.clone();
        match run.roll_back_after(Cause::Asked) {
            CommitError::RolledBack { conflicts, .. } => Ok(RolledBack { run: id, conflicts }),
            unsettled @ CommitError::Unsettled { .. } => Err(unsettled),
        }
    }
}
