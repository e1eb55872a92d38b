//! The `exacta` command; everything it does lives in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(exacta::run(std::env::args_os()))
}
