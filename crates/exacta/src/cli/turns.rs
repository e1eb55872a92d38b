//! The turns of an agent on its copy: each becomes one plan that a person decides on.
//!
//! A turn ends with the program, with the person's key, or where the agent's profile says how
//! its screen looks when it waits. The agent stays where it is meanwhile. What was approved is
//! in the project and in the copy; what was rejected is taken back in the copy, too; what is to
//! be changed stays there, and the agent is handed the comments as if the person had typed them.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use exacta_core::life::lifecycle::State;
use exacta_core::model::id::PlanId;
use exacta_core::text::shown::visible;
use exacta_engine::capture::{CaptureError, Captured, Errand, Follow, Session, draft};
use exacta_engine::checks::{NetworkReach, Room, Verdict};
use exacta_engine::gate::{SourceKind, StatusReport};
use exacta_engine::run::{CheckProgress, Quiet, Watch};

use super::CliError;
use super::door::Door;
use super::propose::{self, Handing};
use crate::agent::screen::Screen;
use crate::exit::Exit;
use crate::render::{Printer, Subject};

/// The longest text that an agent is handed.
const LONGEST_TEXT: usize = 4000;
/// The longest goal that is made of its commit messages.
const LONGEST_GOAL: usize = 300;

/// One agent's copy, and everything that is needed to make plans of it.
pub(super) struct Turns<'t> {
    door: &'t Door,
    session: &'t Session,
    room: &'t Room,
    handing: &'t Handing,
    program: String,
    /// The newest commit of the copy that was already spoken of.
    commit: RefCell<Option<String>>,
}

/// How a turn ended for the agent.
pub(super) struct Turn {
    pub(super) exit: Exit,
    /// What the agent is to be told.
    pub(super) text: Option<String>,
}

impl<'t> Turns<'t> {
    pub(super) fn new(
        door: &'t Door,
        session: &'t Session,
        room: &'t Room,
        handing: &'t Handing,
        program: &str,
    ) -> Self {
        let commit = RefCell::new(None);
        let turns = Self { door, session, room, handing, program: program.into(), commit };
        let now = turns.git(&["rev-parse", "--verify", "--quiet", "HEAD"]);
        *turns.commit.borrow_mut() = now.map(|name| name.trim().to_owned());
        turns
    }

    /// What the copy holds that the project does not.
    pub(super) fn changes(
        &self,
        verdict: Verdict,
        errand: &Errand,
    ) -> Result<Captured, CaptureError> {
        self.session.changes(verdict, errand, &Quiet)
    }

    /// Makes a plan of what was changed, has it decided, and lets the copy go on from there.
    pub(super) fn decide(
        &self,
        captured: &Captured,
        printer: &mut Printer,
    ) -> Result<Turn, CliError> {
        for left_out in &captured.left_out {
            printer.note(&format!("left out: `{}`: {}", left_out.path, left_out.why));
        }
        for unfit in &captured.unfit {
            printer.note(&format!("cannot be proposed: `{}`: {}", unfit.path, unfit.why));
        }
        for path in &captured.conflicts {
            printer.note(&format!(
                "changed in the project meanwhile, so yours is kept and the copy takes it over: \
                 `{path}`"
            ));
        }
        let made: Vec<_> = captured
            .made
            .iter()
            .filter(|made| !captured.conflicts.iter().any(|path| path == made.path.as_str()))
            .cloned()
            .collect();
        let mut from_project = captured.conflicts.clone();
        let mut turn = Turn { exit: Exit::Done, text: None };
        if made.is_empty() {
            let program = visible(self.program.as_bytes());
            let how = match &captured.verdict {
                Verdict::Passed => "is done".to_owned(),
                other => other.to_string(),
            };
            printer.line(&format!("`{program}` {how}; nothing changed that can be proposed"))?;
        } else {
            let text = draft(self.goal().as_deref(), &made);
            let name = format!("<captured from {}>", visible(self.program.as_bytes()));
            let subject = Subject { name, text: &text, is_patch: false, parts: &[] };
            let (kind, seen) = (SourceKind::Draft, Some(&captured.seen));
            let before = self.plans()?;
            // What goes wrong with one plan ends neither the session nor the copy.
            let handed =
                propose::hand_in(self.door, kind, &subject, seen, self.handing, None, printer);
            turn.exit = match handed {
                Ok(exit) => exit,
                Err(error) => {
                    error.print(printer);
                    error.exit()
                }
            };
            if let Some(status) = self.came_of(&before)? {
                if status.state == State::Rejected {
                    from_project.extend(made.iter().map(|made| made.path.to_string()));
                }
                turn.text = for_agent(&status, turn.exit);
            }
        }
        self.session.go_on(&from_project)?;
        Ok(turn)
    }

    fn plans(&self) -> Result<BTreeSet<PlanId>, CliError> {
        self.door
            .act(|gate| Ok(gate.plans().into_iter().map(|plan| plan.created.plan_id).collect()))
    }

    /// How the first plan stands that was not there before.
    fn came_of(&self, before: &BTreeSet<PlanId>) -> Result<Option<StatusReport>, CliError> {
        self.door.act(|gate| {
            let plan = gate.plans().into_iter().find(|plan| !before.contains(plan.id()));
            plan.map(|plan| Ok(gate.status(plan.id())?)).transpose()
        })
    }

    /// What the agent wrote into its commits since the last plan, as the words of this one.
    fn goal(&self) -> Option<String> {
        let now = self.git(&["rev-parse", "--verify", "--quiet", "HEAD"])?.trim().to_owned();
        let before = self.commit.replace(Some(now.clone()))?;
        if before == now || !is_hash(&before) || !is_hash(&now) {
            return None;
        }
        let range = format!("{before}..{now}");
        let log = self.git(&["log", "--reverse", "--no-merges", "--format=%s", &range, "--"])?;
        let subjects: Vec<_> = log.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let goal: String =
            visible(subjects.join("; ").as_bytes()).chars().take(LONGEST_GOAL).collect();
        (!goal.is_empty()).then_some(goal)
    }

    /// Asks git about the copy. The repository there is the agent's, so git runs where the
    /// agent runs: behind the same walls, without a network.
    fn git(&self, words: &[&str]) -> Option<String> {
        let command = ["git", "--no-pager", "-c", "core.fsmonitor=false"];
        let errand = Errand {
            command: command.iter().chain(words).map(|word| (*word).to_owned()).collect(),
            network: NetworkReach::Nothing,
            byte_limit: LONGEST_TEXT,
            ..Errand::default()
        };
        let heard = Heard(RefCell::default());
        let verdict = self.session.run(&errand, self.room, None, &heard).ok()?;
        let said = String::from_utf8(heard.0.into_inner()).ok()?;
        (verdict == Verdict::Passed).then_some(said)
    }
}

fn is_hash(text: &str) -> bool {
    text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// What an agent is told about a plan that did not simply run.
fn for_agent(status: &StatusReport, exit: Exit) -> Option<String> {
    let why = status.ended_because.as_deref().or(status.run_reason.as_deref());
    let why = why.or(status.out_of_date.as_deref()).unwrap_or("no reason was given");
    // Comments may have lines; to a program at a terminal a line is an answer.
    let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = match (status.state, exit) {
        (State::Rejected, _) => {
            format!("Exacta: the user rejected these changes; your files are as before: {why}")
        }
        (State::Expired, _) if exit != Exit::Done => {
            format!("Exacta: the user sent this back; nothing of it is in the project yet: {why}")
        }
        (State::Expired, _) => {
            format!("Exacta: part of this was applied; the rest was sent back: {why}")
        }
        (_, Exit::RunFailed) => {
            format!("Exacta: the changes were approved, but did not pass and were undone: {why}")
        }
        _ => return None,
    };
    Some(visible(text.as_bytes()).chars().take(LONGEST_TEXT).collect())
}

/// Keeps what a command prints.
struct Heard(RefCell<Vec<u8>>);

impl Watch for Heard {
    fn cancelled(&self) -> bool {
        self.0.borrow().len() > LONGEST_TEXT * 16
    }
}

impl Follow for Heard {
    fn output(&self, bytes: &[u8]) -> ControlFlow<()> {
        self.0.borrow_mut().extend_from_slice(bytes);
        ControlFlow::Continue(())
    }
}

/// Follows an agent at the terminal and decides its turns while it waits.
pub(super) struct AtTable<'t, 'p> {
    pub(super) screen: &'t Screen,
    pub(super) turns: &'t Turns<'t>,
    pub(super) errand: &'t Errand,
    state: RefCell<Table<'p>>,
}

struct Table<'p> {
    printer: &'p mut Printer,
    exit: Exit,
    /// Whether the person wants the agent to end, or something went wrong with a turn.
    over: bool,
}

impl<'t, 'p> AtTable<'t, 'p> {
    pub(super) fn new(
        screen: &'t Screen,
        turns: &'t Turns<'t>,
        errand: &'t Errand,
        printer: &'p mut Printer,
    ) -> Self {
        let state = RefCell::new(Table { printer, exit: Exit::Done, over: false });
        Self { screen, turns, errand, state }
    }

    /// How the last turn ended, and whether the person ended it all.
    pub(super) fn end(self) -> (Exit, bool) {
        let Table { exit, over, .. } = self.state.into_inner();
        (exit, over)
    }

    fn turn(&self, asked: bool) -> Result<(), CliError> {
        let captured = self.turns.changes(Verdict::Passed, self.errand)?;
        if captured.made.is_empty() && captured.conflicts.is_empty() {
            if asked {
                self.screen.ring()?;
            }
            return Ok(());
        }
        let mut state = self.state.borrow_mut();
        self.screen.leave()?;
        let turn = self.turns.decide(&captured, state.printer)?;
        state.exit = turn.exit;
        state.over = !super::agent::goes_back(&self.turns.program)?;
        if state.over {
            return Ok(());
        }
        self.screen.come_back()?;
        if let Some(text) = turn.text {
            self.screen.hand(&text)?;
        }
        Ok(())
    }
}

impl Watch for AtTable<'_, '_> {
    fn check(&self, progress: CheckProgress<'_>) {
        self.screen.check(progress);
        let Some(asked) = self.screen.turn_is_over() else { return };
        if let Err(error) = self.turn(asked) {
            let mut state = self.state.borrow_mut();
            error.print(state.printer);
            state.exit = error.exit();
            state.over = true;
        }
    }

    fn cancelled(&self) -> bool {
        self.state.try_borrow().is_ok_and(|state| state.over)
    }
}

impl Follow for AtTable<'_, '_> {
    fn output(&self, bytes: &[u8]) -> ControlFlow<()> {
        self.screen.output(bytes)
    }
}
