//! From a folder to its gate: what every command that needs the record begins with.

use std::env;

use exacta_core::policy::Policy;
use exacta_core::record::{Actor, ActorKind};
use exacta_engine::checks::{Launcher, Room};
use exacta_engine::gate::{
    Command, Gate, GateError, Outcome, Ports, Projections, Secrets, Standpoint, What,
};
use exacta_engine::machine::ThisMachine;
use exacta_engine::outer::{Outer, Standing};
use exacta_engine::policy::PolicyError;
use exacta_engine::workspace::Root;

use super::{CliError, in_force, project};
use crate::inspector::Confined;
use crate::render::Printer;

/// An opened project.
pub(crate) struct Door {
    pub(crate) root: Root,
    pub(crate) standpoint: Standpoint,
    places: exacta_engine::policy::Places,
}

impl Door {
    /// Opens the project around the current folder; nothing is made.
    pub(crate) fn open(printer: &mut Printer) -> Result<Self, CliError> {
        let root = project::open(printer)?;
        Self::at(root)
    }

    /// Opens a project folder.
    pub(crate) fn at(root: Root) -> Result<Self, CliError> {
        let standpoint = Standpoint::of(&root, outer()?)?;
        Ok(Self { root, standpoint, places: in_force::places()? })
    }

    /// The policy in force.
    pub(crate) fn policy(&self) -> Result<Policy, PolicyError> {
        exacta_engine::policy::load(&self.root, &self.places).map(|loaded| loaded.merged.policy)
    }

    /// Uses the gate of a project that has a record.
    pub(crate) fn look<T>(
        &self,
        act: impl FnOnce(&Gate<'_>) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        if matches!(self.standpoint.standing, Standing::New) {
            return Err(no_record(&self.root));
        }
        super::interrupt::outlive_size_limits();
        self.with(&self.standpoint.secrets()?, act)
    }

    /// Uses the gate of a project, which gets a record if it has none.
    pub(crate) fn act<T>(
        &self,
        act: impl FnOnce(&Gate<'_>) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        super::interrupt::outlive_size_limits();
        // A command that a bad policy refuses anyway leaves no record behind.
        if matches!(self.standpoint.standing, Standing::New) {
            self.policy().map_err(CliError::Policy)?;
        }
        self.with(&self.standpoint.start(&self.root, &ThisMachine)?, act)
    }

    pub(crate) fn with<T>(
        &self,
        secrets: &Secrets,
        act: impl FnOnce(&Gate<'_>) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        let policy = || self.policy();
        let room = room()?;
        let ports = Ports {
            port: &self.root,
            tree: &self.root,
            inspector: &Confined,
            machine: &ThisMachine,
            policy: &policy,
            room: Some(&room),
            mask: &exacta_inspect::mask_secrets,
        };
        let projections = Projections::new(&self.root);
        let gate = Gate::open(ports, secrets, &projections)?;
        let before = gate.log().ledger().entries();
        act(&gate).map_err(|error| match error {
            CliError::Write(source) if gate.log().ledger().entries() > before => {
                CliError::Unsaid(source)
            }
            other => other,
        })
    }
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
    let program = env::current_exe().map_err(CliError::Itself)?;
    let launcher = Launcher { program, argument: super::CHECK_CHILD.into() };
    Ok(Room::new(launcher, |name| env::var_os(name)))
}

/// The folder outside the project.
pub(crate) fn outer() -> Result<Outer, CliError> {
    let (state, home) = (env::var_os("XDG_STATE_HOME"), env::var_os("HOME"));
    Ok(Outer::new(state.as_deref(), home.as_deref())?)
}

/// Has the gate carry out a command, and says what it did besides.
pub(crate) fn handle(
    gate: &Gate<'_>,
    command: Command,
    printer: &mut Printer,
) -> Result<Outcome, GateError> {
    let outcome = gate.handle(command);
    tell(gate, printer);
    outcome
}

/// What follows when a clock was ahead and is not any more.
pub(super) const BEHIND: &str = "the clock is behind the newest entry of the record: until it has \
    passed it, or the machine restarts, every plan is out of time as soon as it is made";

/// Says what the gate did besides what it was asked for.
pub(crate) fn tell(gate: &Gate<'_>, printer: &mut Printer) {
    for notice in gate.take_notices() {
        printer.warn(&notice.to_string());
    }
    // Where even the time cannot be told, the command says so itself.
    if gate.clock_runs_behind().unwrap_or(false) {
        printer.warn(BEHIND);
    }
}

/// A command of whoever runs this program.
pub(crate) fn command(what: What, key: Option<&String>) -> Command {
    Command { actor: actor(None), key: key.cloned(), what }
}

/// Who runs this program: a person as far as can be told, or the proposer they name.
pub(crate) fn actor(proposer: Option<&str>) -> Actor {
    let Some(name) = proposer else {
        let user = rustix::process::geteuid().as_raw();
        return Actor { kind: ActorKind::Person, name: format!("uid {user}") };
    };
    Actor { kind: ActorKind::Agent, name: name.into() }
}
