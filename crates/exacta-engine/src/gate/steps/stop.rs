//! `cancel`: a run with tool steps starts nothing any more, and goes back where it can.

use exacta_core::life::ledger::{Done, Stream};
use exacta_core::model::id::RunId;
use exacta_core::record::Event;
use serde::Serialize;

use crate::gate::command::{Caller, Command};
use crate::gate::error::GateError;
use crate::gate::handle::{Gate, TRIES};
use crate::gate::run::Ran;
use crate::log::Wanted;

/// Stop a run that has not ended.
#[derive(Clone, Debug, Serialize)]
pub struct CancelRun {
    /// The run.
    pub run_id: RunId,
}

impl Command for CancelRun {
    /// The run after its end; none while somebody else is at it: they stop it within a moment.
    type Reply = Option<Ran>;
    const NAME: &'static str = "cancel_run";

    fn carry_out(self, gate: &Gate<'_>, caller: &Caller<'_>) -> Result<Option<Ran>, GateError> {
        for _ in 0..TRIES {
            let run = gate.run_entry(&self.run_id)?;
            if !run.begun || run.status.is_some() {
                let why = "the run has ended, or has no tool steps to stop".into();
                return Err(GateError::StepNotOpen { run_id: self.run_id, why });
            }
            let event = Event::RunCancelled { run_id: self.run_id.clone() };
            let wanted = Wanted {
                actor: caller.actor.clone(),
                key: caller.command.clone(),
                expects: vec![(Stream::Run(self.run_id.clone()), run.version)],
                events: vec![event],
            };
            if !run.cancelled && !gate.commit(&wanted)? {
                gate.look_again()?;
                continue;
            }
            let (plan, policy) = (gate.plan(&run.plan_id)?, gate.policy()?);
            return match gate.go_on(caller, &plan, &run, &policy, None) {
                Err(GateError::RunUnderWay { .. }) => Ok(None),
                ran => ran.map(Some),
            };
        }
        Err(GateError::Busy)
    }

    fn again(&self, gate: &Gate<'_>, _: &Done) -> Result<Option<Ran>, GateError> {
        let run = gate.run_entry(&self.run_id)?;
        if run.status.is_none() { Ok(None) } else { gate.still_unknown(&run).map(Some) }
    }
}
