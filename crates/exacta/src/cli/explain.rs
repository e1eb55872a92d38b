//! `exacta explain`: what a finding code means, with its page.

use exacta_core::code::Code;

use crate::cli::CliError;
use crate::exit::Exit;
use crate::pages;
use crate::render::Printer;

/// Explain a finding code.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  exacta explain PLAN_DEPENDENCY_CYCLE\n  exacta explain --list"
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
    let Some(code) = Code::find(&text.to_uppercase()) else {
        return Err(CliError::Usage {
            message: format!("`{text}` is not a finding code"),
            help: "`exacta explain --list` lists all codes".into(),
        });
    };
    printer.line(pages::page(code).trim_end())?;
    Ok(Exit::Done)
}
