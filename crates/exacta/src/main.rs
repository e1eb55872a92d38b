//! The `exacta` command; everything it does lives in the library.

use std::process::ExitCode;

/// Reading a plan makes many small values; the system allocator slows down as their
/// number grows, this one does not.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(exacta::run(std::env::args_os()))
}
