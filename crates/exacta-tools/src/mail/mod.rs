//! Mail: reading what was forwarded, sorting it, writing it, and handing it to a server.
//!
//! [`letters`] reads, [`triage`] sorts by rules, [`compose`] writes one message, [`submit`]
//! hands it to a server in phases that the record knows.

mod compose;
mod letters;
mod smtp;
mod triage;

pub use compose::{Draft, ends_a_line};
pub use letters::{Letter, letters_at, letters_in};
pub use smtp::{Envelope, Server, submit};
pub use triage::{Rule, Sorted, built_in, triage};
