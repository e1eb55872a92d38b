//! What becomes of a plan that was handed in, now or under the same key before: it runs if
//! the decision allows, is shown to a person if it waits, and the exit code says how it stands.

use std::io::IsTerminal as _;

use exacta_core::judge::decide::Kind;
use exacta_core::judge::examine::Examined;
use exacta_core::life::ledger::RunEntry;
use exacta_core::life::lifecycle::State;
use exacta_core::model::id::CorrelationId;
use exacta_core::results::TaskStatus;
use exacta_engine::gate::{Decided, Gate};
use exacta_engine::proof::ControllingTerminal;

use super::door::Door;
use super::propose::Handing;
use super::review::{self, Then};
use super::{notify, run as running};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::{self, Printer, Subject};
use crate::wire::{CheckReport, ProposeReport, exit_of_run};

/// A plan on the record, and how far it has come.
pub(super) struct Made {
    pub(super) plan: Decided,
    pub(super) correlation_id: CorrelationId,
    pub(super) ran_before: Option<RunEntry>,
}

/// Tells what the plan is, and runs or reviews it where that has not happened yet.
pub(super) fn go_on(
    door: &Door,
    gate: &Gate<'_>,
    made: Made,
    examined: &Examined,
    subject: &Subject<'_>,
    args: &Handing,
    printer: &mut Printer,
) -> Result<Exit, CliError> {
    let Made { plan, correlation_id, ran_before } = made;
    let check = CheckReport::examined(examined);
    let runs = plan.state == State::AutoApproved && ran_before.is_none() && !args.no_run;
    let person = std::io::stdout().is_terminal() && ControllingTerminal::open().is_some();
    let reviewed = plan.state == State::Pending && person && !args.no_review && !args.json;
    // The review shows all of this.
    if !args.json && !reviewed {
        render::plan(subject, &check, examined, printer)?;
        printer.line(&format!("plan {}: {}", plan.plan_id, plan.state))?;
        if let Some(run) = &ran_before {
            let status = run.status.map_or("under way or interrupted", TaskStatus::as_str);
            printer.line(&format!("run {}: {status}", run.run_id))?;
        }
    }
    let ran = if runs { Some(running::start(gate, &plan.plan_id, printer)?) } else { None };
    if let Some(ran) = &ran
        && check.decision == Kind::AutoNotify
    {
        notify::ran_alone(ran, check.risk.as_ref().map_or(0, |r| r.score), printer);
    }
    let exit = match (&ran, &ran_before, plan.state) {
        (Some(ran), ..) => exit_of_run(ran),
        (None, Some(run), _) => match run.status {
            Some(TaskStatus::Completed) => Exit::Done,
            Some(_) => Exit::RunFailed,
            None => Exit::Unsettled,
        },
        (None, None, State::AutoApproved) => Exit::Done,
        (None, None, State::Pending | State::UserApproved) => Exit::Waits,
        (None, None, State::Expired) => Exit::Stale,
        (None, None, State::Rejected) => Exit::Refused,
    };
    if args.json {
        let mut check = check;
        check.exit_code = exit.code();
        if let Some(ran) = &ran {
            args.commit.after_run(door, gate, ran, printer)?;
        }
        printer.json(&ProposeReport {
            check,
            plan_id: Some(plan.plan_id),
            correlation_id: Some(correlation_id),
            state: Some(plan.state),
            run_id: ran.as_ref().map(|ran| ran.run_id.clone()).or(ran_before.map(|run| run.run_id)),
            run: ran,
            recovered: gate.recovered(),
        })?;
        return Ok(exit);
    }
    if let Some(ran) = &ran {
        running::print(gate, ran, printer)?;
        args.commit.after_run(door, gate, ran, printer)?;
    } else if ran_before.is_none()
        && matches!(plan.state, State::AutoApproved | State::UserApproved)
    {
        printer.line(&format!("run it: `exacta run {}`", plan.plan_id))?;
    }
    if plan.state != State::Pending {
        return Ok(exit);
    }
    if reviewed {
        let credential = args.credential.as_deref();
        let then = Then { run: !args.no_run, commit: args.commit };
        return review::ask(door, gate, &plan.plan_id, then, credential, printer);
    }
    printer.line(&format!("review it: `exacta review {}`", plan.plan_id))?;
    Ok(exit)
}
