//! `exacta results verify`: puts any executor through the cases of the result contract.

use std::time::Duration;

use exacta_core::read::parse::Limits;
use exacta_core::results::{self, CONTRACT_VERSION, PlanOutline};
use exacta_core::text::shown::visible;
use serde_json::Value;

use super::foreign::{self, Answer};
use super::regression::{Case, cases};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::paint::style;
use crate::render::Printer;
use crate::wire::{VerifiedCase, VerifyExecutorReport};

/// The longest result list that is read.
const MOST_BYTES: usize = 16 << 20;

/// Put an executor through the cases of the result contract.
///
/// Starts the command once for each case, with a plan on its standard input, and holds the
/// result list on its standard output against the contract and against what must come of
/// that plan. The plans name no file and no address; steps call a tool that does not exist
/// and, when you name one, a tool of yours that works.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta results verify -- ./my-executor
  exacta results verify --tool noop -- python3 -m my_executor --stdin
  exacta results verify --tool echo --tool-args '{\"text\": \"x\"}' --json -- ./my-executor

Exit codes: 0 every case keeps the contract, 15 one does not, 2 usage, 1 the executor cannot be
started.")]
pub(super) struct Args {
    /// A tool of the executor that works and changes nothing. Without it, cases that need
    /// one are left out.
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,

    /// The arguments that this tool needs, as a JSON object.
    #[arg(long = "tool-args", value_name = "JSON", default_value = "{}", requires = "tool")]
    given: String,

    /// Seconds that the executor may take for a case.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,

    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,

    /// The executor and its arguments.
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<String>,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let tool_args: Value = serde_json::from_str(&args.given)
        .ok()
        .filter(Value::is_object)
        .ok_or_else(|| CliError::Usage {
            message: "`--tool-args` is not a JSON object".into(),
            help: "write an object, such as `{\"text\": \"x\"}`".into(),
        })?;
    let mut cases_seen = Vec::new();
    let mut left_out = 0;
    for case in cases() {
        match case.plan(args.tool.as_deref(), &tool_args) {
            Some(plan) => cases_seen.push(judge(&case, &plan, args)?),
            None => left_out += 1,
        }
    }
    let ok = cases_seen.iter().all(|case| case.ok);
    let exit = if ok { Exit::Done } else { Exit::Unverified };
    let report = VerifyExecutorReport {
        ok,
        exit_code: exit.code(),
        contract_version: CONTRACT_VERSION,
        cases: cases_seen,
        left_out,
    };
    if args.json {
        printer.json(&report)?;
    } else {
        people(&report, printer)?;
    }
    Ok(exit)
}

fn judge(case: &Case, plan: &Value, args: &Args) -> Result<VerifiedCase, CliError> {
    let text = plan.to_string();
    let answer = foreign::call(
        &args.command,
        text.as_bytes(),
        Duration::from_secs(args.timeout),
        MOST_BYTES,
    )
    .map_err(|source| CliError::NotStarted {
        program: args.command.first().cloned().unwrap_or_default(),
        source,
    })?;
    let mut verified = VerifiedCase {
        name: case.name.clone(),
        promise: case.promise.clone(),
        ok: false,
        problems: Vec::new(),
        issues: Vec::new(),
        plan: plan.clone(),
    };
    match answer {
        Answer::TimedOut => {
            verified.problems.push(format!("it did not end within {} s", args.timeout));
        }
        Answer::TooLong => verified.problems.push("it wrote more than 16 MiB".to_owned()),
        Answer::Wrote { text: list, status } if list.iter().all(u8::is_ascii_whitespace) => {
            verified.problems.push(format!("it wrote nothing ({status})"));
        }
        Answer::Wrote { text: list, .. } => {
            let outline = PlanOutline::read(text.as_bytes(), Limits::default()).ok();
            verified.issues = results::check(&list, outline.as_ref());
            if verified.issues.is_empty() {
                verified.problems = differences(case, &list);
            }
        }
    }
    verified.ok = verified.problems.is_empty() && verified.issues.is_empty();
    Ok(verified)
}

/// Where a list that keeps the contract is not what must come of this plan.
fn differences(case: &Case, list: &[u8]) -> Vec<String> {
    let list: Value = serde_json::from_slice(list).unwrap_or_default();
    let mut problems = Vec::new();
    for entry in list.as_array().into_iter().flatten() {
        let text = |name: &str| entry.get(name).and_then(Value::as_str);
        let is = |name: &str| entry.get(name).and_then(Value::as_bool) == Some(true);
        let Some(id) = text("step_id") else { continue };
        if let Some(status) = text("task_status").filter(|status| *status != case.status) {
            problems.push(format!("the status is {status}, not {}", case.status));
        }
        let found = if is("ok") {
            "ok"
        } else if is("skipped") {
            "skipped"
        } else {
            "failed"
        };
        if let Some(expected) = case.rows.get(id).filter(|expected| *expected != found) {
            problems.push(format!("the row of `{id}` is {found}, not {expected}"));
        }
    }
    problems
}

fn people(report: &VerifyExecutorReport, printer: &mut Printer) -> Result<(), CliError> {
    let (good, error) = (style::GOOD, style::ERROR);
    for case in &report.cases {
        if case.ok {
            printer.line(&format!("{good}kept{good:#}    {}", case.name))?;
            continue;
        }
        printer.line(&format!("{error}broken{error:#}  {}: {}", case.name, case.promise))?;
        for problem in &case.problems {
            printer.line(&format!("        {}", visible(problem.as_bytes())))?;
        }
        for issue in &case.issues {
            let message = visible(issue.message.as_bytes());
            printer.line(&format!("        [{}] {message}", issue.rule))?;
            printer.line(&format!("        help: {}", issue.help))?;
        }
    }
    let count = report.cases.len();
    let broken = report.cases.iter().filter(|case| !case.ok).count();
    let version = report.contract_version;
    if report.ok {
        printer.line(&format!(
            "{good}sound{good:#}: the executor keeps contract {version} in {count} cases"
        ))?;
    } else {
        printer.line(&format!(
            "{error}broken{error:#}: the executor breaks contract {version} in {broken} of {count} cases"
        ))?;
    }
    if report.left_out > 0 {
        printer.line(&format!(
            "{} more cases need a tool that works: name one with `--tool`.",
            report.left_out
        ))?;
    }
    Ok(())
}
