//! What one line says by itself, and whether it carries the signatures of the record's key.

use exacta_core::record::{self, Entry, Event};

use crate::store::Depth;
use crate::trust::PublicKey;

/// Whose record it is.
#[derive(Clone, Copy)]
pub(super) struct Owner<'a> {
    pub(super) project: &'a str,
    /// The public half of the key that signs, as records name it.
    pub(super) public: &'a str,
    /// The same, ready to verify with; without one nothing verifies.
    key: Option<PublicKey>,
}

/// A line that is in order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sound {
    /// Its own signature is good, or was not asked for.
    Signed,
    /// It has none.
    Unsigned,
}

/// A line that is not.
pub(super) struct Fault {
    /// Whether the line cannot be one that the gate wrote, whoever signs.
    pub(super) changed: bool,
    pub(super) message: String,
}

impl<'a> Owner<'a> {
    pub(super) fn new(project: &'a str, public: &'a str) -> Self {
        Self { project, public, key: PublicKey::parse(public) }
    }

    /// What is wrong with entry `number`, if anything is.
    pub(super) fn judge(&self, line: &[u8], number: u64, depth: Depth) -> Result<Sound, Fault> {
        let changed = |message: String| Fault { changed: true, message };
        let foreign = |message: &str| Fault { changed: false, message: message.into() };
        let entry = record::read(line).map_err(|fault| changed(fault.to_string()))?;
        if entry.seq != number {
            return Err(changed(format!("it says that it is entry {}", entry.seq)));
        }
        if let Event::RecordBegun { key, project, .. } = &entry.event
            && (project != self.project || key != self.public)
        {
            return Err(foreign("the record was begun for another project or with another key"));
        }
        if depth.signatures && !self.approval_is_genuine(&entry) {
            return Err(foreign("the approval in it is not signed well"));
        }
        match entry.sig {
            None => Ok(Sound::Unsigned),
            Some(_) if depth.signatures && !self.signed(line) => {
                Err(foreign("it does not carry the signature of the record's key"))
            }
            Some(_) => Ok(Sound::Signed),
        }
    }

    /// Whether a line ends in a good signature.
    pub(super) fn signed(&self, line: &[u8]) -> bool {
        record::signed_part(self.project, line)
            .is_some_and(|(message, signature)| self.verifies(&message, signature))
    }

    fn approval_is_genuine(&self, entry: &Entry) -> bool {
        let Event::PlanApproved { approval, .. } = &entry.event else { return true };
        approval
            .message(self.project)
            .is_ok_and(|message| self.verifies(&message, &approval.signature))
    }

    fn verifies(&self, message: &[u8], signature: &str) -> bool {
        self.key.is_some_and(|key| key.verifies(message, signature))
    }
}
