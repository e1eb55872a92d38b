//! `exacta serve`: the review room and the HTTP API, on this machine's own address.

use std::path::PathBuf;
use std::sync::Arc;

use exacta_engine::gate::{Caller, GateError, Recover, RenewWaiting, Shown, Sweep};
use exacta_engine::machine::ThisMachine;
use exacta_engine::project::Session;
use exacta_engine::trust::Signer;
use exacta_engine::workspace::Root;
use exacta_server::{Listening, ServeError, Served, Serving};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::door::{self, Door};
use super::show;
use crate::cli::CliError;
use crate::exit::Exit;
use crate::paint::Look;
use crate::render::Printer;
use crate::review;

/// Serve the review room and the HTTP API.
///
/// Listens on this machine alone. People sign in with a link that `exacta review --web` shows
/// on their terminal; agents send the token that lies in a file of its own for each project.
/// Ends with Ctrl-C: runs that are under way finish or roll back first.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta serve
  exacta serve ~/work/api ~/work/site
  exacta serve --port 4100 --json

Exit codes: 0 stopped, 1 the port is taken, 10 another server serves the project.")]
pub(crate) struct Args {
    /// The project folders; without one, the project around the current folder.
    #[arg(value_name = "DIR")]
    folders: Vec<PathBuf>,

    /// The port; without one, any that is free.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,

    /// Print one JSON line once it listens.
    #[arg(long)]
    json: bool,
}

/// What `serve --json` prints when it listens.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ServeReport {
    /// Where people open the review room.
    url: String,
    /// Where programs reach the API, when the name of `url` does not resolve for them.
    api_url: String,
    /// The file that holds the token of agents in the first project.
    agent_token_file: String,
    /// Every project.
    projects: Vec<ServedProject>,
}

/// A project that is served.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ServedProject {
    /// Its id.
    project_id: String,
    /// Its folder.
    path: String,
    /// The files that hold the tokens of agents, for each proposer.
    agent_token_files: Vec<TokenFile>,
}

/// A token of an agent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TokenFile {
    /// Who, as policy registers them; null for agents that it does not register.
    proposer: Option<String>,
    /// The file.
    file: String,
}

/// Where a server listens, as other commands find it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RoomPlace {
    pub(super) url: String,
    pub(super) port: u16,
}

/// A project that is about to be served.
struct Opened {
    served: Served,
    session: Session,
    signer: Signer,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let doors: Vec<Door> = if args.folders.is_empty() {
        vec![Door::open(printer)?]
    } else {
        let open = |folder: &PathBuf| Door::at(Root::open(folder.clone())?);
        args.folders.iter().map(open).collect::<Result<_, _>>()?
    };
    let opened: Vec<Opened> =
        doors.iter().map(|door| opened(door, printer)).collect::<Result<_, _>>()?;
    let listening = Listening::on(args.port).map_err(|error| not_served(&error))?;
    let outer = door::outer()?;
    let (mut projects, mut sessions, mut signer) = (Vec::new(), Vec::new(), None);
    for Opened { served, session, signer: its } in opened {
        let place = RoomPlace { url: listening.address.origin(), port: listening.address.port };
        outer.keep_room(&served.id, &serde_json::to_string(&place)?)?;
        projects.push(served);
        sessions.push(session);
        signer = Some(its);
    }
    let Some(signer) = signer else {
        return Err(CliError::Usage {
            message: "there is nothing to serve".into(),
            help: "name a project folder".into(),
        });
    };
    let report = report(&projects, &listening);
    let serving = Serving {
        projects,
        outer,
        signer,
        machine: Arc::new(ThisMachine),
        person: door::actor(None).name,
        patch,
    };
    let mut said = Ok(());
    exacta_server::serve(listening, serving, |_| {
        said = if args.json { printer.json_line(&report) } else { tell(&report, printer) };
    })
    .map_err(|error| not_served(&error))?;
    drop(sessions);
    said?;
    Ok(Exit::Done)
}

/// What a plan does, as `exacta diff` writes it.
fn patch(shown: &Shown) -> Option<Vec<u8>> {
    let mut patch = Vec::new();
    let written = show::review(shown, None, |plan| review::diff(plan, Look::PLAIN, &mut patch));
    written.is_ok().then_some(patch)
}

/// Finishes or rolls back what a dead server left, and makes fresh plans of those that waited
/// for it.
fn take_up(served: &Served, printer: &mut Printer) -> Result<(), CliError> {
    let system = Caller::system();
    let recovered = served.ask_here(|gate| gate.handle(&system, Recover))?;
    for run in recovered.finished.iter().chain(&recovered.aborted) {
        printer.note(&format!("run {run} was interrupted; it is settled now"));
    }
    let waiting = served.ask_here(|gate| gate.handle(&system, RenewWaiting))?;
    for plan in &waiting.renewed {
        printer.note(&format!("plan {} waits again, as it did before", plan.plan_id));
    }
    served.ask_here(|gate| gate.handle(&system, Sweep::default()))?;
    Ok(())
}

/// Opens a project for serving: the server owns its session.
fn opened(door: &Door, printer: &mut Printer) -> Result<Opened, CliError> {
    let secrets = door.secrets()?;
    let project = door.project(&secrets)?;
    let session = project.own_session().map_err(|error| match error {
        GateError::Port(exacta_engine::workspace::PortError::Locked) => CliError::Refused {
            message: format!("another server serves `{}`", door.root.id().path),
            help: "`exacta review --web` opens its review room".into(),
        },
        other => other.into(),
    })?;
    let outer = door::outer()?;
    let policy = door.policy().map_err(CliError::Policy)?;
    let names =
        std::iter::once(None).chain(policy.proposers.keys().map(|name| Some(name.as_str())));
    let tokens = names
        .map(|name| outer.agent_token(&secrets.project, name))
        .collect::<Result<Vec<_>, _>>()?;
    let path = door.root.id().path;
    let name = std::path::Path::new(&path)
        .file_name()
        .map_or_else(|| path.clone(), |name| name.to_string_lossy().into_owned());
    let id = secrets.project.clone();
    let served = Served::new(id, (name, path), project, door.policy_loader(), tokens)
        .with_looks(door.looks());
    take_up(&served, printer)?;
    Ok(Opened { served, session, signer: secrets.signer.clone() })
}

fn report(projects: &[Served], listening: &Listening) -> ServeReport {
    let file = |token: &exacta_engine::trust::AgentToken| TokenFile {
        proposer: token.proposer.clone(),
        file: token.file.display().to_string(),
    };
    let projects: Vec<ServedProject> = projects
        .iter()
        .map(|served| ServedProject {
            project_id: served.id.to_string(),
            path: served.path.clone(),
            agent_token_files: served.tokens.iter().map(file).collect(),
        })
        .collect();
    let first = projects.first().and_then(|project| project.agent_token_files.first());
    ServeReport {
        url: listening.address.origin(),
        api_url: listening.address.loopback(),
        agent_token_file: first.map(|token| token.file.clone()).unwrap_or_default(),
        projects,
    }
}

fn tell(report: &ServeReport, printer: &mut Printer) -> std::io::Result<()> {
    printer.line(&format!("review room: {}", report.url))?;
    for project in &report.projects {
        printer.line(&format!("  serves {}", project.path))?;
    }
    printer.line("sign in: `exacta review --web` in a project shows a link on your terminal")?;
    printer.line(&format!("agents: {}, token in {}", report.api_url, report.agent_token_file))
}

fn not_served(error: &ServeError) -> CliError {
    let help = match error {
        ServeError::Listen { .. } => "choose another port, or none to take any that is free",
        ServeError::Start(_) | ServeError::Random(_) => "nothing was served",
    };
    CliError::NotProposed { exit: Exit::Failure, message: error.to_string(), help }
}
