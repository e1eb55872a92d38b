//! The HTTP door: the gate's API and the review room, on this machine's own address.
//!
//! Input: requests. Output: the gate's replies as JSON or pages. A door decides nothing: it
//! finds out who asks ([`who`]), turns words into a command, and paints the reply. The way of
//! a request: [`serve`] (connections, limits) → [`guard`] (Host, Origin, forwarded) →
//! [`who`] (a person's session or an agent's token) → a handler in `api/` or [`page`] →
//! [`AppState::ask`], which carries the command to the gate off the async threads.

mod address;
mod api;
mod guard;
pub mod page;
mod problem;
mod rate;
mod router;
mod serve;
mod sign_in;
mod state;
mod watch;
pub mod who;

pub use address::{Address, Entrance};
pub use api::{lifecycle_name, openapi};
pub use problem::Problem;
pub use router::router;
pub use serve::{Listening, ServeError, Serving, serve};
pub use state::{AppState, Config, Patch, Running, Served};
