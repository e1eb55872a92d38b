//! `exacta run`: what was approved happens, all of it or none of it.

use std::process::{Command as Process, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use exacta_core::judge::decide::Kind;
use exacta_core::life::ledger::RunState;
use exacta_core::life::lifecycle::State;
use exacta_core::model::change::Change;
use exacta_core::model::digest::Digest;
use exacta_core::model::id::PlanId;
use exacta_core::results::{Reason, Results};
use exacta_core::text::shown::visible;
use exacta_engine::checks::{self, Verdict};
use exacta_engine::gate::{
    Caller, Command, Gate, GateError, NoteFailedStart, PrepareRun, Ran, Run, RunReceipt,
    StepQuestion,
};
use exacta_engine::run::{CheckProgress, Phase, Progress, Watch};
use exacta_engine::tools::StepSign;
use exacta_engine::workspace::Workspace as _;

use super::commit::CommitArgs;
use super::door::{self, Door};
use super::{decision, deeds, no_tests, notify, steps};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::paint::style;
use crate::render::{Printer, without_colours};
use crate::wire::exit_of_run;

/// Run an approved plan.
///
/// Everything is read and computed again first. The files change all at once or not at
/// all; Ctrl-C before the end takes everything back.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta run ID
  exacta run ID --commit
  exacta run ID --detach && exacta wait ID

Exit codes: 0 completed, 11 the plan or a step of it waits for a person, 12 expired or already used,
13 it failed or went back, 14 recovery needed or an outcome is unknown.")]
pub(crate) struct Args {
    /// The plan: its id, or the beginning or end of it.
    pub(super) plan: String,

    /// The plan's full hash, to be sure.
    #[arg(long, value_name = "HASH")]
    hash: Option<String>,

    /// Run in the background; `exacta wait ID` waits for the end.
    #[arg(long, conflicts_with = "commit")]
    detach: bool,

    #[command(flatten)]
    commit: CommitArgs,

    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,

    /// Nobody watches: what goes wrong before the run starts is kept for whoever asks.
    #[arg(long, hide = true, conflicts_with_all = ["detach", "json"])]
    unwatched: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let hash = decision::hash(args.hash.as_ref())?;
    let door = Door::open(printer)?;
    door.look(|gate| {
        let plan = gate.plan_or_run_named(&args.plan)?;
        let plan_id = plan.created.plan_id.clone();
        if args.detach {
            // Whoever looks away should know that it was worth starting.
            let prepare = PrepareRun { plan_id: plan_id.clone(), plan_hash: hash };
            door::handle(gate, &door::caller(None), prepare, printer)?;
            return detach(&door, &plan_id, args, printer);
        }
        let asks = !args.json && !args.unwatched;
        let ran = match act(gate, &plan_id, hash, asks, printer) {
            Err(error) if args.unwatched => {
                let note = NoteFailedStart { plan_id, why: error.to_string() };
                gate.handle(&door::caller(None), note)?;
                return Err(error);
            }
            ran => ran?,
        };
        if plan.state() == State::AutoApproved && plan.decision == Some(Kind::AutoNotify) {
            notify::ran_alone(&ran, plan.risk.unwrap_or_default(), printer);
        }
        if args.json {
            printer.json(&ran)?;
        } else {
            print(gate, &ran, printer)?;
        }
        args.commit.after_run(&door, gate, &ran, printer)?;
        Ok(exit_of_run(&ran))
    })
}

/// Runs a plan that has just been approved.
pub(super) fn start(
    gate: &Gate<'_>,
    plan_id: &PlanId,
    printer: &mut Printer,
) -> Result<Ran, CliError> {
    act(gate, plan_id, None, true, printer)
}

fn act(
    gate: &Gate<'_>,
    plan_id: &PlanId,
    hash: Option<Digest>,
    asks: bool,
    printer: &mut Printer,
) -> Result<Ran, CliError> {
    let command = Run { plan_id: plan_id.clone(), plan_hash: hash };
    let ran = watched(gate, door::caller(None), command, printer)?;
    if asks { steps::ask_and_go_on(gate, ran, printer) } else { Ok(ran) }
}

/// Carries out a command that changes files: how far it has come is told, and Ctrl-C takes
/// it back.
pub(super) fn watched<C: Command + Clone>(
    gate: &Gate<'_>,
    caller: Caller<'_>,
    command: C,
    printer: &mut Printer,
) -> Result<C::Reply, GateError> {
    let watch = OnTerminal::new(printer);
    let reply = gate.handle(&caller.watched(&watch), command);
    door::report_notices(gate, printer);
    reply
}

/// Has something done that may take long: how far it has come is told, and Ctrl-C stops it.
pub(super) fn with_watch<T>(printer: &mut Printer, act: impl FnOnce(&dyn Watch) -> T) -> T {
    act(&OnTerminal::new(printer))
}

/// Says which files a program wrote to after they were swapped out.
pub(super) fn print_late(
    receipt: Option<&RunReceipt>,
    printer: &mut Printer,
) -> Result<(), CliError> {
    for late in receipt.iter().flat_map(|receipt| &receipt.late_edits) {
        printer.line(&format!(
            "  a program wrote to `{}` after it was swapped out; what it wrote is kept with the run",
            visible(late.as_str().as_bytes())
        ))?;
    }
    Ok(())
}

/// Tells how far a long run has come; Ctrl-C takes it back.
struct OnTerminal<'p> {
    stop: &'static AtomicBool,
    printer: std::cell::RefCell<&'p mut Printer>,
    /// Which check was told of last, and when to speak of it again.
    told: std::cell::RefCell<Option<(usize, Duration)>>,
    /// The tool steps that are under way.
    steps: steps::Steps,
    /// When to speak of a wait for another process.
    next_word: std::cell::Cell<Duration>,
}

impl<'p> OnTerminal<'p> {
    fn new(printer: &'p mut Printer) -> Self {
        Self {
            stop: interrupt::flag(),
            printer: std::cell::RefCell::new(printer),
            told: std::cell::RefCell::default(),
            steps: steps::Steps::default(),
            next_word: std::cell::Cell::new(FIRST_WORD),
        }
    }
}

/// What ends before this is told of by its outcome alone.
const FIRST_WORD: Duration = Duration::from_secs(1);

impl Watch for OnTerminal<'_> {
    fn progress(&self, progress: Progress) {
        // A run of a few files is over before anybody could read how far it is.
        const EVERY: usize = 200;
        if progress.done.is_multiple_of(EVERY) && progress.done < progress.total {
            let doing = match progress.phase {
                Phase::Staging => "staging",
                Phase::Swapping => "putting in place",
                Phase::Settling => "settling",
            };
            let (done, total) = (progress.done, progress.total);
            self.printer.borrow_mut().note(&format!("{doing}: {done} of {total} files"));
        }
    }

    fn check(&self, progress: CheckProgress<'_>) {
        let CheckProgress { name, done, total, elapsed, .. } = progress;
        let mut told = self.told.borrow_mut();
        let due = told.as_ref().is_none_or(|(last, next)| *last != done || elapsed >= *next);
        if due && elapsed >= FIRST_WORD {
            let seconds = elapsed.as_secs();
            let name = visible(name.as_bytes());
            let text = format!("check {name} ({} of {total}) is running, {seconds} s", done + 1);
            self.printer.borrow_mut().note(&text);
            *told = Some((done, elapsed * 2));
        }
    }

    fn step(&self, sign: &StepSign) {
        if let Some(line) = self.steps.line(sign) {
            self.printer.borrow_mut().note(&line);
        }
    }

    fn waits(&self, elapsed: Duration) {
        if elapsed >= self.next_word.get() {
            let seconds = elapsed.as_secs();
            let text = format!("another process is changing this project; waiting, {seconds} s");
            self.printer.borrow_mut().note(&text);
            self.next_word.set(elapsed * 2);
        }
    }

    fn cancelled(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Starts this program once more, free of this terminal.
fn detach(
    door: &Door,
    plan_id: &PlanId,
    args: &Args,
    printer: &mut Printer,
) -> Result<Exit, CliError> {
    if !start_apart(door, plan_id, args.hash.as_deref())? {
        return Err(CliError::Refused {
            message: "`setsid --fork` did not start the run".into(),
            help: format!(
                "nothing was done; it takes the `setsid` of util-linux. `exacta run {plan_id}` \
                 runs the plan here"
            ),
        });
    }
    if args.json {
        printer.json(&serde_json::json!({"plan_id": plan_id, "state": "started"}))?;
    } else {
        printer.line(&format!("started; `exacta wait {plan_id}` waits for the end"))?;
    }
    Ok(Exit::Done)
}

/// Starts a run in a process of its own, which outlives this one and its terminal.
pub(crate) fn start_apart(
    door: &Door,
    plan_id: &PlanId,
    hash: Option<&str>,
) -> Result<bool, CliError> {
    let program = std::env::current_exe()?;
    let started = Process::new("setsid")
        .arg("--fork")
        .arg(program)
        .arg("-C")
        .arg(door.root.location().map_err(GateError::from)?)
        .args(["run", plan_id, "--unwatched"])
        .args(hash.iter().flat_map(|hash| ["--hash", hash]))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    Ok(started.success())
}

/// Prints a run for people.
pub(super) fn print(gate: &Gate<'_>, ran: &Ran, printer: &mut Printer) -> Result<(), CliError> {
    let (good, bad) = (style::GOOD, style::ERROR);
    for check in &ran.checks {
        print_check(check, printer)?;
    }
    match ran.state {
        RunState::Completed => {
            printer.line(&format!("{good}done{good:#}: run {}", ran.run_id))?;
            let files = ran.receipt.iter().flat_map(|receipt| &receipt.files);
            let mut changes: Vec<Change> = files.map(deeds::change).collect();
            // Both names of a rename stand in the plan only.
            if deeds::may_rename(&changes)
                && let Ok(shown) = gate.show(&ran.plan_id)
            {
                deeds::name_renames(&mut changes, shown.examined.changes());
            }
            for line in deeds::done(&changes, deeds::FORTH.after) {
                printer.line(&line)?;
            }
            if changes.len() > deeds::MOST_NAMED {
                printer.line(&format!("`exacta show {}` has them all", ran.plan_id))?;
            }
            print_steps(ran, printer)?;
            print_late(ran.receipt.as_ref(), printer)?;
            if ran.receipt.is_some() {
                printer.line(&format!("take it back: `exacta undo {}`", ran.run_id))?;
            }
        }
        RunState::RolledBack => {
            let rest = if ran.conflicts.is_empty() { "" } else { " but those named below" };
            printer.line(&format!(
                "{bad}rolled back{bad:#}: run {}; every file{rest} is as it was",
                ran.run_id
            ))?;
            print_steps(ran, printer)?;
        }
        RunState::Partial | RunState::Failed | RunState::Blocked => {
            let state = ran.state.as_str();
            printer.line(&format!("{bad}{state}{bad:#}: run {}", ran.run_id))?;
            print_steps(ran, printer)?;
        }
        RunState::Unknown if lost_an_answer(ran) => {
            let id = &ran.run_id;
            printer.line(&format!("{bad}unknown{bad:#}: run {id}"))?;
            print_steps(ran, printer)?;
            printer.line(&format!(
                "find out whether it happened, then `exacta resolve {id} --happened` or `--not`"
            ))?;
        }
        RunState::Waiting => {
            printer.line(&format!("{bad}waits for a person{bad:#}: run {}", ran.run_id))?;
            for ask in &ran.asks {
                print_question(ask, printer)?;
            }
            printer.line(&format!(
                "`exacta run {}` asks and goes on; without a terminal: `exacta step {} --yes` or `--no`",
                ran.plan_id, ran.run_id
            ))?;
        }
        RunState::Unknown => {
            printer.line(&format!("{bad}not settled{bad:#}: run {}", ran.run_id))?;
            printer.line("`exacta recover` finishes it or rolls it back")?;
        }
    }
    if let Some(why) = &ran.reason {
        printer.line(&format!("  {}", visible(why.as_bytes())))?;
    }
    for conflict in &ran.conflicts {
        printer.line(&format!("  kept: {}", visible(conflict.as_bytes())))?;
    }
    if ran.state == RunState::RolledBack {
        if ran.checks.iter().any(missed_something) {
            printer.line(WHAT_CHECKS_SEE)?;
        }
        let failed = ran.checks.iter().any(|check| check.verdict != Verdict::Passed);
        printer.line(&if interrupt::flag().load(Ordering::Relaxed) {
            format!("you stopped it; `exacta renew {}` makes a fresh plan of it", ran.plan_id)
        } else if failed {
            "mend the change where it was made and hand it in again (`exacta propose`)".to_owned()
        } else {
            format!("when that is mended: `exacta renew {}` makes a fresh plan", ran.plan_id)
        })?;
    }
    Ok(())
}

/// The most lines of a check's output that are shown; `--json` has all of it.
const MOST_OUTPUT: usize = 40;

/// Prints what a check said, with its output where it did not pass.
pub(super) fn print_check(check: &checks::Outcome, printer: &mut Printer) -> Result<(), CliError> {
    let passed = check.verdict == Verdict::Passed;
    let tone = if passed { style::GOOD } else { style::ERROR };
    let took = check.took.as_secs_f32();
    let verdict = match check.verdict {
        // What a shell, and our own child, end with when there is no such program.
        Verdict::Failed(127) => format!("{}: a program was not found", check.verdict),
        ref verdict => verdict.to_string(),
    };
    let nothing = no_tests::nothing_ran(&check.output).filter(|_| passed);
    let nothing = nothing.map_or_else(String::new, |line| {
        format!(", but it ran no test: `{}`", visible(line.as_bytes()))
    });
    printer.line(&format!(
        "check {}: {tone}{verdict}{tone:#} ({took:.1} s){nothing}",
        visible(check.name.as_bytes()),
    ))?;
    if !passed {
        let output = check.output.trim_ascii_end();
        let lines: Vec<&[u8]> = output.split(|b| *b == b'\n').collect();
        // What went wrong stands at the end.
        let skipped = lines.len().saturating_sub(MOST_OUTPUT);
        if skipped > 1 {
            printer.line(&format!("  | ({skipped} lines before these)"))?;
        }
        let skipped = if skipped > 1 { skipped } else { 0 };
        for line in lines.iter().skip(skipped).filter(|_| !output.is_empty()) {
            printer.line(&format!("  | {}", visible(&without_colours(line))))?;
        }
    }
    Ok(())
}

/// Whether a step of the run got no answer, so that a person has to find out.
fn lost_an_answer(ran: &Ran) -> bool {
    let rows = ran.results.as_ref().map_or(&[][..], Results::rows);
    rows.iter().any(|row| row.reason() == Some(Reason::OutcomeUnknown.as_str()))
}

/// One line a tool step.
fn print_steps(ran: &Ran, printer: &mut Printer) -> Result<(), CliError> {
    let rows = ran.results.as_ref().map_or(&[][..], Results::rows);
    for row in rows {
        let Some(tool) = row.tool() else { continue };
        let (id, tool) = (visible(row.step_id().as_bytes()), visible(tool.as_bytes()));
        let tone = if row.ok() { style::GOOD } else { style::ERROR };
        let word = if row.ok() { "done" } else { row.reason().unwrap_or("failed") };
        let error = row
            .error()
            .map_or_else(String::new, |error| format!(": {}", visible(error.as_bytes())));
        printer.line(&format!("  {id} {tool}: {tone}{word}{tone:#}{error}"))?;
    }
    Ok(())
}

/// A step that waits for a person, with its arguments.
fn print_question(ask: &StepQuestion, printer: &mut Printer) -> Result<(), CliError> {
    for line in question_lines(ask) {
        printer.line(&line)?;
    }
    Ok(())
}

/// What a person is shown of a step before they decide: everything that it would use.
pub(super) fn question_lines(ask: &StepQuestion) -> Vec<String> {
    let shown = |text: &str| visible(text.as_bytes());
    let mut lines = vec![format!("  {} {}: {}", shown(&ask.step_id), shown(&ask.tool), ask.why)];
    let args = serde_json::to_string_pretty(&ask.args).unwrap_or_default();
    lines.extend(args.lines().map(|line| format!("    {}", shown(line))));
    if !ask.filled.is_empty() {
        let places: Vec<String> = ask.filled.iter().map(|at| shown(at)).collect();
        lines.push(format!("    filled in from earlier steps: {}", places.join(", ")));
    }
    lines
}

/// What a check that misses something should have been told.
pub(super) const WHAT_CHECKS_SEE: &str = "a check has no network but a loopback of its own, and sees \
    the project, the folders of the system and those on PATH, not the rest of your home";

/// Whether a check failed as programs do that miss a file, a right or the network.
pub(super) fn missed_something(check: &checks::Outcome) -> bool {
    const SIGNS: [&str; 6] = [
        "permission denied",
        "not permitted",
        "no such file",
        "not found",
        "network is unreachable",
        "name resolution",
    ];
    let said = String::from_utf8_lossy(&check.output).to_lowercase();
    check.verdict != Verdict::Passed && SIGNS.iter().any(|sign| said.contains(sign))
}
