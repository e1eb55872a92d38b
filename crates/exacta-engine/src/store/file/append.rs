//! Adding to the record: one lock, one write, one sync; then projections, then the head
//! outside, then the answer.

use exacta_core::model::tree::TreeFault;
use exacta_core::record::{self, Entry, Stamp};

use super::open::{FileStore, segment_now};
use super::{place, snapshot};
use crate::machine::time_text;
use crate::store::{Added, AppendError, Durable, LogError, Replica, Terms, Wanted};
use crate::trust::Checkpoint;
use crate::workspace::{PortError, Scope, Spot, replace};

impl FileStore {
    pub(super) fn add(
        &self,
        replica: &mut Replica,
        wanted: &Wanted,
        terms: Terms<'_>,
    ) -> Result<Added, AppendError> {
        let turn = self.port.turn()?;
        self.look(replica)?;
        replica.allows(wanted)?;
        if !(terms.holds)()? {
            return Err(AppendError::Moved);
        }
        self.mend(replica)?;
        let now = terms.durable == Durable::Now;
        if now {
            self.can_be_noted(replica)?;
        }
        let entries = self.write(replica, wanted, terms.durable)?;
        // It has happened. What is derived from it comes back by itself.
        let behind = if now { self.acknowledge(replica, &entries).err() } else { None };
        drop(turn);
        Ok(Added { entries, behind })
    }

    /// Notes the head outside once more, to learn before anything is added whether the next
    /// one can be noted there.
    fn can_be_noted(&self, replica: &Replica) -> Result<(), LogError> {
        let (head, projected) = (replica.head(), replica.mark.projected);
        if replica.mark.noted == head.entries && head.entries > 0 {
            let entries = head.entries;
            self.vouchers.checkpoints.note(&Checkpoint { entries, head: head.link, projected })?;
        }
        Ok(())
    }

    /// Cuts off an append that a dying process did not finish.
    pub(super) fn mend(&self, replica: &mut Replica) -> Result<(), LogError> {
        if !replica.mark.torn {
            return Ok(());
        }
        let at = segment_now(replica);
        let bytes = self.port.read(&at)?;
        replace(self.port.as_ref(), &at, bytes.get(..replica.mark.good).unwrap_or_default())?;
        // It is another file now. Before anything is added, its name must lead to it.
        self.port.barrier(&scope(at, true))?;
        replica.mark.torn = false;
        Ok(())
    }

    fn write(
        &self,
        replica: &mut Replica,
        wanted: &Wanted,
        durable: Durable,
    ) -> Result<Vec<Entry>, LogError> {
        if durable == Durable::Now {
            self.turn_over(replica)?;
        }
        let at = self.machine.now()?;
        let time = time_text(at.wall_ms);
        let stamp = Stamp { actor: wanted.actor.clone(), at, key: wanted.key.clone(), time };
        let sign =
            |line: &str| self.vouchers.signer.sign(&record::to_sign(&self.vouchers.project, line));
        let (mut head, mut text) = (replica.head(), String::new());
        let mut added = Vec::with_capacity(wanted.events.len());
        for (number, event) in wanted.events.iter().enumerate() {
            // The last one is signed; the chain carries that back over those before it.
            let sign: Option<&dyn Fn(&str) -> String> =
                if number + 1 == wanted.events.len() { Some(&sign) } else { None };
            let sealed = record::seal(&head, event.clone(), &stamp, sign)?;
            head = sealed.head;
            text.push_str(&sealed.line);
            text.push('\n');
            added.push((sealed.entry, head.link));
        }
        if replica.mark.segment == 0 {
            self.port.make_private(&Spot::state())?;
            self.port.make_private(&place::folder())?;
        }
        let at = segment_now(replica);
        // Until all of it is known to be there, what follows may be torn.
        replica.mark.torn = true;
        self.port.append(&at, text.as_bytes())?;
        if durable == Durable::Now {
            let fresh = replica.mark.good == 0;
            if let Err(error) = self.port.barrier(&scope(at, fresh)) {
                // Whoever is told that it failed must not find it done.
                return Err(match self.mend(replica) {
                    Ok(()) => error.into(),
                    Err(_) => LogError::Unsure(error),
                });
            }
        }
        for (entry, link) in &added {
            replica.add(entry, *link);
        }
        replica.mark.segment = replica.mark.segment.max(1);
        replica.mark.good += text.len();
        replica.mark.torn = false;
        Ok(added.into_iter().map(|(entry, _)| entry).collect())
    }

    /// Begins a new segment when the newest one is full.
    fn turn_over(&self, replica: &mut Replica) -> Result<(), LogError> {
        let segment = replica.mark.segment;
        if replica.mark.good < place::segment_bytes(replica.mark.snapshot) {
            return Ok(());
        }
        // A run may have left its newest entry to a barrier of its own, which will not
        // name this segment any more once there is another.
        self.port.barrier(&scope(place::segment(segment), false))?;
        let next = segment + 1;
        let bytes = snapshot::write(replica, &self.vouchers.project, next, &self.vouchers.key)?;
        self.port.make_private(&place::snapshots())?;
        match replace(self.port.as_ref(), &place::snapshot(next), &bytes) {
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
        let mark = &mut replica.mark;
        (mark.segment, mark.good, mark.snapshot) = (next, 0, bytes.len());
        Ok(())
    }
}

pub(super) fn scope(at: Spot, fresh: bool) -> Scope {
    let folders = if fresh { vec![at.folder(), Spot::state(), Spot::root()] } else { Vec::new() };
    Scope { files: vec![at], folders }
}
