//! `exacta review`: look at a plan and decide.

use std::path::{Path, PathBuf};

use exacta_core::judge::policy::Decide;
use exacta_core::life::lifecycle::State;
use exacta_core::model::id::PlanId;
use exacta_core::text::shown::visible;
use exacta_engine::gate::{
    Approve, DecideParts, Gate, GateError, PlanStatus, Reject, RequestChanges, Selection,
};
use exacta_engine::proof::ControllingTerminal;

use super::door::{self, Door};
use super::{decision, run as running, show};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;
use crate::review::{self, Choice, Terminal};
use crate::wire::exit_of_run;

/// Look at a plan that waits, and decide.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta review        # the oldest plan that waits
  exacta review ID
  exacta review ID --credential ~/.exacta-credential

Exit codes: 0 approved, and it ran, 10 rejected, 11 nothing was decided, 12 changes were
requested, 13 the run went back, 14 recovery needed.")]
pub(crate) struct Args {
    /// The plan: its id, or the beginning or end of it; the oldest that waits when absent.
    pub(super) plan: Option<String>,

    /// Decide, but do not run.
    #[arg(long)]
    no_run: bool,

    /// The file that holds the credential, where policy says `decide = "credential"`.
    #[arg(long, value_name = "FILE")]
    credential: Option<PathBuf>,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    door.look(|gate| {
        let plan_id = match &args.plan {
            Some(name) => Some(gate.plan_or_run_named(name)?.created.plan_id),
            None => waiting(gate)?.pop(),
        };
        let Some(plan_id) = plan_id else {
            printer.line("no plan waits")?;
            return Ok(Exit::Waits);
        };
        let exit = ask(&door, gate, &plan_id, !args.no_run, args.credential.as_deref(), printer)?;
        if args.plan.is_none() {
            match waiting(gate)?.into_iter().filter(|other| *other != plan_id).count() {
                0 => {}
                1 => printer.note("one more plan waits; `exacta list --state pending` shows it"),
                more => printer.note(&format!(
                    "{more} more plans wait; `exacta list --state pending` shows them"
                )),
            }
        }
        Ok(exit)
    })
}

/// The plans that wait for a person, newest first.
fn waiting(gate: &Gate<'_>) -> Result<Vec<PlanId>, CliError> {
    let plans = gate.list()?.0.into_iter().filter(|plan| plan.state == State::Pending);
    Ok(plans.map(|plan| plan.plan_id).collect())
}

/// Shows a plan at the terminal, asks what to do with it, and does that.
pub(super) fn ask(
    door: &Door,
    gate: &Gate<'_>,
    plan_id: &PlanId,
    then_run: bool,
    credential: Option<&Path>,
    printer: &mut Printer,
) -> Result<Exit, CliError> {
    let shown = gate.show(plan_id)?;
    if shown.state != State::Pending {
        show::print(gate, &shown, printer)?;
        printer.note("this plan does not wait for a decision");
        return Ok(Exit::Waits);
    }
    let policy = door.policy().map_err(CliError::Policy)?;
    // Where policy wants the credential, a keystroke does not decide; and nobody should read
    // a whole plan to learn that.
    let proof = match (policy.decide, credential) {
        (Decide::Terminal | Decide::Hash, _) => {
            let Some(terminal) = ControllingTerminal::open() else {
                show::print(gate, &shown, printer)?;
                return Err(GateError::NotEntitled { needed: Decide::Terminal }.into());
            };
            terminal.chosen_here()
        }
        (Decide::Credential, Some(file)) => super::credential::proof(file)?,
        (Decide::Credential, None) => {
            show::print(gate, &shown, printer)?;
            return Err(CliError::Undecided {
                message: "deciding needs the credential".into(),
                help: format!("`exacta review {plan_id} --credential FILE` asks for your choice"),
            });
        }
    };
    let Ok(mut terminal) = Terminal::open() else {
        show::print(gate, &shown, printer)?;
        return Err(GateError::NotEntitled { needed: Decide::Terminal }.into());
    };
    let stale = gate.out_of_date(plan_id)?.map(|cause| cause.to_string());
    let overtaken = || match overtaken(gate, plan_id) {
        Ok(why) => why,
        Err(error) => Some(error.to_string()),
    };
    let choice = show::review(&shown, stale.as_deref(), |plan| {
        review::ask(plan, &mut terminal, &overtaken)
    })?;
    drop(terminal);
    if choice == Choice::Later
        && let Some(why) = stale.or_else(overtaken)
    {
        let why = visible(why.as_bytes());
        printer.line(&format!(
            "nothing was decided; it can no longer be approved: {why}; `exacta renew {plan_id}` \
             makes a fresh plan"
        ))?;
        return Ok(Exit::Waits);
    }
    if choice == Choice::Later {
        printer.line(&format!("nothing was decided; `exacta review {plan_id}` asks again"))?;
        return Ok(Exit::Waits);
    }
    // Exactly what was on the screen, or nothing.
    let plan_hash = Some(shown.entry.created.plan_hash);
    let (plan_id, caller) = (plan_id.clone(), door::caller(None));
    let approve = |selection, proof| {
        let plan_id = plan_id.clone();
        Approve { plan_id, plan_hash, selection, proof }
    };
    let plan = match choice {
        Choice::Approve => door::handle(gate, &caller, approve(Selection::Whole, proof), printer)?,
        Choice::Select(steps) => {
            door::handle(gate, &caller, approve(Selection::Steps(steps), proof), printer)?
        }
        Choice::Parts(parts, rest) => {
            let comments = Vec::new();
            let command = DecideParts { plan_id, plan_hash, parts, rest, comments, proof };
            door::handle(gate, &caller, command, printer)?
        }
        Choice::Reject(reason) => {
            door::handle(gate, &caller, Reject { plan_id, reason, proof }, printer)?
        }
        Choice::RequestChanges(request) => {
            door::handle(gate, &caller, RequestChanges { plan_id, request, proof }, printer)?
        }
        Choice::Later => return Ok(Exit::Waits),
    };
    // The ends that `wait` tells, with the codes that it gives them.
    let exit = match plan.state {
        State::Rejected => Exit::Refused,
        State::Expired => Exit::Stale,
        State::Pending => Exit::Waits,
        State::UserApproved | State::AutoApproved => Exit::Done,
    };
    if plan.state != State::UserApproved || !then_run {
        decision::print(gate, &plan, false, printer)?;
        return Ok(exit);
    }
    decision::state(&plan, printer)?;
    let ran = running::start(gate, &plan.plan_id, printer)?;
    running::print(&ran, printer)?;
    Ok(exit_of_run(&ran))
}

/// What has become of a plan that is on the screen, when it can no longer be decided.
fn overtaken(gate: &Gate<'_>, plan_id: &PlanId) -> Result<Option<String>, GateError> {
    gate.refresh()?;
    let report = gate.status(plan_id)?;
    if report.state != State::Pending {
        let cause = report.ended_because.filter(|_| report.status == PlanStatus::Expired);
        let cause = cause.map_or_else(String::new, |cause| format!(", because {cause}"));
        return Ok(Some(format!("the plan is {} now{cause}", report.status)));
    }
    Ok(report.out_of_date)
}
