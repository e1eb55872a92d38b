//! `step decide`: a person says yes or no to one step, with its arguments in view.

use exacta_core::life::ledger::{Done, RunEntry, Stream};
use exacta_core::model::digest::Digest;
use exacta_core::model::id::{RunId, StepId};
use exacta_core::record::Event;
use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::command::{Caller, Command};
use crate::gate::error::GateError;
use crate::gate::handle::{Gate, TRIES};
use crate::log::Wanted;
use crate::proof::Proof;

/// No more is kept of why a step may not act.
const MOST_REASON: usize = 300;

/// Decide on a step whose turn has come.
#[derive(Clone, Debug, Serialize)]
pub struct StepDecide {
    /// The run.
    pub run_id: RunId,
    /// The step.
    pub step_id: StepId,
    /// Hash of the arguments, as they were shown.
    pub arguments: Digest,
    /// Whether it may act.
    pub approve: bool,
    /// Why not, in the person's words.
    pub reason: Option<String>,
    /// The hash of the run's plan, where that is the proof.
    pub plan_hash: Option<Digest>,
    /// What shows the right to decide.
    #[serde(skip)]
    pub proof: Proof,
}

/// A step after a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StepDecided {
    /// The run.
    pub run_id: RunId,
    /// The step.
    pub step_id: StepId,
    /// Whether it may act.
    pub approved: bool,
    /// The steps that still wait for a person.
    pub waiting: Vec<String>,
}

impl Command for StepDecide {
    type Reply = StepDecided;
    const NAME: &'static str = "step_decide";

    fn proof(&self) -> Option<&Proof> {
        Some(&self.proof)
    }

    fn lets_act(&self) -> bool {
        self.approve
    }

    fn carry_out(self, gate: &Gate<'_>, caller: &Caller<'_>) -> Result<StepDecided, GateError> {
        let policy = gate.policy()?;
        for _ in 0..TRIES {
            let run = gate.run_entry(&self.run_id)?;
            Gate::same_hash(&gate.plan(&run.plan_id)?, self.plan_hash)?;
            self.is_open(&run)?;
            let entitled = gate.entitled_to_act(&policy, &self.proof, self.plan_hash)?;
            let reason = self.reason.as_deref().map(|reason| {
                let reason = (gate.ports.mask)(reason);
                reason.get(..reason.floor_char_boundary(MOST_REASON)).unwrap_or_default().to_owned()
            });
            let event = Event::StepDecided {
                approved: self.approve,
                arguments: self.arguments,
                assurance: entitled.assurance,
                passkey: entitled.passkey.map(Box::new),
                reason: reason.filter(|_| !self.approve),
                run_id: self.run_id.clone(),
                step_id: self.step_id.clone(),
            };
            let wanted = Wanted {
                actor: caller.actor.clone(),
                key: caller.command.clone(),
                expects: vec![(Stream::Run(self.run_id.clone()), run.version)],
                events: vec![event],
            };
            if gate.commit(&wanted)? {
                return self.decided(gate);
            }
            gate.look_again()?;
        }
        Err(GateError::Busy)
    }

    fn again(&self, gate: &Gate<'_>, _: &Done) -> Result<StepDecided, GateError> {
        self.decided(gate)
    }
}

impl StepDecide {
    /// Whether the step waits for a decision about exactly these arguments.
    fn is_open(&self, run: &RunEntry) -> Result<(), GateError> {
        let not = |why: &str| GateError::StepNotOpen {
            run_id: self.run_id.clone(),
            why: format!("`{}` {why}", self.step_id),
        };
        let step = run.steps.get(&self.step_id).filter(|step| step.waits());
        let step = step.filter(|_| run.status.is_none() && !run.cancelled);
        let asked =
            step.and_then(|step| step.asked).ok_or_else(|| not("does not wait for a person"))?;
        if asked.0 == self.arguments {
            return Ok(());
        }
        Err(not("waits for a person with other arguments than those that were shown"))
    }

    fn decided(&self, gate: &Gate<'_>) -> Result<StepDecided, GateError> {
        let run = gate.run_entry(&self.run_id)?;
        let decided = run.steps.get(&self.step_id).and_then(|step| step.decided);
        Ok(StepDecided {
            run_id: self.run_id.clone(),
            step_id: self.step_id.clone(),
            approved: decided.is_some_and(|(_, approved)| approved),
            waiting: run.waiting_steps().map(ToOwned::to_owned).collect(),
        })
    }
}
