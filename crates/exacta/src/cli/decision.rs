//! How the outcome of a decision is shown.

use exacta_core::lifecycle::State;
use exacta_engine::gate::{Command, Gate, Outcome, PlanOutcome};

use super::door;

use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;
use crate::wire::DecisionReport;

/// Prints the plan after a decision.
pub(crate) fn print(
    gate: &Gate<'_>,
    plan: PlanOutcome,
    json: bool,
    printer: &mut Printer,
) -> Result<(), CliError> {
    if json {
        return printer.json(&DecisionReport::of(plan, gate));
    }
    state(&plan, printer)?;
    match plan.state {
        State::UserApproved | State::AutoApproved => {
            printer.line(&format!("run it: `exacta run {}`", plan.plan_id))
        }
        State::Pending => printer.line(&format!("review it: `exacta review {}`", plan.plan_id)),
        State::Rejected | State::Expired => Ok(()),
    }
}

/// Prints what the plan is now, and which one it took the place of.
pub(super) fn state(plan: &PlanOutcome, printer: &mut Printer) -> Result<(), CliError> {
    printer.line(&format!("plan {}: {}", plan.plan_id, plan.state))?;
    match &plan.original {
        Some(original) => printer.line(&format!("it takes the place of {original}, which is over")),
        None => Ok(()),
    }
}

/// Carries out a deciding command and prints its outcome.
pub(super) fn decide(
    gate: &Gate<'_>,
    command: Command,
    json: bool,
    printer: &mut Printer,
) -> Result<Exit, CliError> {
    let outcome = door::handle(gate, command, printer)?;
    let Outcome::Decided(plan) = outcome else {
        return Err(exacta_engine::gate::GateError::Busy.into());
    };
    let exit = match plan.state {
        State::Rejected if plan.original.is_some() => Exit::Refused,
        _ => Exit::Done,
    };
    print(gate, plan, json, printer)?;
    Ok(exit)
}

/// A hash as typed: 64 lower-case hexadecimal digits and nothing else.
pub(super) fn hash(text: Option<&String>) -> Result<Option<exacta_core::digest::Digest>, CliError> {
    text.map(|text| {
        exacta_core::digest::Digest::parse(text).map_err(|error| CliError::WrongHash {
            message: format!("`{text}` is not a hash: {error}"),
        })
    })
    .transpose()
}
