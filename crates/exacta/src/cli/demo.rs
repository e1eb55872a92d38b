//! `exacta demo`: a small project and five plans for it, each with another end.

use std::fs;
use std::path::Path;

use exacta_core::lifecycle::State;
use exacta_core::policy::{Policy, Profile};
use exacta_core::record::{Actor, ActorKind, Beginning};
use exacta_core::shown::visible;
use exacta_engine::gate::{
    Command, Gate, GateError, Listed, Outcome, Ports, Projections, Proof, Proposed, RunOutcome,
    SourceKind, Standpoint, What,
};
use exacta_engine::machine::ThisMachine;
use exacta_engine::outer::Outer;
use exacta_engine::workspace::Root;

use crate::cli::CliError;
use crate::exit::Exit;
use crate::inspector::Confined;
use crate::render::{self, Printer, Subject, style};
use crate::wire::{CheckReport, ListReport, ListedPlan};

/// Show what the gate does, on a throw-away project.
///
/// Five plans end in five ways: run alone, run and told, waiting, rejected, expired. Nothing
/// outside a temporary folder is touched, and that folder is removed at the end.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  exacta demo\n  exacta demo --keep   # and look around in the project afterwards"
)]
pub(crate) struct Args {
    /// Keep the temporary folder and say where it is.
    #[arg(long)]
    keep: bool,

    /// Print where the plans ended as JSON, as `list --json` does, and nothing else.
    #[arg(long)]
    json: bool,
}

/// The sample project.
const FILES: [(&str, &str); 4] = [
    ("src/greet.py", include_str!("../../../../examples/demo/src/greet.py")),
    ("src/old_greet.py", include_str!("../../../../examples/demo/src/old_greet.py")),
    ("src/older_greet.py", include_str!("../../../../examples/demo/src/older_greet.py")),
    ("README.md", include_str!("../../../../examples/demo/README.md")),
];

/// A sample plan: its file, what it shows, its text.
struct Sample {
    name: &'static str,
    shows: &'static str,
    text: &'static str,
}

const AUTO: Sample = Sample {
    name: "good.json",
    shows: "low risk, good quality: it runs alone",
    text: include_str!("../../../../examples/demo/good.json"),
};
const NOTIFIED: Sample = Sample {
    name: "notified.json",
    shows: "medium risk under `balanced`: it runs, and you are told",
    text: include_str!("../../../../examples/demo/notified.json"),
};
const WAITING: Sample = Sample {
    name: "waiting.json",
    shows: "a file that runs by itself: a person is always asked",
    text: include_str!("../../../../examples/demo/waiting.json"),
};
const REJECTED: Sample = Sample {
    name: "rejected.json",
    shows: "placeholders where code should be: it will never run",
    text: include_str!("../../../../examples/demo/rejected.json"),
};
const EXPIRED: Sample = Sample {
    name: "expired.json",
    shows: "its file changes while it waits: it expires instead of running on stale data",
    text: include_str!("../../../../examples/demo/expired.json"),
};
const REFUSED: Sample = Sample {
    name: "broken.json",
    shows: "and a text that makes no sound plan, with everything that is wrong with it",
    text: include_str!("../../../../examples/demo/broken.json"),
};

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let folder = tempfile::Builder::new().prefix("exacta-demo-").tempdir()?;
    let project = folder.path().join("project");
    for (name, text) in FILES {
        write(&project, name, text)?;
    }
    let mut mute = Printer::mute();
    let talk = if args.json { &mut mute } else { &mut *printer };
    let told = tell(&project, &folder.path().join("state"), talk);
    if args.keep {
        let kept = folder.keep();
        let state = visible(kept.join("state").as_os_str().as_encoded_bytes());
        let kept = visible(kept.join("project").as_os_str().as_encoded_bytes());
        let kept = format!("{kept}\nlook around: `XDG_STATE_HOME={state} exacta -C {kept} list`");
        if args.json {
            printer.note(&format!("kept: {kept}"));
        } else {
            printer.line(&format!("\nkept: {kept}"))?;
        }
    }
    let plans = told?;
    if args.json {
        printer.json(&ListReport(
            plans.into_iter().map(|plan| ListedPlan::new(plan, None)).collect(),
        ))?;
    }
    Ok(Exit::Done)
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), CliError> {
    let path = folder.join(name);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    Ok(fs::write(path, text)?)
}

/// Opens a gate on the sample project, with a policy and a key of its own.
fn tell(project: &Path, state: &Path, printer: &mut Printer) -> Result<Vec<Listed>, CliError> {
    let root = Root::open(project)?;
    let outer = Outer::new(Some(state.as_os_str()), None)?;
    let secrets = Standpoint::of(&root, outer)?.start(&root, &ThisMachine)?;
    let policy = || {
        let profile = Profile::Balanced;
        Ok(Policy { profile, autonomy_ceiling: profile, ..Policy::default() })
    };
    let ports = Ports {
        port: &root,
        tree: &root,
        inspector: &Confined,
        machine: &ThisMachine,
        policy: &policy,
        room: None,
        mask: &exacta_inspect::mask_secrets,
    };
    let projections = Projections::new(&root);
    let gate = Gate::open(ports, &secrets, &projections)?;
    gate.begin(Beginning::Started)?;
    Demo { gate: &gate, project }.play(printer)?;
    Ok(gate.list()?)
}

struct Demo<'a> {
    gate: &'a Gate<'a>,
    project: &'a Path,
}

impl Demo<'_> {
    fn play(&self, printer: &mut Printer) -> Result<(), CliError> {
        printer.line("A small project and five plans for it, under the profile `balanced`; then one that breaks \
             the rules.")?;
        let first = self.propose(1, &AUTO, printer)?;
        let ran = self.run(&first, printer)?;
        let second = self.propose(2, &NOTIFIED, printer)?;
        self.run(&second, printer)?;
        printer.line("  (this is where you are notified)")?;
        self.propose(3, &WAITING, printer)?;
        printer.line("  it waits until `exacta review` is answered, 30 minutes at most")?;
        self.propose(4, &REJECTED, printer)?;
        let fifth = self.propose(5, &EXPIRED, printer)?;
        printer.line("  meanwhile somebody edits README.md by hand …")?;
        write(self.project, "README.md", "# Greeter\n\nEdited by hand.\n")?;
        let proof = Proof::Terminal;
        let what = What::Approve { plan_id: fifth, hash: None, steps: None, proof };
        if let Err(error) = self.gate.handle(Self::command(what)) {
            printer.line(&format!("  approving it: {}", visible(error.to_string().as_bytes())))?;
        }
        printer.line("")?;
        self.refused(printer)?;
        self.undo(&ran, printer)?;
        let report = self.gate.verify(&[])?;
        let (good, bad) = (style::GOOD, style::ERROR);
        let whole = if report.problems.is_empty() {
            format!("{good}whole{good:#}")
        } else {
            format!("{bad}broken{bad:#}")
        };
        printer.line(&format!(
            "The record has {} entries, each chained to the one before, and is {whole}.",
            report.entries
        ))?;
        printer.line("\nWhere the plans ended:")?;
        for plan in self.gate.list()?.iter().rev() {
            let undone = if plan.undone_by.is_some() { ", undone" } else { "" };
            let standing = format!("{}{undone}", plan.standing);
            printer.line(&format!("  {standing:<20} {}", visible(plan.goal.as_bytes())))?;
        }
        printer.line("\nTry your own: `git diff HEAD...origin/topic | exacta propose --patch -`")
    }

    fn command(what: What) -> Command {
        let actor = Actor { kind: ActorKind::Person, name: "demo".into() };
        Command { actor, key: None, what }
    }

    /// Hands a plan in and tells what was decided, and why.
    fn propose(
        &self,
        number: u32,
        sample: &Sample,
        printer: &mut Printer,
    ) -> Result<String, CliError> {
        let (strong, quiet) = (style::STRONG, style::QUIET);
        printer
            .line(&format!("\n{strong}{number}. {}{strong:#}: {}", sample.name, sample.shows))?;
        let outcome = self.gate.handle(Self::command(propose(sample)))?;
        let Outcome::Proposed(proposed) = outcome else { return Err(GateError::Unexpected.into()) };
        let Proposed::Plan { plan, examined, .. } = *proposed else {
            return Err(GateError::Unexpected.into());
        };
        let tone = match plan.state {
            State::AutoApproved | State::UserApproved => style::GOOD,
            State::Pending => style::WARNING,
            State::Rejected | State::Expired => style::ERROR,
        };
        if let (Some(assessment), Some(decision)) = (&examined.assessment, &examined.decision) {
            printer.line(&format!(
                "  risk {}, quality {} → {tone}{}{tone:#}",
                assessment.risk.score, assessment.quality.overall, plan.state
            ))?;
            for reason in &decision.reasons {
                let message = visible(reason.message.as_bytes());
                printer.line(&format!("  {quiet}because{quiet:#} {message}"))?;
                if let Some(to_pass) = &reason.to_pass {
                    let to_pass = visible(to_pass.as_bytes());
                    printer.line(&format!("  {quiet}to pass{quiet:#} {to_pass}"))?;
                }
            }
        }
        Ok(plan.plan_id)
    }

    fn run(&self, plan_id: &str, printer: &mut Printer) -> Result<RunOutcome, CliError> {
        let what = What::Run { plan_id: plan_id.into(), hash: None };
        match self.gate.handle(Self::command(what))? {
            Outcome::Ran(ran) => {
                for file in ran.receipt.iter().flat_map(|receipt| &receipt.files) {
                    let op = match (file.before, file.after) {
                        (None, _) => "created",
                        (_, None) => "deleted",
                        _ => "changed",
                    };
                    let path = visible(file.path.as_str().as_bytes());
                    printer.line(&format!("  {op} {path}"))?;
                }
                Ok(*ran)
            }
            _ => Err(GateError::Unexpected.into()),
        }
    }

    fn refused(&self, printer: &mut Printer) -> Result<(), CliError> {
        let strong = style::STRONG;
        printer.line(&format!("{strong}{}{strong:#}: {}\n", REFUSED.name, REFUSED.shows))?;
        let outcome = self.gate.handle(Self::command(propose(&REFUSED)))?;
        let Outcome::Proposed(proposed) = outcome else { return Err(GateError::Unexpected.into()) };
        if let Proposed::Plan { examined, .. } = *proposed {
            let text = REFUSED.text.as_bytes();
            let subject = Subject { name: REFUSED.name.into(), text, is_patch: false };
            let report = CheckReport::examined(&examined);
            let human = render::Format::Human;
            render::check(human, &subject, &report, Some(&examined), printer)?;
        }
        printer.line("")
    }

    fn undo(&self, ran: &RunOutcome, printer: &mut Printer) -> Result<(), CliError> {
        let (run_id, proof) = (ran.run_id.clone(), Proof::Terminal);
        let what = What::Undo { run_id, hash: None, proof };
        let Outcome::Undone(undone) = self.gate.handle(Self::command(what))? else {
            return Err(GateError::Unexpected.into());
        };
        let count = undone.receipt.map_or(0, |receipt| receipt.files.len());
        printer.line(&format!("The first plan was taken back again: {count} files restored."))
    }
}

fn propose(sample: &Sample) -> What {
    What::Propose {
        kind: SourceKind::Draft,
        text: sample.text.as_bytes().to_vec(),
        intent: None,
        constraints: Vec::new(),
        proposer: None,
        parent: None,
        correlation_id: None,
    }
}
