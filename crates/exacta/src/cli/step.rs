//! `exacta step`: a yes or no to one step that waits for a person, also without a terminal.

use exacta_core::judge::policy::Decide;
use exacta_core::life::ledger::RunEntry;
use exacta_core::text::shown::visible;
use exacta_engine::gate::{Gate, GateError, StepDecide};

use super::confirm::{self, DecideArgs, one_line};
use super::door::{self, Door};
use super::{decision, run as running};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;

/// Say yes or no to one step of a run that waits for you.
///
/// `exacta run` asks at the terminal by itself; this is for where there is none, or where policy
/// wants the credential or the hash. Nothing runs: `exacta run` goes on afterwards.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta step RUN --yes
  exacta step RUN step_3 --no --reason 'not to this customer'
  exacta step RUN --yes --arguments HASH --credential key.txt
  exacta step RUN --yes --arguments HASH --hash HASH   # where policy says decide = \"hash\"

Exit codes: 0 decided, 11 the right to decide was not shown, 12 no such step waits, or with other
arguments.")]
pub(crate) struct Args {
    /// The run: its id, or the beginning or end of it.
    run: String,

    /// The step, where several wait.
    step: Option<String>,

    /// It may act.
    #[arg(long, required_unless_present = "no", conflicts_with = "no")]
    yes: bool,

    /// It may not.
    #[arg(long)]
    no: bool,

    /// Why not.
    #[arg(long, value_name = "TEXT", requires = "no")]
    reason: Option<String>,

    /// The hash of the step's arguments, as `exacta run ID --json` shows it; demanded where
    /// they are not shown at a terminal.
    #[arg(long, value_name = "HASH")]
    arguments: Option<String>,

    /// The full hash of the run's plan; demanded where policy says `decide = "hash"`.
    #[arg(long, value_name = "HASH")]
    hash: Option<String>,

    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    decide: DecideArgs,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let hash = decision::hash(args.hash.as_ref())?;
    let named = decision::hash(args.arguments.as_ref())?;
    let door = Door::open(printer)?;
    door.look(|gate| {
        let run = door::run_named(gate, &args.run)?;
        let plan = gate.plan_named(&run.plan_id)?;
        Gate::same_hash(&plan, hash)?;
        let asks = gate.questions(&run)?;
        let (step_id, shown) = match (&args.step, asks.as_slice()) {
            (Some(step), _) => {
                let ask = asks.iter().find(|ask| ask.step_id.as_str() == step);
                (step.as_str().into(), ask)
            }
            (None, [ask]) => (ask.step_id.clone(), Some(ask)),
            (None, []) => return Err(not_open(&run, "no step of it waits for a person".into())),
            (None, several) => {
                let waiting: Vec<&str> = several.iter().map(|ask| ask.step_id.as_str()).collect();
                return Err(CliError::Usage {
                    message: format!(
                        "several steps wait: {}",
                        visible(waiting.join(", ").as_bytes())
                    ),
                    help: "name the one that you mean after the run".into(),
                });
            }
        };
        let decide = door.policy().map_err(CliError::Policy)?.decide;
        let at_terminal = decide == Decide::Terminal || decide == Decide::Hash && hash.is_none();
        let arguments = match (named, shown) {
            (Some(named), _) => named,
            (None, Some(ask)) if at_terminal => ask.arguments,
            (None, None) => {
                let why = format!("`{}` does not wait for a person", visible(step_id.as_bytes()));
                return Err(not_open(&run, why));
            }
            (None, Some(_)) => {
                return Err(CliError::Usage {
                    message: "it is not said which arguments were looked at".into(),
                    help: format!(
                        "`exacta run {} --json` shows each step with the hash of its arguments: \
                         give it with `--arguments`",
                        run.plan_id
                    ),
                });
            }
        };
        let question = || {
            let verb = if args.yes { "Allow" } else { "Refuse" };
            let lines = shown.map(running::question_lines).unwrap_or_default().join("\n");
            let goal = one_line(&plan.created.goal);
            Ok(format!("{verb} a step of run {}\n{lines}\n  goal, not checked: {goal}", run.run_id))
        };
        let proof = confirm::proof(&door, &args.decide, question, hash.is_some())?;
        let command = StepDecide {
            run_id: run.run_id.clone(),
            step_id,
            arguments,
            approve: args.yes,
            reason: args.reason.clone(),
            plan_hash: hash,
            proof,
        };
        let caller = door::caller(args.decide.idempotency_key.as_ref());
        let decided = door::handle(gate, &caller, command, printer)?;
        if args.json {
            printer.json(&decided)?;
            return Ok(Exit::Done);
        }
        let word = if decided.approved { "may act" } else { "may not act" };
        printer.line(&format!("{} {word}", visible(decided.step_id.as_bytes())))?;
        if !decided.waiting.is_empty() {
            let waiting = visible(decided.waiting.join(", ").as_bytes());
            printer.line(&format!("still waiting: {waiting}"))?;
        }
        printer.line(&format!("go on: `exacta run {}`", run.plan_id))?;
        Ok(Exit::Done)
    })
}

fn not_open(run: &RunEntry, why: String) -> CliError {
    GateError::StepNotOpen { run_id: run.run_id.clone(), why }.into()
}
