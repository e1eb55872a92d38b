//! Any command and any reply, so that tests can hold lists of them.

use exacta_core::model::digest::Digest;
use exacta_core::model::id::{CorrelationId, PlanId, RunId};
use exacta_core::record::Assurance;
use exacta_engine::gate::{
    Approve, Caller, Collect, Decided, Direction, Forget, Gate, GateError, Pause, Propose,
    ProposeUndo, Proposed, Ran, Recover, Redo, Reject, Renew, RequestChanges, Run, Selection,
    SourceKind, Sweep, Undo, UndoPart, UndoProposed, Undone,
};
use exacta_engine::proof;
use serde::{Deserialize, Serialize};

/// What shows the right to decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Proof {
    None,
    Terminal,
    Credential,
}

impl Proof {
    fn shown(&self) -> proof::Proof {
        match self {
            Self::None => proof::Proof::none(),
            Self::Terminal => proof::Proof::for_tests(Assurance::Terminal),
            Self::Credential => proof::Proof::for_tests(Assurance::Credential),
        }
    }
}

/// Some command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum What {
    Propose {
        kind: SourceKind,
        text: Vec<u8>,
        intent: Option<String>,
        constraints: Vec<String>,
        proposer: Option<String>,
        parent: Option<PlanId>,
        correlation_id: Option<CorrelationId>,
    },
    Approve {
        plan_id: PlanId,
        hash: Option<Digest>,
        steps: Option<Vec<String>>,
        proof: Proof,
    },
    Reject {
        plan_id: PlanId,
        reason: String,
        proof: Proof,
    },
    Changes {
        plan_id: PlanId,
        request: String,
        proof: Proof,
    },
    Pause {
        plan_id: PlanId,
    },
    Renew {
        plan_id: PlanId,
        proof: Proof,
    },
    Run {
        plan_id: PlanId,
        hash: Option<Digest>,
    },
    Undo {
        run_id: RunId,
        hash: Option<Digest>,
        proof: Proof,
    },
    Redo {
        run_id: RunId,
        hash: Option<Digest>,
        proof: Proof,
    },
    ProposeUndo {
        run_id: RunId,
        again: bool,
        proposer: Option<String>,
    },
    Recover,
    Sweep {
        plan_id: Option<PlanId>,
    },
    Forget {
        run_id: RunId,
        hash: Option<Digest>,
        proof: Proof,
    },
    Gc,
}

/// Some reply.
#[derive(Debug)]
pub(crate) enum Outcome {
    Proposed(Box<Proposed>),
    Decided(Decided),
    Ran(Box<Ran>),
    Undone(Undone),
    Recovered,
    Swept(Vec<PlanId>),
    Collected(usize),
    Forgotten,
}

pub(crate) fn plan_id_of(text: &str) -> PlanId {
    PlanId::parse(text).unwrap()
}

pub(crate) fn run_id_of(text: &str) -> RunId {
    RunId::parse(text).unwrap()
}

/// A command of a person, perhaps with an idempotency key.
#[derive(Clone, Debug)]
pub(crate) struct Command {
    pub(crate) what: What,
    pub(crate) key: Option<String>,
}

/// Has the gate carry it out.
pub(crate) fn handle(gate: &Gate<'_>, command: Command) -> Result<Outcome, GateError> {
    let caller = &Caller::new(crate::world::person()).with_key(command.key);
    Ok(match command.what {
        What::Propose { kind, text, intent, constraints, proposer, parent, correlation_id } => {
            let command = Propose {
                intent,
                constraints,
                proposer,
                parent,
                correlation_id,
                ..Propose::new(kind, text)
            };
            Outcome::Proposed(Box::new(gate.handle(caller, command)?))
        }
        What::Approve { plan_id, hash, steps, proof } => {
            let selection = steps.map_or(Selection::Whole, Selection::Steps);
            let proof = proof.shown();
            let command = Approve { plan_id, plan_hash: hash, selection, proof };
            Outcome::Decided(gate.handle(caller, command)?)
        }
        What::Reject { plan_id, reason, proof } => {
            let (plan_hash, proof) = (hash_of(gate, &plan_id), proof.shown());
            Outcome::Decided(gate.handle(caller, Reject { plan_id, plan_hash, reason, proof })?)
        }
        What::Changes { plan_id, request, proof } => {
            let (plan_hash, proof) = (hash_of(gate, &plan_id), proof.shown());
            let command = RequestChanges { plan_id, plan_hash, request, proof };
            Outcome::Decided(gate.handle(caller, command)?)
        }
        What::Pause { plan_id } => Outcome::Decided(gate.handle(caller, Pause { plan_id })?),
        What::Renew { plan_id, proof } => {
            let (plan_hash, proof) = (hash_of(gate, &plan_id), proof.shown());
            Outcome::Decided(gate.handle(caller, Renew { plan_id, plan_hash, proof })?)
        }
        What::Run { plan_id, hash } => {
            Outcome::Ran(Box::new(gate.handle(caller, Run { plan_id, plan_hash: hash })?))
        }
        What::Undo { run_id, hash, proof } => Outcome::Undone(
            gate.handle(caller, Undo { run_id, plan_hash: hash, proof: proof.shown() })?,
        ),
        What::Redo { run_id, hash, proof } => Outcome::Undone(
            gate.handle(caller, Redo { run_id, plan_hash: hash, proof: proof.shown() })?,
        ),
        What::ProposeUndo { run_id, again, proposer } => {
            let direction = if again { Direction::Redo } else { Direction::Undo };
            match gate.handle(
                caller,
                ProposeUndo { run_id, direction, part: UndoPart::Whole, proposer },
            )? {
                UndoProposed::Proposed(proposed) => Outcome::Proposed(proposed),
                UndoProposed::Conflict(undone) => Outcome::Undone(*undone),
            }
        }
        What::Recover => gate.handle(caller, Recover).map(|_| Outcome::Recovered)?,
        What::Sweep { plan_id } => Outcome::Swept(gate.handle(caller, Sweep { plan_id })?.expired),
        What::Forget { run_id, hash, proof } => {
            let forgotten =
                gate.handle(caller, Forget { run_id, plan_hash: hash, proof: proof.shown() })?;
            drop(forgotten);
            Outcome::Forgotten
        }
        What::Gc => Outcome::Collected(gate.handle(caller, Collect)?.deleted),
    })
}

/// The hash of a plan, as somebody who looked at it knows it.
fn hash_of(gate: &Gate<'_>, plan_id: &PlanId) -> Option<Digest> {
    gate.plan_named(plan_id).ok().map(|plan| plan.created.plan_hash)
}
