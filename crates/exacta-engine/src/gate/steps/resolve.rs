//! `resolve`: a person found out whether an effect happened whose answer was lost.

use exacta_core::life::ledger::{Done, RunEntry, RunState, Stream};
use exacta_core::model::digest::Digest;
use exacta_core::model::id::{RunId, StepId};
use exacta_core::record::Event;
use serde::Serialize;

use crate::gate::command::{Caller, Command};
use crate::gate::error::GateError;
use crate::gate::handle::{Gate, TRIES};
use crate::gate::run::Ran;
use crate::log::Wanted;
use crate::proof::Proof;

/// Say what became of a step whose outcome is not known.
#[derive(Clone, Debug, Serialize)]
pub struct Resolve {
    /// The run.
    pub run_id: RunId,
    /// The step; none where only one is unknown.
    pub step_id: Option<StepId>,
    /// Whether its effect happened.
    pub happened: bool,
    /// The hash of the run's plan, where that is the proof.
    pub plan_hash: Option<Digest>,
    /// What shows the right to decide.
    #[serde(skip)]
    pub proof: Proof,
}

impl Command for Resolve {
    type Reply = Ran;
    const NAME: &'static str = "resolve";

    fn proof(&self) -> Option<&Proof> {
        Some(&self.proof)
    }

    fn lets_act(&self) -> bool {
        true
    }

    fn carry_out(self, gate: &Gate<'_>, caller: &Caller<'_>) -> Result<Ran, GateError> {
        let policy = gate.policy()?;
        for _ in 0..TRIES {
            let run = gate.run_entry(&self.run_id)?;
            let plan = gate.plan(&run.plan_id)?;
            Gate::same_hash(&plan, self.plan_hash)?;
            let step_id = self.unknown_step(&run)?;
            let entitled = gate.entitled_to_act(&policy, &self.proof, self.plan_hash)?;
            let (assurance, passkey) = (entitled.assurance, entitled.passkey.map(Box::new));
            let (happened, run_id) = (self.happened, self.run_id.clone());
            let event = Event::StepResolved { assurance, happened, passkey, run_id, step_id };
            let wanted = Wanted {
                actor: caller.actor.clone(),
                key: caller.command.clone(),
                expects: vec![(Stream::Run(self.run_id.clone()), run.version)],
                events: vec![event],
            };
            if !gate.commit(&wanted)? {
                gate.look_again()?;
                continue;
            }
            let run = gate.run_entry(&self.run_id)?;
            if run.steps.values().any(|step| step.unknown) {
                return gate.still_unknown(&run);
            }
            return gate.go_on(caller, &plan, &run, &policy, Some(assurance));
        }
        Err(GateError::Busy)
    }

    fn again(&self, gate: &Gate<'_>, _: &Done) -> Result<Ran, GateError> {
        gate.still_unknown(&gate.run_entry(&self.run_id)?)
    }
}

impl Resolve {
    /// The step that is meant.
    fn unknown_step(&self, run: &RunEntry) -> Result<StepId, GateError> {
        let unknown: Vec<&StepId> =
            run.steps.iter().filter(|(_, step)| step.unknown).map(|(id, _)| id).collect();
        let not = |why: String| GateError::StepNotOpen { run_id: self.run_id.clone(), why };
        match (&self.step_id, unknown.as_slice()) {
            (Some(named), all) if all.contains(&named) => Ok(named.clone()),
            (Some(named), _) => Err(not(format!("what became of `{named}` is known"))),
            (None, [one]) => Ok((*one).clone()),
            (None, []) => Err(not("what became of every step is known".into())),
            (None, all) => {
                let names: Vec<&str> = all.iter().map(|name| name.as_str()).collect();
                Err(not(format!("several steps are unknown, name one: {}", names.join(", "))))
            }
        }
    }
}

impl Gate<'_> {
    /// A run as it stands, without going on with it.
    pub(in crate::gate) fn still_unknown(&self, run: &RunEntry) -> Result<Ran, GateError> {
        Ok(Ran {
            run_id: run.run_id.clone(),
            plan_id: run.plan_id.clone(),
            state: run.state().unwrap_or(RunState::Waiting),
            results: None,
            receipt: None,
            reason: self.why(run),
            conflicts: Vec::new(),
            checks: Vec::new(),
            asks: self.questions(run)?,
            recovered: self.recovered(),
        })
    }
}
