//! `exacta wait`: until a plan is decided on, or its run has ended.

use std::io::IsTerminal as _;
use std::thread;
use std::time::{Duration, Instant};

use exacta_core::life::lifecycle::State;
use exacta_core::results::TaskStatus;
use exacta_engine::gate::Sweep;

use super::door::{self, Door};
use super::status;
use crate::cli::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::render::Printer;

/// Wait until a plan has run, was rejected or expired.
///
/// While waiting, the plan's files are watched: it expires as soon as one of them changes.
/// Where a person approved some of its steps, or renewed it, the plan that took its place is
/// waited for.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  exacta run ID --detach && exacta wait ID\n  exacta wait ID --timeout 60

Exit codes: 0 it ran, 10 rejected, 11 still waiting, 12 expired, 13 the run failed or did not
start, 14 it was interrupted and `exacta recover` is needed."
)]
pub(crate) struct Args {
    /// The plan: its id, or the beginning or end of it.
    pub(super) plan: String,

    /// Stop waiting after this many seconds.
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,

    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    const BETWEEN_LOOKS: Duration = Duration::from_millis(200);
    const SURELY_DEAD: u32 = 5;
    let start = Instant::now();
    let stop = interrupt::flag();
    let door = Door::open(printer)?;
    door.look(|gate| {
        let mut dead = 0;
        let mut awaited = gate.plan_or_run_named(&args.plan)?.created.plan_id;
        let mut told = false;
        loop {
            gate.refresh()?;
            let mut report = gate.status(&awaited)?;
            // What became of the plan is what became of the one in its place.
            if let Some(successor) = report.replaced_by.take() {
                printer
                    .note(&format!("plan {awaited} was replaced by {successor}; waiting for it"));
                awaited = successor;
                continue;
            }
            let (ended, state) = (report.run_status, report.state);
            let failed = report.run_id.is_none() && report.run_reason.is_some();
            // A run that is just ending may look like one that nobody is at, for a moment.
            dead = match &report.run_id {
                Some(run_id) if ended.is_none() && gate.is_abandoned(run_id)? => dead + 1,
                _ => 0,
            };
            let exit = match (ended, state) {
                (Some(TaskStatus::Completed), _) => Some(Exit::Done),
                (Some(_), _) => Some(Exit::RunFailed),
                (None, _) if dead >= SURELY_DEAD => Some(Exit::Unsettled),
                (None, State::Rejected) => Some(Exit::Refused),
                (None, State::Expired) => Some(Exit::Stale),
                (None, State::AutoApproved | State::UserApproved) if failed => {
                    Some(Exit::RunFailed)
                }
                (None, State::Pending | State::AutoApproved | State::UserApproved) => None,
            };
            let late = args.timeout.is_some_and(|most| start.elapsed().as_secs() >= most);
            let stopped = stop.load(std::sync::atomic::Ordering::Relaxed);
            if exit.is_some() || late || stopped {
                report.interrupted |= exit == Some(Exit::Unsettled);
                if args.json {
                    printer.json(&report)?;
                } else {
                    status::print(&report, printer)?;
                }
                return Ok(exit.unwrap_or(Exit::Waits));
            }
            if !told && std::io::stderr().is_terminal() {
                told = true;
                let until = if state == State::Pending { "a decision" } else { "its run" };
                printer.note(&format!("waiting for {until}; Ctrl-C stops only the waiting"));
            }
            if report.run_id.is_none() {
                // Whatever is the matter with other plans is not waited for.
                let sweep = Sweep { plan_id: Some(awaited.clone()) };
                door::handle(gate, &door::caller(None), sweep, printer)?;
            }
            thread::sleep(BETWEEN_LOOKS);
        }
    })
}
