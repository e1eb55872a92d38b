//! The HTTP door: the gate's API and the review room, on this machine's own address.
//!
//! Input: requests. Output: the gate's replies as JSON or pages. A door decides nothing: it
//! finds out who asks ([`who`]), turns words into a command, and paints the reply. The way of
//! a request: [`serve`] (connections, limits) → [`guard`] (Host, Origin, forwarded) →
//! [`who`] (a person's session or an agent's token) → a handler in `api/` or [`page`] →
//! [`AppState::ask`], which carries the command to the gate off the async threads.

mod address;
mod agents;
mod api;
mod compress;
mod crowd;
mod guard;
mod load;
pub mod page;
mod passkey;
mod problem;
mod rate;
mod router;
mod serve;
mod sign_in;
mod state;
mod underway;
mod watch;
pub mod who;

pub use address::{Address, Came, Entrance, way_in};
pub use agents::{AgentService, Guest};
pub use api::{lifecycle_name, openapi};
/// The head of a request, as a service for agents finds it.
pub use axum::http::request::Parts as RequestHead;
pub use page::qr_text;
pub use problem::Problem;
pub use router::router;
pub use serve::{Listening, Outside, ServeError, Serving, serve};
pub use state::{AppState, AskPlanner, Config, Patch, PlannedText, Served};
pub use underway::Running;
