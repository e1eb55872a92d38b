//! How the outcome of a decision is shown.

use exacta_core::lifecycle::{Cause, State};
use exacta_core::shown::visible;
use exacta_engine::gate::{Command, Gate, Outcome, PlanOutcome};

use super::door;

use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::{self, Printer, Subject};
use crate::wire::{CheckReport, DecisionReport};

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
        State::Expired => {
            let ledger = gate.log().ledger();
            let Some(cause) = ledger.plan(&plan.plan_id).and_then(|plan| plan.expiry.as_ref())
            else {
                return Ok(());
            };
            printer.line(&format!("  {}", visible(cause.to_string().as_bytes())))?;
            match cause {
                Cause::ChangesRequested { .. } => printer.line(&format!(
                    "the next plan can name it: `exacta propose PLAN --parent {}`",
                    plan.plan_id
                )),
                _ => Ok(()),
            }
        }
        State::Rejected => Ok(()),
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
        return Err(exacta_engine::gate::GateError::Unexpected.into());
    };
    // A fresh plan that no longer fits, or is no longer good enough: why, as it would have
    // been told of a new one.
    if plan.state == State::Rejected && plan.original.is_some() {
        if !json {
            let shown = gate.show(&plan.plan_id)?;
            let report = CheckReport::examined(&shown.examined);
            let subject = Subject { name: plan.plan_id.clone(), text: &[], is_patch: true };
            render::plan(&subject, &report, &shown.examined, printer)?;
        }
        print(gate, plan, json, printer)?;
        return Ok(Exit::Refused);
    }
    print(gate, plan, json, printer)?;
    Ok(Exit::Done)
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
