//! The command line as it is typed. What it means is up to each command.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use super::{
    adopt, approve, capture, changes, check, completions, demo, diff, doctor, explain, gc, init,
    list, log, pause, policy, propose, recipe, recover, reject, renew, resolve, results, review,
    run, schema, serve, show, stats, status, undo, verify, wait,
};

/// The gate between what an AI plans and what really happens.
///
/// An AI proposes. Exacta checks, scores and asks. Exactly what was approved happens: all of it or
/// none of it, on the record, with a way back.
#[derive(Debug, Parser)]
#[command(name = "exacta", version, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) place: GlobalArgs,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Where to work.
#[derive(Debug, clap::Args)]
pub(crate) struct GlobalArgs {
    /// Work in this folder instead of the current one.
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,
}

/// The commands, in the order of the reference.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Init(init::Args),
    Adopt(adopt::Args),
    Check(check::Args),
    Propose(propose::Args),
    Draft(super::draft::Args),
    Capture(capture::Args),
    Agent(super::agent::Args),
    List(list::Args),
    Status(status::Args),
    Show(show::Args),
    Diff(diff::Args),
    Explain(explain::Args),
    Wait(wait::Args),
    Review(review::Args),
    Approve(approve::Args),
    Reject(reject::Args),
    Changes(changes::Args),
    Pause(pause::Args),
    Renew(renew::Args),
    Run(run::Args),
    Undo(undo::Args),
    Redo(undo::RedoArgs),
    Recover(recover::Args),
    Resolve(resolve::Args),
    Step(super::step::Args),
    Cancel(resolve::CancelArgs),
    Log(log::Args),
    Verify(verify::Args),
    Checkpoint(verify::CheckpointArgs),
    Results(results::Args),
    Receipt(super::receipt::Args),
    Connect(super::connect::Args),
    Hook(super::hook::Args),
    Mcp(super::mcp::Args),
    Acp(super::acp::Args),
    Policy(policy::Args),
    Serve(serve::Args),
    Schema(schema::Args),
    Recipe(recipe::Args),
    Demo(demo::Args),
    Doctor(doctor::Args),
    Stats(stats::Args),
    Gc(gc::Args),
    Forget(gc::ForgetArgs),
    Completions(completions::Args),
    Man(completions::ManArgs),
}

impl Command {
    /// What the user calls the plan that this is about.
    pub(crate) fn plan(&self) -> Option<&str> {
        match self {
            Self::Status(args) => Some(&args.plan),
            Self::Show(args) => Some(&args.plan),
            Self::Diff(args) => Some(&args.plan),
            Self::Wait(args) => Some(&args.plan),
            Self::Review(args) => args.plan.as_deref(),
            Self::Approve(args) => Some(&args.plan),
            Self::Reject(args) => Some(&args.plan),
            Self::Changes(args) => Some(&args.plan),
            Self::Pause(args) => Some(&args.plan),
            Self::Renew(args) => Some(&args.plan),
            Self::Run(args) => Some(&args.plan),
            _ => None,
        }
    }
}

/// Reads the command line.
///
/// Making the parser of all commands takes longer than checking a small plan, so the
/// commands that agents give all day are first read by a parser of their own. What it
/// does not take is judged by the parser of all.
pub(crate) fn read(args: &[OsString]) -> Result<Cli, clap::Error> {
    let alone = match args.get(1).and_then(|word| word.to_str()) {
        Some("check") => alone("check", args, Command::Check),
        Some("propose") => alone("propose", args, Command::Propose),
        Some("hook") => alone("hook", args, Command::Hook),
        Some("status") => alone("status", args, Command::Status),
        Some("approve") => alone("approve", args, Command::Approve),
        Some("run") => alone("run", args, Command::Run),
        _ => None,
    };
    alone.map_or_else(|| among_all(args), Ok)
}

/// The command line, read by the parser of all commands.
fn among_all(args: &[OsString]) -> Result<Cli, clap::Error> {
    let matches = grouped().try_get_matches_from(args)?;
    Cli::from_arg_matches(&matches)
}

/// Which commands belong together; what is in no group comes last.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Everyday",
        &[
            "init", "propose", "capture", "review", "approve", "reject", "changes", "run", "undo",
            "redo", "list",
        ],
    ),
    ("Look", &["check", "status", "show", "diff", "explain", "wait", "log", "stats", "demo"]),
    ("Policy", &["policy", "schema"]),
    (
        "Upkeep",
        &[
            "pause",
            "renew",
            "recover",
            "resolve",
            "step",
            "cancel",
            "verify",
            "checkpoint",
            "adopt",
            "doctor",
            "gc",
            "forget",
            "results",
            "completions",
            "man",
        ],
    ),
];

/// The whole command line, with its commands in groups.
fn grouped() -> clap::Command {
    let command = Cli::command();
    let line = |name: &str| {
        let about = command.find_subcommand(name)?.get_about()?.to_string();
        Some(format!("  {name:<12} {}\n", about.trim_end_matches('.')))
    };
    let known = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let visible = command.get_subcommands().filter(|one| !one.is_hide_set());
    let others: Vec<&str> =
        visible.map(clap::Command::get_name).filter(|name| !known(name)).collect();
    let groups = GROUPS.into_iter().chain([("Doors", others.as_slice())]);
    let mut list = String::new();
    for (title, names) in groups {
        let lines: String = names.iter().filter_map(|name| line(name)).collect();
        if !lines.is_empty() {
            let group = format!("{title}:\n{lines}\n");
            list.push_str(&group);
        }
    }
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}Options:\n{{options}}{{after-help}}"
    );
    command.help_template(template)
}

/// The command line, if its first word is a command and the rest are its arguments.
fn alone<A: clap::Args>(
    name: &'static str,
    args: &[OsString],
    command: fn(A) -> Command,
) -> Option<Cli> {
    let one = A::augment_args(clap::Command::new(name));
    let parser =
        <GlobalArgs as clap::Args>::augment_args(clap::Command::new("exacta")).subcommand(one);
    let matches = parser.try_get_matches_from(args).ok()?;
    let (_, inner) = matches.subcommand()?;
    Some(Cli {
        place: clap::FromArgMatches::from_arg_matches(&matches).ok()?,
        command: command(A::from_arg_matches(inner).ok()?),
    })
}

/// The whole command line as data, for the reference.
pub(crate) fn command() -> clap::Command {
    Cli::command()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both parsers must agree wherever the small one takes a line.
    #[test]
    fn a_command_read_alone_is_the_command_read_among_all() {
        for line in [
            "check plan.json",
            "check --patch - -C there",
            "check plan.json --constraint no_delete --constraint max_files=3 --json",
            "propose - --intent x --no-run",
            "propose -C there --patch p",
            "hook claude --as x",
            "status 01a1e340 --json",
            "approve 01a1e340 --hash 00 --steps a,b",
            "check",
            "check --patch a b",
            "run 01a1e340 --detach",
        ] {
            let args: Vec<OsString> =
                ["exacta"].into_iter().chain(line.split(' ')).map(OsString::from).collect();
            let among_all = among_all(&args).unwrap();
            let alone = read(&args).unwrap();
            assert_eq!(format!("{alone:?}"), format!("{among_all:?}"), "{line}");
        }
        for line in ["check --plan x", "run --help", "chekc x", "approve"] {
            let args: Vec<OsString> =
                ["exacta"].into_iter().chain(line.split(' ')).map(OsString::from).collect();
            let among_all = among_all(&args).unwrap_err().to_string();
            assert_eq!(read(&args).unwrap_err().to_string(), among_all, "{line}");
        }
    }

    #[test]
    fn every_command_stands_in_the_help_once() {
        let help = grouped().render_help().to_string();
        for command in Cli::command().get_subcommands().filter(|one| !one.is_hide_set()) {
            let line = format!("\n  {:<12} ", command.get_name());
            assert_eq!(help.matches(&line).count(), 1, "{}\n{help}", command.get_name());
        }
        for (title, names) in GROUPS {
            assert!(help.contains(&format!("{title}:\n")), "{help}");
            assert!(names.iter().all(|name| Cli::command().find_subcommand(name).is_some()));
        }
    }
}
