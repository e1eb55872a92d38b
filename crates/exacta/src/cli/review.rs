//! `exacta review`: look at a plan and decide.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use exacta_core::judge::policy::Decide;
use exacta_core::life::lifecycle::State;
use exacta_core::model::change::Change;
use exacta_core::model::id::PlanId;
use exacta_core::text::shown::visible;
use exacta_engine::gate::{
    Approve, DecideParts, Gate, GateError, PlanStatus, Reject, Renew, RequestChanges, Selection,
    Shown,
};
use exacta_engine::proof::{ControllingTerminal, Proof};

use super::commit::CommitArgs;
use super::door::{self, Door};
use super::{confirm, decision, offer, run as running, show};
use crate::agent::screen;
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;
use crate::review::{self, Choice, Kept, Start, Terminal};
use crate::wire::exit_of_run;

/// Look at a plan that waits, and decide.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta review        # the oldest plan that waits
  exacta review ID
  exacta review --web  # in the browser, with `exacta serve`
  exacta review ID --credential ~/.exacta-credential

Exit codes: 0 approved, and it ran, 10 rejected, 11 nothing was decided, 12 changes were
requested, 13 the run went back, 14 recovery needed.")]
pub(crate) struct Args {
    /// The plan: its id, or the beginning or end of it; the oldest that waits when absent.
    pub(super) plan: Option<String>,

    /// Decide, but do not run.
    #[arg(long)]
    no_run: bool,

    #[command(flatten)]
    commit: CommitArgs,

    /// The file that holds the credential, where policy says `decide = "credential"`.
    #[arg(long, value_name = "FILE")]
    credential: Option<PathBuf>,

    /// Show a link on this terminal that opens the review room of `exacta serve`.
    #[arg(long, conflicts_with_all = ["plan", "no_run", "commit"])]
    web: bool,

    /// With `--web`: the link for your phone, as a QR code, at the address that the server has
    /// for it.
    #[arg(long, requires = "web")]
    phone: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    if args.web {
        return super::room::sign_in(&door, args.credential.as_deref(), args.phone);
    }
    door.look(|gate| {
        let plan_id = match &args.plan {
            Some(name) => Some(gate.plan_or_run_named(name)?.created.plan_id),
            None => waiting(gate)?.pop(),
        };
        let Some(plan_id) = plan_id else {
            printer.line("no plan waits")?;
            return Ok(Exit::Waits);
        };
        let then = Then { run: !args.no_run, commit: args.commit };
        // A plan that takes the place of this one is not one more.
        let others = waiting(gate)?.into_iter().filter(|other| *other != plan_id);
        let others: Vec<PlanId> = others.collect();
        let exit = ask(&door, gate, &plan_id, then, args.credential.as_deref(), printer)?;
        if args.plan.is_none() {
            match waiting(gate)?.iter().filter(|other| others.contains(other)).count() {
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

/// What becomes of a plan that is approved in the review.
#[derive(Clone, Copy, Debug)]
pub(super) struct Then {
    pub(super) run: bool,
    pub(super) commit: CommitArgs,
}

/// Shows a plan at the terminal, asks what to do with it, and does that.
pub(super) fn ask(
    door: &Door,
    gate: &Gate<'_>,
    plan_id: &PlanId,
    then: Then,
    credential: Option<&Path>,
    printer: &mut Printer,
) -> Result<Exit, CliError> {
    ask_from(door, gate, plan_id, Start::default(), then, credential, printer)
}

/// The same, with what was said and left out before.
pub(super) fn ask_from(
    door: &Door,
    gate: &Gate<'_>,
    plan_id: &PlanId,
    mut start: Start,
    then: Then,
    credential: Option<&Path>,
    printer: &mut Printer,
) -> Result<Exit, CliError> {
    let mut plan_id = plan_id.clone();
    let commits = then.run && then.commit.is_wanted(door)?;
    // A plan that expires under the review is renewed, and the review goes on with the fresh one.
    for _ in 0..MOST_RENEWALS {
        let shown = gate.show(&plan_id)?;
        (start.then_runs, start.then_commits) = (then.run, commits);
        let Some((choice, proof)) = chosen(door, gate, &shown, &start, credential, printer)? else {
            return Ok(Exit::Waits);
        };
        let Choice::Renew(kept) = choice else {
            return decide(door, gate, &shown, (choice, proof), then, printer);
        };
        let plan_hash = Some(shown.entry.created.plan_hash);
        let command = Renew { plan_id: plan_id.clone(), plan_hash, proof };
        let fresh = door::handle(gate, &door::caller(None), command, printer)?;
        if fresh.state != State::Pending {
            decision::print(gate, &fresh, false, printer)?;
            return Ok(Exit::Refused);
        }
        start = renewed(&shown, &gate.show(&fresh.plan_id)?, kept);
        plan_id = fresh.plan_id;
    }
    printer.line(&format!("nothing was decided; `exacta review {plan_id}` asks again"))?;
    Ok(Exit::Waits)
}

/// Whoever renews so often in one sitting should look at what keeps changing the files.
const MOST_RENEWALS: usize = 100;

/// What the review of a fresh plan begins with: what changed, and what was left out before of
/// steps that did not.
pub(super) fn renewed(old: &Shown, fresh: &Shown, mut kept: Kept) -> Start {
    let effects = |shown: &Shown, step: &str| -> Vec<Change> {
        let of_step = shown.examined.changes().iter().filter(|change| change.step == step);
        of_step.cloned().collect()
    };
    let is_same = |step: &str| effects(old, step) == effects(fresh, step);
    let steps = fresh.examined.draft().steps.iter().map(|step| step.step_id.as_str());
    let mut said: Vec<String> = Vec::new();
    let changed: Vec<&str> = steps.filter(|step| !is_same(step)).collect();
    match changed.len() {
        0 => said.push("every step is what it was".into()),
        count if count <= MOST_NAMED => {
            let files = |step: &str| {
                let paths = effects(fresh, step).into_iter().map(|change| change.path.to_string());
                paths.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
            };
            let named = changed.iter().map(|step| format!("{step} ({})", files(step)));
            said.push(format!("not what it was: {}", named.collect::<Vec<_>>().join(", ")));
        }
        count => said.push(format!("{count} steps are not what they were")),
    }
    let risk = |shown: &Shown| {
        shown.entry.risk.map_or_else(|| "unknown".to_owned(), |risk| risk.to_string())
    };
    if risk(old) != risk(fresh) {
        said.push(format!("the risk was {} and is {}", risk(old), risk(fresh)));
    }
    let dropped = kept.retain(is_same);
    if !kept.is_empty() {
        said.push("your selection is kept, `s` shows it".into());
    }
    if dropped > 0 {
        said.push("look again at what you left out of steps that changed".into());
    }
    Start { kept, note: format!("renewed: {}", said.join("; ")), ..Start::default() }
}

/// More steps than this are counted.
const MOST_NAMED: usize = 10;

/// A choice about a plan, and what shows the right to make it; nothing where none was made.
fn chosen(
    door: &Door,
    gate: &Gate<'_>,
    shown: &Shown,
    start: &Start,
    credential: Option<&Path>,
    printer: &mut Printer,
) -> Result<Option<(Choice, Proof)>, CliError> {
    let plan_id = &shown.entry.created.plan_id;
    if shown.state != State::Pending {
        show::print(gate, shown, printer)?;
        printer.note(&match shown.state {
            State::Expired => {
                format!("this plan has expired; `exacta renew {plan_id}` makes a fresh one")
            }
            _ => "this plan does not wait for a decision".into(),
        });
        return Ok(None);
    }
    let policy = door.policy().map_err(CliError::Policy)?;
    // Where policy wants the credential, a keystroke does not decide; and nobody should read
    // a whole plan to learn that.
    let by_credential = match (policy.decide, credential) {
        (Decide::Terminal | Decide::Hash, _) => None,
        (Decide::Credential, Some(file)) => Some(super::credential::proof(file)?),
        (Decide::Credential, None) => {
            show::print(gate, shown, printer)?;
            return Err(CliError::Undecided {
                message: "deciding needs the credential".into(),
                help: format!("`exacta review {plan_id} --credential FILE` asks for your choice"),
            });
        }
    };
    let Ok(mut terminal) = Terminal::open() else {
        show::print(gate, shown, printer)?;
        return Err(GateError::NotEntitled { needed: Decide::Terminal }.into());
    };
    let stale = gate.out_of_date(plan_id)?.map(|cause| cause.to_string());
    let overtaken = || match overtaken(gate, plan_id) {
        Ok(why) => why,
        Err(error) => Some(error.to_string()),
    };
    let choice = show::review(shown, stale.as_deref(), |plan| {
        review::ask(plan, &mut terminal, &overtaken, start)
    })?;
    drop(terminal);
    if choice == Choice::Later {
        let nothing = "nothing was decided";
        printer.line(&match stale.or_else(overtaken) {
            Some(why) => format!(
                "{nothing}; it can no longer be approved: {}; `exacta renew {plan_id}` makes a \
                 fresh plan",
                visible(why.as_bytes())
            ),
            None => format!("{nothing}; `exacta review {plan_id}` asks again"),
        })?;
        return Ok(None);
    }
    let proof = match by_credential {
        Some(proof) => proof,
        // Who types ahead cannot know the word that is asked for now.
        None if screen::was_shared() => {
            confirm::typed_yes("An agent had this terminal, so your choice needs one more word.")?
        }
        // Made of the choice, so after it: the terminal that it was made at is still there.
        None => ControllingTerminal::open()
            .ok_or(GateError::NotEntitled { needed: Decide::Terminal })?
            .chosen_here(),
    };
    Ok(Some((choice, proof)))
}

/// Carries out a choice.
fn decide(
    door: &Door,
    gate: &Gate<'_>,
    shown: &Shown,
    (choice, proof): (Choice, Proof),
    then: Then,
    printer: &mut Printer,
) -> Result<Exit, CliError> {
    // Exactly what was on the screen, or nothing.
    let plan_hash = Some(shown.entry.created.plan_hash);
    let (plan_id, caller) = (shown.entry.created.plan_id.clone(), door::caller(None));
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
            door::handle(gate, &caller, Reject { plan_id, plan_hash, reason, proof }, printer)?
        }
        Choice::RequestChanges(request) => door::handle(
            gate,
            &caller,
            RequestChanges { plan_id, plan_hash, request, proof },
            printer,
        )?,
        Choice::Renew(_) | Choice::Later => return Ok(Exit::Waits),
    };
    // The ends that `wait` tells, with the codes that it gives them.
    let exit = match plan.state {
        State::Rejected => Exit::Refused,
        State::Expired => Exit::Stale,
        State::Pending => Exit::Waits,
        State::UserApproved | State::AutoApproved => Exit::Done,
    };
    if plan.state != State::UserApproved || !then.run {
        decision::print(gate, &plan, false, printer)?;
        offer::after_decision(door, gate, printer);
        return Ok(exit);
    }
    decision::state(gate, &plan, printer)?;
    let ran = running::start(gate, &plan.plan_id, printer)?;
    running::print(gate, &ran, printer)?;
    then.commit.after_run(door, gate, &ran, printer)?;
    offer::after_decision(door, gate, printer);
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
