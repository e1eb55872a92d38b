//! From a folder to its gate: what every command that needs the record begins with.

use std::env;
use std::path::PathBuf;
use std::sync::Arc;

use exacta_core::judge::policy::Policy;
use exacta_core::life::ledger::RunEntry;
use exacta_core::record::{Actor, ActorKind};
use exacta_engine::checks::{Launcher, Room};
use exacta_engine::gate::{Caller, Command, Gate, GateError, Notice, ProjectIdentity, Secrets};
use exacta_engine::machine::ThisMachine;
use exacta_engine::policy::{NoteStanding, OperatorPolicy, PolicyError};
use exacta_engine::project::{Parts, Project};
use exacta_engine::trust::{FolderTrust, TrustStore};
use exacta_engine::workspace::{Root, Workspace};

use super::{CliError, in_force, project};
use crate::inspector::Confined;
use crate::render::{Ids, Printer};
use crate::tools;

/// An opened project.
pub(crate) struct Door {
    pub(crate) root: Arc<Root>,
    pub(crate) identity: ProjectIdentity,
    places: exacta_engine::policy::Places,
    /// The ids of the project, for whoever prints them.
    ids: Option<Ids>,
}

impl Door {
    /// Opens the project around the current folder; nothing is made.
    pub(crate) fn open(printer: &mut Printer) -> Result<Self, CliError> {
        let root = project::open(printer)?;
        Ok(Self { ids: printer.ids().cloned(), ..Self::at(root)? })
    }

    /// Opens a project folder.
    pub(crate) fn at(root: Root) -> Result<Self, CliError> {
        let outer = outer()?;
        outer.is_private()?;
        let identity = ProjectIdentity::of(&root, outer)?;
        Ok(Self { root: Arc::new(root), identity, places: in_force::places()?, ids: None })
    }

    /// A text with its ids as people see them.
    pub(crate) fn shortened(&self, text: &str) -> String {
        self.ids.as_ref().map_or_else(|| text.into(), |ids| ids.shortened(text))
    }

    /// The policy in force.
    pub(crate) fn policy(&self) -> Result<Policy, PolicyError> {
        loaded(&self.root, &self.places)
    }

    /// The same, to be loaded again whenever it is needed.
    pub(crate) fn policy_loader(&self) -> Arc<exacta_engine::project::LoadPolicy> {
        let (root, places) = (Arc::clone(&self.root), self.places.clone());
        Arc::new(move || loaded(&root, &places))
    }

    /// The operator's policy, as this project sees it.
    pub(crate) fn operator(&self) -> OperatorPolicy {
        OperatorPolicy::new(Arc::clone(&self.root), self.places.clone())
    }

    /// What pages about the project show besides: kinds of words, layers of the policy.
    pub(crate) fn looks(&self) -> exacta_server::page::Looks {
        let (root, places) = (Arc::clone(&self.root), self.places.clone());
        exacta_server::page::Looks {
            words: Some(Arc::new(crate::inspector::words)),
            layers: Some(Arc::new(move || {
                exacta_engine::policy::load(&root, &places).map_err(|error| error.to_string())
            })),
        }
    }

    /// What vouches for the project, which gets a record if it has none.
    pub(crate) fn secrets(&self) -> Result<Secrets, CliError> {
        crate::interrupt::outlive_size_limits();
        // A command that a bad policy refuses anyway leaves no record behind.
        if matches!(self.identity.standing, FolderTrust::New) {
            self.operator().meet_first().map_err(CliError::Policy)?;
        }
        Ok(self.identity.start(&self.root, &ThisMachine)?)
    }

    /// Uses the gate of a project that has a record.
    pub(crate) fn look<T>(
        &self,
        act: impl FnOnce(&Gate<'_>) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        if matches!(self.identity.standing, FolderTrust::New) {
            return Err(no_record(&self.root));
        }
        crate::interrupt::outlive_size_limits();
        self.with(&self.identity.secrets()?, act)
    }

    /// Uses the gate of a project, which gets a record if it has none.
    pub(crate) fn act<T>(
        &self,
        act: impl FnOnce(&Gate<'_>) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        self.with(&self.secrets()?, act)
    }

    /// The project, for as long as this process works with it.
    pub(crate) fn project(&self, secrets: &Secrets) -> Result<Project, CliError> {
        // Whoever is served for weeks meets the policy too.
        self.operator().meet().map_err(CliError::Policy)?;
        self.assembled(secrets)
    }

    /// The project, when the policy was met.
    fn assembled(&self, secrets: &Secrets) -> Result<Project, CliError> {
        let (root, places) = (Arc::clone(&self.root), self.places.clone());
        let policy = {
            let (root, places) = (Arc::clone(&root), places.clone());
            move || loaded(&root, &places)
        };
        let (launcher, at) = (launcher()?, PathBuf::from(&self.root.id().path));
        let parts = Parts {
            workspace: self.root.clone(),
            tree: self.root.clone(),
            inspector: Arc::new(Confined),
            machine: Arc::new(ThisMachine),
            policy: Arc::new(move || loaded(&root, &places)),
            room: Some(Arc::new(move || room_of(launcher.clone()).for_project(&at))),
            mask: Arc::new(exacta_inspect::mask_secrets),
        };
        let folder = Workspace::location(self.root.as_ref()).map_err(GateError::from)?;
        Ok(Project::new(parts, secrets.clone()).with_tools(tools::of(folder, policy)))
    }

    pub(crate) fn with<T>(
        &self,
        secrets: &Secrets,
        act: impl FnOnce(&Gate<'_>) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        let standing = self.operator().meet().map_err(CliError::Policy)?;
        let project = self.assembled(secrets)?;
        let gate = project.gate()?;
        if matches!(standing, NoteStanding::Tighter | NoteStanding::Unconfirmed { .. }) {
            gate.met_another_policy()?;
        }
        if let NoteStanding::Unconfirmed { noted_place } = standing {
            gate.notice(Notice::PolicyUnconfirmed { noted_place });
        }
        let before = gate.head().entries;
        learn_ids(&gate, self.ids.as_ref());
        act(&gate).map_err(|error| match error {
            CliError::Write(source) if gate.head().entries > before => CliError::Unsaid(source),
            other => other,
        })
    }
}

/// The policy in force in a project.
fn loaded(root: &Root, places: &exacta_engine::policy::Places) -> Result<Policy, PolicyError> {
    exacta_engine::policy::load(root, places).map(|loaded| loaded.merged.policy)
}

/// Nothing is wrong with a project that has no record yet.
pub(super) fn no_record(root: &Root) -> CliError {
    CliError::Usage {
        message: format!("the project `{}` has no record yet", root.id().path),
        help: "`exacta propose` hands in a plan and makes one; `exacta init` makes it alone; \
               `-C DIR` looks in another folder"
            .into(),
    }
}

/// Where the operator's checks run: this program confines itself and them.
pub(super) fn room() -> Result<Room, CliError> {
    launcher().map(room_of)
}

fn room_of(launcher: Launcher) -> Room {
    Room::new(launcher, |name| env::var_os(name))
}

fn launcher() -> Result<Launcher, CliError> {
    let program = env::current_exe().map_err(CliError::Itself)?;
    Ok(Launcher { program, argument: super::CHECK_CHILD.into() })
}

/// The folder outside the project.
pub(crate) fn outer() -> Result<TrustStore, CliError> {
    let (state, home) = (env::var_os("XDG_STATE_HOME"), env::var_os("HOME"));
    Ok(TrustStore::new(state.as_deref(), home.as_deref())?)
}

/// Has the gate carry out a command, and says what it did besides.
pub(crate) fn handle<C: Command + Clone>(
    gate: &Gate<'_>,
    caller: &Caller<'_>,
    command: C,
    printer: &mut Printer,
) -> Result<C::Reply, GateError> {
    let reply = gate.handle(caller, command);
    report_notices(gate, printer);
    reply
}

/// What follows when a clock was ahead and is not any more.
pub(super) const BEHIND: &str = "the clock is behind the newest entry of the record: until it has \
    passed it, or the machine restarts, every plan is out of time as soon as it is made";

/// Learns the ids that the record has now, if people are to see them.
fn learn_ids(gate: &Gate<'_>, ids: Option<&Ids>) {
    if let Some(ids) = ids {
        ids.learn(&gate.ids());
    }
}

/// Says what the gate did besides what it was asked for.
pub(crate) fn report_notices(gate: &Gate<'_>, printer: &mut Printer) {
    learn_ids(gate, printer.ids());
    for notice in gate.take_notices() {
        printer.warn(&match notice {
            Notice::PolicyUnconfirmed { noted_place } => {
                in_force::not_confirmed(noted_place.as_deref())
            }
            notice => notice.to_string(),
        });
    }
    // Where even the time cannot be told, the command says so itself.
    if gate.clock_runs_behind().unwrap_or(false) {
        printer.warn(BEHIND);
    }
}

/// The run that somebody means: its id, or that of its plan.
pub(crate) fn run_named(gate: &Gate<'_>, name: &str) -> Result<RunEntry, GateError> {
    match gate.run_named(name) {
        Err(GateError::NotARun { run_id: Some(run_id), .. }) => gate.run_named(run_id.as_str()),
        found => found,
    }
}

/// Whoever runs this program.
pub(crate) fn caller(key: Option<&String>) -> Caller<'static> {
    Caller::new(actor(None)).with_key(key.cloned())
}

/// Who runs this program: a person as far as can be told, or the proposer they name.
pub(crate) fn actor(proposer: Option<&str>) -> Actor {
    let Some(name) = proposer else {
        let user = rustix::process::geteuid().as_raw();
        // In a namespace of its own any user can be any number.
        let name = match exacta_engine::accounts::outer_user(user) {
            Some(outer) => format!("uid {user} (of a user namespace; uid {outer} outside)"),
            None => format!("uid {user}"),
        };
        return Actor { kind: ActorKind::Person, name };
    };
    Actor { kind: ActorKind::Agent, name: name.into() }
}

/// A program that asks for somebody.
pub(crate) fn as_agent(name: &str) -> Actor {
    Actor { kind: ActorKind::Agent, name: name.into() }
}
