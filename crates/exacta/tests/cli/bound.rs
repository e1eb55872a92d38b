//! What a decision rests on: the whole record, the note outside, the policy of the moment, the
//! command that a key stands for.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::fs::XattrFlags;
use serde_json::{Value, json};

use crate::gated::{Gated, HASH, MAIN, SMALL, WAITS, text};

/// Plans until the first file of the record is closed.
fn closes_a_segment(gated: &Gated) -> PathBuf {
    let log = gated.project.path().join(".exacta/log");
    for number in 0..400 {
        let plan = json!({"goal": "x".repeat(3_000), "steps": [{
            "step_id": "step_1", "title": "Add a note", "type": "file_create",
            "target": format!("note_{number}.txt"), "content": "a\n", "requires_approval": true}]});
        gated.propose(&plan.to_string(), 11);
        if log.join("0002.jsonl").exists() {
            return log.join("0001.jsonl");
        }
    }
    panic!("the first file is never closed");
}

fn approved(gated: &Gated) -> (String, String) {
    let told = gated.propose(WAITS, 11);
    let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
    gated.json(&["approve", &plan, "--hash", &hash, "--json"], 0);
    (plan, hash)
}

#[test]
fn nothing_runs_on_a_record_that_lost_part_of_its_past() {
    let gated = Gated::of(&[MAIN], HASH);
    let (plan, _) = approved(&gated);
    let closed = closes_a_segment(&gated);
    let whole = fs::read_to_string(&closed).unwrap();
    let kept: Vec<&str> =
        whole.split_inclusive('\n').filter(|line| !line.contains("plan_approved")).collect();
    let without = kept.concat();
    assert_ne!(without, whole);
    let edited = whole.replacen("plan_created", "plan_creAted", 1);
    for text in [Some(without.as_str()), Some(&edited), Some(""), None] {
        match text {
            Some(text) => fs::write(&closed, text).unwrap(),
            None => fs::remove_file(&closed).unwrap(),
        }
        for args in [&["run", &plan, "--json"][..], &["pause", &plan, "--json"]] {
            let told = gated.json(args, 15);
            assert_eq!((&told["ok"], &told["exit_code"]), (&false.into(), &15.into()));
        }
        assert!(!gated.project.path().join("NOTES.md").exists());
        gated.json(&["verify", "--json"], 15);
    }
    fs::write(&closed, &whole).unwrap();
    gated.json(&["verify", "--json"], 0);
    gated.json(&["run", &plan, "--json"], 0);
    // What was read is noted once its files are some seconds old, and read no more.
    sleep(Duration::from_millis(2_100));
    gated.propose(SMALL, 0);
    let note = gated.project.path().join(".exacta/index/closed");
    assert!(note.exists());
    fs::write(&closed, &edited).unwrap();
    let refused = gated.exacta(&["renew", &plan, "--hash", &gated.hash(&plan)]);
    assert_eq!(refused.code, 15, "{}", refused.err);
    // A note that is not ours counts for nothing.
    fs::write(&closed, &whole).unwrap();
    fs::write(&note, "nobody vouches for this\n").unwrap();
    gated.json(&["pause", &text(&gated.propose(WAITS, 10)["plan_id"]), "--json"], 10);
}

#[test]
fn a_record_without_its_note_outside_is_not_trusted() {
    let gated = Gated::of(&[MAIN], HASH);
    let (plan, _) = approved(&gated);
    let state = gated.home().join(".local/state/exacta/projects");
    let folder = fs::read_dir(state).unwrap().next().unwrap().unwrap().path();
    let note = folder.join("checkpoint");
    let bytes = fs::read(&note).unwrap();
    for empty in [false, true] {
        if empty {
            fs::write(&note, "").unwrap();
        } else {
            fs::remove_file(&note).unwrap();
        }
        let told = gated.json(&["verify", "--json"], 15);
        assert_eq!(told["problems"][0]["kind"], "no_checkpoint_here");
        gated.json(&["run", &plan, "--json"], 15);
        fs::write(&note, &bytes).unwrap();
        fs::set_permissions(&note, Permissions::from_mode(0o600)).unwrap();
    }
    gated.json(&["run", &plan, "--json"], 0);
}

/// The window is as long as the checks: what was compared before them is compared once more.
#[test]
fn a_policy_that_changes_while_checks_run_is_seen() {
    let policy = format!("{HASH}[checks.slow]\ncommand = [\"sleep\", \"2\"]\n");
    for (name, content) in [
        (
            "operator",
            format!(
                "{policy}[[rule]]\nname = \"no\"\nreason = \"no\"\npaths = [\"**\"]\nthen = \"deny\"\n"
            ),
        ),
        ("operator", "this is no policy".into()),
        ("project", "version = 1\nprofile = \"manual\"\n".into()),
        ("Cargo.toml", "[package]\n".into()),
    ] {
        let gated = Gated::of(&[MAIN], &policy);
        let (plan, _) = approved(&gated);
        let child = gated
            .command(env!("CARGO_BIN_EXE_exacta"))
            .args(["run", &plan, "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        wait_for_a_run(&gated);
        match name {
            "operator" => gated.policy(&content),
            "project" => drop(gated.project.write(".exacta/policy.toml", &content)),
            file => drop(gated.project.write(file, &content)),
        }
        let out = child.wait_with_output().unwrap();
        let code = out.status.code().unwrap();
        assert!([10, 12].contains(&code), "{name} {content}: {code} {out:?}");
        assert!(!gated.project.path().join("NOTES.md").exists(), "{name} {content}");
        gated.policy(&policy);
        gated.json(&["verify", "--json"], 0);
    }
}

#[test]
fn a_key_stands_for_one_command_with_all_that_it_said() {
    let gated = Gated::of(&[MAIN], HASH);
    let told = gated.propose(WAITS, 11);
    let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
    let approve = |steps: &str, hash: &str, key: &str| {
        let args = ["approve", &plan, "--hash", hash, "--steps", steps];
        gated.exacta(&[&args[..], &["--idempotency-key", key, "--json"]].concat())
    };
    let first = approve("step_2,step_3", &hash, "k");
    assert_eq!(first.code, 0, "{}", first.err);
    // Said once more, in another order, it is answered as before.
    assert_eq!(approve("step_3,step_2", &hash, "k").json()["plan_id"], first.json()["plan_id"]);
    for (steps, hash) in [("step_1", hash.as_str()), ("step_2,step_3", &"0".repeat(64))] {
        let other = approve(steps, hash, "k");
        assert!([2, 10, 12].contains(&other.code), "{} {}", other.code, other.out);
        assert!(other.json()["error"].is_string(), "{}", other.out);
    }
}

fn propose_with_key(gated: &Gated, plan: &str, key: &str, code: i32) -> Value {
    let path = gated.project.write("../keyed.json", plan);
    let args = ["propose", path.to_str().unwrap(), "--json", "--idempotency-key", key];
    gated.json(&args, code)
}

/// A script that was cut off asks again: it must learn how the plan stands, and what may
/// run alone does.
#[test]
fn a_proposal_that_is_repeated_tells_how_the_plan_stands() {
    let gated = Gated::of(&[MAIN], HASH);
    let first = propose_with_key(&gated, WAITS, "w", 11);
    let again = propose_with_key(&gated, WAITS, "w", 11);
    assert_eq!(first["plan_id"], again["plan_id"]);
    assert_eq!((&again["ok"], &again["exit_code"]), (&true.into(), &11.into()));
    let misfit = SMALL.replace("\"old\":\"hi\"", "\"old\":\"not there\"");
    propose_with_key(&gated, &misfit, "m", 10);
    assert!(!propose_with_key(&gated, &misfit, "m", 10)["issues"].as_array().unwrap().is_empty());
    let ran = propose_with_key(&gated, SMALL, "s", 0);
    let again = propose_with_key(&gated, SMALL, "s", 0);
    assert_eq!(again["run_id"], ran["run"]["run_id"]);
    assert!(again["run"].is_null());

    // Killed while a check ran: nothing had happened, so it happens now.
    let slow = format!("{HASH}[checks.slow]\ncommand = [\"sleep\", \"1\"]\n");
    let gated = Gated::of(&[MAIN], &slow);
    let path = gated.project.write("../keyed.json", SMALL);
    let mut child = gated
        .command(env!("CARGO_BIN_EXE_exacta"))
        .args(["propose", path.to_str().unwrap(), "--json", "--idempotency-key", "k"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_for_a_run(&gated);
    child.kill().unwrap();
    child.wait().unwrap();
    let told = propose_with_key(&gated, SMALL, "k", 0);
    assert_eq!(told["run"]["state"], "completed");
}

#[test]
fn who_asked_for_json_gets_json_whatever_goes_wrong() {
    let gated = Gated::of(&[MAIN], "version = 1\n");
    let told = gated.propose(WAITS, 11);
    let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
    for (args, code) in [
        (vec!["run", &plan, "--json"], 11),
        (vec!["approve", &plan, "--json"], 11),
        (vec!["approve", &plan, "--hash", &"0".repeat(64), "--json"], 12),
        (vec!["reject", &plan, "--reason", "no", "--json"], 11),
        (vec!["status", "01a1e340-9999", "--json"], 2),
    ] {
        let said = gated.json(&args, code);
        assert_eq!((&said["ok"], &said["exit_code"]), (&false.into(), &code.into()), "{args:?}");
        assert!(said["error"].is_string() && said["help"].is_string(), "{args:?}");
    }
    assert_eq!(gated.exacta(&["approve", &plan, "--hash", &hash]).code, 11);
}

/// A credential that is set is not replaced by whoever finds a terminal.
#[test]
fn a_new_credential_needs_the_old_one() {
    let gated = Gated::of(&[MAIN], "version = 1\ndecide = \"credential\"\n");
    for name in ["first", "second"] {
        let path = gated.project.write(&format!("../{name}"), format!("{name} credential"));
        fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
    }
    let set = |args: &[&str]| gated.at_terminal(&[&["policy", "credential"], args].concat());
    assert_eq!(set(&["../first"]).code, 0);
    assert_eq!(set(&["../second"]).code, 11);
    assert_eq!(set(&["../second", "--credential", "../second"]).code, 11);
    let plan = text(&gated.propose(WAITS, 11)["plan_id"]);
    assert_eq!(gated.exacta(&["approve", &plan, "--credential", "../second"]).code, 11);
    assert_eq!(set(&["../second", "--credential", "../first"]).code, 0);
    assert_eq!(gated.exacta(&["approve", &plan, "--credential", "../first"]).code, 11);
    assert_eq!(gated.exacta(&["approve", &plan, "--credential", "../second"]).code, 0);
}

/// Rights that somebody takes away while a check runs are not given back by the run.
#[test]
fn owner_and_attributes_that_change_while_checks_run_are_drift() {
    let policy = format!("{HASH}[checks.slow]\ncommand = [\"sleep\", \"2\"]\n");
    let gated = Gated::of(&[MAIN], &policy);
    let file = gated.project.path().join("src/main.py");
    let tag = |value: &str| {
        rustix::fs::setxattr(&file, "user.note", value.as_bytes(), XattrFlags::empty()).unwrap();
    };
    tag("before");
    let told = gated.json(
        &[
            "propose",
            gated.project.write("../p.json", SMALL).to_str().unwrap(),
            "--no-run",
            "--json",
        ],
        0,
    );
    let child = gated
        .command(env!("CARGO_BIN_EXE_exacta"))
        .args(["run", &text(&told["plan_id"]), "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for_a_run(&gated);
    tag("after");
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(13), "{}", String::from_utf8_lossy(&out.stdout));
    assert!(String::from_utf8_lossy(&out.stdout).contains("attributes"));
    assert_eq!(fs::read_to_string(&file).unwrap(), MAIN.1);
    let mut value = [0; 16];
    let length = rustix::fs::getxattr(&file, "user.note", &mut value).unwrap();
    assert_eq!(&value[..length], b"after");
}

/// Waits until a run is staged and its checks are about to begin.
fn wait_for_a_run(gated: &Gated) {
    let start = Instant::now();
    while fs::read_dir(gated.project.path().join(".exacta/runs")).map_or(0, Iterator::count) == 0 {
        assert!(start.elapsed() < Duration::from_secs(30), "it never began");
        sleep(Duration::from_millis(5));
    }
    sleep(Duration::from_millis(200));
}

/// A11: the policy is changed and changed back; the plan runs, and both changes are on the
/// record.
#[test]
fn a_policy_that_was_changed_and_changed_back_is_on_the_record_twice() {
    let gated = Gated::of(&[MAIN], HASH);
    let (plan, _) = approved(&gated);
    gated.policy(&format!("{HASH}ttl_minutes = 29\n"));
    gated.json(&["run", &plan, "--json"], 12);
    gated.policy(HASH);
    gated.json(&["run", &plan, "--json"], 0);
    let noted = gated.exacta(&["log"]).out.matches("policy_changed").count();
    assert_eq!(noted, 2);
    gated.json(&["verify", "--json"], 0);
}
