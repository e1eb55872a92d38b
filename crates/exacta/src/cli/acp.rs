//! `exacta acp`: between an editor and an agent that speak the Agent Client Protocol.

use std::cell::RefCell;
use std::fs::File;
use std::io::BufReader;
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{env, io, thread};

use exacta_core::life::ledger::RunState;
use exacta_core::life::lifecycle::State;
use exacta_core::model::id::PlanId;
use exacta_core::read::parse::Limits;
use exacta_engine::capture::{CaptureError, Effect, Errand, Follow, Made, Pty, Session, draft};
use exacta_engine::checks::Verdict;
use exacta_engine::gate::{
    Approve, Caller, GateError, Propose, Proposed, Reject, Run, Selection, SourceKind,
};
use exacta_engine::proof::EditorChoice;
use exacta_engine::run::{Quiet, Watch};

use super::CliError;
use super::door::{self, Door, as_agent};
use crate::acp::{Relay, Shown, Turn, Waiting};
use crate::agent::way::Way;
use crate::exit::Exit;
use crate::render::Printer;

/// Run an agent for an editor, on a private copy of the project.
///
/// The editor starts this instead of the agent. Each turn ends in one plan of what changed in
/// the copy: applied where the decision lets it run alone, shown to you otherwise. What you
/// choose in the editor decides nothing, `exacta review` does; unless your own policy says
/// `editor_decides = true` and the editor can show all that changes.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "exacta acp [OPTIONS] -- <CMD>...",
    after_help = "Examples:
  exacta acp --host api.anthropic.com --env ANTHROPIC_API_KEY -- claude-agent-acp

Exit codes: 0 the editor or the agent went away, 10 no confinement can be had."
)]
pub(crate) struct Args {
    /// Let the agent use the whole network and sockets of this machine.
    #[arg(long)]
    network: bool,

    /// Let the agent reach this host over HTTPS, through a proxy.
    #[arg(long = "host", value_name = "NAME", conflicts_with = "network")]
    hosts: Vec<String>,

    /// Hand on an environment variable.
    #[arg(long = "env", value_name = "NAME")]
    environment: Vec<String>,

    /// Let the agent read this file or folder as well.
    #[arg(long = "read", value_name = "PATH")]
    reads: Vec<PathBuf>,

    /// The agent and its arguments.
    #[arg(value_name = "CMD", required = true, last = true)]
    command: Vec<String>,
}

/// The editor's side is standard output, the agent's a socket.
type Sides = Relay<io::Stdout, File>;

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    let project = PathBuf::from(door.root.id().path);
    let program = args.command.first().map_or("", String::as_str);
    let mut room = door::room()?.for_program(program, &project);
    for path in &args.reads {
        let found =
            path.canonicalize().map_err(|source| CliError::Read { path: path.clone(), source })?;
        room.reads.extend([std::path::absolute(path)?, found]);
    }
    for name in &args.environment {
        if let Ok(value) = env::var(name) {
            room.environment.retain(|(other, _)| other != name);
            room.environment.push((name.clone(), value));
        }
    }
    let way = Way::of(args.network, &args.hosts)?;
    way.tell(&mut room);
    let session = Session::begin(door.root.as_ref(), &room, false)?;
    let errand = Errand {
        command: args.command.clone(),
        folder: PathBuf::new(),
        input: None,
        network: way.reach(),
        home: env::var_os("HOME").map(PathBuf::from),
        builds: false,
        byte_limit: Limits::default().raw_bytes,
    };
    let (ours, theirs) = UnixStream::pair()?;
    let writes = File::from(OwnedFd::from(ours.try_clone()?));
    let relay: Arc<Sides> = Arc::new(Relay::new(project, io::stdout(), writes));
    let gone = Arc::new(AtomicBool::new(false));
    let (listening, leaves) = (Arc::clone(&relay), Arc::clone(&gone));
    thread::spawn(move || {
        listening.listen_to_editor(BufReader::new(io::stdin()));
        // Without an editor there is nobody to work for.
        leaves.store(true, Ordering::Relaxed);
    });
    let pty = Pty { ours: ours.into(), theirs: theirs.into() };
    let follow = Lines {
        relay: &relay,
        gone: &gone,
        line: RefCell::default(),
        turn: &|| turn(&door, &session, &errand).unwrap_or_else(|error| told(&error)),
        decided: &|waiting, choice| {
            decided(&door, &session, waiting, choice).unwrap_or_else(|error| told(&error).said)
        },
    };
    match session.run(&errand, &room, Some(pty), &follow) {
        Ok(_) | Err(CaptureError::Cancelled) => Ok(Exit::Done),
        Err(error) => Err(error.into()),
    }
}

/// What the agent writes, a line at a time.
struct Lines<'l> {
    relay: &'l Sides,
    gone: &'l AtomicBool,
    line: RefCell<Vec<u8>>,
    turn: &'l dyn Fn() -> Turn,
    decided: &'l dyn Fn(&Waiting, EditorChoice) -> String,
}

/// A line that is longer is none of the protocol's.
const LONGEST: usize = 64 << 20;

impl Watch for Lines<'_> {
    fn cancelled(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }
}

impl Follow for Lines<'_> {
    fn output(&self, bytes: &[u8]) -> ControlFlow<()> {
        let mut line = self.line.borrow_mut();
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            line.extend_from_slice(part);
            if line.len() > LONGEST {
                return ControlFlow::Break(());
            }
            if line.ends_with(b"\n") {
                self.relay.hear_agent(&line, self.turn, self.decided);
                line.clear();
            }
        }
        ControlFlow::Continue(())
    }
}

fn told(error: &CliError) -> Turn {
    Turn { said: format!("Exacta: {error}; the project is as it was"), waits: None }
}

/// Makes a plan of what changed in the copy, and runs it where it may run alone.
fn turn(door: &Door, session: &Session, errand: &Errand) -> Result<Turn, CliError> {
    let captured = session.changes(Verdict::Passed, errand, &Quiet)?;
    let mut said: Vec<String> = Vec::new();
    for unfit in &captured.unfit {
        said.push(format!("cannot be proposed: `{}`: {}", unfit.path, unfit.why));
    }
    for path in &captured.conflicts {
        said.push(format!("`{path}` was changed in the project meanwhile; the copy takes it over"));
    }
    let keep = |made: &&Made| !captured.conflicts.iter().any(|path| path == made.path.as_str());
    let made: Vec<Made> = captured.made.iter().filter(keep).cloned().collect();
    let mut waits = None;
    if !made.is_empty() {
        let (plan_id, words) = door.act(|gate| {
            let text = draft(None, &made);
            let made_on = Some(captured.seen.clone());
            let command = Propose { made_on, ..Propose::new(SourceKind::Draft, text) };
            let caller = Caller::new(as_agent("acp"));
            let plan = match gate.handle(&caller, command)? {
                Proposed::Refused { issues, .. } => {
                    let why = issues.first().map(|issue| issue.message.clone());
                    let why = why.unwrap_or_default();
                    return Ok((None, format!("Exacta refuses this turn's changes: {why}")));
                }
                Proposed::Plan { plan, .. } | Proposed::Again(plan) => plan,
            };
            match plan.state {
                State::AutoApproved | State::UserApproved => {
                    let command = Run { plan_id: plan.plan_id.clone(), plan_hash: None };
                    let ran = gate.handle(&caller, command)?;
                    Ok((None, ended(&ran.run_id.to_string(), ran.state)))
                }
                State::Pending => {
                    let id = plan.plan_id.to_string();
                    let words = format!("Exacta: plan {id} waits; `exacta review {id}` decides");
                    Ok((Some(id), words))
                }
                State::Rejected | State::Expired => {
                    Ok((None, format!("Exacta rejects this turn's changes: plan {}", plan.plan_id)))
                }
            }
        })?;
        said.push(words);
        let project = PathBuf::from(door.root.id().path);
        waits = plan_id.map(|plan| Waiting {
            plan,
            files: made.iter().map(|made| shown(&project, made)).collect(),
            may_decide: made.iter().all(|made| is_text(&project, made))
                && door.policy().is_ok_and(|policy| policy.editor_decides),
        });
    }
    session.go_on(&captured.conflicts)?;
    Ok(Turn { said: said.join("\n"), waits })
}

fn shown(project: &std::path::Path, made: &Made) -> Shown {
    let path = made.path.as_str().to_owned();
    let old = std::fs::read_to_string(project.join(&path)).ok();
    let new = match &made.effect {
        Effect::Create { bytes, .. } | Effect::Modify { bytes, .. } => {
            String::from_utf8_lossy(bytes).into_owned()
        }
        Effect::Delete => String::new(),
    };
    (path, old, new)
}

/// Whether texts are all that a change changes, so that an editor shows the whole of it. A file
/// that goes looks like one that becomes empty.
fn is_text(project: &std::path::Path, made: &Made) -> bool {
    let text = |bytes: &[u8]| std::str::from_utf8(bytes).is_ok();
    match &made.effect {
        Effect::Create { bytes, executable: false } => text(bytes),
        Effect::Modify { bytes, executable: None } => {
            let before = std::fs::read(project.join(made.path.as_str()));
            text(bytes) && before.is_ok_and(|bytes| text(&bytes))
        }
        Effect::Create { .. } | Effect::Modify { .. } | Effect::Delete => false,
    }
}

fn ended(run: &str, state: RunState) -> String {
    match state {
        RunState::Completed => format!("Exacta applied this turn's changes as run {run}"),
        _ => format!("run {run} did not complete; the project is as it was"),
    }
}

/// What became of a plan after the editor's user was asked. What was rejected is taken back in
/// the copy.
fn decided(
    door: &Door,
    session: &Session,
    waiting: &Waiting,
    choice: EditorChoice,
) -> Result<String, CliError> {
    let Waiting { plan, files, .. } = waiting;
    // The record may be younger than the door.
    let (rejected, said) = door.act(|gate| {
        let plan_id = PlanId::parse(plan).map_err(|_| GateError::NoSuchPlan(plan.into()))?;
        let plan_hash = Some(gate.plan_named(plan)?.created.plan_hash);
        let person = door::caller(None);
        match choice {
            EditorChoice::Approve(proof) => {
                let (plan_id, selection) = (plan_id.clone(), Selection::Whole);
                gate.handle(&person, Approve { plan_id, plan_hash, selection, proof })?;
            }
            EditorChoice::Reject(proof) => {
                let (plan_id, reason) = (plan_id.clone(), "rejected in the editor".into());
                gate.handle(&person, Reject { plan_id, plan_hash, reason, proof })?;
            }
            EditorChoice::Neither => {}
        }
        let status = gate.status(&plan_id)?;
        if let Some(run) = &status.run_id {
            return Ok((false, format!("Exacta applied it as run {run}")));
        }
        let why = status.ended_because.unwrap_or_default();
        Ok(match status.state {
            State::UserApproved => {
                let command = Run { plan_id, plan_hash: None };
                let ran = gate.handle(&Caller::new(as_agent("acp")), command)?;
                (false, ended(&ran.run_id.to_string(), ran.state))
            }
            State::Pending => {
                let words = "the project is as it was, and the copy keeps the changes";
                (false, format!("plan {plan} still waits; {words}"))
            }
            State::Rejected => {
                (true, format!("plan {plan} was rejected; the files are as before. {why}"))
            }
            _ => (false, format!("plan {plan} will not run: {why}")),
        })
    })?;
    if rejected {
        let paths: Vec<String> = files.iter().map(|(path, _, _)| path.clone()).collect();
        session.go_on(&paths)?;
    }
    Ok(said)
}
