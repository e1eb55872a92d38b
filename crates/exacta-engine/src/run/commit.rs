//! Committing: the staged images take the place of the targets.
//!
//! Input: [`Staged`]. Output: [`Committed`], which is visible but can still go back,
//! and from that a [`Receipt`]. The two barriers of the protocol are here and nowhere
//! else on the way forward.

use std::cell::Cell;
use std::collections::BTreeMap;

use exacta_core::digest::Digest;
use exacta_core::path::RelPath;
use exacta_core::tree::TreeFault;
use rustix::io::Errno;

use crate::run::engine::Engine;
use crate::run::fault::{Cause, CommitError, Drift, Found};
use crate::run::journal::{Event, Fate};
use crate::run::layout::{Shelf, manifest_in};
use crate::run::manifest::{Item, Manifest, Work};
use crate::run::receipt::{Receipt, RolledBack};
use crate::run::watch::{Phase, Progress, Watch};
use crate::workspace::{Dress, Image, Lock, PortError, Scope, Seen, Sight, Spot, Stamp};

/// A run that is written beside the project. No target has been touched.
#[must_use = "a staged run does nothing until it is committed or discarded"]
pub struct Staged<'a> {
    pub(crate) engine: Engine<'a>,
    pub(crate) lock: Lock,
    pub(crate) folder: Spot,
    pub(crate) manifest: Manifest,
    pub(crate) digest: Digest,
    pub(crate) dresses: Dresses,
}

/// Owner and attributes of what leaves its place, by slot, as they were carried over.
pub(crate) type Dresses = BTreeMap<String, Dress>;

/// A file that was swapped out: its target, where it is now, and its stamp.
type Original = (RelPath, Spot, Stamp);

/// A run whose images are in place, but which is not yet on the record as completed.
#[must_use = "a committed run is taken back by recovery unless it is sealed"]
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
    /// See [`CommitError`]; it says whether the targets were brought back.
    pub fn commit(self, watch: &dyn Watch) -> Result<Committed<'a>, CommitError> {
        match self.swap_in(watch) {
            Ok(originals) => Ok(Committed { run: self, originals }),
            Err(cause) => Err(self.turn_back(cause)),
        }
    }

    /// Throws the staged images away.
    pub fn discard(self) {
        self.engine.discard(&self.manifest.run, &self.folder);
    }

    fn swap_in(&self, watch: &dyn Watch) -> Result<Vec<Original>, Cause> {
        let Engine { port, journal, .. } = self.engine;
        journal.record(&self.manifest.run, self.fate(Event::Started))?;
        port.barrier(&self.first_scope()).map_err(|error| self.cause_of(error))?;
        let moved = Cell::new(0);
        let total = self.manifest.items.len();
        let move_next = |item: &Item| {
            if watch.cancelled() {
                return Err(Cause::Cancelled);
            }
            self.move_in(item)?;
            let done = moved.get() + 1;
            moved.set(done);
            watch.progress(Progress { phase: Phase::Swapping, done, total });
            Ok(())
        };
        let mut items = self.manifest.items.iter();
        let mut outcome = Ok(());
        let slots: Vec<Spot> = self.leaving().map(|item| item.slot_in(&self.folder)).collect();
        let sights = port.see_behind(&slots, &mut |_| {
            // Whatever stands before the next item that leaves something in its slot.
            for item in items.by_ref() {
                outcome = move_next(item);
                if outcome.is_err() || item.before().is_some() {
                    break;
                }
            }
            outcome.is_ok()
        });
        match outcome.and_then(|()| items.try_for_each(move_next)) {
            Ok(()) => self.check_what_came_out(slots, sights),
            Err(Cause::Drift(found)) => Err(Cause::Drift(self.whole_drift(found, moved.get()))),
            Err(cause) => Err(cause),
        }
    }

    /// Every target that is not what the plan was made for, once one was `found` after so many
    /// were `moved`: those that are in place already are judged by what came out.
    fn whole_drift(&self, found: Vec<Drift>, moved: usize) -> Vec<Drift> {
        let mut drifts = found;
        for (number, item) in self.manifest.items.iter().enumerate() {
            if item.is_folder() || drifts.iter().any(|drift| drift.path == item.path) {
                continue;
            }
            let at = if number < moved { item.slot_in(&self.folder) } else { item.target() };
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

    /// The items whose originals are in their slots afterwards.
    fn leaving(&self) -> impl Iterator<Item = &Item> {
        self.manifest.items.iter().filter(|item| item.before().is_some())
    }

    fn move_in(&self, item: &Item) -> Result<(), Cause> {
        let port = self.engine.port;
        let (slot, target) = (item.slot_in(&self.folder), item.target());
        let moved = match item.work {
            Work::Write { .. } => port.swap(&slot, &target),
            Work::Place { .. } | Work::PlaceFolder { .. } => port.place(&slot, &target),
            Work::Take { .. } => port.place(&target, &slot),
            Work::TakeFolder { .. } => return Ok(self.engine.take_folder(item, &self.folder)?),
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
    fn check_what_came_out(
        &self,
        slots: Vec<Spot>,
        sights: Vec<Result<Sight, PortError>>,
    ) -> Result<Vec<Original>, Cause> {
        let (mut drifts, mut originals) = (Vec::new(), Vec::new());
        let mut sights = sights.into_iter();
        for (item, slot) in self.leaving().zip(slots) {
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
            Sight::File(seen) if self.dresses.get(&item.slot) != Some(&seen.dress) => {
                Err(Found::Dress)
            }
            Sight::File(seen) => Ok(seen),
            // People know the target, not its slot.
            Sight::Unfit(TreeFault::Symlink(at)) if at == item.slot_in(&self.folder).as_str() => {
                Err(Found::Unfit(TreeFault::Symlink(item.path.as_str().into())))
            }
            Sight::Unfit(fault) => Err(Found::Unfit(fault)),
            Sight::Absent => Err(Found::Vanished),
        }
    }

    fn fate(&self, event: Event) -> Fate {
        Fate { event, manifest: self.digest }
    }

    /// Everything that recovery relies on, and the originals that undo relies on.
    fn first_scope(&self) -> Scope {
        let mut scope = Scope {
            files: vec![manifest_in(&self.folder)],
            folders: vec![self.folder.clone(), Shelf::Runs.spot(), Spot::state(), Spot::root()],
        };
        for item in &self.manifest.items {
            match item.work {
                Work::Write { .. } => {
                    scope.files.extend([item.slot_in(&self.folder), item.target()]);
                }
                Work::Place { .. } => scope.files.push(item.slot_in(&self.folder)),
                Work::Take { .. } => scope.files.push(item.target()),
                Work::PlaceFolder { .. } => scope.folders.push(item.slot_in(&self.folder)),
                Work::TakeFolder { .. } => {}
            }
        }
        self.engine.with_journal(scope)
    }

    fn turn_back(self, cause: Cause) -> CommitError {
        match self.engine.settle_back(&self.manifest, self.digest, &self.folder) {
            Ok(conflicts) => CommitError::RolledBack { cause, conflicts },
            Err(obstacles) => CommitError::Unsettled { cause, obstacles },
        }
    }
}

impl Committed<'_> {
    /// Puts the run on the record as completed; from now on only undo takes it back.
    ///
    /// # Errors
    /// See [`CommitError`]; it says whether the targets were brought back.
    pub fn seal(self) -> Result<Receipt, CommitError> {
        let Self { run, originals } = self;
        let engine = run.engine;
        let id = &run.manifest.run;
        let sealed = engine
            .journal
            .record(id, run.fate(Event::Completed))
            .and_then(|()| engine.port.barrier(&engine.second_scope(&run.manifest, &run.folder)));
        if let Err(error) = sealed {
            return Err(run.turn_back(error.into()));
        }
        let written = |(_, slot, stamp): &Original| !matches!(engine.port.stamp(slot), Ok(Some(now)) if now.has_bytes_of(stamp));
        let late = originals.into_iter().filter(written).map(|(path, ..)| path).collect();
        // A shelf mark, not part of the promise: where it is lost, recovery looks at the
        // run once more and finds it done.
        let _ = engine.port.place(&run.folder, &Shelf::Kept.of(id, engine.key));
        drop(run.lock);
        Ok(Receipt::of(&run.manifest, run.digest, late))
    }

    /// Takes the run back.
    ///
    /// # Errors
    /// [`CommitError::Unsettled`] when something stands in the way.
    pub fn roll_back(self) -> Result<RolledBack, CommitError> {
        let Self { run, .. } = self;
        let id = run.manifest.run.clone();
        match run.turn_back(Cause::Asked) {
            CommitError::RolledBack { conflicts, .. } => Ok(RolledBack { run: id, conflicts }),
            unsettled @ CommitError::Unsettled { .. } => Err(unsettled),
        }
    }
}
