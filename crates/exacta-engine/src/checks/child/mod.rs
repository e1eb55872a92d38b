//! The child process that builds the walls around a command.
//!
//! Three acts of the same program, each started by the one before, because a process
//! with threads cannot move into name spaces and safe code cannot act between fork and
//! exec: `hold` enters new name spaces and keeps watch from outside; `init` is the first
//! process inside and builds the room; `enter` gives up every right and becomes the
//! command. When `init` ends, the kernel ends everything inside.

mod calls;
mod enter;
mod hold;
mod identity;
mod init;
mod leash;
mod mounts;
pub(crate) mod room;
mod targets;

use std::ffi::OsString;
use std::io::Write as _;

use crate::checks::wire::Report;

/// Plays the act that the arguments after the launcher's own name; returns the exit code.
///
/// A program that offers checks calls this first thing in `main`, before it has threads.
#[must_use]
pub fn serve(arguments: &[OsString]) -> u8 {
    match arguments {
        [act] if act == "hold" => hold::hold(),
        [act] if act == "init" => init::init(),
        [act, terms, command @ ..] if act == "enter" => enter::enter(terms, command),
        _ => 2,
    }
}

/// Tells the engine; it reads our standard error.
fn report(report: &Report) {
    if let Ok(mut line) = serde_json::to_vec(report) {
        line.push(b'\n');
        let _ = std::io::stderr().lock().write_all(&line);
    }
}

/// Why the room could not be built.
enum Obstacle {
    View(String),
    Walls(String),
}

impl Obstacle {
    fn report(self) -> u8 {
        report(&match self {
            Self::View(reason) => Report::NoView(reason),
            Self::Walls(reason) => Report::NoConfinement(reason),
        });
        1
    }

    /// For `map_err`: what could not be done.
    fn wall<E: std::fmt::Display>(what: &str) -> impl Fn(E) -> Self {
        move |error| Self::Walls(format!("{what}: {error}"))
    }

    /// The same for the view, which can be made in another way.
    fn view<E: std::fmt::Display>(what: &str) -> impl Fn(E) -> Self {
        move |error| Self::View(format!("{what}: {error}"))
    }
}
