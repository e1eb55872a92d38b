//! The review at a real terminal of the sizes that people have, from the first key to the files.

use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::gated::{Gated, text};

/// How long anything may take to appear; machines that test are busy.
const PATIENCE: Duration = Duration::from_mins(1);
/// The one form of a question.
const QUESTION: &str = "Type yes to confirm, anything else to go back: ";
const SIZES: [(u16, u16); 2] = [(80, 24), (100, 30)];

/// Somebody at a terminal.
struct Screen {
    child: Child,
    keyboard: ChildStdin,
    drawn: Receiver<Vec<u8>>,
    seen: String,
    at: usize,
}

impl Screen {
    fn open(gated: &Gated, (columns, rows): (u16, u16), args: &str) -> Self {
        let exacta = env!("CARGO_BIN_EXE_exacta");
        let line = format!("stty cols {columns} rows {rows}; exec {exacta} {args}");
        let mut child = gated
            .command("script")
            .args(["--quiet", "--return", "--flush", "--command", &line, "/dev/null"])
            .env("SHELL", "/bin/sh")
            .env("TERM", "xterm")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let keyboard = child.stdin.take().unwrap();
        let mut screen = child.stdout.take().unwrap();
        let (send, drawn) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = screen.read(&mut buffer) {
                if send.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { child, keyboard, drawn, seen: String::new(), at: 0 }
    }

    /// What was drawn since the last thing that was waited for.
    fn fresh(&self) -> &str {
        self.seen.get(self.at..).unwrap_or_default()
    }

    /// Waits until a text is drawn after what was waited for before, then presses keys.
    fn on(&mut self, wanted: &str, keys: &str) {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = self.fresh().find(wanted) {
                self.at += found + wanted.len();
                break;
            }
            let left = until.saturating_duration_since(Instant::now());
            match self.drawn.recv_timeout(left) {
                Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(error) => panic!("`{wanted}` did not appear, {error}:\n{}", self.fresh()),
            }
        }
        self.keyboard.write_all(keys.as_bytes()).unwrap();
        self.keyboard.flush().unwrap();
    }

    /// How it ended, and everything that was drawn.
    fn end(mut self) -> (i32, String) {
        let until = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < until, "still there:\n{}", self.seen);
            if let Ok(bytes) = self.drawn.recv_timeout(Duration::from_millis(50)) {
                self.seen.push_str(&String::from_utf8_lossy(&bytes));
            }
        };
        while let Ok(bytes) = self.drawn.recv_timeout(Duration::from_millis(200)) {
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
        (status.code().unwrap(), self.seen)
    }
}

/// What was drawn without its colours.
fn plain(drawn: &str) -> String {
    let mut parts = drawn.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part
            .trim_start_matches(|c: char| c.is_ascii_digit() || ";?".contains(c))
            .get(1..)
            .unwrap_or("")
    })
}

/// A project with a long file, and a plan that changes both of its ends and adds another file.
fn project() -> (Gated, String) {
    let long = format!("first\n{}last\n", "x\n".repeat(30));
    let gated = Gated::of(&[("a.txt", &long), ("c.txt", "c\n")], "version = 1\n");
    let plan = json!({"goal": "both ends", "steps": [
        {"step_id": "step_1", "title": "Change both ends of a.txt", "type": "file_modify",
         "target": "a.txt", "edits": [{"old": "first", "new": "FIRST"}, {"old": "last", "new": "LAST"}]},
        {"step_id": "step_2", "title": "Change c.txt", "dependencies": [], "type": "file_modify",
         "target": "c.txt", "edits": [{"old": "c", "new": "C"}]}]});
    let id = text(&gated.propose(&plan.to_string(), 11)["plan_id"]);
    (gated, id)
}

#[test]
fn one_hunk_is_taken_and_runs_and_the_rest_goes_back() {
    for size in SIZES {
        let (gated, plan) = project();
        let mut screen = Screen::open(&gated, size, &format!("review {plan}"));
        screen.on("s select", "s");
        screen.on("1 to 2: hunk by hunk", "2");
        screen.on("step_1, hunk 1 of 2", "\u{1b}[B ");
        screen.on("step_2 is left out", "c");
        screen.on("What should change in the rest?", "keep the end\r");
        screen.on("This approves and runs 1 of 2 steps", "");
        screen.on(QUESTION, "y\r");
        let (code, drawn) = screen.end();
        assert_eq!(code, 0, "{drawn}");
        let now = gated.read("a.txt");
        assert!(now.starts_with("FIRST\n") && now.ends_with("last\n"), "{now}");
        assert_eq!(gated.read("c.txt"), "c\n");
        let status = gated.exacta(&["status", &plan]).out;
        assert!(status.contains("keep the end"), "{status}");
    }
}

#[test]
fn a_plan_whose_files_change_under_the_review_is_renewed_there_and_runs() {
    for size in SIZES {
        let (gated, plan) = project();
        let mut screen = Screen::open(&gated, size, "review");
        screen.on("s select", "s");
        screen.on("1 to 2: hunk by hunk", "\u{1b}[B ");
        screen.on("step_2 is left out", "\u{1b}");
        screen.on("s select", "");
        // Somebody saves the file that the first step changes.
        let middle = "x\n".repeat(30);
        gated.project.write("a.txt", format!("first\nmine\n{middle}last\n"));
        screen.on("", "a");
        screen.on("R renew", "R");
        screen.on("This makes a fresh plan", "");
        screen.on(QUESTION, "y\r");
        screen.on("renewed: not what it was: step_1 (a.txt)", "s");
        screen.on("[ ] step_2", "\r");
        screen.on("This approves and runs 1 of 2 steps", "");
        screen.on(QUESTION, "y\r");
        let (code, drawn) = screen.end();
        assert_eq!(code, 0, "{drawn}");
        assert_eq!(gated.read("a.txt"), format!("FIRST\nmine\n{middle}LAST\n"));
        assert_eq!(gated.read("c.txt"), "c\n");
        // The plan that took its place is not one more that waits.
        assert!(!drawn.contains("more plan"), "{drawn}");
        let renewed = gated.exacta(&["status", &plan]).out;
        assert!(renewed.contains("took its place"), "{renewed}");
    }
}

/// Half a day of somebody with a branch of an agent's: handed in, seen, approved, committed.
#[test]
fn a_branch_goes_to_its_review_and_is_committed_and_a_rename_is_one_row() {
    for size in SIZES {
        let long: Vec<String> = (0..30).map(|n| format!("line {n}\n")).collect();
        let long = long.concat();
        let gated = Gated::of(&[("old.txt", &long), ("c.txt", "c\n")], "version = 1\n");
        let git = |args: &[&str]| {
            let who = ["-c", "user.name=x", "-c", "user.email=x@x", "-c", "commit.gpgSign=false"];
            let said = gated.project.git(&[&who[..], args].concat());
            String::from_utf8(said).unwrap().trim().to_owned()
        };
        git(&["init", "-q", "-b", "main"]);
        for (key, value) in [("user.name", "x"), ("user.email", "x@x")] {
            git(&["config", key, value]);
        }
        git(&["add", "-A"]);
        git(&["commit", "-qm", "start"]);
        git(&["checkout", "-q", "-b", "topic"]);
        git(&["mv", "old.txt", "new.txt"]);
        gated.project.write("c.txt", "C\n");
        git(&["commit", "-qam", "move"]);
        git(&["checkout", "-q", "main"]);
        let mut screen = Screen::open(&gated, size, "propose --branch topic --commit");
        screen.on("new.txt", "");
        screen.on("a approve", "a");
        screen.on("This approves, runs and commits the whole plan: 2 steps.", "");
        screen.on(QUESTION, "y\r");
        let (code, drawn) = screen.end();
        assert_eq!(code, 0, "{drawn}");
        let drawn = plain(&drawn);
        // The review shows the report, so it is not printed before it.
        assert!(!drawn.contains("effect_hash"), "{drawn}");
        assert!(drawn.contains("rename old.txt -> new.txt"), "{drawn}");
        assert!(drawn.contains("renamed old.txt"), "{drawn}");
        assert!(drawn.contains("committed as"), "{drawn}");
        assert_eq!(git(&["rev-parse", "HEAD^{tree}"]), git(&["rev-parse", "topic^{tree}"]));
        let listed = gated.exacta(&["list"]).out;
        assert!(listed.contains("2 files"), "{listed}");
    }
}

/// Wherever a yes is asked for, in a review or on the command line, the question is the same and
/// so are the answers that count.
#[test]
fn a_question_has_one_form_and_takes_the_same_answers_everywhere() {
    for (answer, wanted) in [("y\r", 0), ("yes\r", 0), ("ye\r", 11), ("Y es\r", 11), ("\r", 11)] {
        let (gated, plan) = project();
        let mut screen = Screen::open(&gated, SIZES[0], &format!("approve {plan}"));
        screen.on("change 2 files", "");
        screen.on(QUESTION, answer);
        let (code, drawn) = screen.end();
        assert_eq!(code, wanted, "{answer:?}: {drawn}");
        let status = gated.exacta(&["status", &plan]).out;
        assert_eq!(status.contains("user_approved"), wanted == 0, "{answer:?}: {status}");
    }
    let (gated, plan) = project();
    let mut screen = Screen::open(&gated, SIZES[0], &format!("review {plan}"));
    screen.on("r reject", "r");
    screen.on("Why is it rejected?", "no\r");
    screen.on("This rejects the plan for good.", "");
    screen.on(QUESTION, "yes\r");
    let (code, drawn) = screen.end();
    assert_eq!(code, 10, "{drawn}");
}

/// Hunks from 10 on are taken by their number as well: no digit counts before it is clear which
/// hunk is meant.
#[test]
fn hunks_from_ten_on_are_taken_by_number() {
    let lines = |mark: &str| -> String {
        let line = |n: usize| {
            if n % 20 == 10 { format!("{mark} {}\n", n / 20 + 1) } else { format!("line {n}\n") }
        };
        (0..240).map(line).collect()
    };
    for size in SIZES {
        let gated = Gated::of(&[("long.txt", &lines("place"))], "version = 1\n");
        let plan = json!({"goal": "many places", "steps": [
            {"step_id": "step_1", "title": "Change long.txt", "type": "file_modify",
             "target": "long.txt", "content": lines("PLACE")}]});
        let id = text(&gated.propose(&plan.to_string(), 11)["plan_id"]);
        let mut screen = Screen::open(&gated, size, &format!("review {id}"));
        screen.on("s select", "s");
        screen.on("1 to 12: hunk by hunk", "1");
        screen.on("hunk 1_", "2");
        screen.on("step_1, hunks 1 to 11 of 12", "1");
        screen.on("hunk 1_", "\r");
        screen.on("step_1, hunks 2 to 11 of 12", "3");
        screen.on("step_1, hunks 2 and 4 to 11 of 12", "1");
        // Another key leaves the number, and Escape goes nowhere else.
        screen.on("hunk 1_", "\u{1b}");
        screen.on("all steps are chosen", "0");
        screen.on("step_1 has 12 hunks", "19");
        screen.on("step_1 has 12 hunks", "\r");
        screen.on("Left out: hunks 1, 3 and 12 of long.txt.", "");
        screen.on(QUESTION, "y\r");
        let (code, drawn) = screen.end();
        assert_eq!(code, 0, "{drawn}");
        let now = gated.read("long.txt");
        for n in 1..=12 {
            let mark = if [1, 3, 12].contains(&n) { "place" } else { "PLACE" };
            assert!(now.contains(&format!("{mark} {n}\n")), "{n}: {now}");
        }
    }
}
