//! The record in the project's own folder: lines in segments, one append-only, hash-linked
//! chain.
//!
//! An append is written and synced, then projected, then its head is noted outside the
//! project, in this order. Starting up reads the newest segment alone; what came before is
//! in a snapshot that our own key vouches for. Lines are read in three ways, each for what
//! it must find out: `segment` goes forward from a replica and knows what a dying process may
//! leave; `tail` goes back from a head that vouches for every line before it, and `closed`
//! follows the same links where nobody asks what the lines say; `walk` trusts nothing and
//! says what was done to a record that does not hang together.

mod append;
mod check;
mod closed;
mod entry;
mod open;
mod place;
mod segment;
mod settle;
mod snapshot;
mod tail;
mod walk;

pub(crate) use check::check;
pub(super) use open::Mark;
pub use open::{FileStore, Projector, Vouchers};
pub(crate) use place::folder as log_folder;
