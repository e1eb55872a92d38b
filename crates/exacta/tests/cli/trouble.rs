//! Something goes wrong, or a person says no: what happened is told, with the code for it.

use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::gated::{Gated, HASH, MAIN, SMALL, WAITS, end, text};
use crate::project::Said;

/// So many files that a run can be met in its middle,
const MANY: usize = 300;
/// and so often it is tried, because a busy machine may look too late.
const TRIES: usize = 40;

fn many() -> (Gated, String) {
    let gated = Gated::of(&[MAIN], HASH);
    let mut steps = Vec::new();
    for number in 0..MANY {
        let name = format!("f{number}.txt");
        gated.project.write(&name, "one\n");
        steps.push(serde_json::json!({
            "step_id": format!("step_{}", number + 1), "title": format!("Change {name}"),
            "type": "file_modify", "target": name, "content": "two\n", "dependencies": []
        }));
    }
    let told = gated.propose(&serde_json::json!({"goal": "many", "steps": steps}).to_string(), 11);
    let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
    gated.json(&["approve", &plan, "--hash", &hash, "--json"], 0);
    (gated, plan)
}

fn changed(gated: &Gated) -> usize {
    let two = |number: usize| {
        let path = gated.project.path().join(format!("f{number}.txt"));
        fs::read_to_string(path).unwrap_or_default() == "two\n"
    };
    (0..MANY).filter(|number| two(*number)).count()
}

/// Runs the plan and sends a signal as soon as the first file has changed; the exit code.
fn signalled(gated: &Gated, plan: &str, signal: Signal) -> Option<i32> {
    met(gated, &["run", plan], "two\n", signal)
}

/// Runs the plan and kills it as soon as the first file has changed; whether the signal came
/// in time.
fn killed(gated: &Gated, plan: &str) -> bool {
    let code = signalled(gated, plan, Signal::KILL);
    assert!([None, Some(0)].contains(&code), "{code:?}");
    code.is_none()
}

/// Sends a signal to a command as soon as the first file has a text; the exit code.
fn met(gated: &Gated, args: &[&str], becomes: &str, signal: Signal) -> Option<i32> {
    let mut child = gated
        .command(env!("CARGO_BIN_EXE_exacta"))
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let first = gated.project.path().join("f0.txt");
    let start = Instant::now();
    while fs::read(&first).unwrap_or_default() != becomes.as_bytes() {
        assert!(start.elapsed() < Duration::from_mins(1), "nothing happened");
    }
    kill_process(Pid::from_child(&child), signal).unwrap();
    child.wait().unwrap().code()
}

#[test]
fn a_killed_run_is_told_apart_from_tampering_and_settled_by_the_next_command() {
    for _ in 0..TRIES {
        let (gated, plan) = many();
        if !killed(&gated, &plan)
            || gated.json(&["status", &plan, "--json"], 0)["interrupted"] != true
        {
            // It was over before the signal came.
            continue;
        }
        let said = gated.exacta(&["wait", &plan, "--timeout", "60"]);
        assert_eq!(said.code, 14, "{}", said.out);
        assert!(said.out.contains("exacta recover"), "{}", said.out);
        let verified = gated.json(&["verify", "--json"], 14);
        assert_eq!((&verified["ok"], &verified["recovery_needed"]), (&true.into(), &true.into()));
        let plan_file = gated.project.write("plan.json", SMALL);
        let checked = gated.exacta(&["check", plan_file.to_str().unwrap()]);
        assert!(checked.err.contains("a run was interrupted"), "{}", checked.err);
        let told = gated.propose(SMALL, 0);
        assert_eq!(told["recovered"][0]["files"], MANY, "{}", told["recovered"]);
        assert!([0, MANY].contains(&changed(&gated)));
        gated.json(&["verify", "--json"], 0);
        return;
    }
    panic!("the run was never met in its middle");
}

/// What an interrupted run left is settled before anybody is told that it changed nothing.
#[test]
fn undo_settles_an_interrupted_run_before_it_is_judged() {
    for _ in 0..TRIES {
        let (gated, plan) = many();
        let met = killed(&gated, &plan);
        let status = gated.json(&["status", &plan, "--json"], 0);
        if !met || status["interrupted"] != true {
            continue;
        }
        let (run, hash) = (text(&status["run_id"]), text(&status["plan_hash"]));
        let said = gated.exacta(&["undo", &run, "--hash", &hash]);
        assert!(said.err.contains("was interrupted and is now"), "{}{}", said.out, said.err);
        // It was brought to its end and then undone, or taken back.
        assert!([0, 10].contains(&said.code), "{}", said.err);
        assert_eq!(changed(&gated), 0, "{}", said.err);
        gated.json(&["verify", "--json"], 0);
        return;
    }
    panic!("the run was never met in its middle");
}

#[test]
fn a_lost_key_is_missed_and_never_replaced_unasked() {
    let gated = Gated::of(&[MAIN], HASH);
    gated.propose(SMALL, 0);
    let key = gated.home().join(".local/state/exacta/key");
    let away = gated.home().join("key");
    fs::rename(&key, &away).unwrap();
    let plan = gated.project.write("plan.json", SMALL);
    for args in [
        ["list"].as_slice(),
        &["verify"],
        &["checkpoint"],
        &["init"],
        &["propose", plan.to_str().unwrap()],
        // Nobody can say what would run.
        &["check", plan.to_str().unwrap()],
    ] {
        let said = gated.exacta(args);
        assert_ne!(said.code, 0, "{args:?}");
        let told = said.err.contains("is missing") && said.err.contains("exacta adopt");
        assert!(told, "{args:?}: {}", said.err);
        assert!(!key.exists(), "{args:?}");
    }
    let doctor = gated.exacta(&["doctor"]);
    assert!(doctor.code == 1 && doctor.out.contains("is missing"), "{}", doctor.out);
    fs::rename(&away, &key).unwrap();
    gated.json(&["verify", "--json"], 0);

    fs::remove_file(&key).unwrap();
    let adopted = gated.at_terminal(&["adopt"]);
    assert!(adopted.out.contains("adopted"), "{}", adopted.out);
    assert!(key.exists());
    gated.json(&["verify", "--json"], 0);
}

/// A project that was moved after a run was killed is not taken over half changed.
#[test]
fn adopting_a_moved_project_settles_what_was_interrupted() {
    for _ in 0..TRIES {
        let (gated, plan) = many();
        if !killed(&gated, &plan) || [0, MANY].contains(&changed(&gated)) {
            // It was over before the signal came.
            continue;
        }
        let (here, there) = (gated.project.path(), gated.home().join("moved"));
        fs::rename(here, &there).unwrap();
        let adopt = gated.at_terminal_in(gated.home(), &["-C", there.to_str().unwrap(), "adopt"]);
        assert_eq!(adopt.code, 0, "{}", adopt.out);
        assert!(adopt.out.contains("interrupted before the move"), "{}", adopt.out);
        fs::rename(&there, here).unwrap();
        assert!([0, MANY].contains(&changed(&gated)));
        return;
    }
    panic!("the run was never met in its middle");
}

#[test]
fn a_closed_terminal_takes_a_run_back() {
    for _ in 0..TRIES {
        let (gated, plan) = many();
        let code = signalled(&gated, &plan, Signal::HUP);
        assert!([Some(0), Some(13)].contains(&code), "{code:?}");
        assert_eq!(changed(&gated), if code == Some(0) { MANY } else { 0 });
        gated.json(&["verify", "--json"], 0);
        if code == Some(13) {
            return;
        }
    }
    panic!("the run was never met in its middle");
}

#[test]
fn a_request_to_stop_takes_an_undo_and_a_redo_back() {
    let (gated, plan) = many();
    let ran = gated.json(&["run", &plan, "--json"], 0);
    let (run, hash) = (text(&ran["run_id"]), text(&ran["receipt"]["plan_hash"]));
    let (mut there, mut stopped) = (MANY, [false; 2]);
    for attempt in 0..TRIES {
        let back = there == MANY;
        let (verb, becomes) = if back { ("undo", "one\n") } else { ("redo", "two\n") };
        let signal = if attempt % 2 == 0 { Signal::INT } else { Signal::TERM };
        let code = met(&gated, &[verb, &run, "--hash", &hash], becomes, signal);
        assert!([Some(0), Some(13)].contains(&code), "{verb}: {code:?}");
        if code == Some(0) {
            there = MANY - there;
        } else {
            stopped[usize::from(back)] = true;
        }
        assert_eq!(changed(&gated), there, "{verb} {attempt}");
        gated.json(&["verify", "--json"], 0);
        if stopped == [true; 2] {
            return;
        }
        if code == Some(13) {
            // On to the other direction.
            gated.json(&[verb, &run, "--hash", &hash, "--json"], 0);
            there = MANY - there;
        }
    }
    panic!("they were never met in their middle: {stopped:?}");
}

#[test]
fn an_unwatched_run_refuses_at_once_and_leaves_its_reason() {
    let gated = Gated::of(
        &[MAIN],
        "version = 1\ndecide = \"hash\"\n[checks.lint]\ncommand = [\"sh\", \"-c\", \"echo the last line; exit 3\"]\n",
    );
    let told = gated.propose(WAITS, 11);
    let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
    assert_eq!(gated.exacta(&["run", &plan, "--detach"]).code, 11);
    gated.json(&["approve", &plan, "--hash", &hash, "--json"], 0);
    assert_eq!(gated.exacta(&["run", &plan, "--detach"]).code, 0);
    let waited = gated.json(&["wait", &plan, "--timeout", "60", "--json"], 13);
    let why = text(&waited["run_reason"]);
    assert!(why.contains("`lint` ended with code 3") && why.contains("the last line"), "{why}");
    assert!(gated.exacta(&["log"]).out.contains("`lint` ended with code 3"));
    gated.json(&["verify", "--json"], 0);
    assert_eq!(gated.exacta(&["run", &plan, "--detach"]).code, 12);
}

/// Types keys at the review that `propose` opens; the exit code and the screen.
fn review(gated: &Gated, keys: &str) -> (i32, String) {
    let plan = gated.project.write("../waits.json", WAITS);
    let line = format!("{} propose {}", env!("CARGO_BIN_EXE_exacta"), plan.display());
    let typed = format!("(sleep 2; {keys} sleep 1) | script -qec '{line}' /dev/null");
    let out = gated.command("sh").args(["-c", &typed]).output().unwrap();
    sleep(Duration::from_millis(10));
    (out.status.code().unwrap_or(-1), String::from_utf8_lossy(&out.stdout).into_owned())
}

#[test]
fn a_no_in_the_review_has_the_code_that_wait_gives_it() {
    for (key, code) in [("r", 10), ("c", 12)] {
        let gated = Gated::of(&[MAIN], HASH);
        let keys =
            format!("printf {key}; sleep 1; printf \"no\\r\"; sleep 1; printf \"y\\r\"; sleep 1;");
        let (ended, screen) = review(&gated, &keys);
        assert_eq!(ended, code, "{screen}");
    }
}

#[test]
fn a_checkpoint_of_another_project_is_called_that() {
    let (gated, other) = (Gated::of(&[MAIN], HASH), Gated::of(&[MAIN], HASH));
    gated.propose(SMALL, 0);
    other.propose(SMALL, 0);
    let file = gated.project.write("kept.json", other.exacta(&["checkpoint"]).out);
    let said = gated.exacta(&["verify", "--against", file.to_str().unwrap()]);
    assert_eq!(said.code, 15, "{}", said.out);
    assert!(said.out.contains("Nothing is wrong with this record by itself"), "{}", said.out);
    // And nobody throws a good record away.
    let adopted = gated.at_terminal(&["adopt"]);
    assert_eq!(adopted.code, 10, "{}", adopted.out);
    assert!(adopted.out.contains("nothing is wrong"), "{}", adopted.out);
}

#[test]
fn small_words_are_true() {
    let gated = Gated::of(&[MAIN, ("s.sh", "echo\n")], HASH);
    let told = gated.propose(SMALL, 0);
    let (plan, run) = (text(&told["plan_id"]), text(&told["run"]["run_id"]));
    for args in [["status", &run], ["show", &run], ["wait", &run]] {
        let said = gated.exacta(&args);
        assert!(said.code == 0 && said.out.contains(end(&plan)), "{args:?} {}", said.err);
    }
    let said = gated.exacta(&["run", &run]);
    assert!(said.code == 12 && said.err.contains(end(&plan)), "{}", said.err);
    let said = gated.exacta(&["reject", &plan, "--reason", "no", "--hash", &gated.hash(&plan)]);
    assert!(
        said.code == 12 && said.err.contains(&format!("exacta undo {}", end(&run))),
        "{}",
        said.err
    );
    let told = gated.propose(WAITS, 11);
    let waits = text(&told["plan_id"]);
    assert_eq!(gated.exacta(&["changes", &waits, " "]).code, 2);
    let said = gated.exacta(&["run", &waits]);
    assert!(said.err.contains(&format!("exacta review {}", end(&waits))), "{}", said.err);
    assert!(gated.json(&["status", &waits, "--json"], 0)["expires_in_sec"].as_u64() > Some(60));
    let said = gated.exacta(&["capture", "--read", "/no/such", "--", "true"]);
    assert!(said.err.contains("/no/such") && !said.err.contains("standard input"), "{}", said.err);
    let patch = "diff --git a/s.sh b/s.sh\ndeleted file mode 100644\n--- a/s.sh\n+++ /dev/null\n@@ -1 +0,0 @@\n-echo\n";
    let patch = gated.project.write("p.patch", patch);
    let told = gated.json(&["propose", "--patch", patch.to_str().unwrap(), "--json"], 11);
    let listed = gated.json(&["list", "--json"], 0);
    let goal = |plan: &&Value| plan["plan_id"] == told["plan_id"];
    let of_patch = listed.as_array().unwrap().iter().find(goal).unwrap();
    assert_eq!(of_patch["goal"], "delete s.sh");
    let bad = gated.project.write("bad.toml", "version = 9\n");
    let said = gated.exacta(&["policy", "check", bad.to_str().unwrap()]);
    assert!(said.code == 10 && said.out.contains("Where such a file is in force"), "{}", said.out);
    // A derived file that was deleted comes back.
    fs::remove_file(gated.project.path().join(format!(".exacta/plans/{plan}.json"))).unwrap();
    let said = gated.exacta(&["verify"]);
    assert!(said.code == 15 && said.out.contains("`exacta recover` writes it"), "{}", said.out);
    assert_eq!(gated.exacta(&["recover"]).code, 0);
    assert_eq!(gated.exacta(&["verify"]).code, 0);
}

#[test]
fn other_formats_show_what_decided() {
    let gated = Gated::of(&[MAIN], HASH);
    let plan = gated.project.write("waits.json", WAITS);
    let check = |format: &str| {
        let said = gated.exacta(&["check", plan.to_str().unwrap(), "--format", format]);
        assert_eq!(said.code, 11, "{}", said.err);
        said.out
    };
    let github = check("github");
    assert!(github.contains("::warning file=.github/workflows/a.yml"), "{github}");
    assert!(check("junit").contains("failures=\"1\""));
    let sarif: Value = serde_json::from_str(&check("sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert!(results.iter().any(|result| result["ruleId"] == "runs_by_itself"), "{results:?}");
}

#[test]
fn whoever_waits_for_another_process_is_told_and_may_stop() {
    let gated = Gated::of(&[MAIN], HASH);
    let told = gated.propose(WAITS, 11);
    let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
    gated.json(&["approve", &plan, "--hash", &hash, "--json"], 0);
    let lock = fs::File::create(gated.project.path().join(".exacta/lock")).unwrap();
    lock.lock().unwrap();
    let start = || {
        let mut command = gated.command(env!("CARGO_BIN_EXE_exacta"));
        command.args(["run", &plan]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        sleep(Duration::from_millis(1_500));
        child
    };
    let impatient = start();
    kill_process(Pid::from_child(&impatient), Signal::INT).unwrap();
    let said = Said::from(impatient.wait_with_output().unwrap());
    assert_eq!(said.code, 13, "{}", said.err);
    assert!(said.err.contains("another process is changing this project; waiting, 1 s"));
    assert!(!gated.project.path().join("NOTES.md").exists());
    let patient = start();
    lock.unlock().unwrap();
    let said = Said::from(patient.wait_with_output().unwrap());
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(gated.read("NOTES.md"), "two\n");
}

/// Where the answer cannot be written, it is told that there was one.
#[test]
fn what_was_done_is_told_although_the_answer_cannot_be_written() {
    let gated = Gated::of(&[MAIN], HASH);
    let told = gated.propose(WAITS, 11);
    let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
    let full = |args: &[&str]| -> Said {
        let out = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = gated.command(env!("CARGO_BIN_EXE_exacta"));
        let child = command.args(args).stdout(out).stderr(Stdio::piped()).spawn().unwrap();
        child.wait_with_output().unwrap().into()
    };
    for (args, done) in [
        (vec!["approve", &plan, "--hash", &hash], true),
        (vec!["run", &plan], true),
        (vec!["list"], false),
    ] {
        let said = full(&args);
        assert_eq!(said.code, 1, "{args:?}: {}", said.err);
        assert!(said.err.contains("output cannot be written"), "{args:?}: {}", said.err);
        assert_eq!(said.err.contains("`exacta log`"), done, "{args:?}: {}", said.err);
    }
    assert_eq!(text(&gated.json(&["status", &plan, "--json"], 0)["standing"]), "executed");
}
