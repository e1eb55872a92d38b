//! `exacta approve`: say yes to exactly this plan, or to some of its steps.

use std::collections::{BTreeMap, BTreeSet};

use exacta_core::life::lifecycle::Verb;
use exacta_core::model::change::Change;
use exacta_core::model::plan::select;
use exacta_engine::gate::{
    Approve, Command, DecideParts, Decided, Gate, GateError, Parts, PlanStatus, Selection, Shown,
    Sweep,
};

use super::commit::CommitArgs;
use super::confirm::{self, DecideArgs, one_line};
use super::deeds::deeds;
use super::door::{self, Door};
use super::{decision, offer, run as running};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;
use crate::wire::exit_of_run;

/// Approve a plan, or some of its steps.
///
/// Everything is read and computed again first; if anything differs from what was shown,
/// nothing is approved. The approval is good for one run, until the plan's deadline.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta review ID            # look first
  exacta approve ID
  exacta approve ID --run
  exacta approve ID --commit  # run it and commit it
  exacta approve ID --steps step_1,step_3
  exacta approve ID --hunks step_1:1,3 --rest-changes 'keep the old name'
  exacta approve ID --hash HASH --json

Exit codes: 0 approved, 10 refused, 11 the right to decide was not shown, 12 expired, changed or
wrong hash; with --run those of `run`.")]
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

    /// Approve only these hunks of a step, as the review numbers them; may be given for
    /// several steps, beside `--steps`.
    #[arg(long, value_name = "STEP:NUMBERS", value_parser = hunks_of_step)]
    hunks: Vec<(String, BTreeSet<u32>)>,

    /// What is wanted in place of what is left out; goes to whoever made the plan.
    #[arg(long, value_name = "TEXT")]
    rest_changes: Option<String>,

    /// Run what was approved at once; the question says so.
    #[arg(long)]
    run: bool,

    #[command(flatten)]
    commit: CommitArgs,

    /// Print the outcome as JSON: that of the run with `--run`.
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

fn hunks_of_step(words: &str) -> Result<(String, BTreeSet<u32>), String> {
    let wrong = || format!("`{words}` is not a step with hunks, such as `step_1:1,3`");
    let (step, numbers) = words.rsplit_once(':').ok_or_else(wrong)?;
    let numbers = numbers.split(',').map(|number| number.trim().parse().map_err(|_| wrong()));
    Ok((step.trim().into(), numbers.collect::<Result<_, _>>()?))
}

impl Args {
    /// Whether what is approved runs; a commit is of a run.
    fn runs(&self) -> bool {
        self.run || self.commit.commit
    }

    /// What is chosen, where it is neither the whole nor whole steps alone.
    fn parts(&self) -> Option<Parts> {
        if self.hunks.is_empty() && self.rest_changes.is_none() {
            return None;
        }
        let mut hunks: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
        for (step, numbers) in &self.hunks {
            hunks.entry(step.clone()).or_default().extend(numbers);
        }
        let steps = self.steps.iter().flatten().cloned().collect();
        Some(Parts { steps, hunks })
    }

    /// The steps that are chosen, whole or in part; all of them when none are named.
    fn chosen(&self) -> Option<StepIds> {
        let mut steps = self.steps.clone();
        for (step, _) in &self.hunks {
            let steps = steps.get_or_insert_default();
            if !steps.contains(step) {
                steps.push(step.clone());
            }
        }
        steps
    }

    /// What is asked about.
    fn what(&self) -> String {
        let mut what: Vec<String> = Vec::new();
        what.extend(self.steps.as_ref().map(|steps| format!("the steps {}", steps.join(", "))));
        what.extend(self.hunks.iter().map(|(step, numbers)| {
            let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            format!("hunk {} of {step}", numbers.join(", "))
        }));
        let verb = match (self.runs(), self.commit.commit) {
            (true, true) => "Approve, run and commit",
            (true, false) => "Approve and run",
            (false, _) => "Approve",
        };
        if what.is_empty() { verb.into() } else { format!("{verb} {} of", what.join("; ")) }
    }
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let hash = decision::hash(args.hash.as_ref())?;
    let door = Door::open(printer)?;
    door.look(|gate| {
        let plan = gate.plan_or_run_named(&args.plan)?;
        args.decide.in_time(gate, &plan, Verb::Approve)?;
        // Nobody should confirm what is refused anyway.
        Gate::same_hash(&plan, hash)?;
        if args.decide.idempotency_key.is_none() && gate.out_of_date(plan.id())?.is_some() {
            door::handle(
                gate,
                &door::caller(None),
                Sweep { plan_id: Some(plan.id().clone()) },
                printer,
            )?;
            args.decide.in_time(gate, &gate.plan_or_run_named(&args.plan)?, Verb::Approve)?;
        }
        let what = args.what();
        let chosen = args.chosen();
        let question = || -> Result<String, CliError> {
            let shown = gate.show(plan.id())?;
            let state = PlanStatus::of(&plan, shown.state, shown.run.as_ref());
            if let Some(steps) = &chosen {
                // Nobody should confirm a selection that cannot be made.
                select(shown.examined.draft(), steps)
                    .map_err(|fault| GateError::Select { plan_id: plan.id().clone(), fault })?;
            }
            if let Some(parts) = args.parts() {
                Gate::can_choose(&shown, &parts)?;
            }
            Ok(format!(
                "{what} plan {} ({state})\n{}\n  hash {}\n  risk {}{}\n  goal, not checked: {}",
                plan.created.plan_id,
                files(&shown, chosen.as_deref()),
                plan.created.plan_hash,
                plan.risk.map_or_else(|| "unknown".into(), |risk| risk.to_string()),
                if chosen.is_some() { " as a whole" } else { "" },
                one_line(&plan.created.goal),
            ))
        };
        let proof = confirm::proof(&door, &args.decide, question, hash.is_some())?;
        if let Some(parts) = args.parts() {
            let (rest, comments) = (args.rest_changes.clone(), Vec::new());
            let plan_id = plan.created.plan_id;
            let command = DecideParts { plan_id, plan_hash: hash, parts, rest, comments, proof };
            return decided(args, &door, gate, command, printer);
        }
        let selection = args.steps.clone().map_or(Selection::Whole, Selection::Steps);
        let plan_id = plan.created.plan_id;
        let command = Approve { plan_id, plan_hash: hash, selection, proof };
        decided(args, &door, gate, command, printer)
    })
}

/// Approves, and runs what was approved where that was asked for.
fn decided<C: Command<Reply = Decided> + Clone>(
    args: &Args,
    door: &Door,
    gate: &Gate<'_>,
    command: C,
    printer: &mut Printer,
) -> Result<Exit, CliError> {
    let caller = door::caller(args.decide.idempotency_key.as_ref());
    if !args.runs() {
        return decision::decide(door, gate, &caller, command, args.json, printer);
    }
    let plan = door::handle(gate, &caller, command, printer)?;
    if !args.json {
        decision::state(gate, &plan, printer)?;
    }
    let ran = running::start(gate, &plan.plan_id, printer)?;
    if args.json {
        printer.json(&ran)?;
    } else {
        running::print(gate, &ran, printer)?;
    }
    args.commit.after_run(door, gate, &ran, printer)?;
    if !args.json {
        offer::after_decision(door, gate, printer);
    }
    Ok(exit_of_run(&ran))
}

/// What the steps do to files; all of them when none are named.
fn files(shown: &Shown, steps: Option<&[String]>) -> String {
    let chosen = |change: &&Change| steps.is_none_or(|steps| steps.contains(&change.step));
    let changes: Vec<Change> = shown.examined.changes().iter().filter(chosen).cloned().collect();
    deeds(&changes, ["delete", "change", "create"])
}
