//! `agent`: real programs at a terminal, on a private copy. The project is as it was until
//! somebody approves; then it is as if the program had run in it directly.

use std::fs;
use std::thread;
use std::time::Duration;

use crate::gated::{Gated, HASH};
use crate::person::Person;

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
