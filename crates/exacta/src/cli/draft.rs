//! `exacta draft`: ask the configured model for a plan, and hand it in.

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use exacta_core::text::shown::visible;
use exacta_engine::gate::{Caller, Propose, SourceKind};

use super::CliError;
use super::door::{self, Door};
use super::propose::{self, Handing};
use super::recipe;
use crate::exit::Exit;
use crate::planner::{Asking, Form, NotDrafted};
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
    let intent = args.handing.intent.as_ref().unwrap_or(&args.what);
    let wish = Wish { what: &args.what, intent, form: Form::Files, dry_run: args.dry_run };
    ask(&door, &wish, &args.handing, printer)
}

/// What is to be drafted.
pub(super) struct Wish<'w> {
    /// What the model is asked.
    pub(super) what: &'w str,
    /// What the plan is recorded for.
    pub(super) intent: &'w str,
    /// The kind of plan.
    pub(super) form: Form,
    /// Whether only what would be sent is shown.
    pub(super) dry_run: bool,
}

/// Asks the configured model, and hands in what it drafts.
pub(super) fn ask(
    door: &Door,
    wish: &Wish<'_>,
    handing: &Handing,
    printer: &mut Printer,
) -> Result<Exit, CliError> {
    let policy = door.policy()?;
    let asking = Asking::prepare(&door.root, &policy, wish.what, wish.form).map_err(|message| {
        CliError::Refused {
            message,
            help: "`[planner]` in `agents.toml`, beside your policy, names a model: `proposer`, \
                   `format`, `url` and the key; nothing was sent"
                .into(),
        }
    })?;
    let (planner, context) = (&asking.planner, &asking.context);
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
    if wish.dry_run {
        return Ok(Exit::Done);
    }
    let told = AtomicUsize::new(0);
    let shows = std::io::stderr().is_terminal();
    let progress = |length: usize| {
        // A word for every few thousand characters is enough.
        if shows && length / 4096 > told.load(Ordering::Relaxed) {
            told.store(length / 4096, Ordering::Relaxed);
            anstream::eprintln!("  {length} characters so far");
        }
    };
    let drafted = match asking.draft(&door.root, &policy, &progress) {
        Ok(drafted) => drafted,
        Err(NotDrafted::Bad(issues)) => {
            let subject =
                Subject { name: "<draft>".into(), text: &[], is_patch: false, parts: &[] };
            let report = CheckReport::refused(issues);
            let format = if handing.json { render::Format::Json } else { render::Format::Human };
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
                help: "nothing is proposed, and no other model was asked".into(),
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
    let text = if wish.form == Form::Tools { recipe::as_custom(text) } else { text };
    let subject = Subject { name: "<draft>".into(), text: &text, is_patch: false, parts: &[] };
    door.act(|gate| {
        let parent = handing.parent.as_deref().map(|name| gate.plan_named(name)).transpose()?;
        let command = Propose {
            intent: Some(wish.intent.to_owned()),
            constraints: handing.constraints.clone(),
            proposer: Some(planner.proposer.clone()),
            parent: parent.map(|parent| parent.created.plan_id),
            measured: Some(drafted.request),
            ..Propose::new(SourceKind::Draft, text.clone())
        };
        let caller = Caller::new(door::actor(Some(&planner.proposer)));
        let proposed = door::handle(gate, &caller, command, printer)?;
        propose::go_on_with(door, gate, proposed, &subject, handing, printer)
    })
}
