//! `exacta results check`: holds any executor's results against the contract.

use std::path::PathBuf;

use exacta_core::read::parse::Limits;
use exacta_core::results::{self, PlanOutline};

use crate::cli::CliError;
use crate::cli::input::Source;
use crate::exit::Exit;
use crate::render::{self, Printer, Subject};
use crate::wire::ResultsReport;

/// Check a result list against the contract.
///
/// Reports every rule that the list breaks. With the plan that ran, also whether each
/// step has its row and failures went the way the contract says.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta results check results.json
  exacta results check results.json --plan plan.json
  my-executor plan.json | exacta results check - --plan plan.json --json

Exit codes: 0 the contract holds, 15 it is broken, 10 the plan cannot be read as one, 2 usage,
1 I/O error.")]
pub(super) struct Args {
    /// The result list: a file, or `-` for standard input.
    #[arg(value_name = "FILE")]
    results: PathBuf,

    /// The plan that ran: a file, or `-` for standard input.
    #[arg(long, value_name = "PLAN")]
    plan: Option<PathBuf>,

    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let source = Source::from(args.results.as_path());
    let plan_source = args.plan.as_deref().map(Source::from);
    if source == Source::Stdin && plan_source == Some(Source::Stdin) {
        return Err(CliError::Usage {
            message: "results and plan cannot both come from standard input".into(),
            help: "name a file for one of them".into(),
        });
    }
    let limits = Limits::default();
    let mut plan = None;
    if let Some(plan_source) = plan_source {
        let text = plan_source.read(limits.raw_bytes)?;
        match PlanOutline::read(&text, limits) {
            Ok(outline) => plan = Some(outline),
            Err(issues) => {
                let subject =
                    Subject { name: plan_source.name(), text: &text, is_patch: false, parts: &[] };
                let report = ResultsReport::no_plan(issues);
                render::results(args.json, &subject, &report, printer)?;
                return Ok(Exit::Refused);
            }
        }
    }
    let text = source.read(results::MAX_BYTES)?;
    let report = ResultsReport::checked(results::check(&text, plan.as_ref()), plan.is_some());
    let subject = Subject { name: source.name(), text: &text, is_patch: false, parts: &[] };
    render::results(args.json, &subject, &report, printer)?;
    Ok(if report.ok { Exit::Done } else { Exit::Unverified })
}
