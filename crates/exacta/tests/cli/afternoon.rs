//! An afternoon with an agent: eighty edits through its hook end in at most ten questions, and
//! every edit is in the project at the end. What waits in one session is gathered in one plan.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::gated::{Gated, text};
use crate::project::Said;

const EDITS: usize = 80;
const FILES: usize = 20;

fn name(file: usize) -> String {
    match file % 4 {
        0 => format!("docs/page_{file}.md"),
        1 => format!("tests/test_{file}.py"),
        _ => format!("src/part_{file}.py"),
    }
}

fn line(file: usize, row: usize, value: usize) -> String {
    match file % 4 {
        0 => format!("Sentence {row} says {value}.\n"),
        1 => format!("def test_{row}():\n    assert {row} + 1 != {value}\n"),
        _ => format!("def part_{row}(x):\n    return x + {value}\n"),
    }
}

fn before(file: usize) -> String {
    (0..EDITS / FILES).map(|row| line(file, row, 1000)).collect()
}

fn gated() -> Gated {
    let files: Vec<(String, String)> = (0..FILES).map(|file| (name(file), before(file))).collect();
    let files: Vec<(&str, &str)> =
        files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let gated = Gated::of(&files, "version = 1\nprofile = \"balanced\"\n");
    gated.json(&["init", "--json"], 0);
    gated
}

fn edit(gated: &Gated, session: &str, number: usize) -> Said {
    let (file, row) = (number % FILES, number / FILES);
    let payload = json!({ "hook_event_name": "PreToolUse", "session_id": session,
        "tool_use_id": format!("toolu_{session}_{number}"), "cwd": gated.project.path(),
        "tool_name": "Edit", "tool_input": { "file_path": gated.project.path().join(name(file)),
            "old_string": line(file, row, 1000), "new_string": line(file, row, 2000 + number) } });
    let mut child = gated
        .command(env!("CARGO_BIN_EXE_exacta"))
        .args(["hook", "claude-code"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    child.wait_with_output().unwrap().into()
}

fn pending(gated: &Gated) -> Vec<String> {
    let listed = gated.json(&["list", "--json"], 0);
    let pending = listed.as_array().unwrap().iter().filter(|plan| plan["state"] == "pending");
    pending.map(|plan| text(&plan["plan_id"])).collect()
}

#[test]
fn eighty_edits_are_at_most_ten_questions() {
    let gated = gated();
    let (mut questions, mut applied, mut waiting) = (0, 0, 0);
    let answer = |questions: &mut usize| {
        let open = pending(&gated);
        assert!(open.len() <= 1, "{open:?} wait at once");
        for plan in open {
            *questions += 1;
            let said = gated.at_terminal(&["approve", &plan, "--run"]);
            assert_eq!(said.code, 0, "{}\n{}", said.out, said.err);
        }
    };
    for number in 0..EDITS {
        let said = edit(&gated, "afternoon", number);
        assert_eq!(said.code, 2, "{}", said.err);
        if said.err.contains("applied as run") {
            applied += 1;
        } else {
            assert!(said.err.contains("waits for a person"), "{number}: {}", said.err);
            waiting += 1;
            // Now and then the agent has nothing left to do without an answer.
            if waiting % 20 == 0 {
                answer(&mut questions);
            }
        }
    }
    answer(&mut questions);
    assert_eq!(applied + waiting, EDITS);
    assert!(waiting >= 10, "only {waiting} had to wait");
    assert!(questions <= 10, "{questions} questions for {waiting} edits that wait");
    for file in 0..FILES {
        let wanted: String =
            (0..EDITS / FILES).map(|row| line(file, row, 2000 + row * FILES + file)).collect();
        assert_eq!(gated.read(&name(file)), wanted, "{}", name(file));
    }
    assert_eq!(gated.json(&["verify", "--json"], 0)["ok"], true);
    eprintln!("{EDITS} edits: {applied} ran alone, {waiting} waited in {questions} questions");
}

#[test]
fn only_the_same_session_gathers_and_only_what_nobody_has_decided() {
    let gated = gated();
    gated.policy("version = 1\nprofile = \"manual\"\ndecide = \"hash\"\n");
    let plan_of = |said: &Said| -> String {
        let (_, rest) = said.err.split_once("plan ").unwrap();
        rest.split(' ').next().unwrap().to_owned()
    };
    let one = plan_of(&edit(&gated, "a", 0));
    let other = plan_of(&edit(&gated, "b", 1));
    let both = plan_of(&edit(&gated, "a", 2));
    let open = pending(&gated);
    assert!(open.contains(&other) && open.contains(&both) && open.len() == 2, "{open:?}");
    // Whoever asks about the first is led to the one that took its place.
    let status = gated.json(&["status", &one, "--json"], 0);
    assert_eq!(status["replaced_by"], json!(both));
    let shown: Value = gated.json(&["show", &both, "--json"], 0);
    assert!(shown.to_string().contains(&name(0)) && shown.to_string().contains(&name(2)));
    // A second edit of a file that waits is made on top of the first.
    let more = plan_of(&edit(&gated, "a", FILES));
    let diff = gated.exacta(&["diff", &more]).out;
    assert!(diff.contains("says 2000") && diff.contains(&format!("says {}", 2000 + FILES)));
    // An edit that does not fit what waits is refused, and nothing is lost.
    let again = edit(&gated, "a", FILES);
    assert!(again.err.contains(&more), "the same call again: {}", again.err);
    // What was approved is not taken back by the next edit.
    let hash = gated.hash(&more);
    gated.json(&["approve", &more, "--hash", &hash, "--json"], 0);
    let next = plan_of(&edit(&gated, "a", 3));
    assert_ne!(next, more);
    assert_eq!(gated.json(&["status", &more, "--json"], 0)["state"], "user_approved");
    assert_eq!(gated.read(&name(0)), before(0));
}
