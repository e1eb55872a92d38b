//! One run of file changes: all of it or none of it, with a way back.
//!
//! Input: changes, their images, a [`Key`] and a [`RunId`]. A run goes through
//! [`Engine::stage`] → [`Staged`] → [`Committed`] → [`Receipt`]; at every point it can
//! be discarded or rolled back instead, and [`Engine::recover`] finishes or rolls back what
//! a dead process left. Errors: [`StageError`] before anything changed, [`CommitError`]
//! after, which says whether the tree was rolled back. [`Engine::stage_undo`] is the inverse run.
//! The protocol is explained in `docs/design/transaction.md`.

mod commit;
mod engine;
mod fault;
mod file_journal;
mod fold;
mod images;
mod journal;
mod key;
mod layout;
mod manifest;
mod preflight;
mod receipt;
mod recover;
mod roll;
mod run_id;
mod settle;
mod stage;
mod undo;
mod view;
mod watch;

pub use commit::{Committed, Staged};
pub use engine::Engine;
pub(crate) use fault::joined;
pub use fault::{Cause, CommitError, Drift, Found, RecoverError, StageError, UndoError};
pub use file_journal::FileJournal;
pub use images::{ImageError, Images};
pub use journal::{Fate, Journal, Milestone};
pub use key::Key;
pub use receipt::{Receipt, ReceiptFile, Recovered, RolledBack};
pub use roll::Conflict;
pub use run_id::{NotARunId, RunId};
pub use undo::InversePart;
pub(crate) use view::Shown;
pub use watch::{CancelFlag, CheckProgress, Phase, Progress, Quiet, Watch};
