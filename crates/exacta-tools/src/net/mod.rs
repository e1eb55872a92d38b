//! The one way out: every connection of a tool begins here.
//!
//! In: an address that a step names. Out: an answer of exactly the host that was checked.
//! `address` judges the spelling, `public` the numbers it resolves to, [`Network`] resolves
//! and connects, `body` takes what comes back in bounds, [`WebGate`] is the port
//! [`HttpGate`](crate::http::HttpGate), [`HostProxy`] the door for commands that run on a
//! copy. `loopback` exists only in builds for tests.

pub mod address;
mod body;
#[cfg(any(test, feature = "loopback"))]
pub mod loopback;
mod network;
mod proxy;
mod public;
mod web_gate;

pub use network::{Network, Resolver, SystemResolver};
pub use proxy::HostProxy;
pub use public::is_public;
pub use web_gate::WebGate;
