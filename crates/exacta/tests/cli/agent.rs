//! `agent`: real programs at a terminal, on a private copy. The project is as it was until
//! somebody approves; then it is as if the program had run in it directly.

use std::fs;
use std::io::{Read as _, Write as _};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::gated::{Gated, HASH};

/// Somebody at a terminal: waits for words on the screen and types.
struct Person {
    child: std::process::Child,
    input: Option<std::process::ChildStdin>,
    screen: Arc<Mutex<Vec<u8>>>,
    seen: usize,
}

impl Person {
    fn start(gated: &Gated, words: &str) -> Self {
        let command = format!("stty rows 24 cols 80; {} {words}", env!("CARGO_BIN_EXE_exacta"));
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

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.screen.lock().unwrap()).into_owned()
    }

    /// Waits until something new with these words is on the screen; answers what follows them.
    fn sees(&mut self, words: &str) -> String {
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

    fn types(&mut self, keys: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(keys.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    fn ends(mut self) -> i32 {
        drop(self.input.take());
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

fn gated() -> Gated {
    let files = [("notes.md", "Hello.\n"), ("a.txt", "one\ntwo\n")];
    Gated::of(&files, &HASH.replace("conservative", "balanced"))
}

fn read(gated: &Gated, name: &str) -> String {
    fs::read_to_string(gated.project.path().join(name)).unwrap()
}

#[test]
fn an_editor_works_on_the_copy_and_the_plan_changes_the_project() {
    let gated = gated();
    let mut person = Person::start(&gated, "agent vim -- -u NONE -n notes.md");
    person.sees("Hello.");
    person.types("oMore.\u{1b}");
    thread::sleep(Duration::from_millis(300));
    person.types(":wq\r");
    thread::sleep(Duration::from_millis(100));
    // The change is a document, so it runs alone; it was made by Exacta and not by vim.
    person.sees("again on the same copy?");
    assert_eq!(read(&gated, "notes.md"), "Hello.\nMore.\n");
    person.types("\r");
    person.ends();
    let log = gated.exacta(&["log"]).out;
    assert!(log.contains("run"), "{log}");
}

#[test]
fn the_copy_goes_on_from_what_was_applied_and_nothing_else_is_reached() {
    let gated = gated();
    let mut person = Person::start(&gated, "agent /usr/bin/python3 -- -i -q");
    person.sees(">>>");
    let home = gated.home().display().to_string();
    for (line, expected) in [
        ("open('notes.md','w').write('First.\\n')".to_owned(), "7"),
        (format!("open('{home}/.config/exacta/policy.toml').read()"), "Error"),
        ("import socket; socket.create_connection(('127.0.0.1', 1), 1)".into(), "Error"),
        ("open('/etc/shadow').read()".into(), "Error"),
        // A query that a terminal would answer, and a title: neither reaches the real one.
        ("print('\\x1b[c\\x1b[6n\\x1b]0;evil-title\\x07\\x1bP+q544e\\x1b\\\\done')".into(), "done"),
    ] {
        person.types(&format!("{line}\r"));
        person.sees(expected);
        thread::sleep(Duration::from_millis(150));
    }
    assert_eq!(read(&gated, "notes.md"), "Hello.\n", "the project changed before the plan");
    person.types("exit()\r");
    person.sees("again on the same copy?");
    assert_eq!(read(&gated, "notes.md"), "First.\n");
    person.types("again\r");
    person.sees(">>>");
    person.types("open('notes.md','a').write('Second.\\n')\r");
    person.sees("8");
    person.types("exit()\r");
    person.sees("again on the same copy?");
    assert_eq!(read(&gated, "notes.md"), "First.\nSecond.\n");
    let text = person.text();
    assert!(
        !text.contains("\u{1b}]0;evil-title")
            && !text.contains("\u{1b}[c")
            && !text.contains("\u{1b}P")
    );
    person.types("\r");
    person.ends();
    let plans = gated.json(&["list", "--json"], 0);
    assert_eq!(plans.as_array().unwrap().len(), 2);
}

#[test]
fn after_an_agent_had_the_terminal_a_choice_takes_a_word_that_nobody_could_know() {
    let gated = gated();
    gated.policy("version = 1\nprofile = \"manual\"\n");
    let mut person = Person::start(&gated, "agent sh -- -c 'echo Other. > notes.md'");
    person.sees("notes.md");
    thread::sleep(Duration::from_millis(800));
    person.types("a");
    thread::sleep(Duration::from_millis(400));
    person.types("y\r");
    person.sees("Type ");
    thread::sleep(Duration::from_millis(200));
    let text = person.text();
    let word = text.rsplit("Type ").next().unwrap().split(' ').next().unwrap().to_owned();
    assert_ne!(word, "yes");
    person.types("yes\r");
    person.sees("not confirmed");
    assert_eq!(read(&gated, "notes.md"), "Hello.\n");
    person.types("\r");
    person.ends();
}
