//! The gate for agents that speak the Model Context Protocol.
//!
//! In: calls of tools. Out: what the gate replied, as structured content. `desk` turns words
//! into commands of the gate and knows nothing of the protocol; `shapes` are its arguments and
//! answers; `tools` is the list that clients see; `server` is the only file that names `rmcp`.
//! There is no tool that approves, and no answer of a client decides anything.

mod desk;
mod resources;
mod server;
mod shapes;
mod tools;

pub(crate) use desk::Desk;
pub(crate) use server::serve_stdio;
