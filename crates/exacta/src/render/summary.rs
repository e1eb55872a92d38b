//! The end of a check for people: what would happen, and what to do next.

use std::io;

use exacta_core::judge::decide::{Decision, Kind};
use exacta_core::judge::examine::{Examined, Verdict};
use exacta_core::judge::score::Assessment;
use exacta_core::model::change::{FileMode, NetChange, Op};
use exacta_core::model::code::Code;
use exacta_core::model::digest::Digest;
use exacta_core::model::plan::{Effective, Estimates, Origin, Plan};
use exacta_core::read::dry_run::Comparisons;
use exacta_core::review::{details, usd};
use exacta_core::text::lines::LineChange;
use exacta_core::text::shown::visible;

use super::renames::{Deed, becomes, deeds};
use super::{Printer, Subject};
use crate::paint::style;
use crate::wire::CheckReport;

/// A way to print an assessment and its decision.
pub(super) type Show = fn(&Assessment, &Decision, &mut Printer) -> io::Result<()>;

/// Prints files, constraints, estimates, hashes and the verdict.
pub(super) fn print(
    subject: &Subject<'_>,
    report: &CheckReport,
    examined: Option<&Examined>,
    first: Option<Code>,
    show: Show,
    printer: &mut Printer,
) -> io::Result<()> {
    body(report, examined, show, printer)?;
    verdict(subject, report, first, printer)
}

/// Prints everything but the verdict; a plan that is refused has nothing else to show.
pub(super) fn body(
    report: &CheckReport,
    examined: Option<&Examined>,
    show: Show,
    printer: &mut Printer,
) -> io::Result<()> {
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

fn heading(text: &str, printer: &mut Printer) -> io::Result<()> {
    let strong = style::STRONG;
    printer.line(&format!("{strong}{text}{strong:#}"))
}

fn files(report: &CheckReport, examined: &Examined, printer: &mut Printer) -> io::Result<()> {
    if report.files.is_empty() {
        return Ok(());
    }
    heading("Files", printer)?;
    let sign = printer.becomes();
    let mut lines = Lines::of(examined);
    let quiet = style::QUIET;
    for deed in deeds(&report.files) {
        let (op, tone, names, counts, modes) = match &deed {
            Deed::Rename(old, new) => {
                let names = becomes(&old.path, &new.path, sign);
                let modes = (mode_before(old, examined), new.mode);
                ("rename", style::WARNING, names, lines.of_images(old.before, new.after), modes)
            }
            Deed::Other(file) => {
                let (op, tone) = match file.op {
                    Op::Create => ("create", style::GOOD),
                    Op::Modify => ("modify", style::WARNING),
                    Op::Delete => ("delete", style::ERROR),
                };
                let from = file.renamed_from.as_ref();
                let old = from.and_then(|from| report.files.iter().find(|old| old.path == *from));
                let from = from.map_or_else(String::new, |from| format!(" (renamed from {from})"));
                let name = visible(format!("{}{from}", file.path).as_bytes());
                let before = old.map_or(file.before, |old| old.before);
                let modes = (mode_before(file, examined), file.mode);
                (op, tone, name, lines.of_images(before, file.after), modes)
            }
        };
        let mode = match modes {
            (Some(was), Some(mode)) if was != mode => format!("{was} {sign} {mode}"),
            (_, mode) => mode.map(|mode| mode.to_string()).unwrap_or_default(),
        };
        printer.line(&format!(
            "  {tone}{op}{tone:#} {quiet}{mode}{quiet:#} {names}  {quiet}+{} -{}{quiet:#}",
            counts.added, counts.removed,
        ))?;
    }
    Ok(())
}

/// The permission bits of a file before the plan.
fn mode_before(file: &NetChange, examined: &Examined) -> Option<FileMode> {
    let first = examined.changes().iter().find(|change| change.path == file.path);
    first.and_then(|change| change.mode_before)
}

/// Counts the lines that a file gains and loses. The dry run has compared most images
/// already.
struct Lines<'a> {
    plan: Option<&'a Plan>,
    comparisons: Comparisons,
}

impl<'a> Lines<'a> {
    fn of(examined: &'a Examined) -> Self {
        let plan = match &examined.verdict {
            Verdict::Sound(plan) => Some(&**plan),
            Verdict::Rejected { .. } => None,
        };
        Self { plan, comparisons: plan.map(|plan| plan.comparisons().clone()).unwrap_or_default() }
    }

    fn of_images(&mut self, before: Option<Digest>, after: Option<Digest>) -> LineChange {
        let image = |digest: Option<Digest>| self.plan?.image(&digest?);
        let (before, after) = (image(before), image(after));
        self.comparisons.compare(before, after)
    }
}

fn tools(examined: &Examined, printer: &mut Printer) -> io::Result<()> {
    if examined.estimates.estimated_tool_calls.is_empty() {
        return Ok(());
    }
    heading("Tools", printer)?;
    for (name, calls) in &examined.estimates.estimated_tool_calls {
        printer.line(&format!("  {name}  {calls} {}", plural(*calls, "call")))?;
    }
    Ok(())
}

fn constraints(list: &[Effective], printer: &mut Printer) -> io::Result<()> {
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
        printer.line(&format!("  {} {}  ({source})", constraint.kind(), details(constraint)))?;
    }
    Ok(())
}

fn estimates(estimates: &Estimates, printer: &mut Printer) -> io::Result<()> {
    heading("Estimate", printer)?;
    if estimates.estimated_tokens == 0 {
        let seconds = estimates.estimated_runtime_sec;
        return printer.line(&format!("  no model is involved; {seconds} s"));
    }
    printer.line(&format!(
        "  {} tokens, {}, {} s",
        estimates.estimated_tokens,
        usd(estimates.estimated_cost_micro_usd),
        estimates.estimated_runtime_sec
    ))
}

fn hashes(report: &CheckReport, printer: &mut Printer) -> io::Result<()> {
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
) -> io::Result<()> {
    if report.ok {
        let count = report.files.len() as u64;
        let (word, tone) = match report.decision {
            Kind::AutoSilent | Kind::AutoNotify => ("sound, would run", style::GOOD),
            Kind::Wait => ("sound, waits for a person", style::WARNING),
            Kind::Reject => ("rejected", style::ERROR),
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
    if subject.is_patch && report.issues.iter().all(|issue| issue.code == Code::FileMissing) {
        printer.line(
            "None of the files that it changes is here. Is it for another project or folder?",
        )?;
    } else if subject.is_patch && report.issues.iter().any(|issue| misfit(issue.code)) {
        printer.line("If you are on the branch that has the change already, switch to the one that it is for.")?;
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
