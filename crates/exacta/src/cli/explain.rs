//! `exacta explain`: what a code means, with its page.

use exacta_core::model::code::Code;

use super::door::Door;
use super::{glossary, show};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::pages;
use crate::render::{self, Printer, Subject};
use crate::wire::{CheckReport, CodeReport};

/// The name of a plan may be cut to this many characters.
const FEWEST: usize = 4;

/// The numbered rules and the code that stands for each.
const RULES: [(&str, Code); 8] = [
    ("PV-1", Code::PlanNoSteps),
    ("PV-2", Code::PlanDependencyUnknown),
    ("PV-3", Code::PlanDependencyCycle),
    ("PV-4", Code::PlanPathInvalid),
    ("PV-5", Code::PlanTokenBudgetExceeded),
    ("PS-1", Code::PlanConstraintViolated),
    ("PS-2", Code::PlanConflict),
    ("PS-3", Code::PlanDeletePending),
];

/// Explain a plan, a finding code, a rule, a row of the decision table, a profile or a word.
///
/// Of a plan: every point of risk and quality with its lines, every finding with what to
/// do, and how the decision came about.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  exacta explain ID\n  exacta explain PLAN_DEPENDENCY_CYCLE\n  exacta explain PV-4\n  exacta explain conservative\n  exacta explain risk_low\n  exacta explain --list"
)]
pub(crate) struct Args {
    /// The plan's id, or a code as a finding shows it.
    #[arg(value_name = "ID|CODE", required_unless_present = "list")]
    code: Option<String>,

    /// List every code with one line each.
    #[arg(long, conflicts_with = "code")]
    list: bool,

    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let Some(text) = &args.code else {
        if args.json {
            let codes: Vec<_> = Code::ALL.iter().map(|code| CodeReport::of(*code, None)).collect();
            printer.json(&codes)?;
            return Ok(Exit::Done);
        }
        for code in Code::ALL {
            printer.line(&format!("{:<30} {}", code.as_str(), code.summary()))?;
        }
        let words: Vec<&str> = glossary::words().collect();
        printer.note(&format!("words that are explained too: {}", words.join(", ")));
        return Ok(Exit::Done);
    };
    let wanted = text.to_uppercase();
    let by_rule = RULES.iter().find(|(rule, _)| *rule == wanted).map(|(_, code)| *code);
    let Some(code) = by_rule.or_else(|| Code::find(&wanted)) else {
        // Codes are words; the name of a plan has hexadecimal digits only.
        if text.chars().all(|c| c.is_ascii_hexdigit() || c == '-') && text.len() >= FEWEST {
            let door = Door::open(printer)?;
            return door.look(|gate| {
                let shown = gate.show(gate.plan_or_run_named(text)?.id())?;
                let report = CheckReport::examined(&shown.examined);
                if args.json {
                    printer.json(&report)?;
                    return Ok(Exit::Done);
                }
                let name = shown.entry.created.plan_id.to_string();
                let subject = Subject { name, text: &[], is_patch: true, parts: &[] };
                render::explained(&subject, &report, &shown.examined, printer)?;
                show::status(&shown, printer)?;
                Ok(Exit::Done)
            });
        }
        if let Some(says) = glossary::explained(text) {
            printer.line(&says)?;
            return Ok(Exit::Done);
        }
        let meant =
            glossary::resembling(text).or_else(|| Some(Code::resembling(&wanted)?.as_str()));
        let meant = meant.map_or_else(String::new, |word| format!("did you mean `{word}`? "));
        return Err(CliError::Usage {
            message: format!("`{text}` is neither a code, a word of the program nor a plan"),
            help: format!(
                "{meant}`exacta explain --list` lists all codes and words; a plan's id may be cut \
                 to its first or last {FEWEST} characters"
            ),
        });
    };
    if args.json {
        printer.json(&CodeReport::of(code, Some(pages::page(code))))?;
        return Ok(Exit::Done);
    }
    render::page(pages::page(code).trim_end(), printer)?;
    Ok(Exit::Done)
}
