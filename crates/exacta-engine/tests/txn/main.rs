//! The promises of the file transaction, each tested where it could break.
//!
//! `EXACTA_TEST_FULL=1` runs the large sets at their full counts.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may stop where it fails, and prints its counts"
)]

mod apply;
mod corpus;
mod errno;
mod faulty;
mod folders;
mod hostile;
mod kill;
mod objects;
mod ordinary_user;
mod planted;
mod port;
mod power;
mod project;
mod race;
mod settle;
mod shapes;
mod strace;
mod tap;
mod tree;
mod undo;
mod watch;

/// Whether the large sets run at their full counts.
fn full() -> bool {
    std::env::var_os("EXACTA_TEST_FULL").is_some()
}
