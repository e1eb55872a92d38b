//! Plans with tool steps through the gate: approved, run, recorded, taken up again.
//!
//! `EXACTA_TEST_FULL=1` runs the large sets at their full counts.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may stop where it fails")]

mod kill;
mod mixed;
mod people;
mod plans;
mod power;
mod runs;
mod world;

#[expect(clippy::indexing_slicing, reason = "a test may stop where it fails")]
#[path = "../../../exacta-engine/tests/txn/tap.rs"]
mod tap;
