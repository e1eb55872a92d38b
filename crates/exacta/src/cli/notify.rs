//! Telling a person about a run that nobody was asked about.

use std::env;
use std::process::{Command, Stdio};

use exacta_core::life::ledger::RunState;
use exacta_engine::gate::Ran;

use crate::render::Printer;

/// Tells at the terminal, and on the desktop where there is one.
pub(crate) fn ran_alone(run: &Ran, risk: u32, printer: &mut Printer) {
    let how = match run.state {
        RunState::Completed => "ran without asking",
        _ => "tried to run without asking",
    };
    let text =
        format!("a plan of medium risk ({risk}) {how}; `exacta undo {}` takes it back", run.run_id);
    printer.note(&text);
    let desktop = ["WAYLAND_DISPLAY", "DISPLAY"].iter().any(|name| env::var_os(name).is_some());
    if desktop {
        // A desktop without a notifier is no reason to fail.
        let _ = Command::new("notify-send")
            .args(["--app-name=Exacta", "Exacta", &text])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
    }
}
