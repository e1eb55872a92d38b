//! The gate itself: its ports, its secrets, and the one way in.

use exacta_core::examine::{Context, Examined, examine};
use exacta_core::facts::Inspector;
use exacta_core::ledger::{Ledger, PlanEntry, RunEntry};
use exacta_core::lifecycle::{Life, Moment};
use exacta_core::plan::Draft;
use exacta_core::policy::Policy;
use exacta_core::record::{Actor, Beginning, Event};
use exacta_core::tree::Tree;

use super::command::{Command, What};
use super::error::GateError;
use super::outcome::{Outcome, PlanOutcome, Proposed};
use crate::checks::Room;
use crate::log::{AppendError, Log, LogError, Projector, Vouchers, Wanted};
use crate::machine::{Machine, is_id};
use crate::objects::Objects;
use crate::outer::{Checkpoints, Identity, Outer, Signer, Standing};
use crate::policy::PolicyError;
use crate::run::Key;
use crate::workspace::{PortError, Root, Spot, Workspace};

/// How often a decision is made again when the record has moved on meanwhile.
pub(super) const TRIES: usize = 64;

/// Everything the gate reaches the world through.
#[derive(Clone, Copy)]
pub struct Ports<'a> {
    /// The project's files, to act on.
    pub port: &'a dyn Workspace,
    /// The project's files, to read.
    pub tree: &'a dyn Tree,
    /// Finds facts.
    pub inspector: &'a dyn Inspector,
    /// Tells time and makes names.
    pub machine: &'a dyn Machine,
    /// Loads the policy in force.
    pub policy: &'a dyn Fn() -> Result<Policy, PolicyError>,
    /// Where checks of the operator run; without one a policy with checks runs nothing.
    pub room: Option<&'a Room>,
    /// Masks what looks like a secret in a text that is stored.
    pub mask: &'a dyn Fn(&str) -> String,
}

/// What vouches for the project from outside.
pub struct Secrets {
    /// The project's name.
    pub project: String,
    /// Signs.
    pub signer: Signer,
    /// Vouches for runs.
    pub key: Key,
    /// Keeps heads.
    pub checkpoints: Box<dyn Checkpoints>,
}

/// How a folder stands, and what vouches for it.
pub struct Standpoint {
    /// How it stands.
    pub standing: Standing,
    outer: Outer,
}

impl Standpoint {
    /// Looks at a project folder; nothing is made.
    ///
    /// # Errors
    /// When what is known outside cannot be read.
    pub fn of(root: &Root, outer: Outer) -> Result<Self, GateError> {
        let carries = carried(root)?;
        let standing = outer.standing(carries.as_deref(), &root.id())?;
        Ok(Self { standing, outer })
    }

    /// What vouches for a known project.
    ///
    /// # Errors
    /// [`GateError::Standing`] when it is not known.
    pub fn secrets(&self) -> Result<Secrets, GateError> {
        match &self.standing {
            Standing::Known(identity) => secrets(&self.outer, identity),
            other => Err(GateError::Standing(Box::new(other.clone()))),
        }
    }

    /// Makes a project of a folder that has no record yet.
    ///
    /// # Errors
    /// When the folder is something else, or something cannot be written.
    pub fn start(&self, root: &Root, machine: &dyn Machine) -> Result<Secrets, GateError> {
        let turn = root.turn()?;
        let id = root.id();
        self.outer.prepare(std::path::Path::new(&id.path))?;
        let identity = match self.outer.standing(carried(root)?.as_deref(), &id)? {
            Standing::Known(identity) => identity,
            Standing::New => {
                let identity = self.outer.enrol(&machine.new_id()?, id)?;
                write_state(root, "project", identity.project.as_bytes())?;
                write_state(root, ".gitignore", b"*\n")?;
                identity
            }
            other => return Err(GateError::Standing(Box::new(other))),
        };
        self.outer.link(&identity)?;
        drop(turn);
        secrets(&self.outer, &identity)
    }

    /// Takes over a folder whose record is not ours to trust: the record is set aside and
    /// a new one begins.
    ///
    /// # Errors
    /// When something cannot be written.
    pub fn adopt(&self, root: &Root, machine: &dyn Machine) -> Result<Secrets, GateError> {
        let turn = root.turn()?;
        let id = root.id();
        self.outer.prepare(std::path::Path::new(&id.path))?;
        let project = machine.new_id()?;
        let aside = Spot::state().within(&format!("before-{project}"));
        root.make_private(&Spot::state())?;
        root.make_private(&aside)?;
        for name in ["log", "index", "plans", "audit-log", "runs", "kept"] {
            match root.place(&Spot::state().within(name), &aside.within(name)) {
                Ok(()) | Err(PortError::Gone(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let identity = self.outer.enrol(&project, id)?;
        write_state(root, "project", identity.project.as_bytes())?;
        write_state(root, ".gitignore", b"*\n")?;
        self.outer.link(&identity)?;
        drop(turn);
        secrets(&self.outer, &identity)
    }
}

fn write_state(root: &Root, name: &str, bytes: &[u8]) -> Result<(), GateError> {
    let at = Spot::state().within(name);
    crate::log::replace(root, &at, bytes)?;
    let folders = vec![Spot::state(), Spot::root()];
    Ok(root.barrier(&crate::workspace::Scope { files: vec![at], folders })?)
}

/// The name that the folder carries, if it carries one.
fn carried(root: &Root) -> Result<Option<String>, GateError> {
    match root.read(&Spot::state().within("project")) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).trim().into())),
        Err(PortError::Gone(_)) => Ok(None),
        // Something else in its place is no name that anybody knows.
        Err(PortError::Refused { .. }) => Ok(Some("?".into())),
        Err(error) => Err(error.into()),
    }
}

fn secrets(outer: &Outer, identity: &Identity) -> Result<Secrets, GateError> {
    let (checkpoints, key) = outer.witness(identity)?;
    let (project, signer) = (identity.project.clone(), outer.signer()?);
    Ok(Secrets { project, signer, key, checkpoints: Box::new(checkpoints) })
}

/// The gate of one project.
pub struct Gate<'a> {
    pub(super) ports: Ports<'a>,
    pub(super) secrets: &'a Secrets,
    pub(super) log: Log<'a>,
    pub(super) objects: Objects<'a>,
}

impl<'a> Gate<'a> {
    /// Opens the record; nothing is written.
    ///
    /// # Errors
    /// When the record does not hang together.
    pub fn open(
        ports: Ports<'a>,
        secrets: &'a Secrets,
        projector: &'a dyn Projector,
    ) -> Result<Self, GateError> {
        let vouchers = Vouchers {
            project: &secrets.project,
            signer: &secrets.signer,
            key: &secrets.key,
            checkpoints: secrets.checkpoints.as_ref(),
        };
        let log = Log::open(ports.port, vouchers, ports.machine, projector)?;
        Ok(Self { ports, secrets, log, objects: Objects::new(ports.port) })
    }

    /// The record.
    pub fn log(&self) -> &Log<'a> {
        &self.log
    }

    /// Carries out a command.
    ///
    /// # Errors
    /// See [`GateError`].
    pub fn handle(&self, command: Command) -> Result<Outcome, GateError> {
        self.begin(Beginning::Started)?;
        self.log.settle()?;
        if let Some(again) = self.again(&command) {
            return again;
        }
        let Command { actor, key, what } = command;
        let from = From { actor, key };
        match what {
            What::Propose { .. } => self.propose(&from, what),
            What::Approve { plan_id, hash, steps: None, proof } => {
                self.approve(&from, &plan_id, hash, &proof)
            }
            What::Approve { plan_id, hash, steps: Some(steps), proof } => {
                self.select(&from, &plan_id, hash, &steps, &proof)
            }
            What::Reject { plan_id, reason, proof } => {
                self.reject(&from, &plan_id, &reason, &proof)
            }
            What::Changes { plan_id, request, proof } => {
                self.request_changes(&from, &plan_id, &request, &proof)
            }
            What::Pause { plan_id } => self.pause(&from, &plan_id),
            What::Renew { plan_id, proof } => self.renew(&from, &plan_id, &proof),
            What::Run { plan_id, hash } => self.run(&from, &plan_id, hash, &crate::run::Quiet),
            What::Undo { run_id, hash, proof } => self.undo(&from, &run_id, hash, &proof, false),
            What::Redo { run_id, hash, proof } => self.undo(&from, &run_id, hash, &proof, true),
            What::Recover => self.recover().map(Outcome::Recovered),
            What::Sweep => self.sweep(),
            What::Forget { run_id, proof } => self.forget(&from, &run_id, &proof),
            What::Gc => self.gc(),
        }
    }

    /// Runs a plan while somebody watches and may stop it.
    ///
    /// # Errors
    /// See [`GateError`].
    pub fn run_watched(
        &self,
        command: Command,
        watch: &dyn crate::run::Watch,
    ) -> Result<Outcome, GateError> {
        let What::Run { plan_id, hash } = command.what.clone() else {
            return self.handle(command);
        };
        self.begin(Beginning::Started)?;
        self.log.settle()?;
        if let Some(again) = self.again(&command) {
            return again;
        }
        let from = From { actor: command.actor, key: command.key };
        self.run(&from, &plan_id, hash, watch)
    }

    /// Writes the first entry, unless there is one.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(&self, beginning: Beginning) -> Result<(), GateError> {
        if self.log.ledger().entries() > 0 {
            return Ok(());
        }
        let events = vec![Event::RecordBegun {
            beginning,
            key: self.secrets.signer.public(),
            project: self.secrets.project.clone(),
        }];
        let wanted = Wanted { actor: Actor::system(), key: None, expects: Vec::new(), events };
        self.log.begin(&wanted).map_err(Into::into)
    }

    /// The answer to a command that was carried out before.
    fn again(&self, command: &Command) -> Option<Result<Outcome, GateError>> {
        let made = {
            let ledger = self.log.ledger();
            ledger.done_under(command.key.as_deref()?)?.to_owned()
        };
        let plan = self.outcome_of(&made, None);
        Some(match (&command.what, plan) {
            (What::Propose { .. }, Ok(plan)) => {
                Ok(Outcome::Proposed(Box::new(Proposed::Again(plan))))
            }
            (_, Ok(plan)) => Ok(Outcome::Decided(plan)),
            (_, Err(_)) => {
                let refusal = exacta_core::lifecycle::Refusal::Used { run_id: made };
                Err(GateError::Refusal(refusal))
            }
        })
    }

    /// A plan, by its name or the beginning of it.
    pub(super) fn plan(&self, name: &str) -> Result<PlanEntry, GateError> {
        let ledger = self.log.ledger();
        let id = resolve(name, ledger.plans().map(|plan| plan.created.plan_id.as_str()))
            .map_err(|several| unknown(name, several, GateError::NoSuchPlan))?;
        ledger.plan(&id).cloned().ok_or_else(|| GateError::NoSuchPlan(name.into()))
    }

    /// A run, by its name or the beginning of it.
    pub(super) fn run_entry(&self, name: &str) -> Result<RunEntry, GateError> {
        let ledger = self.log.ledger();
        let id = resolve(name, ledger.runs().map(|run| run.run_id.as_str()))
            .map_err(|several| unknown(name, several, GateError::NoSuchRun))?;
        ledger.run(&id).cloned().ok_or_else(|| GateError::NoSuchRun(name.into()))
    }

    /// The plan after a decision.
    pub(super) fn outcome_of(
        &self,
        plan_id: &str,
        original: Option<String>,
    ) -> Result<PlanOutcome, GateError> {
        let ledger: &Ledger = &self.log.ledger();
        let plan = ledger.plan(plan_id).ok_or_else(|| GateError::NoSuchPlan(plan_id.into()))?;
        Ok(PlanOutcome {
            plan_id: plan_id.into(),
            plan_hash: plan.created.plan_hash,
            state: plan.state,
            original,
        })
    }

    pub(super) fn policy(&self) -> Result<Policy, GateError> {
        Ok((self.ports.policy)()?)
    }

    /// Both clocks, read after the record was, so that no entry can seem to be ahead.
    pub(super) fn now(&self) -> Result<Moment, GateError> {
        Ok(self.ports.machine.now()?)
    }

    /// A plan's life; it belongs to the boot session.
    pub(super) fn life(plan: &PlanEntry, now: &Moment) -> Life {
        plan.life(plan.created.session == session_of(now))
    }

    pub(super) fn examine(
        &self,
        draft: Draft,
        tree: &dyn Tree,
        policy: &Policy,
        context: &Context,
    ) -> Result<Examined, GateError> {
        Ok(examine(draft, tree, self.ports.inspector, policy, context)?)
    }

    /// Appends; `false` when the record has moved on and the decision must be made again.
    pub(super) fn commit(&self, wanted: &Wanted) -> Result<bool, GateError> {
        match self.log.append(wanted) {
            Ok(_) => Ok(true),
            Err(AppendError::Moved) => Ok(false),
            Err(AppendError::Done { .. }) => Err(GateError::Busy),
            Err(AppendError::Log(error)) => Err(GateError::Log(error)),
        }
    }

    /// Reads what others added, before a decision is made again.
    pub(super) fn look_again(&self) -> Result<(), LogError> {
        self.log.look_again()
    }
}

/// Who gave a command.
#[derive(Clone, Debug)]
pub(super) struct From {
    pub(super) actor: Actor,
    pub(super) key: Option<String>,
}

/// The session that plans of this boot belong to.
pub(super) fn session_of(now: &Moment) -> String {
    format!("boot:{}", now.boot)
}

/// `Err(true)` when several names begin so.
fn resolve<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Result<String, bool> {
    const FEWEST: usize = 6;
    if is_id(name) {
        return Ok(name.into());
    }
    if name.len() < FEWEST {
        return Err(false);
    }
    let mut fitting = names.filter(|known| known.starts_with(name));
    match (fitting.next(), fitting.next()) {
        (Some(one), None) => Ok(one.into()),
        (Some(_), Some(_)) => Err(true),
        (None, _) => Err(false),
    }
}

fn unknown(name: &str, several: bool, none: impl Fn(String) -> GateError) -> GateError {
    if several { GateError::Ambiguous(name.into()) } else { none(name.into()) }
}
