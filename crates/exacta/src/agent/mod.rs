//! Agents that work behind the gate: how each is wired to it, and what it needs to work on a
//! copy.
//!
//! `wiring` is the list of entries that each host reads, `files` puts them into its files and
//! takes them out again (`jsonc` touches nothing else there, `before` keeps what a file was),
//! `switches` finds what would keep a host from asking us, `probe` asks a wired hook for something that it must refuse. `profile`
//! says what an agent needs on a copy, `home` what it keeps there, `way` what of the network it reaches, `screen` stands
//! between its terminal and the real one.

pub(crate) mod before;
pub(crate) mod files;
pub(crate) mod home;
pub(crate) mod identity;
mod jsonc;
pub(crate) mod probe;
pub(crate) mod profile;
pub(crate) mod screen;
pub(crate) mod switches;
pub(crate) mod trusted;
pub(crate) mod way;
pub(crate) mod wiring;
