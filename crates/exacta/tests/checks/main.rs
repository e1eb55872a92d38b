//! Checks on a staged run: what they see, what they cannot reach, how they end.
//!
//! They run through the real program, because it builds the walls. Everything here also
//! runs as an ordinary user when the tests run as root.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may stop where it fails")]

mod capture;
mod endings;
mod ordinary_user;
mod project;
mod reach;
mod refusals;
mod views;
