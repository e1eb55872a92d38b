//! The gate itself: its ports and the one way in.

use std::cell::{Cell, RefCell};
use std::str::FromStr;
use std::sync::Arc;

use exacta_core::judge::decide::Spend;
use exacta_core::judge::examine::{Context, Examined, examine};
use exacta_core::judge::facts::Inspector;
use exacta_core::judge::policy::Policy;
use exacta_core::life::lifecycle::Moment;
use exacta_core::model::digest::Blob;
use exacta_core::model::id::BadId;
use exacta_core::model::tree::Tree;
use exacta_core::record::{Actor, Beginning, Entry, Event, VERSION};

use super::cached_facts::CachedFacts;
use super::error::GateError;
use super::identity::Secrets;
use super::notice::Notice;
use super::stored::PlanRecord;
use crate::blobs::Blobs;
use crate::log::{AppendError, Log, LogError, Wanted};
use crate::machine::Machine;
use crate::project::{FindRoom, LoadPolicy, Mask, StartTools, session};
use crate::workspace::Workspace;

/// How often a decision is made again when the record has moved on meanwhile.
pub(super) const TRIES: usize = 64;

/// Everything the gate reaches the world through, as its project holds it.
#[derive(Clone, Copy)]
pub(crate) struct Ports<'a> {
    /// The project's files, to act on.
    pub(crate) port: &'a (dyn Workspace + Send + Sync),
    /// The project's files, to read.
    pub(crate) tree: &'a (dyn Tree + Send + Sync),
    /// Finds facts.
    pub(crate) inspector: &'a (dyn Inspector + Send + Sync),
    /// Tells time and makes names.
    pub(crate) machine: &'a dyn Machine,
    /// Loads the policy in force.
    pub(crate) policy: &'a LoadPolicy,
    /// Finds where checks of the operator run; without it a policy with checks runs nothing.
    pub(crate) room: Option<&'a FindRoom>,
    /// Masks what looks like a secret in a text that is stored.
    pub(crate) mask: &'a Mask,
    /// What runs tool steps; without it a plan that has some is refused.
    pub(crate) tools: Option<&'a StartTools>,
}

/// The gate of one project, for one caller: what it did besides what it was asked for is
/// theirs alone.
pub struct Gate<'a> {
    pub(super) ports: Ports<'a>,
    pub(super) secrets: &'a Secrets,
    pub(super) log: Log,
    pub(super) objects: Arc<dyn Blobs>,
    pub(super) notices: RefCell<Vec<Notice>>,
    /// How many of them were told.
    pub(super) told: Cell<usize>,
}

impl<'a> Gate<'a> {
    /// A gate on what was read of the record; nothing is written.
    pub(crate) fn new(
        ports: Ports<'a>,
        secrets: &'a Secrets,
        log: Log,
        objects: Arc<dyn Blobs>,
    ) -> Self {
        let (notices, told) = (RefCell::default(), Cell::default());
        Self { ports, secrets, log, objects, notices, told }
    }

    /// The record, for tests of what it says.
    #[cfg(feature = "testing")]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Makes the project ready for a command. What is judged, decided or changed from here on
    /// must not be half of something.
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
            version: VERSION,
        }];
        let wanted = Wanted { actor: Actor::system(), key: None, expects: Vec::new(), events };
        self.log.begin(&wanted).map_err(Into::into)
    }

    /// A fresh id.
    pub(super) fn new_id<T: FromStr<Err = BadId>>(&self) -> Result<T, GateError> {
        let text = self.ports.machine.new_id()?;
        T::from_str(&text).map_err(serde::de::Error::custom).map_err(GateError::Json)
    }

    pub(super) fn policy(&self) -> Result<Policy, GateError> {
        Ok((self.ports.policy)()?)
    }

    /// Both clocks, read after the record was, so that no entry can seem to be ahead.
    pub(super) fn now(&self) -> Result<Moment, GateError> {
        Ok(self.ports.machine.now()?)
    }

    /// The session that plans made now belong to.
    pub(super) fn session(&self, now: &Moment) -> String {
        session::current(self.ports.port, now)
    }

    /// Examines a stored plan once more on the files of `tree`.
    pub(super) fn examine_again(
        &self,
        record: &PlanRecord,
        tree: &dyn Tree,
        policy: &Policy,
    ) -> Result<Examined, GateError> {
        let (inspector, findings) = (self.ports.inspector, record.findings.as_slice());
        let cached = CachedFacts { inspector, findings };
        let draft = record.draft(self.objects.as_ref())?;
        let window = self.window(&record.everybody);
        let context = Context { window, ..record.context()? };
        Ok(examine(draft, tree, &cached, policy, &context)?)
    }

    /// The first images of files that recent plans changed; one that is no longer kept is
    /// missed, and then a person is asked.
    pub(super) fn window(&self, session: &Spend) -> Vec<Blob> {
        session.firsts.values().filter_map(|digest| self.objects.get(digest).ok()).collect()
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
