//! What the gate keeps outside every project: its key, which project is which, and how
//! far each record had come.
//!
//! Nothing in a project can make anything trusted. A record counts because the key that
//! signed it lies here, and because its head is the one that was noted here.

mod checkpoint;
mod disk;
mod dsse;
mod identity;
mod key;
mod notes;
mod place;
mod serving;
mod standing;

pub use checkpoint::{Checkpoint, Checkpoints, FileCheckpoints};
pub use dsse::{Envelope, EnvelopeError, EnvelopeSignature, IN_TOTO};
pub use identity::{Identity, RootId};
pub use key::{PublicKey, Signer, verifies};
pub use place::{TrustError, TrustStore};
pub use serving::{ANY_AGENT, AgentToken};
pub use standing::FolderTrust;
