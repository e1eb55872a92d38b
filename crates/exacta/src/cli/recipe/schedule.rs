//! `exacta recipe schedule`: has a recipe handed in again and again while the server runs.

use std::path::Path;

use exacta_core::read::recipe::Extras;
use exacta_engine::gate::SourceKind;
use exacta_tools::ToolError;
use exacta_tools::schedule::{Progress, Schedule, Schedules, When, local};
use serde_json::{Value, json};

use super::plan::{fill, named};
use crate::cli::CliError;
use crate::cli::door::Door;
use crate::cli::propose::{Handing, hand_in};
use crate::exit::Exit;
use crate::render::{Printer, Subject};
use crate::wire::{ScheduleRow, SchedulesReport};

/// Have a recipe handed in again and again, list the schedules, or remove one.
///
/// Setting one up is a plan that a person approves. While `exacta serve` runs, each firing makes
/// a fresh plan and hands it in; the decision table says what becomes of it. A firing that was
/// missed is made up for once; after three failures in a row you are told.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    override_usage = "exacta recipe schedule <NAME> --intent <TEXT> --every <PAUSE>\n       exacta recipe schedule <NAME> --intent <TEXT> --daily <TIME> [--days <DAYS>]\n       exacta recipe schedule list\n       exacta recipe schedule remove <ID>",
    after_help = "Examples:\n  exacta recipe schedule WebsiteMonitor --intent 'watch https://example.com/prices' --every 30m\n  exacta recipe schedule DailyBrief --intent 'https://example.com/feed.xml' --daily 07:30 --days mon,tue,wed,thu,fri\n  exacta recipe schedule list\n  exacta recipe schedule remove 4f2a91"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,

    /// The recipe; `exacta recipe list` has their names.
    #[arg(value_name = "NAME", required = true, requires = "intent")]
    name: Option<String>,

    /// How long from one firing to the next: `30m`, `2h`, `1d`.
    #[arg(long, value_name = "PAUSE", required_unless_present = "daily")]
    every: Option<String>,

    /// At which time of the day, such as `07:30`.
    #[arg(long, value_name = "TIME", conflicts_with = "every")]
    daily: Option<String>,

    /// On which days, such as `mon,tue`; every day when left out.
    #[arg(long, value_name = "DAYS", value_delimiter = ',', requires = "daily")]
    days: Vec<String>,

    /// The time zone of `--daily`, such as `Europe/Berlin`; else that of this machine.
    #[arg(long, value_name = "ZONE", requires = "daily")]
    zone: Option<String>,

    /// `WebsiteMonitor`: watch only this part of the page, a CSS selector.
    #[arg(long, value_name = "CSS")]
    selector: Option<String>,

    /// `WebsiteMonitor`: text that does not count as a change.
    #[arg(long, value_name = "TEXT")]
    ignore: Vec<String>,

    #[command(flatten)]
    handing: Handing,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List the schedules with when they are due and how they went.
    List {
        /// Print the list as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Remove a schedule.
    Remove {
        /// Its id, or the beginning of it.
        #[arg(value_name = "ID")]
        id: String,
    },
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    match &args.command {
        Some(Command::List { json }) => list(*json, printer),
        Some(Command::Remove { id }) => remove(id, printer),
        None => set_up(args, printer),
    }
}

/// Hands in the plan that sets a schedule up.
fn set_up(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let name = args.name.as_deref().unwrap_or_default();
    let intent = args.handing.intent.clone().unwrap_or_default();
    let (every, daily) = (args.every.as_deref(), args.daily.as_deref());
    let when = When::read(every, daily, &args.days, args.zone.as_deref()).map_err(|fault| {
        let help = "such as `--every 30m` or `--daily 07:30 --days mon,tue`";
        CliError::Usage { message: fault.to_string(), help: help.into() }
    })?;
    let preset = named(name)?;
    let (selector, ignore) = (args.selector.clone(), args.ignore.clone());
    // What would fail at every firing is said now.
    let extras = Extras { selector: selector.clone(), ignore: ignore.clone(), inbox: None };
    fill(preset, &intent, &extras)?;
    let mut call = when.args();
    call.insert("recipe".into(), json!(preset.name));
    call.insert("intent".into(), json!(intent));
    if let Some(selector) = selector {
        call.insert("selector".into(), json!(selector));
    }
    if !ignore.is_empty() {
        call.insert("ignore".into(), json!(ignore));
    }
    let title = format!("Hand in {} {}", preset.name, when.words());
    let draft = json!({
        "plan_version": 1,
        "goal": format!("{title}: {intent}"),
        "intent": intent,
        "steps": [{
            "step_id": "step_1", "title": title,
            "tool": {"name": "ScheduleRun", "args": Value::Object(call)},
        }],
    });
    let text = format!("{draft:#}\n").into_bytes();
    let subject = Subject { name: "<schedule>".into(), text: &text, is_patch: false, parts: &[] };
    let door = Door::open(printer)?;
    hand_in(&door, SourceKind::Draft, &subject, None, &args.handing, None, printer)
}

fn schedules(door: &Door) -> Schedules {
    Schedules::at(&crate::tools::memory(Path::new(&door.root.id().path)))
}

fn failed(fault: &ToolError) -> CliError {
    CliError::Usage {
        message: fault.message.clone(),
        help: "the schedules of a project lie in `.exacta/tools/schedules`".into(),
    }
}

fn list(json: bool, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    let found = schedules(&door).list().map_err(|fault| failed(&fault))?;
    let rows: Vec<ScheduleRow> = found.iter().map(|(one, progress)| row(one, progress)).collect();
    if json {
        printer.json(&SchedulesReport { schedules: rows })?;
        return Ok(Exit::Done);
    }
    if rows.is_empty() {
        printer.line("no schedules; `exacta recipe schedule NAME --intent TEXT --every 1h`")?;
    }
    for row in rows {
        let id: String = row.schedule.chars().take(6).collect();
        let next = row.next_ms.map_or_else(|| "never".into(), local);
        printer.line(&format!("{id}  {} {}; next {next}", row.recipe, row.when))?;
        printer.line(&format!(
            "        {}",
            exacta_core::text::shown::visible(row.intent.as_bytes())
        ))?;
        if let (Some(fired), Some(outcome)) = (row.fired_ms, &row.outcome) {
            printer.line(&format!("        last {}: {outcome}", local(fired)))?;
        }
        if row.failures > 1 {
            printer.line(&format!("        {} failures in a row", row.failures))?;
        }
    }
    Ok(Exit::Done)
}

fn row(schedule: &Schedule, progress: &Progress) -> ScheduleRow {
    let text =
        |name: &str| schedule.args.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    ScheduleRow {
        schedule: schedule.key.clone(),
        recipe: text("recipe"),
        intent: text("intent"),
        when: When::of(&schedule.args).map(|when| when.words()).unwrap_or_default(),
        next_ms: schedule.due_ms(progress),
        fired_ms: progress.fired_ms,
        plan_id: progress.plan_id.clone(),
        outcome: progress.outcome.clone(),
        failures: progress.failures,
        made_by: schedule.plan_id.clone(),
    }
}

fn remove(id: &str, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    let schedules = schedules(&door);
    let found = schedules.list().map_err(|fault| failed(&fault))?;
    let keys: Vec<&str> = found
        .iter()
        .map(|(schedule, _)| schedule.key.as_str())
        .filter(|key| !id.is_empty() && key.starts_with(id))
        .collect();
    let [key] = keys.as_slice() else {
        let message = match keys.len() {
            0 => format!("there is no schedule `{id}`"),
            many => format!("`{id}` names {many} schedules"),
        };
        let help = "`exacta recipe schedule list` has their ids".into();
        return Err(CliError::Usage { message, help });
    };
    schedules.remove(key).map_err(|fault| failed(&fault))?;
    printer.line("removed; it does not fire again")?;
    Ok(Exit::Done)
}
