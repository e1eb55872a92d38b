//! Between an editor and an agent that speak the Agent Client Protocol, version 1.
//!
//! The agent runs confined on a private copy that lies at the project's own path, so paths mean
//! the same to both sides. `messages` says what becomes of each message, `relay` carries them.
//! The editor's file and terminal abilities are kept from the agent: with them it would write
//! past the gate. When a turn ends, what changed in the copy becomes one plan, and the editor is
//! shown its effect. An editor's "allow" decides nothing, what a person decided in Exacta does;
//! unless the operator's policy says `editor_decides`.

mod messages;
mod relay;

pub(crate) use relay::{Relay, Shown, Turn, Waiting};
