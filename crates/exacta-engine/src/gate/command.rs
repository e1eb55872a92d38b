//! What doors ask of the gate: a trait that every command implements, and who asks.
//!
//! A command is a struct in a file of its own, with its reply beside it. [`Gate::handle`]
//! carries it out: once, if it has an idempotency key.

use exacta_core::life::ledger::Done;
use exacta_core::model::digest::Digest;
use exacta_core::model::id::RunId;
use exacta_core::record::{Actor, CommandKey};
use serde::Serialize;

use super::error::GateError;
use super::handle::Gate;
use crate::proof::Proof;
use crate::run::{Quiet, Watch};

/// Something that can be asked of the gate. Its serialised form, which leaves out how the
/// right to decide was shown, is what an idempotency key stands for.
pub trait Command: Serialize + Sized {
    /// The answer.
    type Reply;

    /// The stable name.
    const NAME: &'static str;

    /// Whether a run that a dead process left is recovered first.
    const RECOVERS_FIRST: bool = true;

    /// What shows the right to decide, where that takes one.
    fn proof(&self) -> Option<&Proof> {
        None
    }

    /// Whether it lets something happen: then whoever signed in with a passkey signs it. A no
    /// lets nothing happen.
    fn lets_act(&self) -> bool {
        false
    }

    /// Names exactly this command: everything about it but the proof.
    ///
    /// # Errors
    /// Never for commands of ours; the serialiser's error is passed on.
    fn digest(&self) -> Result<Digest, serde_json::Error> {
        Ok(Digest::of(&serde_json::to_vec(&(Self::NAME, self))?))
    }

    /// Does it.
    ///
    /// # Errors
    /// See [`GateError`]; nothing happened unless it says otherwise.
    fn carry_out(self, gate: &Gate<'_>, caller: &Caller<'_>) -> Result<Self::Reply, GateError>;

    /// The answer when the same command was carried out before.
    ///
    /// # Errors
    /// When what it did can only be done once.
    fn again(&self, gate: &Gate<'_>, done: &Done) -> Result<Self::Reply, GateError>;
}

/// Who gives a command, and who watches it.
#[derive(Clone)]
pub struct Caller<'w> {
    /// Who.
    pub actor: Actor,
    /// Two commands with the same key are one.
    pub key: Option<String>,
    /// Is told how far the command has come, and may stop a run, an undo or a redo.
    pub watch: &'w dyn Watch,
    /// What a run that this begins is called, where somebody was told already.
    pub(super) run_id: Option<RunId>,
    /// The key, with what it stands for.
    pub(super) command: Option<CommandKey>,
}

impl<'w> Caller<'w> {
    /// Somebody whom nobody watches.
    #[must_use]
    pub fn new(actor: Actor) -> Self {
        Self { actor, key: None, watch: &Quiet, run_id: None, command: None }
    }

    /// The gate itself.
    #[must_use]
    pub fn system() -> Self {
        Self::new(Actor::system())
    }

    /// The same with an idempotency key, if there is one.
    #[must_use]
    pub fn with_key(self, key: Option<String>) -> Self {
        Self { key, ..self }
    }

    /// The same; a run that begins is called this, unless another one is.
    #[must_use]
    pub fn naming(self, run_id: RunId) -> Self {
        Self { run_id: Some(run_id), ..self }
    }

    /// The same, watched.
    #[must_use]
    pub fn watched(self, watch: &'w dyn Watch) -> Self {
        Self { watch, ..self }
    }
}

impl Gate<'_> {
    /// Carries out a command, unless one with the same key was carried out before or
    /// meanwhile; then the answer is what that one did.
    ///
    /// # Errors
    /// See [`GateError`].
    pub fn handle<C: Command + Clone>(
        &self,
        caller: &Caller<'_>,
        command: C,
    ) -> Result<C::Reply, GateError> {
        if let Some(proof) = command.proof()
            && !proof.fits(C::NAME, command.digest()?, command.lets_act())
        {
            return Err(GateError::NotSigned);
        }
        self.ready(C::RECOVERS_FIRST)?;
        let Some(key) = caller.key.clone() else { return command.carry_out(self, caller) };
        // A key is written down as it is.
        if (self.ports.mask)(&key) != key {
            return Err(GateError::KeyLooksSecret);
        }
        let key = CommandKey { key, command: command.digest()? };
        if let Some(again) = self.again(&key, &command) {
            return again;
        }
        let caller = Caller { command: Some(key.clone()), ..caller.clone() };
        match command.clone().carry_out(self, &caller) {
            // Somebody was carrying out the same command at the same time.
            Err(GateError::Busy) => self.again(&key, &command).unwrap_or(Err(GateError::Busy)),
            reply => reply,
        }
    }

    /// What the first command with this key made, if there was one.
    #[must_use]
    pub fn made_under(&self, key: &str) -> Option<String> {
        self.log.ledger().done_under(key).map(|done| done.made.clone())
    }

    /// What exactly this command made, if it was carried out under this key.
    #[must_use]
    pub fn made_by<C: Command>(&self, key: &str, command: &C) -> Option<String> {
        let done = self.log.ledger().done_under(key)?.clone();
        let same = done.command.is_some() && done.command == command.digest().ok();
        same.then_some(done.made)
    }

    /// The answer to a command that was carried out before.
    fn again<C: Command>(
        &self,
        key: &CommandKey,
        command: &C,
    ) -> Option<Result<C::Reply, GateError>> {
        let done = self.log.ledger().done_under(&key.key)?.clone();
        if done.command != Some(key.command) {
            return Some(Err(GateError::KeyTaken { key: key.key.clone() }));
        }
        Some(command.again(self, &done))
    }
}
