//! `exacta approve`: say yes to exactly this plan, or to some of its steps.

use exacta_core::life::lifecycle::Verb;
use exacta_core::model::change::Change;
use exacta_core::model::plan::select;
use exacta_engine::gate::{Approve, Gate, GateError, PlanStatus, Selection, Shown};

use super::confirm::{self, DecideArgs, one_line};
use super::decision;
use super::deeds::deeds;
use super::door::{self, Door};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;

/// Approve a plan, or some of its steps.
///
/// Everything is read and computed again first; if anything differs from what was shown,
/// nothing is approved. The approval is good for one run, until the plan's deadline.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta review ID            # look first
  exacta approve ID
  exacta approve ID --steps step_1,step_3
  exacta approve ID --hash HASH --json

Exit codes: 0 approved, 10 refused, 11 the right to decide was not shown, 12 expired, changed or
wrong hash.")]
pub(crate) struct Args {
    /// The plan: its id, or the beginning or end of it.
    pub(super) plan: String,

    /// The plan's full hash, as it was shown.
    ///
    /// It says which plan is meant; it is proof enough to decide only where policy says
    /// `decide = "hash"`.
    #[arg(long, value_name = "HASH")]
    hash: Option<String>,

    /// Approve only these steps; they become a plan of their own.
    #[arg(long, value_name = "IDS", value_parser = step_ids)]
    steps: Option<StepIds>,

    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    decide: DecideArgs,
}

/// Steps, each named once. An alias, because a bare list would be taken for an option that is
/// given several times.
type StepIds = Vec<String>;

fn step_ids(words: &str) -> Result<StepIds, String> {
    let mut ids: StepIds = Vec::new();
    // Nothing is selected, which the gate refuses.
    if words.trim().is_empty() {
        return Ok(ids);
    }
    for id in words.split(',').map(str::trim) {
        if id.is_empty() {
            return Err("name the steps, separated by commas".into());
        }
        if !ids.iter().any(|other| other == id) {
            ids.push(id.into());
        }
    }
    Ok(ids)
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let hash = decision::hash(args.hash.as_ref())?;
    let door = Door::open(printer)?;
    door.look(|gate| {
        let plan = gate.plan_or_run_named(&args.plan)?;
        args.decide.in_time(gate, &plan, Verb::Approve)?;
        // Nobody should confirm what is refused anyway.
        Gate::same_hash(&plan, hash)?;
        let what = match &args.steps {
            None => "Approve".into(),
            Some(steps) => format!("Approve the steps {} of", steps.join(", ")),
        };
        let question = || -> Result<String, CliError> {
            let shown = gate.show(plan.id())?;
            let state = PlanStatus::of(&plan, shown.state, shown.run.as_ref());
            if let Some(steps) = &args.steps {
                // Nobody should confirm a selection that cannot be made.
                select(shown.examined.draft(), steps)
                    .map_err(|fault| GateError::Select { plan_id: plan.id().clone(), fault })?;
            }
            Ok(format!(
                "{what} plan {} ({state})\n{}\n  hash {}\n  risk {}{}\n  goal, not checked: {}",
                plan.created.plan_id,
                files(&shown, args.steps.as_deref()),
                plan.created.plan_hash,
                plan.risk.map_or_else(|| "unknown".into(), |risk| risk.to_string()),
                if args.steps.is_some() { " as a whole" } else { "" },
                one_line(&plan.created.goal),
            ))
        };
        let proof = confirm::proof(&door, &args.decide, question, hash.is_some())?;
        let selection = args.steps.clone().map_or(Selection::Whole, Selection::Steps);
        let plan_id = plan.created.plan_id;
        let command = Approve { plan_id, plan_hash: hash, selection, proof };
        let caller = door::caller(args.decide.idempotency_key.as_ref());
        decision::decide(gate, &caller, command, args.json, printer)
    })
}

/// What the steps do to files; all of them when none are named.
fn files(shown: &Shown, steps: Option<&[String]>) -> String {
    let chosen = |change: &&Change| steps.is_none_or(|steps| steps.contains(&change.step));
    let changes: Vec<Change> = shown.examined.changes().iter().filter(chosen).cloned().collect();
    deeds(&changes, ["delete", "change", "create"])
}
