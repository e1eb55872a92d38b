//! `exacta explain`: what a finding code means, with its page.

use exacta_core::code::Code;

use crate::cli::CliError;
use crate::exit::Exit;
use crate::pages;
use crate::render::Printer;

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

/// Explain a finding code, or one of the rules PV-1 to PS-3.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  exacta explain PLAN_DEPENDENCY_CYCLE\n  exacta explain PV-4\n  exacta explain --list"
)]
pub(crate) struct Args {
    /// The code, as a finding shows it.
    #[arg(value_name = "CODE", required_unless_present = "list")]
    code: Option<String>,

    /// List every code with one line each.
    #[arg(long, conflicts_with = "code")]
    list: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let Some(text) = &args.code else {
        for code in Code::ALL {
            printer.line(&format!("{:<30} {}", code.as_str(), code.summary()))?;
        }
        return Ok(Exit::Done);
    };
    let wanted = text.to_uppercase();
    let by_rule = RULES.iter().find(|(rule, _)| *rule == wanted).map(|(_, code)| *code);
    let Some(code) = by_rule.or_else(|| Code::find(&wanted)) else {
        return Err(CliError::Usage {
            message: format!("`{text}` is not a finding code"),
            help: "`exacta explain --list` lists all codes".into(),
        });
    };
    printer.line(pages::page(code).trim_end())?;
    Ok(Exit::Done)
}
