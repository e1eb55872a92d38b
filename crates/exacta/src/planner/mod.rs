//! Drafts a plan for an intent: the operator's model is asked, and what it answers is handed in
//! like any other text.
//!
//! `config` reads which model, `context` chooses what of the project it is shown, `talk` asks,
//! reads strictly and asks again at most twice with the findings attached. The text that comes
//! out is untrusted; nothing here decides anything.

mod config;
mod context;
mod talk;

pub(crate) use config::{Written, read};
pub(crate) use context::gather;
pub(crate) use talk::{NotDrafted, talk};
