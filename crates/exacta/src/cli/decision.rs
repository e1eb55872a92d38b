//! How the outcome of a decision is shown.

use exacta_core::life::lifecycle::{Cause, State};
use exacta_core::text::shown::visible;
use exacta_engine::gate::{Caller, Command, Decided, Gate};

use super::confirm::one_line;
use super::door::{self, Door};
use super::offer;

use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::{self, Printer, Subject};
use crate::wire::CheckReport;

/// Prints the plan after a decision.
pub(crate) fn print(
    gate: &Gate<'_>,
    plan: &Decided,
    json: bool,
    printer: &mut Printer,
) -> Result<(), CliError> {
    if json {
        return Ok(printer.json(plan)?);
    }
    state(gate, plan, printer)?;
    match plan.state {
        State::UserApproved | State::AutoApproved => {
            printer.line(&format!("run it: `exacta run {}`", plan.plan_id))?;
        }
        State::Pending => printer.line(&format!("review it: `exacta review {}`", plan.plan_id))?,
        State::Expired => {
            let entry = gate.plan_named(&plan.plan_id)?;
            let Some(cause) = entry.expiry() else { return Ok(()) };
            printer.line(&format!("  {}", visible(one_line(&cause.to_string()).as_bytes())))?;
            if let Cause::ChangesRequested { .. } = cause {
                printer.line(&format!(
                    "the next plan can name it: `exacta propose PLAN --parent {}`",
                    plan.plan_id
                ))?;
            }
        }
        State::Rejected => {}
    }
    Ok(())
}

/// Prints what the plan is now, and which one it took the place of.
pub(super) fn state(
    gate: &Gate<'_>,
    plan: &Decided,
    printer: &mut Printer,
) -> Result<(), CliError> {
    let entry = gate.plan_named(&plan.plan_id)?;
    let asked = matches!(entry.expiry(), Some(Cause::ChangesRequested { .. }));
    let state = if asked { "changes requested".into() } else { plan.state.to_string() };
    printer.line(&format!("plan {}: {state}", plan.plan_id))?;
    if let Some(original) = &plan.original_plan_id {
        printer.line(&format!("it takes the place of {original}, which is over"))?;
    }
    Ok(())
}

/// Carries out a deciding command and prints its outcome.
pub(super) fn decide<C: Command<Reply = Decided> + Clone>(
    door: &Door,
    gate: &Gate<'_>,
    caller: &Caller<'_>,
    command: C,
    json: bool,
    printer: &mut Printer,
) -> Result<Exit, CliError> {
    let plan = door::handle(gate, caller, command, printer)?;
    // A fresh plan that no longer fits, or is no longer good enough: why, as it would have
    // been told of a new one.
    if plan.state == State::Rejected && plan.original_plan_id.is_some() {
        if !json {
            let shown = gate.show(&plan.plan_id)?;
            let report = CheckReport::examined(&shown.examined);
            let subject =
                Subject { name: plan.plan_id.to_string(), text: &[], is_patch: true, parts: &[] };
            render::plan(&subject, &report, &shown.examined, printer)?;
        }
        print(gate, &plan, json, printer)?;
        return Ok(Exit::Refused);
    }
    print(gate, &plan, json, printer)?;
    if !json && plan.state != State::Pending {
        offer::after_decision(door, gate, printer);
    }
    Ok(Exit::Done)
}

/// A hash as typed: 64 lower-case hexadecimal digits and nothing else.
pub(super) fn hash(
    text: Option<&String>,
) -> Result<Option<exacta_core::model::digest::Digest>, CliError> {
    text.map(|text| {
        exacta_core::model::digest::Digest::parse(text).map_err(|error| CliError::WrongHash {
            message: format!("`{text}` is not a hash: {error}"),
        })
    })
    .transpose()
}
