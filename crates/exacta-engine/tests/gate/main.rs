//! The promises of the gate and its record, each tested where it could break.
//!
//! `EXACTA_TEST_FULL=1` runs the large sets at their full counts.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop where it fails"
)]

mod any;
mod behind;
mod beside;
mod between;
mod commands;
mod crew;
mod ground;
mod kill;
mod many;
mod parts;
mod ports;
mod power;
mod race;
mod reference;
mod rules;
mod sessions;
mod simulate;
mod tamper;
mod together;
mod world;

#[path = "../txn/tap.rs"]
mod tap;
#[expect(dead_code, reason = "the suites of the transaction use the rest")]
#[path = "../txn/tree.rs"]
mod tree;
