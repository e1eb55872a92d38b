//! `exacta propose`: hand in a plan or a patch; it runs if the decision allows.

use std::path::PathBuf;

use exacta_core::parse::Limits;
use exacta_engine::gate::{Command, Gate, Outcome, PlanOutcome, Proposed, SourceKind, What};

use super::door::{self, Door};
use super::go_on::{Made, go_on};
use super::input::Source;
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::{self, Printer, Subject};
use crate::wire::{CheckReport, ProposeReport, SettledReport};

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
            return Err(exacta_engine::gate::GateError::Unexpected.into());
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
                let (plan_id, state, run, run_id) = (None, None, None, None);
                let recovered = SettledReport::all(gate);
                printer.json(&ProposeReport {
                    check,
                    plan_id,
                    correlation_id,
                    state,
                    run,
                    run_id,
                    recovered,
                })?;
            } else {
                let human = render::Format::Human;
                render::check(human, subject, &check, examined.as_deref(), printer)?;
            }
            Ok(Exit::Refused)
        }
        // A command that was cut off is taken up where it stands now.
        Proposed::Again(plan) => {
            printer.note("this plan was handed in before, with the same key");
            let shown = gate.show(&plan.plan_id)?;
            let plan = PlanOutcome { state: shown.state, ..plan };
            let made = Made {
                plan,
                correlation_id: shown.entry.created.correlation_id.clone(),
                ran_before: shown.run,
            };
            go_on(door, gate, made, &shown.examined, subject, args, printer)
        }
        Proposed::Plan { plan, correlation_id, examined } => {
            let plan_id = plan.plan_id.clone();
            let made = Made { plan, correlation_id, ran_before: None };
            let ended = go_on(door, gate, made, &examined, subject, args, printer);
            if matches!(ended, Err(CliError::Write(_))) {
                printer.note(&format!(
                    "plan {plan_id} is on the record; `exacta status {plan_id}` says how it stands"
                ));
            }
            ended
        }
    }
}
