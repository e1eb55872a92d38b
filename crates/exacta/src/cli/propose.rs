//! `exacta propose`: hand in a plan or a patch; it runs if the decision allows.

use std::io::IsTerminal as _;
use std::path::PathBuf;

use exacta_core::decide::Kind;
use exacta_core::lifecycle::State;
use exacta_core::parse::Limits;
use exacta_engine::gate::{Command, Gate, Outcome, Proposed, SourceKind, What};

use super::door::{self, Door};
use super::input::Source;
use super::{confirm, notify, review};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::{self, Printer, Subject};
use crate::wire::{CheckReport, ProposeReport, RunReport, SettledReport};

/// Hand in a plan or a patch.
///
/// The text is checked, scored and decided on, and all of it goes on the record. A plan
/// that may run alone runs at once. One that waits for a person is shown right away when
/// there is a terminal.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "exacta propose [OPTIONS] <PLAN|->\n       exacta propose [OPTIONS] --patch <FILE|->",
    after_help = "Examples:
  exacta propose plan.json --intent 'rename greet to hello'
  my-agent --plan | exacta propose -
  git diff HEAD...origin/topic | exacta propose --patch -
  exacta propose plan.json --as my-agent --json

Exit codes: 0 it ran (or would, with --no-run), 10 refused, or rejected in the review, 11 waits
for a person, 12 changes were requested in the review, 13 the run went back, 14 recovery needed."
)]
pub(crate) struct Args {
    /// The plan: a file, or `-` for standard input.
    #[arg(value_name = "PLAN", required_unless_present = "patch")]
    plan: Option<PathBuf>,

    /// Hand in a git patch instead: a file, or `-` for standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "plan")]
    patch: Option<PathBuf>,

    #[command(flatten)]
    handing: Handing,

    /// Two commands with the same key are carried out once.
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
}

/// What is said beside a plan, however it came about.
#[derive(Debug, Default, clap::Args)]
pub(super) struct Handing {
    /// What the user asked for, in plain words.
    #[arg(long, value_name = "TEXT")]
    pub(super) intent: Option<String>,

    /// A constraint the plan must keep: `kind`, `kind=value,value` or a JSON object.
    #[arg(long = "constraint", value_name = "C")]
    pub(super) constraints: Vec<String>,

    /// Who made the plan, as registered under `[proposers]` in policy.
    #[arg(long = "as", value_name = "NAME")]
    pub(super) proposer: Option<String>,

    /// The plan that this one answers a request for changes of.
    #[arg(long, value_name = "ID")]
    pub(super) parent: Option<String>,

    /// Decide, but do not run.
    #[arg(long)]
    pub(super) no_run: bool,

    /// The file that holds the credential, where policy says `decide = "credential"` and the
    /// plan is reviewed right away.
    #[arg(long, value_name = "FILE")]
    pub(super) credential: Option<PathBuf>,

    /// Do not ask at the terminal, even if there is one.
    #[arg(long)]
    pub(super) no_review: bool,

    /// Print the outcome as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let (path, kind) = match (&args.plan, &args.patch) {
        (Some(plan), _) => (plan, SourceKind::Draft),
        (None, Some(patch)) => (patch, SourceKind::Patch),
        (None, None) => {
            return Err(CliError::Usage {
                message: "there is no plan to hand in".into(),
                help: "name a file, or `-` for standard input".into(),
            });
        }
    };
    let source = Source::from(path.as_path());
    let text = source.read(Limits::default().raw_bytes)?;
    let subject = Subject { name: source.name(), text: &text, is_patch: kind == SourceKind::Patch };
    let door = Door::open(printer)?;
    hand_in(&door, kind, &subject, &args.handing, args.idempotency_key.clone(), printer)
}

impl Handing {
    /// The command that hands in a text.
    pub(super) fn command(&self, kind: SourceKind, text: &[u8], key: Option<String>) -> Command {
        let what = What::Propose {
            kind,
            text: text.to_vec(),
            intent: self.intent.clone(),
            constraints: self.constraints.clone(),
            proposer: self.proposer.clone(),
            parent: self.parent.clone(),
            correlation_id: None,
        };
        Command { actor: door::actor(self.proposer.as_deref()), key, what }
    }
}

/// Hands in a text and does what the decision allows.
pub(super) fn hand_in(
    door: &Door,
    kind: SourceKind,
    subject: &Subject<'_>,
    args: &Handing,
    key: Option<String>,
    printer: &mut Printer,
) -> Result<Exit, CliError> {
    let command = args.command(kind, subject.text, key);
    door.act(|gate| {
        let Outcome::Proposed(proposed) = door::handle(gate, command, printer)? else {
            return Err(exacta_engine::gate::GateError::Busy.into());
        };
        tell(door, gate, *proposed, subject, args, printer)
    })
}

/// Tells what became of a text, and runs or reviews the plan that it made.
pub(super) fn tell(
    door: &Door,
    gate: &Gate<'_>,
    proposed: Proposed,
    subject: &Subject<'_>,
    args: &Handing,
    printer: &mut Printer,
) -> Result<Exit, CliError> {
    match proposed {
        Proposed::Refused { issues, correlation_id, examined } => {
            let check = match &examined {
                Some(examined) => CheckReport::examined(examined),
                None => CheckReport::refused(issues),
            };
            if args.json {
                let correlation_id = Some(correlation_id);
                let (plan_id, state, run) = (None, None, None);
                let recovered = SettledReport::all(gate);
                printer.json(&ProposeReport {
                    check,
                    plan_id,
                    correlation_id,
                    state,
                    run,
                    recovered,
                })?;
            } else {
                let human = render::Format::Human;
                render::check(human, subject, &check, examined.as_deref(), printer)?;
            }
            Ok(Exit::Refused)
        }
        Proposed::Again(plan) => {
            printer.note("this command was carried out before; nothing was done again");
            super::decision::print(gate, plan, args.json, printer)?;
            Ok(Exit::Done)
        }
        Proposed::Plan { plan, correlation_id, examined } => {
            let check = CheckReport::examined(&examined);
            let runs = plan.state == State::AutoApproved && !args.no_run;
            if !args.json {
                render::plan(subject, &check, &examined, printer)?;
                printer.line(&format!("plan {}: {}", plan.plan_id, plan.state))?;
            }
            let ran = if runs {
                let ran = super::run::start(gate, &plan.plan_id, printer);
                Some(ran.map_err(|error| error.of_plan(&plan.plan_id))?)
            } else {
                None
            };
            if let Some(ran) = &ran
                && check.decision == Some(Kind::AutoNotify)
            {
                notify::ran_alone(ran, check.risk.as_ref().map_or(0, |r| r.score), printer);
            }
            let exit = match (&ran, plan.state) {
                (Some(ran), _) => RunReport::exit(ran),
                (None, State::AutoApproved) => Exit::Done,
                (None, State::Pending) => Exit::Waits,
                (None, _) => Exit::Refused,
            };
            if args.json {
                let mut check = check;
                check.exit_code = exit.code();
                printer.json(&ProposeReport {
                    check,
                    plan_id: Some(plan.plan_id),
                    correlation_id: Some(correlation_id),
                    state: Some(plan.state),
                    run: ran.as_ref().map(RunReport::from),
                    recovered: SettledReport::all(gate),
                })?;
                return Ok(exit);
            }
            if let Some(ran) = &ran {
                super::run::print(ran, printer)?;
            } else if plan.state == State::AutoApproved {
                printer.line(&format!("run it: `exacta run {}`", plan.plan_id))?;
            }
            if plan.state != State::Pending {
                return Ok(exit);
            }
            let person = std::io::stdout().is_terminal() && confirm::terminal().is_some();
            if person && !args.no_review {
                let credential = args.credential.as_deref();
                return review::ask(door, gate, &plan.plan_id, !args.no_run, credential, printer);
            }
            printer.line(&format!("review it: `exacta review {}`", plan.plan_id))?;
            Ok(exit)
        }
    }
}
