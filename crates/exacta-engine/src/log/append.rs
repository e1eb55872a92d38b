//! Adding to the record: one lock, one write, one sync; then projections, then the head
//! outside, then the answer.

use exacta_core::ledger::Stream;
use exacta_core::record::{self, Actor, CommandKey, Entry, Event};
use exacta_core::tree::TreeFault;

use super::error::{AppendError, LogError};
use super::open::{Log, View};
use super::{place, snapshot};
use crate::machine::time_text;
use crate::outer::Checkpoint;
use crate::workspace::{PortError, Scope, Spot, replace};

/// What somebody wants to add, and what they believe about the record.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Who.
    pub actor: Actor,
    /// The idempotency key of the command.
    pub key: Option<CommandKey>,
    /// The versions that the decision rests on.
    pub expects: Vec<(Stream, u64)>,
    /// What happened.
    pub events: Vec<Event>,
}

/// When an append becomes durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Durable {
    /// Before it is acknowledged.
    Now,
    /// With the next barrier of the run that it belongs to.
    WithTheRun,
}

impl Log<'_> {
    /// Adds events, all of them or none.
    ///
    /// # Errors
    /// [`AppendError::Moved`] when the record is not what was believed.
    pub fn append(&self, wanted: &Wanted) -> Result<Vec<Entry>, AppendError> {
        self.add(wanted, Durable::Now)
    }

    /// The same, if `holds` says so when it is our turn: for what others may change only
    /// in a turn of their own.
    ///
    /// # Errors
    /// [`AppendError::Moved`] also when it does not hold.
    pub(crate) fn append_if(
        &self,
        wanted: &Wanted,
        holds: &dyn Fn() -> Result<bool, PortError>,
    ) -> Result<Vec<Entry>, AppendError> {
        self.add_if(wanted, Durable::Now, holds)
    }

    /// Adds the first entries, unless another process was faster.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn begin(&self, wanted: &Wanted) -> Result<(), LogError> {
        let turn = self.port.turn()?;
        self.look_again()?;
        if self.ledger().entries() == 0 {
            self.mend()?;
            let added = self.write(wanted, Durable::Now)?;
            self.told_if_behind(self.acknowledge(&added));
        }
        drop(turn);
        Ok(())
    }

    /// Writes what a dead process left undone: projections and the head outside. Nothing
    /// has happened yet that projections would have to follow, so that one which cannot be
    /// written is merely told; but without the head outside nothing is to be added.
    ///
    /// # Errors
    /// When the record or the head outside cannot be written.
    pub fn settle(&self) -> Result<(), LogError> {
        // Projections are not synced; what the last boot wrote may be lost.
        let boot = self.machine.now()?.boot;
        let ended = |view: &View| {
            let newest = view.reader.ledger.newest();
            newest.map(|newest| newest.boot.clone()).filter(|newest| *newest != boot)
        };
        let ended = ended(&self.view.borrow())
            .filter(|_| self.restored_in.borrow().as_ref() != Some(&boot));
        if self.is_acknowledged() && ended.is_none() {
            return Ok(());
        }
        let turn = self.port.turn()?;
        self.look_again()?;
        // What a dead process added may not have reached the disk, and the head outside
        // must never be ahead of the record: it would look as if the record were cut.
        self.mend()?;
        self.port.barrier(&scope(self.segment_now(), true))?;
        match self.acknowledge(&[]) {
            Err(error @ LogError::Port(_)) => self.told_if_behind(Err(error)),
            other => other?,
        }
        if let Some(ended) = ended {
            let entries = self.entries()?;
            let restored = self.projector.restore(&self.ledger(), &entries, &ended);
            if restored.is_ok() {
                *self.restored_in.borrow_mut() = Some(boot);
            }
            self.told_if_behind(restored.map_err(LogError::Port));
        }
        drop(turn);
        Ok(())
    }

    /// The same after something has happened. It is on the record; what cannot be derived
    /// from it now is told, and the next command that writes does it.
    pub(crate) fn settle_after(&self) {
        self.told_if_behind(self.settle());
    }

    /// Projects and notes what a run's own barrier has made durable.
    pub(crate) fn note_synced(&self) {
        self.told_if_behind(self.try_to_note_synced());
    }

    /// Remembers what is behind the record, for whoever has a way to tell it.
    fn told_if_behind(&self, brought: Result<(), LogError>) {
        if let Err(error) = brought {
            self.behind.borrow_mut().push(error);
        }
    }

    fn try_to_note_synced(&self) -> Result<(), LogError> {
        let turn = self.port.turn()?;
        let before = self.ledger().entries();
        self.look_again()?;
        if self.ledger().entries() != before || self.view.borrow().torn {
            // Somebody added to the record meanwhile, and perhaps left that to a barrier of
            // their own.
            drop(turn);
            return self.settle();
        }
        let noted = self.acknowledge(&[]);
        drop(turn);
        noted
    }

    pub(super) fn add(&self, wanted: &Wanted, durable: Durable) -> Result<Vec<Entry>, AppendError> {
        self.add_if(wanted, durable, &|| Ok(true))
    }

    fn add_if(
        &self,
        wanted: &Wanted,
        durable: Durable,
        holds: &dyn Fn() -> Result<bool, PortError>,
    ) -> Result<Vec<Entry>, AppendError> {
        let turn = self.port.turn()?;
        self.look_again()?;
        self.still_holds(wanted)?;
        if !holds()? {
            return Err(AppendError::Moved);
        }
        self.mend()?;
        if durable == Durable::Now {
            self.can_be_noted()?;
        }
        let entries = self.write(wanted, durable)?;
        if durable == Durable::Now {
            // It has happened. What is derived from it comes back by itself.
            self.told_if_behind(self.acknowledge(&entries));
        }
        drop(turn);
        Ok(entries)
    }

    /// Notes the head outside once more, to learn before anything is added whether the next
    /// one can be noted there.
    fn can_be_noted(&self) -> Result<(), LogError> {
        let (noted, entries) = (self.view.borrow().noted, self.ledger().entries());
        if noted == entries && entries > 0 {
            let projected = self.view.borrow().projected;
            self.vouchers.checkpoints.note(&Checkpoint {
                entries,
                head: self.head(),
                projected,
            })?;
        }
        Ok(())
    }

    /// Whether the head outside and everything derived have followed the record.
    fn is_acknowledged(&self) -> bool {
        let (entries, view) = (self.ledger().entries(), self.view.borrow());
        view.noted == entries && view.projected == entries
    }

    fn still_holds(&self, wanted: &Wanted) -> Result<(), AppendError> {
        let ledger = self.ledger();
        if let Some(made) = wanted.key.as_ref().and_then(|key| ledger.done_under(&key.key)) {
            return Err(AppendError::Done { made: made.made.clone() });
        }
        let holds = |(stream, version): &(Stream, u64)| ledger.version(stream) == *version;
        if wanted.expects.iter().all(holds) { Ok(()) } else { Err(AppendError::Moved) }
    }

    /// Cuts off an append that a dying process did not finish.
    fn mend(&self) -> Result<(), LogError> {
        let (at, good, torn) = {
            let view = self.view.borrow();
            (place::segment(view.segment.max(1)), view.good, view.torn)
        };
        if !torn {
            return Ok(());
        }
        let bytes = self.port.read(&at)?;
        replace(self.port, &at, bytes.get(..good).unwrap_or_default())?;
        // It is another file now. Before anything is added, its name must lead to it.
        self.port.barrier(&scope(at, true))?;
        self.view.borrow_mut().torn = false;
        Ok(())
    }

    fn write(&self, wanted: &Wanted, durable: Durable) -> Result<Vec<Entry>, LogError> {
        if durable == Durable::Now {
            self.turn_over()?;
        }
        let entries = self.entries_of(wanted)?;
        let mut text = String::new();
        let mut sealed = Vec::with_capacity(entries.len());
        let last = entries.len();
        let mut head = self.head();
        for (number, mut entry) in entries.into_iter().enumerate() {
            entry.prev = head;
            let mut line = record::seal(&entry)?;
            if number + 1 == last {
                let message = record::to_sign(self.vouchers.project, &line);
                let signature = self.vouchers.signer.sign(&message);
                line = record::with_signature(line, &signature);
                entry.sig = Some(signature);
            }
            head = record::link(line.as_bytes());
            text.push_str(&line);
            text.push('\n');
            sealed.push(entry);
        }
        let first = self.view.borrow().segment == 0;
        if first {
            self.port.make_private(&Spot::state())?;
            self.port.make_private(&place::folder())?;
        }
        let at = self.segment_now();
        // Until all of it is known to be there, what follows may be torn.
        self.view.borrow_mut().torn = true;
        self.port.append(&at, text.as_bytes())?;
        if durable == Durable::Now {
            let fresh = self.view.borrow().good == 0;
            if let Err(error) = self.port.barrier(&scope(at, fresh)) {
                // Whoever is told that it failed must not find it done.
                return Err(match self.mend() {
                    Ok(()) => error.into(),
                    Err(_) => LogError::Unsure(error),
                });
            }
        }
        let mut view = self.view.borrow_mut();
        for entry in &sealed {
            view.reader.ledger.add(entry);
        }
        view.reader.head = head;
        view.segment = view.segment.max(1);
        view.good += text.len();
        view.torn = false;
        Ok(sealed)
    }

    fn entries_of(&self, wanted: &Wanted) -> Result<Vec<Entry>, LogError> {
        let at = self.machine.now()?;
        let time = time_text(at.wall_ms);
        let (head, seq) = (self.head(), self.ledger().entries());
        let entry = |(number, event): (usize, &Event)| Entry {
            prev: head,
            seq: seq + number as u64 + 1,
            time: time.clone(),
            at: at.clone(),
            actor: wanted.actor.clone(),
            key: wanted.key.as_ref().map(|key| key.key.clone()),
            command: wanted.key.as_ref().map(|key| key.command),
            event: event.clone(),
            sig: None,
        };
        Ok(wanted.events.iter().enumerate().map(entry).collect())
    }

    /// Begins a new segment when the newest one is full.
    fn turn_over(&self) -> Result<(), LogError> {
        let (segment, good, snapshot) = {
            let view = self.view.borrow();
            (view.segment, view.good, view.snapshot)
        };
        if good < place::segment_bytes(snapshot) {
            return Ok(());
        }
        // A run may have left its newest entry to a barrier of its own, which will not
        // name this segment any more once there is another.
        self.port.barrier(&scope(place::segment(segment), false))?;
        let next = segment + 1;
        let bytes = {
            let view = self.view.borrow();
            snapshot::write(&view.reader, self.vouchers.project, next, self.vouchers.key)?
        };
        self.port.make_private(&place::snapshots())?;
        match replace(self.port, &place::snapshot(next), &bytes) {
            // The segment grows on, and starts take longer; nothing is lost.
            Err(PortError::Refused { fault: TreeFault::TooLarge { .. }, .. }) => return Ok(()),
            other => other?,
        }
        // Each holds everything before it, so old ones are of no use. The one before stays:
        // the newest is not synced and may be lost with the power.
        for name in self.port.list(&place::snapshots())? {
            if place::snapshot_number_of(&name).is_some_and(|number| number < segment) {
                self.port.remove(&place::snapshots().within(&name))?;
            }
        }
        let mut view = self.view.borrow_mut();
        (view.segment, view.good, view.snapshot) = (next, 0, bytes.len());
        Ok(())
    }

    /// What was added since everything derived had followed.
    ///
    /// # Errors
    /// When a segment cannot be read.
    pub(crate) fn unprojected(&self) -> Result<Vec<Entry>, LogError> {
        let projected = self.view.borrow().projected;
        self.newest(self.ledger().entries().saturating_sub(projected))
    }

    /// Projects what was added since that was done, and notes the new head. `added` is what
    /// this process added just now. Where something cannot be projected the head is noted
    /// all the same: what was said to have happened must not be cut off unseen.
    fn acknowledge(&self, added: &[Entry]) -> Result<(), LogError> {
        let (before, entries) = (self.view.borrow().projected, self.ledger().entries());
        let projected = self.projected(added);
        let reached = if projected.is_ok() { entries } else { before };
        let checkpoint = Checkpoint { entries, head: self.head(), projected: reached };
        self.vouchers.checkpoints.note(&checkpoint)?;
        let mut view = self.view.borrow_mut();
        (view.noted, view.projected) = (entries, reached);
        projected
    }

    fn projected(&self, added: &[Entry]) -> Result<(), LogError> {
        let fresh = self.ledger().entries().saturating_sub(self.view.borrow().projected);
        if fresh == added.len() as u64 && fresh > 0 {
            self.projector.project(&self.ledger(), added)?;
        } else if fresh > 0 {
            self.projector.project(&self.ledger(), &self.newest(fresh)?)?;
        }
        Ok(())
    }

    /// The newest `count` entries.
    fn newest(&self, count: u64) -> Result<Vec<Entry>, LogError> {
        let (mut number, good) = {
            let view = self.view.borrow();
            (view.segment, view.good)
        };
        let mut whole = Some(good);
        let mut newest: Vec<Entry> = Vec::new();
        while number > 0 && (newest.len() as u64) < count {
            let bytes = match self.port.read(&place::segment(number)) {
                Ok(bytes) => bytes,
                Err(PortError::Gone(_)) => Vec::new(),
                Err(error) => return Err(error.into()),
            };
            // Behind what was read there may be half an append.
            let bytes = whole.take().and_then(|good| bytes.get(..good)).unwrap_or(&bytes);
            let mut lines: Vec<&[u8]> =
                bytes.split(|b| *b == b'\n').filter(|line| !line.is_empty()).collect();
            while let Some(line) = lines.pop() {
                if newest.len() as u64 == count {
                    break;
                }
                let entry = record::read(line).map_err(|fault| LogError::line(0, &fault))?;
                newest.push(entry);
            }
            number -= 1;
        }
        newest.reverse();
        Ok(newest)
    }
}

fn scope(at: Spot, fresh: bool) -> Scope {
    let folders = if fresh { vec![at.folder(), Spot::state(), Spot::root()] } else { Vec::new() };
    Scope { files: vec![at], folders }
}
