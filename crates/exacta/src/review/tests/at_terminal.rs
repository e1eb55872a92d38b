//! The question at a terminal: keys in, choice out, everything put back.

use std::panic::{AssertUnwindSafe, catch_unwind};

use exacta_testkit::Check;
use rustix::process::{Signal, getpid, kill_process};
use rustix::termios::{LocalModes, Termios};

use super::pty::Pty;
use super::sample::{FOUR_STEPS, ONE_LINE, Sample};
use crate::review::{Choice, Start, Terminal};

const LEAVES: &str = "\u{1b}[?1049l";

fn one_line() -> Sample {
    Sample::of(&Check::on([("a.txt", "one\n")]), ONE_LINE)
}

fn four_steps() -> Sample {
    Sample::of(&Check::default(), FOUR_STEPS)
}

/// Waits for the question, presses each group of keys after its text is drawn, and checks
/// that the terminal is as it was.
fn play(sample: fn() -> Sample, script: &[(&str, &str)]) -> (Choice, String) {
    let mut pty = Pty::new(90, 60);
    let before = pty.settings();
    let question = pty.ask(sample);
    for (text, keys) in script {
        pty.until(text);
        pty.press(keys);
    }
    let choice = pty.choice(question);
    pty.until(LEAVES);
    assert_same(&before, &pty.settings());
    (choice, pty.drawn)
}

fn assert_same(before: &Termios, after: &Termios) {
    assert_eq!(before.local_modes, after.local_modes);
    assert_eq!(before.input_modes, after.input_modes);
    assert_eq!(before.output_modes, after.output_modes);
    assert!(after.local_modes.contains(LocalModes::ICANON | LocalModes::ECHO));
}

#[test]
fn a_change_of_one_line_is_approved_with_three_keys() {
    let (choice, drawn) = play(one_line, &[("lines seen", "a"), ("Type y", "y"), ("y_", "\r")]);
    assert_eq!(choice, Choice::Approve);
    assert!(drawn.contains("a step asks for a person"));
    assert!(drawn.contains("+ two"));
}

#[test]
fn without_the_word_nothing_is_approved() {
    let keys = &[("lines seen", "a"), ("Type y", "\r"), ("nothing was approved", "a")];
    let keys = [keys.as_slice(), &[("Type y", "n\r"), ("nothing was approved", "q")]].concat();
    assert_eq!(play(one_line, &keys).0, Choice::Later);
}

#[test]
fn a_reason_or_a_wish_is_typed_and_may_not_be_empty() {
    let wish = [("lines seen", "c"), ("What should change", "use threé\u{7f}e"), ("e_", "\r")];
    let wish = [wish.as_slice(), &[("You say: use three", "y\r")]].concat();
    assert_eq!(play(one_line, &wish).0, Choice::RequestChanges("use three".into()));
    let reason = [("lines seen", "r\r"), ("nothing was decided", "r"), ("Why is it", "no\r")];
    let reason = [reason.as_slice(), &[("You say: no", "y\r")]].concat();
    assert_eq!(play(one_line, &reason).0, Choice::Reject("no".into()));
    // Ctrl-W takes a word back, Ctrl-U all of them.
    let again = [("lines seen", "r"), ("Why is it", "x y\u{15}too  wide\u{17}large\r")];
    let again = [again.as_slice(), &[("You say: too  large", "y\r")]].concat();
    assert_eq!(play(one_line, &again).0, Choice::Reject("too  large".into()));
    // A line meant for a shell decides nothing.
    let strayed = [("lines seen", "clear; git status\r"), ("You say: lear", "ls\r")];
    let strayed = [strayed.as_slice(), &[("nothing was decided", "q")]].concat();
    assert_eq!(play(one_line, &strayed).0, Choice::Later);
    let back = [("lines seen", "r"), ("Why is it", "x\u{1b}"), ("nothing was decided", "q")];
    assert_eq!(play(one_line, &back).0, Choice::Later);
}

#[test]
fn interrupts_and_ends_decide_nothing() {
    for key in ["\u{3}", "\u{4}", "q", "l"] {
        assert_eq!(play(one_line, &[("lines seen", key)]).0, Choice::Later);
    }
    for (first, text) in [("a", "Type y"), ("r", "Why is it"), ("c", "What should")] {
        for key in ["y\u{3}", "\u{4}"] {
            assert_eq!(play(one_line, &[("lines seen", first), (text, key)]).0, Choice::Later);
        }
    }
    let selecting = [("lines seen", "s"), ("[x] step_4", "\u{3}")];
    assert_eq!(play(four_steps, &selecting).0, Choice::Later);
}

#[test]
fn a_search_goes_to_the_line_and_decides_nothing() {
    let keys = [
        ("lines seen", "N"),
        ("nothing was looked for", "/"),
        ("Search: ", "no such word\r"),
        ("no line has `no such word`", "/"),
        ("Search: ", "plan_hash\r"),
        ("line 1 of 1 with `plan_hash`", "N"),
        ("from the start again", "/"),
        ("Search: ", "a\u{1b}"),
        ("lines seen", "/"),
        ("Search: ", "\r"),
        ("line 1 of 1 with `plan_hash`", "q"),
    ];
    assert_eq!(play(one_line, &keys).0, Choice::Later);
}

#[test]
fn what_happens_beside_the_review_is_noticed() {
    let mut pty = Pty::new(90, 60);
    let question = pty.ask_until(one_line, || Some("`a.txt` has \u{1b}[7mchanged".into()));
    pty.until("a approve");
    pty.press("a");
    pty.until("this can no longer be approved: `a.txt` has <U+001B>[7mchanged");
    pty.press("y\r");
    pty.until("is not a key here");
    // Without any key it shows as well, a little later.
    let mut other = Pty::new(90, 60);
    let waiting = other.ask_until(one_line, || Some("somebody rejected it".into()));
    other.until("this can no longer be approved: somebody rejected it");
    for (mut pty, question) in [(pty, question), (other, waiting)] {
        pty.press("q");
        assert_eq!(pty.choice(question), Choice::Later);
    }
}

#[test]
fn a_paste_is_not_keys() {
    let keys = [("lines seen", "\u{1b}[200~ay\r\u{1b}[201~"), ("", "q")];
    assert_eq!(play(one_line, &keys).0, Choice::Later);
}

#[test]
fn a_step_brings_what_it_needs_and_takes_along_what_needs_it() {
    let keys = [
        ("lines seen", "s"),
        ("[x] step_4", " "),
        ("step_3, step_4 cannot run without step_1: left out too", "\u{1b}[B\u{1b}[B "),
        ("step_3 needs step_1: chosen with it", "\r"),
        ("Left out: step_4", "y\r"),
    ];
    let (choice, _) = play(four_steps, &keys);
    let chosen = ["step_1", "step_2", "step_3"].map(String::from).to_vec();
    assert_eq!(choice, Choice::Select(chosen));
}

#[test]
fn what_was_left_out_stays_left_out_whichever_key_approves() {
    let keys = [
        ("lines seen", "s"),
        ("[x] step_4", "\u{1b}[F "),
        ("step_4 is left out", "\u{1b}"),
        ("what is left out stays left out", "a"),
        ("Left out: step_4", "y\r"),
    ];
    let chosen = ["step_1", "step_2", "step_3"].map(String::from).to_vec();
    assert_eq!(play(four_steps, &keys).0, Choice::Select(chosen));
    let none = [
        ("lines seen", "s"),
        ("[x] step_4", "N\u{1b}"),
        ("stays left out", "a"),
        ("nothing is chosen", "q"),
    ];
    assert_eq!(play(four_steps, &none).0, Choice::Later);
}

#[test]
fn all_steps_are_the_whole_plan_and_none_is_no_selection() {
    let all = [("lines seen", "s"), ("[x] step_4", "\r"), ("the whole plan: 4 steps", "y\r")];
    assert_eq!(play(four_steps, &all).0, Choice::Approve);
    let none = [
        ("lines seen", "s"),
        ("[x] step_4", " "),
        ("left out too", "\u{1b}[B "),
        ("step_2 is left out", "\r"),
        ("nothing is chosen", "\u{1b}"),
        ("lines seen", "q"),
    ];
    assert_eq!(play(four_steps, &none).0, Choice::Later);
}

#[test]
fn what_cannot_be_shown_cannot_be_approved() {
    fn gone() -> Sample {
        let mut sample = one_line();
        sample.images.clear();
        sample
    }
    let keys = [("lines seen", "a"), ("an image is missing, so", "s"), ("an image", "q")];
    let (choice, drawn) = play(gone, &keys);
    assert_eq!(choice, Choice::Later);
    assert!(!drawn.contains("a approve"));
}

#[test]
fn what_was_not_on_the_screen_is_not_said_to_be_seen() {
    let mut pty = Pty::new(80, 12);
    let question = pty.ask(one_line);
    pty.until("9 of ");
    pty.press(" ");
    pty.until("18 of ");
    pty.press("g");
    pty.until("18 of ");
    pty.resize(80, 100);
    pty.until("lines seen");
    pty.press("a");
    pty.until("Type y");
    let mut rows = pty.drawn.rsplit("\u{1b}[K");
    let seen = rows.find(|row| row.contains("lines seen")).unwrap_or_default();
    let mut words = seen.split(' ');
    let (seen, all) = (words.next(), words.nth(1));
    assert!(seen.is_some() && seen == all, "{seen:?} of {all:?}");
    pty.press("y\r");
    assert_eq!(pty.choice(question), Choice::Approve);
}

#[test]
fn a_closed_terminal_decides_nothing() {
    let mut pty = Pty::new(80, 24);
    let question = pty.ask(one_line);
    pty.until("lines seen");
    pty.press("a");
    pty.until("Type y");
    pty.hang_up();
    assert_eq!(question.join().expect("no panic"), Choice::Later);
}

#[test]
fn a_signal_that_ends_decides_nothing_and_puts_everything_back() {
    let mut pty = Pty::new(80, 24);
    let before = pty.settings();
    let question = pty.ask(one_line);
    pty.until("lines seen");
    kill_process(getpid(), Signal::TERM).expect("sent");
    assert_eq!(pty.choice(question), Choice::Later);
    pty.until(LEAVES);
    assert_same(&before, &pty.settings());
}

#[test]
fn a_panic_puts_everything_back() {
    let mut pty = Pty::new(80, 24);
    let before = pty.settings();
    let tty = pty.slave.try_clone().expect("one more handle");
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let _terminal = Terminal::on(tty, false, true).expect("a terminal");
        panic!("on purpose");
    }));
    assert!(outcome.is_err());
    pty.until(LEAVES);
    assert_same(&before, &pty.settings());
}

#[test]
fn keys_typed_before_the_question_do_not_count() {
    for _ in 0..5 {
        let mut pty = Pty::new(80, 24);
        pty.press("ay\n");
        let question = pty.ask(one_line);
        // Also while the review is being put together.
        pty.press("ay\r");
        pty.until("lines seen");
        pty.press("q");
        assert_eq!(pty.choice(question), Choice::Later);
    }
}

#[test]
fn keys_that_mean_nothing_say_so_and_the_keys_are_explained() {
    let script = [
        ("lines seen", "x"),
        ("`x` is not a key here", "?"),
        ("request changes; you", "q"),
        ("lines seen", "q"),
    ];
    let (choice, drawn) = play(four_steps, &script);
    assert_eq!(choice, Choice::Later);
    assert!(drawn.contains("plan 0193-plan"), "the first page names the plan");
    assert!(drawn.contains("s  select steps; those chosen"));
}

#[test]
fn the_keys_are_explained_from_the_first_to_the_last_in_a_small_window() {
    let mut pty = Pty::new(40, 10);
    let question = pty.ask(four_steps);
    pty.until("lines seen");
    pty.press("?");
    pty.until("a  approve; asks once more");
    pty.until("space, arrows: more");
    pty.press(" ");
    pty.until("g, G  to the first and to the last");
    pty.press("\u{1b}");
    pty.until("lines seen");
    pty.press("q");
    assert_eq!(pty.choice(question), Choice::Later);
    assert!(!pty.drawn.contains("q late\r"), "{}", pty.drawn);
}

#[test]
fn a_window_that_is_too_small_says_so_and_approves_nothing() {
    let mut pty = Pty::new(20, 5);
    let question = pty.ask(one_line);
    pty.until("the window is too");
    pty.until("q later");
    pty.press("a");
    pty.until("small to show");
    pty.press("y\r");
    pty.until("q later");
    pty.press("q");
    assert_eq!(pty.choice(question), Choice::Later);
}

#[test]
fn the_step_under_the_cursor_is_told_as_far_as_there_is_room() {
    let script = [
        ("lines seen", "s"),
        ("step_1", "jj"),
        ("step_3  needs step_1", ""),
        ("│ c", ""),
        ("src/c.txt  created by step_3", ""),
        ("1 + c", "x"),
        ("step_4 cannot run without step_3: left out too", "q"),
        ("lines seen", "q"),
    ];
    let (choice, drawn) = play(four_steps, &script);
    assert_eq!(choice, Choice::Later);
    assert!(!drawn.contains("of this step"), "{drawn}");
    let mut pty = Pty::new(60, 14);
    let question = pty.ask(four_steps);
    pty.until("lines seen");
    pty.press("s");
    // Of what a step does there is a part in sight, and the rest is a key away.
    pty.until("lines 1 to ");
    pty.until("of this step");
    pty.press("\u{1b}[6~\u{1b}[6~");
    pty.until("1 + a");
    pty.press("?");
    pty.until("that is not a key here");
    pty.press("q");
    pty.until("lines seen");
    pty.press("q");
    assert_eq!(pty.choice(question), Choice::Later);
}

#[test]
fn what_is_approved_is_counted_where_its_names_have_no_room() {
    let mut pty = Pty::new(40, 10);
    let question = pty.ask(four_steps);
    pty.until("lines seen");
    pty.press("s");
    pty.until("all steps are chosen");
    pty.press("\u{1b}[F ");
    pty.until("step_4 is left out");
    pty.press("\r");
    pty.until("This approves and runs 3 of 4 steps.");
    pty.until("Type y");
    pty.press("y\r");
    let chosen = ["step_1", "step_2", "step_3"].map(String::from).to_vec();
    assert_eq!(pty.choice(question), Choice::Select(chosen));
}

#[test]
fn a_plan_that_is_out_of_date_says_so_first_and_cannot_be_approved() {
    let stale = || Sample { stale: Some("files changed since: `a.txt`".into()), ..one_line() };
    let script = [("lines seen", "a"), ("the project changed since", "q")];
    let (choice, drawn) = play(stale, &script);
    assert_eq!(choice, Choice::Later);
    let (warning, why) = (drawn.find("out of date"), drawn.find("Why you are asked"));
    assert!(warning.is_some() && warning < why, "{drawn}");
    assert!(!drawn.contains("a approve"), "{drawn}");
}

/// Two hunks in one file, and a second step.
const HUNKS: &str = r#"{"steps": [
  {"step_id": "step_1", "title": "Change both ends of a.txt", "type": "file_modify", "target": "a.txt",
   "edits": [{"old": "first", "new": "FIRST"}, {"old": "last", "new": "LAST"}], "requires_approval": true},
  {"step_id": "step_2", "title": "Add b.txt", "dependencies": [], "type": "file_create", "target": "b.txt", "content": "b\n"}]}"#;

fn hunks() -> Sample {
    let middle = "x\n".repeat(30);
    let text = format!("first\n{middle}last\n");
    Sample::of(&Check::on([("a.txt", text.as_str())]), HUNKS)
}

/// The sizes that people have without thinking about it.
const SIZES: [(u16, u16); 2] = [(80, 24), (100, 30)];

#[test]
fn hunks_are_taken_one_by_one_and_the_rest_goes_back() {
    for (columns, rows) in SIZES {
        let mut pty = Pty::new(columns, rows);
        let question = pty.ask(hunks);
        for (text, keys) in [
            ("s select", "s"),
            ("1 to 2: hunk by hunk", "2"),
            ("[~] step_1, hunk 1 of 2", "\u{1b}[B "),
            ("step_2 is left out", "c"),
            ("What should change in the rest?", "keep the end\r"),
            ("The rest is sent back, with your words: keep the end", ""),
            ("Type yes to confirm", "y\r"),
        ] {
            pty.until(text);
            pty.press(keys);
        }
        let Choice::Parts(parts, rest) = pty.choice(question) else { panic!("not parts") };
        assert_eq!(rest.as_deref(), Some("keep the end"));
        assert!(parts.steps.is_empty());
        let taken: Vec<u32> = parts.hunks["step_1"].iter().copied().collect();
        assert_eq!(taken, [1]);
    }
}

#[test]
fn the_last_hunk_left_out_leaves_out_the_step_and_a_hunk_brings_it_back() {
    let keys = [
        ("s select", "s"),
        ("1 to 2: hunk by hunk", "1"),
        ("[~] step_1, hunk 2 of 2", "2"),
        ("step_1 is left out", "2"),
        ("[~] step_1, hunk 2 of 2", "\r"),
        ("Left out: hunk 1 of a.txt.", ""),
        ("Type yes to confirm", "y\r"),
    ];
    let (choice, _) = play(hunks, &keys);
    let Choice::Parts(parts, None) = choice else { panic!("{choice:?}") };
    assert_eq!(parts.steps.into_iter().collect::<Vec<_>>(), ["step_2"]);
    assert_eq!(parts.hunks["step_1"].iter().copied().collect::<Vec<_>>(), [2]);
}

#[test]
fn a_plan_that_expires_under_the_review_is_renewed_with_one_key_and_keeps_the_selection() {
    for (columns, rows) in SIZES {
        let mut pty = Pty::new(columns, rows);
        let changed = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let seen = std::sync::Arc::clone(&changed);
        let question = pty.ask_until(hunks, move || {
            seen.load(std::sync::atomic::Ordering::Relaxed).then(|| "a.txt has changed".into())
        });
        pty.until("s select");
        pty.press("R");
        pty.until("there is nothing to renew");
        pty.press("s");
        pty.until("1 to 2: hunk by hunk");
        pty.press("1\u{1b}[B ");
        pty.until("step_2 is left out");
        pty.press("\u{1b}");
        pty.until("s select");
        changed.store(true, std::sync::atomic::Ordering::Relaxed);
        pty.press("a");
        pty.until("R makes a fresh plan");
        pty.press("R");
        pty.until("Type yes to confirm");
        pty.press("y\r");
        let Choice::Renew(kept) = pty.choice(question) else { panic!("not renewed") };
        assert!(kept.steps.contains("step_2") && kept.hunks["step_1"].contains(&1), "{kept:?}");

        // The review of the fresh plan says what changed and has the selection as it was.
        let mut pty = Pty::new(columns, rows);
        let note = "renewed: every step is what it was; your selection is kept".to_owned();
        let question = pty.ask_from(hunks, || None, Start { kept, note, ..Start::default() });
        pty.until("your selection is kept");
        pty.press("s");
        pty.until("[~] step_1, hunk 2 of 2");
        pty.until("[ ] step_2");
        pty.press("\r");
        pty.until("Type yes to confirm,");
        pty.press("y\r");
        let Choice::Parts(parts, None) = pty.choice(question) else { panic!("not parts") };
        assert!(parts.steps.is_empty() && parts.hunks["step_1"].contains(&2), "{parts:?}");
    }
}
