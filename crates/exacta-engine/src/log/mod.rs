//! The record as the gate sees it, on any [store](crate::store).
//!
//! Input: what the gate wants to add. Output: the state of every plan as of the last look
//! ([`Log`]). Many callers share one store; each has a look of its own, which moves only when
//! it says so, and what one of them has read the next need not read again. [`RunJournal`] is
//! the record as the transaction needs it.

mod journal;
mod view;

pub(crate) use crate::store::check;
pub use crate::store::{
    AppendError, Depth, LogError, Problem, ProblemKind, Projector, Report, Vouchers, Wanted,
};
pub use journal::RunJournal;
pub(crate) use view::Shared;
pub use view::{LedgerView, Log};
