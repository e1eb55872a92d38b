//! A pseudo-terminal with a question at it.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};

use super::sample::Sample;
use crate::review::{Choice, Start, Terminal, ask};

/// How long anything may take to appear.
const PATIENCE: Duration = Duration::from_secs(30);

/// The side that a person sits at.
pub(super) struct Pty {
    master: Option<File>,
    /// Kept open, so that the settings can be read when the question is over.
    pub(super) slave: File,
    /// Everything that was drawn.
    pub(super) drawn: String,
    at: usize,
}

impl Pty {
    pub(super) fn new(columns: u16, rows: u16) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).expect("granted");
        unlockpt(&master).expect("unlocked");
        let name = ptsname(&master, Vec::new()).expect("a name");
        let path = std::path::Path::new(std::ffi::OsStr::from_bytes(name.as_bytes()));
        let slave = OpenOptions::new().read(true).write(true).open(path).expect("the other side");
        let mut pty = Self { master: Some(File::from(master)), slave, drawn: String::new(), at: 0 };
        pty.resize(columns, rows);
        pty
    }

    pub(super) fn resize(&mut self, columns: u16, rows: u16) {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.slave, size).expect("a size");
    }

    pub(super) fn settings(&self) -> Termios {
        tcgetattr(&self.slave).expect("settings")
    }

    /// Asks about the sample on a thread of its own.
    pub(super) fn ask(
        &self,
        sample: impl FnOnce() -> Sample + Send + 'static,
    ) -> JoinHandle<Choice> {
        self.ask_until(sample, || None)
    }

    /// The same, until there is nothing to decide any more.
    pub(super) fn ask_until(
        &self,
        sample: impl FnOnce() -> Sample + Send + 'static,
        overtaken: impl Fn() -> Option<String> + Send + 'static,
    ) -> JoinHandle<Choice> {
        self.ask_from(sample, overtaken, Start { then_runs: true, ..Start::default() })
    }

    /// The same, with what was said and left out before.
    pub(super) fn ask_from(
        &self,
        sample: impl FnOnce() -> Sample + Send + 'static,
        overtaken: impl Fn() -> Option<String> + Send + 'static,
        start: Start,
    ) -> JoinHandle<Choice> {
        let tty = self.slave.try_clone().expect("one more handle");
        thread::spawn(move || {
            let mut terminal = Terminal::on(tty, false, true).expect("a terminal");
            sample().with(|plan| ask(plan, &mut terminal, &overtaken, &start)).expect("a choice")
        })
    }

    /// Waits until the text is drawn after what was waited for before.
    pub(super) fn until(&mut self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let new = self.drawn.get(self.at..).unwrap_or_default();
            if let Some(found) = new.find(text) {
                self.at += found + text.len();
                return;
            }
            assert!(Instant::now() < deadline, "`{text}` did not appear:\n{new}");
            self.read();
        }
    }

    fn read(&mut self) {
        let Some(master) = &mut self.master else { return };
        let most = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
        let ready = poll(&mut [PollFd::new(&*master, PollFlags::IN)], Some(&most)).unwrap_or(0);
        if ready > 0 {
            let mut bytes = [0; 8_192];
            let length = master.read(&mut bytes).unwrap_or(0);
            self.drawn.push_str(&String::from_utf8_lossy(&bytes[..length]));
        }
    }

    pub(super) fn press(&mut self, keys: &str) {
        self.master.as_mut().expect("open").write_all(keys.as_bytes()).expect("typed");
    }

    /// Goes away like a window that is closed.
    pub(super) fn hang_up(&mut self) {
        self.master = None;
    }

    /// What was chosen; keeps reading, so that nothing waits for the screen.
    pub(super) fn choice(&mut self, question: JoinHandle<Choice>) -> Choice {
        let deadline = Instant::now() + PATIENCE;
        while !question.is_finished() {
            assert!(Instant::now() < deadline, "no choice:\n{}", self.drawn);
            self.read();
        }
        self.read();
        question.join().expect("no panic")
    }
}
