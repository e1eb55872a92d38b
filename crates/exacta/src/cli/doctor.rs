//! `exacta doctor`: does everything here work, and what protects you from what.

use exacta_core::judge::policy::Decide;
use exacta_core::text::shown::visible;
use exacta_engine::accounts;
use exacta_engine::capture::{Captured, Errand, capture};
use exacta_engine::checks::{Verdict, ViewKind};
use exacta_engine::run::Quiet;
use exacta_engine::trust::{FolderTrust, TrustError, TrustStore};
use exacta_engine::workspace::{Resolver, Root};
use rustix::fs::{Access, access};

use super::door::{self, Door};
use super::{in_force, project, wired};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::inspector;
use crate::paint::style;
use crate::render::Printer;
use crate::wire::{DoctorFinding, DoctorReport, Mood};

/// Look whether everything works here, and say plainly what it protects you from.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  exacta doctor

Exit codes: 0 everything works, 1 something does not.")]
pub(crate) struct Args {
    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,
}

struct Doctor<'p> {
    printer: &'p mut Printer,
    json: bool,
    findings: Vec<DoctorFinding>,
}

impl Doctor<'_> {
    fn say(&mut self, mood: Mood, text: &str) -> Result<(), CliError> {
        let (word, tone) = match mood {
            Mood::Good => ("ok  ", style::GOOD),
            Mood::Know => ("note", style::WARNING),
            Mood::Bad => ("bad ", style::ERROR),
        };
        self.findings.push(DoctorFinding { mood, message: text.into() });
        if self.json {
            return Ok(());
        }
        Ok(self.printer.line(&format!("{tone}{word}{tone:#} {text}"))?)
    }
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let root = project::open(printer)?;
    let mut doctor = Doctor { printer, json: args.json, findings: Vec::new() };
    match root.resolver() {
        Resolver::Kernel => {
            doctor.say(Mood::Good, "the kernel keeps every path below the project")?;
        }
        Resolver::Walk => doctor.say(
            Mood::Know,
            "this kernel has no openat2; every path is walked component by component instead",
        )?,
    }
    if inspector::works() {
        doctor.say(Mood::Good, "hostile files are read by a confined child (Landlock)")?;
    } else {
        doctor.say(
            Mood::Bad,
            "files cannot be read by a confined child here, so every plan asks a person",
        )?;
    }
    commands(&root, &mut doctor)?;
    writable(&root.id().path, &mut doctor)?;
    let outer = door::outer()?;
    elsewhere(&outer, &mut doctor)?;
    let path = root.id().path;
    let folder = outer.folder().display().to_string();
    let key = outer.lies_outside(std::path::Path::new(&path)).and_then(|()| outer.signer());
    match key {
        Ok(_) => {
            let text = format!("the key lies outside the project, in {folder}");
            doctor.say(Mood::Good, &visible(text.as_bytes()))?;
        }
        Err(TrustError::NoKey { .. }) if !outer.knows_projects()? => {
            let text = format!("no key yet; the first record makes one outside, in {folder}");
            doctor.say(Mood::Good, &visible(text.as_bytes()))?;
        }
        Err(error) => doctor.say(Mood::Bad, &visible(error.to_string().as_bytes()))?,
    }
    // What is wrong with the state folder was said; nothing more can be known then.
    if outer.is_private().is_ok() {
        let door = Door::at(root)?;
        record(&door, &mut doctor)?;
        policy(&door, &mut doctor)?;
        for (mood, text) in wired::look(&door)? {
            doctor.say(mood, &visible(text.as_bytes()))?;
        }
    }
    let Doctor { printer, findings, .. } = doctor;
    let ok = findings.iter().all(|finding| finding.mood != Mood::Bad);
    if args.json {
        printer.json(&DoctorReport { ok, findings })?;
    }
    Ok(if ok { Exit::Done } else { Exit::Failure })
}

/// Whether variables lead away from where the password database says that this user lives.
fn elsewhere(outer: &TrustStore, doctor: &mut Doctor<'_>) -> Result<(), CliError> {
    let user = rustix::process::geteuid().as_raw();
    if let Some(outer) = accounts::outer_user(user) {
        let text = format!(
            "this is a user namespace of its own: uid {user} here is uid {outer} outside, and \
             the record says so"
        );
        doctor.say(Mood::Know, &text)?;
    }
    if let Err(error) = outer.is_private() {
        doctor.say(Mood::Bad, &visible(error.to_string().as_bytes()))?;
    }
    let Some(home) = accounts::home_of(user) else {
        let text = "the password database does not know this user, so nothing says whether \
                    `HOME` is theirs";
        return doctor.say(Mood::Know, text);
    };
    let places = in_force::places()?;
    for (what, folder) in [("policy", places.operator.as_path()), ("state", outer.folder())] {
        if !folder.starts_with(&home) {
            let text = format!(
                "your {what} folder is `{}`, outside your home `{}` in the password database: \
                 HOME or XDG_{}_HOME leads there",
                folder.display(),
                home.display(),
                if what == "policy" { "CONFIG" } else { "STATE" },
            );
            doctor.say(Mood::Know, &visible(text.as_bytes()))?;
        }
    }
    Ok(())
}

/// Whether checks and captured commands can be had here: one that does nothing is run.
fn commands(root: &Root, doctor: &mut Doctor<'_>) -> Result<(), CliError> {
    let nothing = Errand { command: vec!["true".into()], ..Errand::default() };
    let why = match capture(root, &nothing, &door::room()?, &Quiet) {
        Ok(Captured { verdict: Verdict::Passed, view, .. }) => {
            let view = match view {
                ViewKind::Overlay => "beside the project, without copying it",
                ViewKind::Copy => "on a copy of the project, which takes time where it is large",
            };
            let text = format!("checks and `exacta capture` can confine commands, {view}");
            return doctor.say(Mood::Good, &text);
        }
        Ok(captured) => format!("`true` {}", captured.verdict),
        Err(error) => error.to_string(),
    };
    let text = format!("checks and `exacta capture` refuse to run commands here: {why}");
    doctor.say(Mood::Know, &visible(text.as_bytes()))
}

/// Whether files can be put in place here, and the record kept.
fn writable(project: &str, doctor: &mut Doctor<'_>) -> Result<(), CliError> {
    let project = std::path::Path::new(project);
    let state = project.join(".exacta");
    let folders = [project].into_iter().chain(state.is_dir().then_some(state.as_path()));
    let mut denied = Vec::new();
    for folder in folders {
        if let Err(errno) = access(folder, Access::WRITE_OK | Access::EXEC_OK) {
            let why = std::io::Error::from(errno);
            denied.push(format!("`{}` cannot be written to: {why}", folder.display()));
        }
    }
    if denied.is_empty() {
        return doctor.say(Mood::Good, "the project folder can be written to");
    }
    denied.iter().try_for_each(|text| {
        let text = format!("{text}; plans can be checked here, but not handed in or run");
        doctor.say(Mood::Bad, &visible(text.as_bytes()))
    })
}

fn record(door: &Door, doctor: &mut Doctor<'_>) -> Result<(), CliError> {
    let standing = &door.identity.standing;
    match standing {
        FolderTrust::New => doctor.say(Mood::Good, "no record yet; the first `propose` makes one"),
        FolderTrust::Known(_) => match door.look(|gate| {
            let unsettled = !gate.interrupted()?.is_empty();
            Ok((gate.verify(&[])?, unsettled, gate.clock_runs_behind()?))
        }) {
            Ok((report, unsettled, behind)) => {
                if report.problems.is_empty() {
                    let text = match report.entries {
                        1 => "the record is whole: 1 entry".into(),
                        count => format!("the record is whole: {count} entries"),
                    };
                    doctor.say(Mood::Good, &text)?;
                } else {
                    doctor.say(Mood::Bad, "the record does not verify; see `exacta verify`")?;
                }
                if behind {
                    doctor.say(Mood::Bad, door::BEHIND)?;
                }
                if unsettled {
                    doctor.say(Mood::Bad, "a run was interrupted; `exacta recover` settles it")?;
                }
                Ok(())
            }
            Err(error) => doctor.say(Mood::Bad, &format!("{error}; see `exacta verify`")),
        },
        other => doctor.say(Mood::Bad, &format!("{}; see `exacta verify`", other.explain())),
    }
}

/// Whether a program is on `PATH`. A path is left to the run: it may lie in the project.
fn is_found(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    program.contains('/') || std::env::split_paths(&path).any(|at| at.join(program).is_file())
}

fn policy(door: &Door, doctor: &mut Doctor<'_>) -> Result<(), CliError> {
    let policy = match door.policy() {
        Ok(policy) => policy,
        Err(error) => return doctor.say(Mood::Bad, &error.to_string()),
    };
    doctor.say(Mood::Good, "the policy files are sound; `exacta policy show` shows what holds")?;
    let standing = in_force::shown(&door.root)?.standing;
    if let Some(text) = in_force::unconfirmed(&standing) {
        doctor.say(Mood::Know, &text)?;
    }
    for (name, check) in &policy.checks {
        let program = check.command.first().map(String::as_str).unwrap_or_default();
        if !is_found(program) {
            let text = format!(
                "the check `{name}` cannot run: there is no program `{program}` here, so no plan \
                 that it judges will run"
            );
            doctor.say(Mood::Bad, &visible(text.as_bytes()))?;
        }
    }
    match policy.decide {
        Decide::Terminal => doctor.say(
            Mood::Know,
            "deciding takes a confirmation typed at the terminal. An agent that shares your shell \
             can fake one: run the gate as another user, or the agent in a sandbox such as \
             `exacta capture`",
        ),
        Decide::Credential => doctor.say(
            Mood::Know,
            "deciding takes the credential. An agent that can read its file can decide",
        ),
        Decide::Hash => doctor.say(
            Mood::Know,
            "deciding takes the plan's hash alone: whoever can propose can approve. Good for CI only",
        ),
    }
}
