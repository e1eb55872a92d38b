//! `exacta demo`: a small project and five plans for it, each with another end.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use exacta_core::judge::policy::{Decide, Policy, Profile};
use exacta_core::life::lifecycle::State;
use exacta_core::model::digest::Digest;
use exacta_core::model::id::PlanId;
use exacta_core::record::{Actor, ActorKind, Beginning};
use exacta_core::text::shown::visible;
use exacta_engine::gate::{
    Approve, Caller, Decided, Gate, GateError, List, ProjectIdentity, Propose, Proposed, Ran, Run,
    Secrets, Selection, SourceKind, Undo,
};
use exacta_engine::machine::ThisMachine;
use exacta_engine::project::{LoadPolicy, Parts, Project};
use exacta_engine::proof::Proof;
use exacta_engine::trust::TrustStore;
use exacta_engine::workspace::Root;

use crate::cli::CliError;
use crate::exit::Exit;
use crate::inspector::Confined;
use crate::paint::style;
use crate::render::{self, Printer, Subject};
use crate::wire::CheckReport;

/// Show what the gate does, on a throw-away project.
///
/// Five plans end in five ways: run alone, run and told, waiting, rejected, expired; then a
/// recipe sorts a mail, without a network. Nothing outside a temporary folder is touched, and that folder is removed at the end.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  exacta demo\n  exacta demo --keep   # and look around in the project afterwards\n  exacta demo --web    # and look at the plans in the review room"
)]
pub(crate) struct Args {
    /// Keep the temporary folder and say where it is.
    #[arg(long)]
    keep: bool,

    /// Print where the plans ended as JSON, as `list --json` does, and nothing else.
    #[arg(long)]
    json: bool,

    /// Open the review room on the sample project, with a plan in every state, until Ctrl-C.
    #[arg(long, conflicts_with_all = ["keep", "json"])]
    web: bool,
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
    shows: "a comment and a new test: nothing that exists acts differently, so it runs alone",
    text: include_str!("../../../../examples/demo/good.json"),
};
const NOTIFIED: Sample = Sample {
    name: "notified.json",
    shows: "another value of a private constant: behaviour changes, so it runs and you are told",
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
    if args.web {
        super::demo_web::open(&project, &folder.path().join("state"), printer)?;
        return Ok(Exit::Done);
    }
    let mut mute = Printer::mute();
    let talk = if args.json { &mut mute } else { &mut *printer };
    let shown = show(&project, &folder.path().join("state"), talk);
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
    let plans = shown?;
    if args.json {
        printer.json(&plans)?;
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

/// The sample project with a policy and a key of its own.
pub(super) struct Sampled {
    pub(super) project: Project,
    pub(super) secrets: Secrets,
    pub(super) policy: Arc<LoadPolicy>,
    pub(super) outer: TrustStore,
}

/// Opens the sample project for people who show their right to decide in this way.
pub(super) fn sampled(project: &Path, state: &Path, decide: Decide) -> Result<Sampled, CliError> {
    let root = Root::open(project)?;
    let outer = TrustStore::new(Some(state.as_os_str()), None)?;
    let secrets = ProjectIdentity::of(&root, outer.clone())?.start(&root, &ThisMachine)?;
    let root = Arc::new(root);
    let policy: Arc<LoadPolicy> = Arc::new(move || {
        let profile = Profile::Balanced;
        let policy = Policy { profile, autonomy_ceiling: profile, decide, ..Policy::default() };
        Ok(super::demo_recipe::quiet(policy))
    });
    let parts = Parts {
        workspace: root.clone(),
        tree: root,
        inspector: Arc::new(Confined),
        machine: Arc::new(ThisMachine),
        policy: Arc::clone(&policy),
        room: None,
        mask: Arc::new(exacta_inspect::mask_secrets),
    };
    let loaded = Arc::clone(&policy);
    let tools = crate::tools::of(project.to_path_buf(), move || loaded());
    let project = Project::new(parts, secrets.clone()).with_tools(tools);
    Ok(Sampled { project, secrets, policy, outer })
}

/// Plays the demo at the terminal.
fn show(project: &Path, state: &Path, printer: &mut Printer) -> Result<List, CliError> {
    // Nobody is at a terminal here; the hash says which plan is meant.
    let sample = sampled(project, state, Decide::Hash)?;
    let gate = sample.project.gate()?;
    gate.begin(Beginning::Started)?;
    Demo { gate: &gate, project, proof: Proof::none() }.play(printer)?;
    Ok(gate.list()?)
}

pub(super) struct Demo<'a> {
    pub(super) gate: &'a Gate<'a>,
    pub(super) project: &'a Path,
    /// What shows the right to decide.
    pub(super) proof: Proof,
}

impl Demo<'_> {
    pub(super) fn play(&self, printer: &mut Printer) -> Result<(), CliError> {
        printer.line("A small project and five plans for it, under the profile `balanced`; then one that breaks \
             the rules.")?;
        let first = self.propose(1, &AUTO, printer)?;
        let ran = self.run(&first.plan_id, printer)?;
        let second = self.propose(2, &NOTIFIED, printer)?;
        self.run(&second.plan_id, printer)?;
        printer.line("  (this is where you are notified)")?;
        self.propose(3, &WAITING, printer)?;
        printer.line("  it waits until `exacta review` is answered, 30 minutes at most")?;
        self.propose(4, &REJECTED, printer)?;
        let fifth = self.propose(5, &EXPIRED, printer)?;
        printer.line("  meanwhile somebody edits README.md by hand …")?;
        write(self.project, "README.md", "# Greeter\n\nEdited by hand.\n")?;
        let (selection, proof) = (Selection::Whole, self.proof.clone());
        let plan_hash = Some(fifth.plan_hash);
        let approve = Approve { plan_id: fifth.plan_id, plan_hash, selection, proof };
        if let Err(error) = self.gate.handle(&caller(), approve) {
            printer.line(&format!("  approving it: {}", visible(error.to_string().as_bytes())))?;
        }
        printer.line("")?;
        self.refused(printer)?;
        super::demo_recipe::play(self.gate, &self.proof, printer)?;
        self.undo(&ran, first.plan_hash, printer)?;
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
        for plan in self.gate.list()?.0.iter().rev() {
            let undone = if plan.undone_by.is_some() { ", undone" } else { "" };
            let status = format!("{}{undone}", plan.status);
            printer.line(&format!("  {status:<20} {}", visible(plan.goal.as_bytes())))?;
        }
        printer
            .line("\nTry your own: `git diff HEAD...origin/topic | exacta propose --patch -`")?;
        Ok(())
    }

    /// Hands a plan in and shows what was decided, and why.
    fn propose(
        &self,
        number: u32,
        sample: &Sample,
        printer: &mut Printer,
    ) -> Result<Decided, CliError> {
        let (strong, quiet) = (style::STRONG, style::QUIET);
        printer
            .line(&format!("\n{strong}{number}. {}{strong:#}: {}", sample.name, sample.shows))?;
        let (plan, examined) = match self.gate.handle(&caller(), propose(sample))? {
            Proposed::Plan { plan, examined, .. } => (plan, examined),
            Proposed::Refused { issues, .. } => return Err(GateError::Invalid(issues).into()),
            Proposed::Again(plan) => return Ok(plan),
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
            }
        }
        Ok(plan)
    }

    fn run(&self, plan_id: &PlanId, printer: &mut Printer) -> Result<Ran, CliError> {
        let ran = self.gate.handle(&caller(), Run { plan_id: plan_id.clone(), plan_hash: None })?;
        for file in ran.receipt.iter().flat_map(|receipt| &receipt.files) {
            let op = match (file.before, file.after) {
                (None, _) => "created",
                (_, None) => "deleted",
                _ => "changed",
            };
            let path = visible(file.path.as_str().as_bytes());
            printer.line(&format!("  {op} {path}"))?;
        }
        Ok(ran)
    }

    fn refused(&self, printer: &mut Printer) -> Result<(), CliError> {
        let strong = style::STRONG;
        printer.line(&format!("{strong}{}{strong:#}: {}\n", REFUSED.name, REFUSED.shows))?;
        if let Proposed::Plan { examined, .. } = self.gate.handle(&caller(), propose(&REFUSED))? {
            let text = REFUSED.text.as_bytes();
            let subject = Subject { name: REFUSED.name.into(), text, is_patch: false, parts: &[] };
            let report = CheckReport::examined(&examined);
            let human = render::Format::Human;
            render::check(human, &subject, &report, Some(&examined), printer)?;
        }
        Ok(printer.line("")?)
    }

    fn undo(&self, ran: &Ran, hash: Digest, printer: &mut Printer) -> Result<(), CliError> {
        let (run_id, proof) = (ran.run_id.clone(), self.proof.clone());
        let undone = self.gate.handle(&caller(), Undo { run_id, plan_hash: Some(hash), proof })?;
        let count = undone.receipt.map_or(0, |receipt| receipt.files.len());
        printer.line(&format!("The first plan was taken back again: {count} files restored."))?;
        Ok(())
    }
}

pub(super) fn caller() -> Caller<'static> {
    Caller::new(Actor { kind: ActorKind::Person, name: "demo".into() })
}

fn propose(sample: &Sample) -> Propose {
    Propose::new(SourceKind::Draft, sample.text.as_bytes().to_vec())
}
