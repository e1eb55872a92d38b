//! `exacta draft`: ask the configured model for a plan, and hand it in.

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use exacta_core::judge::examine::{Context as Circumstances, examine};
use exacta_core::model::diagnostic::Issue;
use exacta_core::read::parse::{self, Limits};
use exacta_core::text::shown::visible;
use exacta_engine::gate::{Caller, Propose, SourceKind};

use super::CliError;
use super::door::{self, Door};
use super::propose::{self, Handing};
use crate::exit::Exit;
use crate::inspector::Confined;
use crate::planner::{self, NotDrafted};
use crate::render::{self, Printer, Subject};
use crate::wire::CheckReport;

/// Ask the configured model for a plan and hand it in.
///
/// The operator's `agents.toml` names the model; nothing is sent before you see what. What comes
/// back is read strictly and handed in like any plan: checked, scored, decided on and recorded.
/// A bad answer is sent back with its findings at most twice; no other model is ever asked.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta draft 'rename greet to hello in src/greet.py'
  exacta draft 'add a test for the parser' --dry-run

Exit codes: those of `propose`; 10 also when no plan came of it, 1 when the model cannot be asked.")]
pub(crate) struct Args {
    /// What you want, in plain words.
    #[arg(value_name = "INTENT")]
    what: String,

    /// Only show what would be sent.
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    handing: Handing,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    let policy = door.policy()?;
    let planner = planner::read(&policy).map_err(|message| CliError::Refused {
        message,
        help: "see `docs/guides/planner.md`; nothing was sent".into(),
    })?;
    let context = planner::gather(&door.root, &args.what, planner.context_bytes);
    let host = planner.endpoint.url.host_str().unwrap_or_default().to_owned();
    printer.note(&format!(
        "asking `{}` at {}: {} bytes, with the content of {} files",
        visible(planner.endpoint.model.as_bytes()),
        visible(host.as_bytes()),
        context.text.len(),
        context.files.len()
    ));
    for (name, length) in &context.files {
        printer.note(&format!("  sends `{}` ({length} bytes)", visible(name.as_bytes())));
    }
    if args.dry_run {
        return Ok(Exit::Done);
    }
    let wanted = exacta_inspect::mask_secrets(&args.what);
    let user = format!("{}\n\nWhat the user asks for:\n{wanted}\n", context.text);
    let root = door.root.as_ref();
    let examined = |text: &str| -> Vec<Issue> {
        let circumstances =
            Circumstances { intent: Some(wanted.clone()), ..Circumstances::default() };
        match parse::draft(text.as_bytes(), Limits::default()) {
            Ok(draft) => examine(draft, root, &Confined, &policy, &circumstances)
                .map(|examined| examined.issues)
                .unwrap_or_default(),
            Err(issues) => issues,
        }
    };
    let told = AtomicUsize::new(0);
    let shows = std::io::stderr().is_terminal();
    let progress = |length: usize| {
        // A word for every few thousand characters is enough.
        if shows && length / 4096 > told.load(Ordering::Relaxed) {
            told.store(length / 4096, Ordering::Relaxed);
            anstream::eprintln!("  {length} characters so far");
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let talked = planner::talk(&planner, user, policy.token_budget, &examined, &progress);
    let drafted = match runtime.block_on(talked) {
        Ok(drafted) => drafted,
        Err(NotDrafted::Bad(issues)) => {
            let subject = Subject { name: "<draft>".into(), text: &[], is_patch: false };
            let report = CheckReport::refused(issues);
            let format =
                if args.handing.json { render::Format::Json } else { render::Format::Human };
            render::check(format, &subject, &report, None, printer)?;
            return Ok(Exit::Refused);
        }
        Err(NotDrafted::OverBudget { tokens, budget }) => {
            return Err(CliError::Refused {
                message: format!("asking may take {tokens} tokens, and the budget is {budget}"),
                help: "send less (`context_bytes`) or raise `token_budget`; nothing was sent"
                    .into(),
            });
        }
        Err(NotDrafted::Planner(error)) => {
            return Err(CliError::NotProposed {
                exit: Exit::Failure,
                message: visible(error.to_string().as_bytes()),
                help: "nothing is proposed, and no other model was asked",
            });
        }
    };
    printer.note(&format!(
        "`{}` answered: {} tokens, {} tries",
        visible(drafted.model.as_bytes()),
        drafted.tokens,
        drafted.tries
    ));
    let text = drafted.text.into_bytes();
    let subject = Subject { name: "<draft>".into(), text: &text, is_patch: false };
    door.act(|gate| {
        let parent =
            args.handing.parent.as_deref().map(|name| gate.plan_named(name)).transpose()?;
        let command = Propose {
            intent: Some(args.handing.intent.clone().unwrap_or_else(|| args.what.clone())),
            constraints: args.handing.constraints.clone(),
            proposer: Some(planner.proposer.clone()),
            parent: parent.map(|parent| parent.created.plan_id),
            measured: Some(drafted.request),
            ..Propose::new(SourceKind::Draft, text.clone())
        };
        let caller = Caller::new(door::actor(Some(&planner.proposer)));
        let proposed = door::handle(gate, &caller, command, printer)?;
        propose::go_on_with(&door, gate, proposed, &subject, &args.handing, printer)
    })
}
