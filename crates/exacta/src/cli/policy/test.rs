//! `exacta policy test`: a table of plans and what must become of each.

use std::fs;
use std::path::{Path, PathBuf};

use exacta_core::judge::decide::Kind;
use exacta_core::judge::examine::{Context, Examined, examine};
use exacta_core::judge::policy::Policy;
use exacta_core::model::diagnostic::{Issue, Place};
use exacta_core::model::path::RelPath;
use exacta_core::read::parse::{self, Limits};
use exacta_core::text::shown::visible;
use exacta_engine::workspace::Root;

use super::table::{Case, Table};
use crate::cli::input::Source;
use crate::cli::{CliError, in_force, project};
use crate::exit::Exit;
use crate::inspector::Confined;
use crate::paint::style;
use crate::render::Printer;
use crate::wire::{PolicyTestReport, TestedCase};

/// The largest table.
const LIMIT: usize = 16 << 20;

/// Test the policy in force against a table of plans and what must become of them.
///
/// Nothing is changed and nothing is recorded.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta policy test cases.toml

The table is TOML, or JSON when its name ends in `.json`:

  version = 1
  [[case]]
  name = \"migrations are never deleted\"
  draft = { steps = [{ step_id = \"step_1\", type = \"file_delete\", target = \"db/1.sql\" }] }
  files = { \"db/1.sql\" = \"select 1;\" }
  expect = \"reject\"
  codes = [\"PLAN_RULE_DENIED\"]

Exit codes: 0 every case came out as expected, 15 one did not, 10 a policy file is refused,
2 the table is wrong, 1 I/O error.")]
pub(crate) struct Args {
    /// The table, or `-` for TOML on standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let table = read(&args.file)?;
    let root = project::open(printer)?;
    let policy = in_force::policy(&root)?.merged.policy;
    let folder = args.file.parent().unwrap_or(Path::new(""));
    let mut cases = Vec::new();
    for case in table.case {
        cases.push(judge(case, folder, &root, &policy)?);
    }
    let ok = cases.iter().all(|case| case.ok);
    let exit = if ok { Exit::Done } else { Exit::Unverified };
    let report = PolicyTestReport { ok, exit_code: exit.code(), cases };
    if args.json {
        printer.json(&report)?;
    } else {
        people(&report, printer)?;
    }
    Ok(exit)
}

fn read(path: &Path) -> Result<Table, CliError> {
    let source = Source::from(path);
    let wrong = |message: String| CliError::Usage {
        message: format!("`{}` is not a table of cases: {message}", source.name()),
        help: "`exacta policy test --help` shows one".into(),
    };
    let bytes = source.read(LIMIT)?;
    if bytes.len() > LIMIT {
        return Err(wrong(format!("it has more than {LIMIT} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8 text".into()))?;
    let is_json = path.extension().is_some_and(|ending| ending == "json");
    let table: Table = if is_json {
        serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?
    } else {
        toml::from_str(&text).map_err(|error: toml::de::Error| {
            let place = error.span().map(|span| Place::of(&text, span.start));
            let place = place.map_or_else(String::new, |p| format!("line {}: ", p.line));
            wrong(format!("{place}{}", error.message()))
        })?
    };
    if table.version != 1 {
        return Err(wrong(format!("version {} is not known here", table.version)));
    }
    Ok(table)
}

/// Examines the plan of one case and compares.
fn judge(
    case: Case,
    folder: &Path,
    project: &Root,
    policy: &Policy,
) -> Result<TestedCase, CliError> {
    let text = match (&case.plan, &case.draft) {
        (Some(plan), None) => Source::File(folder.join(plan)).read(Limits::default().raw_bytes)?,
        (None, Some(draft)) => serde_json::to_vec(draft)?,
        _ => return Err(unusable(&case, "it needs either `plan` or `draft`")),
    };
    let constraints = case.constraints.iter().map(|words| parse::constraint_from_words(words));
    let context = Context {
        intent: case.intent.clone(),
        constraints: constraints
            .collect::<Result<_, _>>()
            .map_err(|issue| unusable(&case, &issue.message))?,
        proposer: case.proposer.clone(),
        ..Context::default()
    };
    let own = case.files.as_ref().map(|_| tempfile::tempdir()).transpose()?;
    let tree = match &own {
        Some(own) => Some(build(own.path(), &case)?),
        None => None,
    };
    let outcome = match parse::draft(&text, Limits::default()) {
        Ok(draft) => {
            Ok(examine(draft, tree.as_ref().unwrap_or(project), &Confined, policy, &context)?)
        }
        Err(issues) => Err(issues),
    };
    Ok(compare(case, &outcome))
}

fn unusable(case: &Case, why: &str) -> CliError {
    CliError::Usage {
        message: format!("the case `{}` cannot be run: {why}", case.name),
        help: "`exacta policy test --help` shows a table".into(),
    }
}

/// The case's own files, in a folder that goes away with the case.
fn build(folder: &Path, case: &Case) -> Result<Root, CliError> {
    for (name, text) in case.files.iter().flatten() {
        let path = RelPath::parse(name)
            .map_err(|fault| unusable(case, &format!("`{name}` in `files`: {fault}")))?;
        let target = folder.join(path.as_str());
        if let Some(above) = target.parent() {
            fs::create_dir_all(above)?;
        }
        fs::write(target, text)?;
    }
    Ok(Root::open(folder)?)
}

fn compare(case: Case, outcome: &Result<Examined, Vec<Issue>>) -> TestedCase {
    let (issues, rules) = match outcome {
        Ok(examined) => (&examined.issues, examined.rules.as_slice()),
        Err(issues) => (issues, &[][..]),
    };
    let decision = outcome.as_ref().ok().and_then(|examined| examined.decision.as_ref());
    let actual = decision.map_or(Kind::Reject, |decision| decision.kind);
    let codes: Vec<String> = issues.iter().map(|issue| issue.code.as_str().into()).collect();
    let reasons: Vec<String> = rules.iter().map(|rule| rule.reason.clone()).collect();
    let mut differences = Vec::new();
    if !case.expect.holds(actual) {
        differences.push(format!("it is `{}`, not `{}`", actual.as_str(), case.expect.as_str()));
    }
    for code in case.codes.iter().filter(|code| !codes.contains(code)) {
        differences.push(format!("there is no finding `{code}`"));
    }
    for reason in case.reasons.iter().filter(|reason| !reasons.contains(reason)) {
        differences.push(format!("no rule with the reason `{reason}` applies"));
    }
    TestedCase {
        name: case.name,
        ok: differences.is_empty(),
        expected: case.expect.as_str().into(),
        actual: actual.as_str().into(),
        codes,
        reasons,
        differences,
    }
}

fn people(report: &PolicyTestReport, printer: &mut Printer) -> Result<(), CliError> {
    let (good, error) = (style::GOOD, style::ERROR);
    for case in &report.cases {
        let name = visible(case.name.as_bytes());
        if case.ok {
            printer.line(&format!("{good}ok{good:#}      {name}: {}", case.actual))?;
            continue;
        }
        printer.line(&format!("{error}differs{error:#} {name}"))?;
        for difference in &case.differences {
            printer.line(&format!("          {}", visible(difference.as_bytes())))?;
        }
        if !case.codes.is_empty() {
            printer.line(&format!("          findings: {}", case.codes.join(", ")))?;
        }
        for reason in &case.reasons {
            printer.line(&format!("          a rule applies: {}", visible(reason.as_bytes())))?;
        }
    }
    let wrong = report.cases.iter().filter(|case| !case.ok).count();
    Ok(printer.line(&format!("{} cases, {wrong} differ", report.cases.len()))?)
}
