//! What a runner writes down, as events and blobs.

use exacta_core::model::digest::{Blob, Digest};
use exacta_core::model::id::RunId;
use exacta_core::record::{Actor, Event, StepEnd};

use crate::gate::error::GateError;
use crate::gate::handle::{Gate, TRIES};
use crate::log::Wanted;
use crate::tools::{StepEntry, StepOutcome, StepRequest, arguments_hash};

/// No more is kept of what went wrong with a step.
const MOST_TEXT: usize = 2 << 10;

/// From when on entries outlive a power loss.
#[derive(Clone, Copy)]
pub(super) enum Lasts {
    /// When they were put on the record.
    Now,
    /// With the next that do.
    WithTheNext,
}

impl Gate<'_> {
    /// Puts entries of a runner on the record, with what they put out as blobs. Without
    /// entries, makes durable what was only written.
    pub(super) fn note_entries(
        &self,
        actor: &Actor,
        run_id: &RunId,
        entries: &[StepEntry],
        lasts: Lasts,
    ) -> Result<(), GateError> {
        if entries.is_empty() {
            return Ok(self.log.settle()?);
        }
        let mut blobs = Vec::new();
        let mut events = Vec::with_capacity(entries.len());
        for entry in entries {
            events.push(self.event_of(run_id, entry, &mut blobs)?);
        }
        self.put_on(actor, events, &blobs, lasts)
    }

    /// Puts a question on the record, unless it is there.
    pub(super) fn note_question(
        &self,
        actor: &Actor,
        run_id: &RunId,
        request: &StepRequest,
    ) -> Result<(), GateError> {
        let arguments = arguments_hash(&request.args);
        let blob = Blob::new(serde_json::to_vec(request)?);
        let asked = Some((arguments, blob.digest()));
        let same = {
            let ledger = self.log.ledger();
            let run = ledger.run(run_id);
            let step = run.and_then(|run| run.steps.get(&request.step_id));
            step.is_some_and(|step| step.asked == asked)
        };
        if same {
            return Ok(());
        }
        let event = Event::StepAsked {
            arguments,
            request: blob.digest(),
            run_id: run_id.clone(),
            step_id: request.step_id.clone(),
        };
        self.put_with(actor, vec![event], &[blob])
    }

    /// Appends events that name these blobs.
    pub(super) fn put_with(
        &self,
        actor: &Actor,
        events: Vec<Event>,
        blobs: &[Blob],
    ) -> Result<(), GateError> {
        self.put_on(actor, events, blobs, Lasts::Now)
    }

    fn put_on(
        &self,
        actor: &Actor,
        events: Vec<Event>,
        blobs: &[Blob],
        lasts: Lasts,
    ) -> Result<(), GateError> {
        let wanted = Wanted { actor: actor.clone(), key: None, expects: Vec::new(), events };
        let names: Vec<Digest> = blobs.iter().map(Blob::digest).collect();
        let held = || if names.is_empty() { Ok(true) } else { self.objects.hold(&names) };
        for _ in 0..TRIES {
            if !blobs.is_empty() {
                // What an entry speaks of lasts no later than the entry.
                self.objects.put(blobs)?;
            }
            let added = match lasts {
                Lasts::Now => self.log.append_if(&wanted, &held),
                Lasts::WithTheNext => self.log.write_if(&wanted, &held),
            };
            if Self::committed(added)? {
                return Ok(());
            }
            // A collection took what was put and was not on the record yet.
        }
        Err(GateError::Busy)
    }

    fn event_of(
        &self,
        run_id: &RunId,
        entry: &StepEntry,
        blobs: &mut Vec<Blob>,
    ) -> Result<Event, GateError> {
        let (run_id, step_id) = (run_id.clone(), entry.step_id().clone());
        let mut keep = |blob: Blob| {
            let digest = blob.digest();
            blobs.push(blob);
            Some(digest)
        };
        let text = |text: &str| {
            let text = (self.ports.mask)(text);
            let text = text.get(..text.floor_char_boundary(MOST_TEXT)).unwrap_or_default();
            Blob::new(text.as_bytes().to_vec())
        };
        Ok(match entry {
            StepEntry::Started { idempotency_key, .. } => Event::StepStarted {
                attempt: 1,
                idempotency_key: Some(idempotency_key.clone()),
                run_id,
                step_id,
            },
            StepEntry::Finished { outcome, spent, .. } => {
                let (end, output, reason) = match outcome {
                    StepOutcome::Ok { output } if output.is_null() => (StepEnd::Ok, None, None),
                    StepOutcome::Ok { output } => {
                        (StepEnd::Ok, keep(Blob::new(serde_json::to_vec(output)?)), None)
                    }
                    StepOutcome::Failed { code, message } => {
                        (StepEnd::Failed, keep(text(message)), Some(code.clone()))
                    }
                    StepOutcome::Declined { reason } => {
                        (StepEnd::Declined, keep(text(reason)), None)
                    }
                    StepOutcome::Suppressed { reason } => {
                        (StepEnd::Suppressed, keep(text(reason)), None)
                    }
                    StepOutcome::Cancelled => (StepEnd::Cancelled, None, None),
                    // Nothing of these is an end that a runner writes down.
                    StepOutcome::OutcomeUnknown { .. }
                    | StepOutcome::Skipped { .. }
                    | StepOutcome::Waiting
                    | StepOutcome::Held
                    | StepOutcome::RolledBack => (StepEnd::Skipped, None, None),
                };
                Event::StepFinished { end, output, reason, run_id, spent: (*spent).into(), step_id }
            }
            StepEntry::Unknown { message, spent, .. } => Event::StepUnknown {
                output: keep(text(message)),
                run_id,
                spent: (*spent).into(),
                step_id,
            },
            StepEntry::RolledBack { .. } => Event::StepFinished {
                end: StepEnd::Compensated,
                output: None,
                reason: None,
                run_id,
                spent: exacta_core::record::StepSpend::default(),
                step_id,
            },
            // Only a person decides, by a command of their own.
            StepEntry::Decided { .. } => {
                return Err(GateError::Unsettled("a runner decided on a step".into()));
            }
        })
    }
}
