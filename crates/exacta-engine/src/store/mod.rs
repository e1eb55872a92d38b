//! The record as a port: where events are added, and read again.
//!
//! Input: events with the versions they rest on. Output: entries, each with its number, its
//! time and its link, durable before anybody is told of them. Errors: [`LogError`] when the
//! record cannot be trusted or written, [`AppendError`] when nothing was added. [`Store`] is
//! the trait, [`FileStore`] keeps the record in the project's own folder; one suite
//! (`exacta_testkit::store`) says what every store promises. Next stage: [`log`](crate::log),
//! which folds what a store holds and keeps up with others.

mod error;
mod file;
mod port;
mod replica;
mod report;

pub use error::{AppendError, LogError};
pub use file::{FileStore, Projector, Vouchers};
pub(crate) use file::{check, log_folder};
pub use port::{Added, Durable, Store, Terms, Wanted};
pub use replica::Replica;
pub use report::{Depth, Problem, ProblemKind, Report};
