//! What follows an append: projections, then the head outside; and doing that for a process
//! that died before it came to it.

use std::sync::PoisonError;

use exacta_core::record::Entry;

use super::append::scope;
use super::open::{FileStore, segment_now};
use crate::store::{LogError, Replica};
use crate::trust::Checkpoint;

impl FileStore {
    /// Writes what a dead process left undone: projections and the head outside. Nothing
    /// has happened yet that projections would have to follow, so that one which cannot be
    /// written is merely reported; but without the head outside nothing is to be added.
    pub(super) fn settle_all(&self, replica: &mut Replica) -> Result<Option<LogError>, LogError> {
        // Projections are not synced; what the last boot wrote may be lost.
        let boot = self.machine.now()?.boot;
        let newest = replica.ledger.newest().map(|newest| newest.boot.clone());
        let restored = || {
            let restored = self.restored_in.lock().unwrap_or_else(PoisonError::into_inner);
            restored.as_ref() == Some(&boot)
        };
        let ended = newest.filter(|newest| *newest != boot).filter(|_| !restored());
        if is_acknowledged(replica) && ended.is_none() {
            return Ok(None);
        }
        let turn = self.port.turn()?;
        self.look(replica)?;
        // What a dead process added may not have reached the disk, and the head outside
        // must never be ahead of the record: it would look as if the record were cut.
        self.mend(replica)?;
        self.port.barrier(&scope(segment_now(replica), true))?;
        let mut behind = match self.acknowledge(replica, &[]) {
            Err(error @ LogError::Port(_)) => Some(error),
            other => other.map(|()| None)?,
        };
        if let Some(ended) = ended {
            let entries = self.tail(replica, 1)?;
            match self.projector.restore(&replica.ledger, &entries, &ended) {
                Ok(()) => {
                    *self.restored_in.lock().unwrap_or_else(PoisonError::into_inner) = Some(boot);
                }
                Err(error) => behind = behind.or(Some(error.into())),
            }
        }
        drop(turn);
        Ok(behind)
    }

    /// Projects and notes what a run's own barrier has made durable: `synced` entries.
    pub(super) fn note_what_is_synced(
        &self,
        replica: &mut Replica,
        synced: u64,
    ) -> Result<(), LogError> {
        let turn = self.port.turn()?;
        self.look(replica)?;
        if replica.ledger.entries() != synced || replica.mark.torn {
            // Somebody added to the record meanwhile, and perhaps left that to a barrier of
            // their own.
            drop(turn);
            return self.settle_all(replica)?.map_or(Ok(()), Err);
        }
        let noted = self.acknowledge(replica, &[]);
        drop(turn);
        noted
    }

    /// Projects what was added since that was done, and notes the new head. `added` is what
    /// this process added just now. Where something cannot be projected the head is noted
    /// all the same: what was said to have happened must not be cut off unseen.
    pub(super) fn acknowledge(
        &self,
        replica: &mut Replica,
        added: &[Entry],
    ) -> Result<(), LogError> {
        let (before, head) = (replica.mark.projected, replica.head());
        let projected = self.project(replica, added);
        let reached = if projected.is_ok() { head.entries } else { before };
        let checkpoint = Checkpoint { entries: head.entries, head: head.link, projected: reached };
        self.vouchers.checkpoints.note(&checkpoint)?;
        (replica.mark.noted, replica.mark.projected) = (head.entries, reached);
        projected
    }

    fn project(&self, replica: &Replica, added: &[Entry]) -> Result<(), LogError> {
        let fresh = replica.ledger.entries().saturating_sub(replica.mark.projected);
        if fresh == added.len() as u64 && fresh > 0 {
            self.projector.project(&replica.ledger, added)?;
        } else if fresh > 0 {
            let unprojected = self.tail(replica, replica.mark.projected + 1)?;
            self.projector.project(&replica.ledger, &unprojected)?;
        }
        Ok(())
    }
}

/// Whether the head outside and everything derived have followed the record.
fn is_acknowledged(replica: &Replica) -> bool {
    let entries = replica.ledger.entries();
    replica.mark.noted == entries && replica.mark.projected == entries
}
