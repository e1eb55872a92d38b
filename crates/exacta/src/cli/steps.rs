//! Steps of a run at the terminal: one line each while they run, and the question whether one
//! may act when its turn comes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Instant;

use exacta_core::life::ledger::RunState;
use exacta_core::text::shown::visible;
use exacta_engine::gate::{Gate, GateError, Ran, Run, StepDecide, StepQuestion};
use exacta_engine::proof::ControllingTerminal;
use exacta_engine::tools::{StepOutcome, StepSign};

use super::door;
use super::run::{question_lines, watched};
use crate::cli::CliError;
use crate::paint::Look;
use crate::render::Printer;

/// When each step began, to say how long it took.
#[derive(Default)]
pub(super) struct Steps(RefCell<BTreeMap<String, Instant>>);

impl Steps {
    /// What a sign of life is worth saying in one line; most attempts are not.
    pub(super) fn line(&self, sign: &StepSign) -> Option<String> {
        let shown = |id: &str| visible(id.as_bytes());
        match sign {
            StepSign::Running { step_id, attempt: 1 } => {
                self.0.borrow_mut().insert(step_id.to_string(), Instant::now());
                Some(format!("{}: running", shown(step_id)))
            }
            StepSign::Running { step_id, attempt } => {
                Some(format!("{}: attempt {attempt}", shown(step_id)))
            }
            StepSign::Asking { step_id } => Some(format!("{}: waits for you", shown(step_id))),
            StepSign::Retrying { step_id, message, after_ms } => Some(format!(
                "{}: {}; again in {after_ms} ms",
                shown(step_id),
                visible(message.as_bytes())
            )),
            StepSign::Over { outcome: StepOutcome::Waiting, .. } => None,
            StepSign::Over { step_id, outcome, .. } => {
                let began = self.0.borrow_mut().remove(step_id.as_str());
                let took = began.map_or(0.0, |began| began.elapsed().as_secs_f32());
                Some(format!("{}: {} ({took:.1} s)", shown(step_id), word(outcome)))
            }
            StepSign::TakingBack { step_id } => {
                Some(format!("{}: being taken back", shown(step_id)))
            }
        }
    }
}

fn word(outcome: &StepOutcome) -> &'static str {
    match outcome {
        StepOutcome::Ok { .. } => "done",
        StepOutcome::Failed { .. } => "failed",
        StepOutcome::OutcomeUnknown { .. } => "no answer, outcome unknown",
        StepOutcome::Declined { .. } => "declined",
        StepOutcome::Suppressed { .. } => "held back",
        StepOutcome::Cancelled => "stopped",
        StepOutcome::Skipped { .. } => "skipped",
        StepOutcome::Waiting | StepOutcome::Held => "waits",
        StepOutcome::RolledBack => "taken back",
    }
}

/// As long as a run waits for a person and one is at the terminal: asks them, and goes on.
pub(super) fn ask_and_go_on(
    gate: &Gate<'_>,
    mut ran: Ran,
    printer: &mut Printer,
) -> Result<Ran, CliError> {
    while ran.state == RunState::Waiting {
        let Some(mut terminal) = ControllingTerminal::open() else { return Ok(ran) };
        for ask in &ran.asks {
            let Some(command) = answer(&mut terminal, &ran, ask)? else { return Ok(ran) };
            match door::handle(gate, &door::caller(None), command, printer) {
                Ok(_) => {}
                // Policy wants another proof than the terminal; the run waits for it.
                Err(GateError::NotEntitled { .. }) => return Ok(ran),
                Err(error) => return Err(error.into()),
            }
        }
        let again = Run { plan_id: ran.plan_id.clone(), plan_hash: None };
        ran = watched(gate, door::caller(None), again, printer)?;
    }
    Ok(ran)
}

/// What a person types about a step: yes, no, or later.
fn answer(
    terminal: &mut ControllingTerminal,
    ran: &Ran,
    ask: &StepQuestion,
) -> Result<Option<StepDecide>, CliError> {
    let look = Look::of(&terminal.file()?);
    let mut lines = vec!["this step waits for you:".to_owned()];
    lines.extend(question_lines(ask));
    let rows: Vec<String> = lines.iter().flat_map(|line| look.folded(line)).collect();
    let Some((approve, proof)) = terminal.decide(&rows)? else { return Ok(None) };
    Ok(Some(StepDecide {
        run_id: ran.run_id.clone(),
        step_id: ask.step_id.clone(),
        arguments: ask.arguments,
        approve,
        reason: None,
        plan_hash: None,
        proof,
    }))
}
