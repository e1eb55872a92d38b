//! The end of a check for people: what would happen, and what to do next.

use exacta_core::change::{NetChange, Op};
use exacta_core::code::Code;
use exacta_core::decide::{Decision, Kind};
use exacta_core::digest::Digest;
use exacta_core::dry_run::LineChange;
use exacta_core::examine::{Examined, Verdict};
use exacta_core::plan::{Constraint, Effective, Estimates, Origin};
use exacta_core::score::Assessment;
use exacta_core::shown::visible;

use super::printer::style;
use super::{Printer, Subject};
use crate::cli::CliError;
use crate::wire::CheckReport;

/// A way to print an assessment and its decision.
pub(super) type Show = fn(&Assessment, &Decision, &mut Printer) -> Result<(), CliError>;

/// Prints files, constraints, estimates, hashes and the verdict.
pub(super) fn print(
    subject: &Subject<'_>,
    report: &CheckReport,
    examined: Option<&Examined>,
    first: Option<Code>,
    show: Show,
    printer: &mut Printer,
) -> Result<(), CliError> {
    body(report, examined, show, printer)?;
    verdict(subject, report, first, printer)
}

/// Prints everything but the verdict; a plan that is refused has nothing else to show.
pub(super) fn body(
    report: &CheckReport,
    examined: Option<&Examined>,
    show: Show,
    printer: &mut Printer,
) -> Result<(), CliError> {
    if let Some(examined) = examined.filter(|_| report.ok) {
        files(report, examined, printer)?;
        tools(examined, printer)?;
        constraints(&examined.constraints, printer)?;
        estimates(&examined.estimates, printer)?;
        if let (Some(assessment), Some(decision)) = (&examined.assessment, &examined.decision) {
            show(assessment, decision, printer)?;
        }
        hashes(report, printer)?;
    }
    Ok(())
}

fn heading(text: &str, printer: &mut Printer) -> Result<(), CliError> {
    let strong = style::STRONG;
    printer.line(&format!("{strong}{text}{strong:#}"))
}

fn files(report: &CheckReport, examined: &Examined, printer: &mut Printer) -> Result<(), CliError> {
    if report.files.is_empty() {
        return Ok(());
    }
    heading("Files", printer)?;
    for (file, lines) in report.files.iter().zip(lines(&report.files, examined)) {
        let (op, tone) = match file.op {
            Op::Create => ("create", style::GOOD),
            Op::Modify => ("modify", style::WARNING),
            Op::Delete => ("delete", style::ERROR),
        };
        let quiet = style::QUIET;
        let mode = file.mode.map(|mode| mode.to_string()).unwrap_or_default();
        let to = report.files.iter().find(|new| new.renamed_from.as_ref() == Some(&file.path));
        let renamed = match (&file.renamed_from, to) {
            (Some(from), _) => format!("  renamed from {from}"),
            (None, Some(to)) => format!("  renamed to {}", to.path),
            (None, None) => String::new(),
        };
        printer.line(&format!(
            "  {tone}{op}{tone:#} {quiet}{mode}{quiet:#} {}  {quiet}+{} -{}{quiet:#}{}",
            visible(file.path.as_str().as_bytes()),
            lines.added,
            lines.removed,
            visible(renamed.as_bytes())
        ))?;
    }
    Ok(())
}

/// How many lines each file gains and loses, a renamed one against its old name. The dry run
/// has compared most images already.
fn lines(files: &[NetChange], examined: &Examined) -> Vec<LineChange> {
    let Verdict::Sound(plan) = &examined.verdict else { return Vec::new() };
    let image = |digest: Option<Digest>| digest.and_then(|digest| plan.image(&digest));
    let mut comparisons = plan.comparisons().clone();
    let before = |file: &NetChange| match &file.renamed_from {
        None => file.before,
        Some(from) => files.iter().find(|old| old.path == *from).and_then(|old| old.before),
    };
    files.iter().map(|file| comparisons.compare(image(before(file)), image(file.after))).collect()
}

fn tools(examined: &Examined, printer: &mut Printer) -> Result<(), CliError> {
    if examined.estimates.estimated_tool_calls.is_empty() {
        return Ok(());
    }
    heading("Tools", printer)?;
    for (name, calls) in &examined.estimates.estimated_tool_calls {
        printer.line(&format!("  {name}  {calls} {}", plural(*calls, "call")))?;
    }
    Ok(())
}

fn constraints(list: &[Effective], printer: &mut Printer) -> Result<(), CliError> {
    if list.is_empty() {
        return Ok(());
    }
    heading("Constraints, all kept", printer)?;
    for Effective { origin, constraint } in list {
        let source = match origin {
            Origin::Policy => "policy",
            Origin::Person => "given with the intent",
            Origin::Draft => "the draft's own",
        };
        printer.line(&format!(
            "  {} {}  ({source})",
            constraint.kind(),
            constraint_details(constraint)
        ))?;
    }
    Ok(())
}

/// What a constraint allows or asks for.
pub(crate) fn constraint_details(constraint: &Constraint) -> String {
    let list = |names: &[String]| visible(names.join(", ").as_bytes());
    match constraint {
        Constraint::PathsWithin { globs }
        | Constraint::PathsExcept { globs }
        | Constraint::MustTouch { globs } => list(globs),
        Constraint::Domains { domains } => list(domains),
        Constraint::Recipients { recipients } => list(recipients),
        Constraint::NoTool { tools } => list(tools),
        Constraint::MaxFiles { max } | Constraint::MaxChangedLines { max } => max.to_string(),
        Constraint::TestsRequired { checks } => list(checks),
        Constraint::NoDelete | Constraint::NoNewDependencies => String::new(),
    }
}

fn estimates(estimates: &Estimates, printer: &mut Printer) -> Result<(), CliError> {
    let micro = estimates.estimated_cost_micro_usd;
    heading("Estimate", printer)?;
    printer.line(&format!(
        "  {} tokens, {}.{:03} USD, {} s",
        estimates.estimated_tokens,
        micro / 1_000_000,
        micro % 1_000_000 / 1000,
        estimates.estimated_runtime_sec
    ))
}

fn hashes(report: &CheckReport, printer: &mut Printer) -> Result<(), CliError> {
    for (name, hash) in [("plan_hash  ", report.plan_hash), ("effect_hash", report.effect_hash)] {
        if let Some(hash) = hash {
            let quiet = style::QUIET;
            printer.line(&format!("{quiet}{name}{quiet:#} {hash}"))?;
        }
    }
    Ok(())
}

fn verdict(
    subject: &Subject<'_>,
    report: &CheckReport,
    first: Option<Code>,
    printer: &mut Printer,
) -> Result<(), CliError> {
    if report.ok {
        let count = report.files.len() as u64;
        let (word, tone) = match report.decision {
            Some(Kind::AutoSilent | Kind::AutoNotify) => ("sound, would run", style::GOOD),
            Some(Kind::Wait) => ("sound, waits for a person", style::WARNING),
            Some(Kind::Reject) | None => ("rejected", style::ERROR),
        };
        return printer.line(&format!(
            "{tone}{word}{tone:#}: {count} {} would change; nothing was changed",
            plural(count, "file")
        ));
    }
    let errors = report.issues.iter().filter(|issue| issue.is_error()).count() as u64;
    let error = style::ERROR;
    printer.line(&format!(
        "{error}refused{error:#}: {errors} {}; nothing was changed",
        plural(errors, "error")
    ))?;
    let code = first.map_or("CODE", Code::as_str);
    if subject.is_patch && report.issues.iter().any(|issue| misfit(issue.code)) {
        printer.line("If the change is already in these files, check it where it is not: on the branch it starts from.")?;
    }
    printer.line(&format!("Fix what is listed and check again; `exacta explain {code}` says more."))
}

/// Whether a finding says that a patch does not fit the files as they are.
fn misfit(code: Code) -> bool {
    matches!(code, Code::DiffMismatch | Code::FileExists | Code::FileMissing)
}

fn plural(count: u64, word: &str) -> String {
    if count == 1 { word.into() } else { format!("{word}s") }
}
