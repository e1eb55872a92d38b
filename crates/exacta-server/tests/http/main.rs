//! The HTTP door as a client sees it: the router is called without a socket.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that meets something unexpected ends there"
)]

mod contract;
mod events;
mod foreign;
mod limits;
mod passkeys;
mod rights;
mod way;
mod world;
