//! The gate itself: its ports and the one way in.

use std::cell::{Cell, RefCell};

use exacta_core::digest::Digest;
use exacta_core::examine::{Examined, examine};
use exacta_core::facts::Inspector;
use exacta_core::ledger::{Done, Ledger, PlanEntry};
use exacta_core::lifecycle::{Life, Moment};
use exacta_core::policy::Policy;
use exacta_core::record::{Actor, Beginning, CommandKey, Entry, Event};
use exacta_core::tree::Tree;

use super::command::{Command, What};
use super::error::GateError;
use super::notice::Notice;
use super::outcome::{Outcome, PlanOutcome, Proposed};
use super::remembered::Remembering;
use super::standpoint::Secrets;
use super::stored::PlanRecord;
use crate::checks::Room;
use crate::log::{AppendError, Log, LogError, Projector, Vouchers, Wanted};
use crate::machine::Machine;
use crate::objects::Objects;
use crate::policy::PolicyError;
use crate::run::{Quiet, Watch};
use crate::workspace::Workspace;

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

/// The gate of one project.
pub struct Gate<'a> {
    pub(super) ports: Ports<'a>,
    pub(super) secrets: &'a Secrets,
    pub(super) log: Log<'a>,
    pub(super) objects: Objects<'a>,
    pub(super) notices: RefCell<Vec<Notice>>,
    /// How many of them were told.
    pub(super) told: Cell<usize>,
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
        let objects = Objects::new(ports.port);
        let (notices, told) = (RefCell::default(), Cell::default());
        Ok(Self { ports, secrets, log, objects, notices, told })
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
        self.handle_watched(command, &Quiet)
    }

    /// Carries out a command while somebody watches, who may stop a run, an undo or a redo.
    ///
    /// # Errors
    /// See [`GateError`].
    pub fn handle_watched(
        &self,
        command: Command,
        watch: &dyn Watch,
    ) -> Result<Outcome, GateError> {
        self.once(command, |from, what| self.carry_out(from, what, watch))
    }

    /// Acts, unless a command with the same key was carried out before or meanwhile.
    pub(super) fn once(
        &self,
        command: Command,
        act: impl FnOnce(&From, What) -> Result<Outcome, GateError>,
    ) -> Result<Outcome, GateError> {
        let Command { actor, key, what } = command;
        // `recover` does the same and reports it; `gc` may be what makes the room for it.
        self.ready(!matches!(what, What::Recover | What::Gc))?;
        let Some(key) = key else { return act(&From { actor, key: None }, what) };
        let key = CommandKey { key, command: self.name_of(&what)? };
        if let Some(again) = self.again(&key, &what) {
            return again;
        }
        match act(&From { actor, key: Some(key.clone()) }, what.clone()) {
            // Somebody was carrying out the same command at the same time.
            Err(GateError::Busy) => self.again(&key, &what).unwrap_or(Err(GateError::Busy)),
            outcome => outcome,
        }
    }

    /// Brings the project to where a command may begin. What is judged, decided or changed
    /// from here on must not be half of something.
    pub(super) fn ready(&self, recovers: bool) -> Result<(), GateError> {
        self.begin(Beginning::Started)?;
        self.log.check_closed()?;
        self.log.settle()?;
        if recovers {
            self.recover_abandoned()?;
        }
        self.conclude_abandoned()?;
        self.rebuild_folders()?;
        self.follow_policy()
    }

    fn carry_out(&self, from: &From, what: What, watch: &dyn Watch) -> Result<Outcome, GateError> {
        match what {
            What::Propose { .. } => self.propose(from, what, &|_| Ok(())),
            What::Approve { plan_id, hash, steps: None, proof } => {
                self.approve(from, &plan_id, hash, &proof)
            }
            What::Approve { plan_id, hash, steps: Some(steps), proof } => {
                self.select(from, &plan_id, hash, &steps, &proof)
            }
            What::Reject { plan_id, reason, proof } => self.reject(from, &plan_id, &reason, &proof),
            What::Changes { plan_id, request, proof } => {
                self.request_changes(from, &plan_id, &request, &proof)
            }
            What::Pause { plan_id } => self.pause(from, &plan_id),
            What::Renew { plan_id, proof } => self.renew(from, &plan_id, &proof),
            What::Run { plan_id, hash } => self.run(from, &plan_id, hash, watch),
            What::Undo { run_id, hash, proof } => {
                let right = self.right_to_undo(&proof, hash)?;
                self.undo(from, &run_id, right, false, watch)
            }
            What::Redo { run_id, hash, proof } => {
                let right = self.right_to_undo(&proof, hash)?;
                self.undo(from, &run_id, right, true, watch)
            }
            What::ProposeUndo { run_id, again, proposer } => {
                self.propose_undo(from, &run_id, again, proposer)
            }
            What::Recover => self.recover(watch).map(Outcome::Recovered),
            What::Sweep { plan_id } => self.sweep(plan_id.as_deref()),
            What::Forget { run_id, hash, proof } => self.forget(from, &run_id, hash, &proof),
            What::Gc => self.gc(from),
        }
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
    fn again(&self, key: &CommandKey, what: &What) -> Option<Result<Outcome, GateError>> {
        let Done { made, command, .. } = self.log.ledger().done_under(&key.key)?.clone();
        if command != Some(key.command) {
            return Some(Err(GateError::KeyTaken(key.key.clone())));
        }
        let original = self.log.ledger().plan(&made).and_then(|plan| match what {
            What::Approve { steps: Some(_), .. } => plan.created.derived_from.clone(),
            What::Renew { .. } => plan.created.parent.clone(),
            _ => None,
        });
        let plan = self.outcome_of(&made, original);
        Some(match (what, plan) {
            (What::Propose { .. } | What::ProposeUndo { .. }, Ok(plan)) => {
                Ok(Outcome::Proposed(Box::new(Proposed::Again(plan))))
            }
            (_, Ok(plan)) => Ok(Outcome::Decided(plan)),
            (_, Err(_)) => {
                let refusal = exacta_core::lifecycle::Refusal::Used { run_id: made };
                Err(GateError::Refusal(refusal))
            }
        })
    }

    /// A name for everything that a command says, with the names of plans and runs in full.
    /// How the right to decide was shown is not part of it.
    fn name_of(&self, what: &What) -> Result<Digest, GateError> {
        let said = what.said(
            |name| self.plan(name).map_or_else(|_| name.into(), |plan| plan.created.plan_id),
            |name| self.run_entry(name).map_or_else(|_| name.into(), |run| run.run_id),
        );
        Ok(Digest::of(&serde_json::to_vec(&said)?))
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

    /// Examines a stored plan once more on the files of `tree`.
    pub(super) fn examine_again(
        &self,
        record: &PlanRecord,
        tree: &dyn Tree,
        policy: &Policy,
    ) -> Result<Examined, GateError> {
        let (inspector, findings) = (self.ports.inspector, record.findings.as_ref());
        let remembering = Remembering { inspector, findings };
        let draft = record.draft(&self.objects)?;
        Ok(examine(draft, tree, &remembering, policy, &record.context()?)?)
    }

    /// Appends; `false` when the record has moved on and the decision must be made again.
    pub(super) fn commit(&self, wanted: &Wanted) -> Result<bool, GateError> {
        Self::committed(self.log.append(wanted))
    }

    pub(super) fn committed(added: Result<Vec<Entry>, AppendError>) -> Result<bool, GateError> {
        match added {
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
    pub(super) key: Option<CommandKey>,
}

/// The session that plans of this boot belong to.
pub(super) fn session_of(now: &Moment) -> String {
    format!("boot:{}", now.boot)
}
