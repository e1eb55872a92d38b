//! `exacta serve`: the review room and the HTTP API, on this machine's own address.

use std::net::IpAddr;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use exacta_engine::gate::{Caller, GateError, Recover, RenewWaiting, Shown, Sweep};
use exacta_engine::machine::ThisMachine;
use exacta_engine::project::Session;
use exacta_engine::trust::{Signer, TrustStore};
use exacta_engine::workspace::Root;
use exacta_server::{Address, Listening, Outside, PlannedText, ServeError, Served, Serving};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::door::{self, Door};
use super::{firing, notices, show};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::paint::Look;
use crate::planner::{Asking, Drafted, Form, NotDrafted};
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
  exacta serve --address 100.64.0.7 --host laptop.example.net --cert c.pem --key k.pem

Exit codes: 0 stopped, 1 the port is taken, 10 another server serves the project.")]
pub(crate) struct Args {
    /// The project folders; without one, the project around the current folder.
    #[arg(value_name = "DIR")]
    folders: Vec<PathBuf>,

    /// The port, of the outside address where there is one; without it, any that is free.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,

    /// Listen on this address of the machine too, over TLS, for a phone or a tunnel of yours.
    #[arg(long, value_name = "IP", requires_all = ["host", "cert", "key"])]
    address: Option<IpAddr>,

    /// The name under which that address is called; the certificate is for it.
    #[arg(long, value_name = "NAME", requires = "address")]
    host: Option<String>,

    /// The certificates for that name, as PEM.
    #[arg(long, value_name = "FILE", requires = "address")]
    cert: Option<PathBuf>,

    /// The private key, as PEM; only you may read the file.
    #[arg(long, value_name = "FILE", requires = "address")]
    key: Option<PathBuf>,

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
    /// Where a phone reaches the review room, over TLS.
    #[serde(skip_serializing_if = "Option::is_none")]
    outside_url: Option<String>,
    /// Where agents reach the Model Context Protocol, with the same token.
    mcp_url: String,
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
    /// Where it is called from elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) outside: Option<String>,
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
    let outer = door::outer()?;
    let kept = kept_name(&outer)?;
    let own_port = if args.address.is_some() { 0 } else { args.port };
    let mut listening =
        Listening::on(own_port, kept.as_deref()).map_err(|error| not_served(&error))?;
    if let Some(outside) = outside(args)? {
        listening = listening.and_outside(&outside).map_err(|error| not_served(&error))?;
    }
    let (mut projects, mut sessions, mut signer) = (Vec::new(), Vec::new(), None);
    for Opened { served, session, signer: its } in opened {
        let place = RoomPlace {
            url: listening.address.origin(),
            port: listening.address.port,
            outside: listening.outside().map(Address::origin),
        };
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
    let agents = Some(crate::mcp::http(&listening.address)?);
    let serving = Serving {
        projects,
        outer,
        signer,
        machine: Arc::new(ThisMachine),
        person: door::actor(None).name,
        patch,
        agents,
        planner: Some(Arc::new(planned)),
    };
    let (mut said, mut beside) = (Ok(()), Vec::new());
    exacta_server::serve(listening, serving, |state| {
        for work in [firing::fire, notices::watch] {
            let state = state.clone();
            beside.push(std::thread::spawn(move || work(&state)));
        }
        said = if args.json { printer.json_line(&report) } else { tell(&report, printer) };
    })
    .map_err(|error| not_served(&error))?;
    // What a schedule has begun is finished while the projects are still ours.
    for work in beside {
        let _ = work.join();
    }
    drop(sessions);
    said?;
    printer.note("stopped; plans and the record stay as they are");
    Ok(Exit::Done)
}

/// The name that passkeys were made for. Servers share it: each has a name of its own below.
fn kept_name(outer: &TrustStore) -> Result<Option<String>, CliError> {
    let mut names = outer.passkeys()?.into_iter().rev().map(|key| key.rp_id);
    Ok(names.find(|name| name.ends_with(".localhost")))
}

/// Another address to listen on, with what TLS takes.
fn outside(args: &Args) -> Result<Option<Outside>, CliError> {
    let (Some(address), Some(host), Some(cert), Some(key)) =
        (args.address, &args.host, &args.cert, &args.key)
    else {
        return Ok(None);
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    if host.is_empty() || host.len() > 253 || !host.chars().all(plain) {
        return Err(CliError::Usage {
            message: format!("`{host}` is not a host name"),
            help: "give the name that the certificate is for".into(),
        });
    }
    let unreadable = |path: &Path, error: &std::io::Error| CliError::Usage {
        message: format!("`{}` cannot be read: {error}", path.display()),
        help: "`--cert` and `--key` take PEM files".into(),
    };
    let meta = std::fs::metadata(key).map_err(|error| unreadable(key, &error))?;
    if meta.mode() & 0o077 != 0 {
        return Err(CliError::Usage {
            message: format!("others can read the private key `{}`", key.display()),
            help: "`chmod 600` it, and take care that nobody has read it".into(),
        });
    }
    Ok(Some(Outside {
        address,
        port: args.port,
        host: host.clone(),
        certificates: std::fs::read(cert).map_err(|error| unreadable(cert, &error))?,
        key: std::fs::read(key).map_err(|error| unreadable(key, &error))?,
    }))
}

/// A draft of the operator's model, for a person who asked at the review room.
fn planned(folder: &Path, intent: &str) -> Result<PlannedText, String> {
    let said = |error: CliError| error.report(None).error;
    let root = Root::open(folder).map_err(|error| said(error.into()))?;
    let door = Door::at(root).map_err(said)?;
    let policy = door.policy().map_err(|error| said(error.into()))?;
    let asking = Asking::prepare(&door.root, &policy, intent, Form::Files)?;
    match asking.draft(&door.root, &policy, &|_| {}) {
        Ok(Drafted { text, request, .. }) => {
            let proposer = asking.planner.proposer;
            Ok(PlannedText { text: text.into_bytes(), proposer, request })
        }
        Err(NotDrafted::Bad(issues)) => {
            let codes: Vec<&str> = issues.iter().map(|issue| issue.code.as_str()).collect();
            Err(format!("the model gave no plan that can be checked: {}", codes.join(", ")))
        }
        Err(NotDrafted::OverBudget { tokens, budget }) => {
            Err(format!("asking may take {tokens} tokens, and the budget is {budget}"))
        }
        Err(NotDrafted::Planner(error)) => Err(error.to_string()),
    }
}

/// What a plan does, as `exacta diff` writes it.
pub(super) fn patch(shown: &Shown) -> Option<Vec<u8>> {
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
    let name = Path::new(&path)
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
        outside_url: listening.outside().map(Address::origin),
        mcp_url: format!("{}/mcp", listening.address.loopback()),
        agent_token_file: first.map(|token| token.file.clone()).unwrap_or_default(),
        projects,
    }
}

fn tell(report: &ServeReport, printer: &mut Printer) -> std::io::Result<()> {
    printer.line(&format!("review room: {}", report.url))?;
    if let Some(outside) = &report.outside_url {
        printer.line(&format!("from elsewhere: {outside}"))?;
    }
    for project in &report.projects {
        printer.line(&format!("  serves {}", project.path))?;
    }
    printer.line("sign in: `exacta review --web` in a project shows a link on your terminal")?;
    printer.line(&format!("agents: {}, token in {}", report.api_url, report.agent_token_file))?;
    printer.line(&format!("  the Model Context Protocol: {}", report.mcp_url))
}

pub(super) fn not_served(error: &ServeError) -> CliError {
    let help = match error {
        ServeError::Listen { .. } => "choose another port, or none to take any that is free",
        ServeError::Tls(_) => "nothing was served; another address is served over TLS alone",
        ServeError::Start(_) | ServeError::Random(_) => "nothing was served",
    };
    CliError::NotProposed { exit: Exit::Failure, message: error.to_string(), help: help.into() }
}
