//! Somebody at a real pseudo-terminal, for tests of what runs there.

use std::fs;
use std::io::{Read as _, Write as _};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::gated::Gated;

/// Somebody at a terminal: waits for words on the screen and types.
pub(crate) struct Person {
    child: std::process::Child,
    input: Option<std::process::ChildStdin>,
    screen: Arc<Mutex<Vec<u8>>>,
    seen: usize,
}

impl Person {
    pub(crate) fn start(gated: &Gated, words: &str) -> Self {
        Self::at(gated, words, 80)
    }

    /// The same in a window of so many columns.
    pub(crate) fn at(gated: &Gated, words: &str, columns: u16) -> Self {
        let exacta = env!("CARGO_BIN_EXE_exacta");
        let command = format!("stty rows 24 cols {columns}; {exacta} {words}");
        let mut child = gated
            .command("script")
            .args(["-qefc", &command, "/dev/null"])
            .env("TERM", "xterm-256color")
            .env("SHELL", "/bin/sh")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut output = child.stdout.take().unwrap();
        let screen = Arc::new(Mutex::new(Vec::new()));
        let filled = Arc::clone(&screen);
        thread::spawn(move || {
            let mut buffer = [0_u8; 4096];
            while let Ok(got) = output.read(&mut buffer) {
                if got == 0 {
                    return;
                }
                filled.lock().unwrap().extend_from_slice(&buffer[..got]);
            }
        });
        let input = child.stdin.take();
        Self { child, input, screen, seen: 0 }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.screen.lock().unwrap()).into_owned()
    }

    /// Waits until something new with these words is on the screen; answers what follows them.
    pub(crate) fn sees(&mut self, words: &str) -> String {
        let start = Instant::now();
        loop {
            let text = self.text();
            let new = text.get(self.seen..).unwrap_or_default();
            if let Some(at) = new.find(words) {
                let from = self.seen + at + words.len();
                self.seen = from;
                return text.get(from..).unwrap_or_default().to_owned();
            }
            assert!(start.elapsed() < Duration::from_mins(1), "no `{words}` in {new:?}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    pub(crate) fn types(&mut self, keys: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(keys.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn ends(mut self) -> i32 {
        drop(self.input.take());
        self.child.wait().unwrap().code().unwrap_or(-1)
    }

    /// Decides on the plan that is on the screen, with the word that is asked for after an
    /// agent had the terminal, and goes back to it.
    pub(crate) fn decides(&mut self, key: &str, words: &str) {
        self.sees("lines seen");
        thread::sleep(Duration::from_millis(150));
        self.types(key);
        if !words.is_empty() {
            self.sees("Enter goes on");
            self.types(&format!("{words}\r"));
        }
        self.sees("Type yes to");
        self.types("y\r");
        self.sees("one more word");
        self.sees("Type ");
        let word = loop {
            let text = self.text();
            let new = text.get(self.seen..).unwrap_or_default();
            if let Some((word, _)) = new.split_once(' ') {
                break word.to_owned();
            }
            thread::sleep(Duration::from_millis(20));
        };
        self.types(&format!("{word}\r"));
    }

    /// Kills the program at this terminal, not the terminal.
    pub(crate) fn kills(&mut self) {
        let mut all = vec![self.child.id()];
        let mut at = 0;
        while let Some(pid) = all.get(at).copied() {
            let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
            let children = children.unwrap_or_default();
            all.extend(children.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
            at += 1;
        }
        let ours = |pid: &u32| {
            let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            words.starts_with(env!("CARGO_BIN_EXE_exacta").as_bytes())
        };
        let pid = all.into_iter().find(ours).unwrap();
        let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        let _ = self.child.wait();
    }
}
