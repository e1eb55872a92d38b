//! The record on disk: one append-only, hash-linked chain of events for each project.
//!
//! Input: events with what they expect of the record. Output: entries that are durable,
//! noted outside the project, and projected, in this order. Errors: [`LogError`] when the
//! record cannot be trusted or written, [`AppendError`] when it has moved on meanwhile.
//! Starting up reads the newest segment alone; what came before is in a snapshot that our
//! own key vouches for. [`check`] reads everything.

mod append;
mod check;
mod closed;
mod entry;
mod error;
mod journal;
mod open;
mod place;
mod segment;
mod snapshot;
mod walk;

pub use append::Wanted;
pub(crate) use check::check;
pub use check::{Depth, Problem, ProblemKind, Report};
pub use error::{AppendError, LogError};
pub use journal::RunJournal;
pub use open::{Log, Projector, Vouchers};
