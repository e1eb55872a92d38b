//! Drafts a plan for an intent: the operator's model is asked, and what it answers is handed in
//! like any other text.
//!
//! `ask` does all of it. `config` reads which model, `context` chooses what of the project it is shown, `talk` asks,
//! reads strictly and asks again at most twice with the findings attached. The text that comes
//! out is untrusted; nothing here decides anything.

mod ask;
mod config;
mod context;
mod talk;

pub(crate) use ask::Asking;
pub(crate) use config::Written;
pub(crate) use talk::{Drafted, Form, NotDrafted};
