//! The gate for agents that speak the Model Context Protocol.
//!
//! In: calls of tools. Out: what the gate replied, as structured content. `desk` turns words
//! into commands of the gate and knows nothing of the protocol; `shapes` are its arguments and
//! answers; `tools` is the list that clients see. `server` (calls), `waiting` (for a person) and
//! `transport` (stdio, HTTP) are the only files that name `rmcp`; `promise` is what a client
//! carries while a person looks at a page.
//! There is no tool that approves, and no answer of a client decides anything.

mod desk;
mod promise;
mod resources;
mod server;
mod shapes;
mod tools;
mod transport;
mod waiting;

pub(crate) use desk::Desk;
pub(crate) use tools::names as tool_names;
pub(crate) use transport::{http, serve_stdio};
