//! Around the gate: words of others, waiting, short names, notices, JSON.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use serde_json::Value;

use crate::gated::{Gated, HASH, MAIN, SMALL, WAITS, end, text};
use crate::project::Said;

#[test]
fn escapes_in_any_word_are_shown_and_never_obeyed() {
    let gated = Gated::of(&[MAIN], HASH);
    let evil = "\\u001b[31mred\\u001b]0;title\\u0007\\u202egnp.exe";
    let plan = WAITS
        .replace("notes and checks", evil)
        .replace("Add a workflow", evil)
        .replace("\"one\\n\"", &format!("\"{evil}one\\n\""));
    let told = gated.propose(&plan, 11);
    let plan = text(&told["plan_id"]);
    gated.exacta(&["changes", &plan, "\u{1b}[2Jgone \u{202e}x", "--hash", &gated.hash(&plan)]);
    for args in [
        vec!["list"],
        vec!["status", &plan],
        vec!["show", &plan],
        vec!["log"],
        vec!["run", &plan],
        vec!["approve", &plan, "--hash", &text(&told["plan_hash"])],
        vec!["status", "\u{1b}[31mx"],
    ] {
        let said = gated.exacta(&args);
        for stream in [&said.out, &said.err] {
            let raw = stream
                .chars()
                .find(|c| (c.is_control() && *c != '\n') || matches!(c, '\u{202a}'..='\u{202e}'));
            assert_eq!(raw, None, "{args:?}: {stream}");
        }
    }
}

#[test]
fn a_run_in_the_background_is_waited_for() {
    let gated = Gated::of(&[MAIN], HASH);
    let told = gated.propose(WAITS, 11);
    let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
    assert_eq!(gated.exacta(&["wait", &plan, "--timeout", "0"]).code, 11);
    gated.json(&["approve", &plan, "--hash", &hash, "--json"], 0);
    gated.json(&["run", &plan, "--detach", "--json"], 0);
    let waited = gated.json(&["wait", &plan, "--timeout", "60", "--json"], 0);
    assert_eq!(waited["run_status"], "COMPLETED");
    assert_eq!(gated.read("NOTES.md"), "two\n");
}

#[test]
fn a_waiting_process_notices_that_a_target_changed() {
    let gated = Gated::of(&[MAIN], HASH);
    let plan = SMALL.replace("\"type\"", "\"requires_approval\":true,\"type\"");
    let plan = text(&gated.propose(&plan, 11)["plan_id"]);
    let child = gated
        .command(env!("CARGO_BIN_EXE_exacta"))
        .args(["wait", &plan, "--timeout", "60", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    gated.project.write("src/main.py", "print(\"mine\")\n");
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, 12);
    assert!(text(&said.json()["ended_because"]).contains("src/main.py"));
}

#[test]
fn names_can_be_short_and_what_is_not_clear_is_listed() {
    let gated = Gated::of(&[MAIN], HASH);
    let ids: Vec<String> = (0..3)
        .map(|n| {
            let plan = WAITS.replace("\"one\\n\"", &format!("\"one {n}\\n\""));
            text(&gated.propose(&plan, 11)["plan_id"])
        })
        .collect();
    for id in &ids {
        let told = gated.json(&["status", id.rsplit_once('-').unwrap().1, "--json"], 0);
        assert_eq!(text(&told["plan_id"]), *id);
    }
    let unclear = gated.exacta(&["status", ids[0].split_once('-').unwrap().0]);
    assert_eq!(unclear.code, 2);
    assert!(ids.iter().all(|id| unclear.err.contains(end(id))), "{}", unclear.err);
    assert_eq!(gated.exacta(&["status", "zzzzzz"]).code, 2);
    let refused = gated.exacta(&["log", "--event", "plan_aproved"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("plan_approved"), "{}", refused.err);
    assert!(gated.exacta(&["log", "--event", "plan_created"]).out.lines().count() == 3);
}

/// Decision `auto_notify`: told at the terminal, and on the desktop where there is one.
#[test]
fn a_run_that_nobody_was_asked_about_is_told_on_the_desktop() {
    let files: Vec<(String, String)> =
        (0..7).map(|n| (format!("d{n}/f.txt"), "old\n".to_owned())).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let gated = Gated::of(&files, &HASH.replace("conservative", "balanced"));
    let programs = gated.home.path().join("bin");
    fs::create_dir(&programs).unwrap();
    let heard = gated.home.path().join("heard");
    let fake = programs.join("notify-send");
    let script =
        format!("#!/bin/sh\nprintf '%s\\n' \"$@\" > {0}.new; mv {0}.new {0}\n", heard.display());
    fs::write(&fake, script).unwrap();
    fs::set_permissions(&fake, Permissions::from_mode(0o755)).unwrap();
    // Six files change and one goes: medium risk.
    let steps: Vec<String> = (0..7)
        .map(|n| {
            let what = match n {
                6 => r#""type":"file_delete""#,
                _ => r#""type":"file_modify","content":"new\n""#,
            };
            format!(
                r#"{{"step_id":"step_{}","title":"Renew d{n}/f.txt","target":"d{n}/f.txt",{what}}}"#,
                n + 1
            )
        })
        .collect();
    let plan = gated.home.path().join("plan.json");
    fs::write(&plan, format!(r#"{{"goal":"renew","steps":[{}]}}"#, steps.join(","))).unwrap();
    let path = std::env::var("PATH").unwrap();
    let said: Said = gated
        .command(env!("CARGO_BIN_EXE_exacta"))
        .env("PATH", format!("{}:{path}", programs.display()))
        .env("DISPLAY", ":0")
        .args(["propose", plan.to_str().unwrap(), "--json"])
        .output()
        .unwrap()
        .into();
    assert_eq!(said.json()["decision"], "auto_notify", "{}", said.out);
    assert!(said.err.contains("ran without asking"), "{}", said.err);
    let start = std::time::Instant::now();
    while !heard.exists() {
        assert!(start.elapsed().as_secs() < 20, "nobody was told");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let told = fs::read_to_string(&heard).unwrap();
    assert!(told.starts_with("--app-name=Exacta\nExacta\n"), "{told}");
    assert!(told.contains("ran without asking; `exacta undo "), "{told}");
}

/// DESIGN §12: `--json` everywhere; one JSON value on standard output, talk elsewhere.
#[test]
fn commands_around_the_gate_speak_json_too() {
    let gated = Gated::of(&[MAIN], HASH);
    let made = gated.json(&["init", "--json"], 0);
    assert_eq!((&made["made"], text(&made["head"]).len()), (&true.into(), 64));
    assert_eq!(gated.json(&["init", "--json"], 0)["made"], false);
    let told = gated.propose(SMALL, 0);
    let doctor = gated.json(&["doctor", "--json"], 0);
    assert_eq!(doctor["ok"], true);
    let findings = doctor["findings"].as_array().unwrap();
    assert!(findings.len() >= 5);
    let confines =
        |finding: &&Value| finding["message"].as_str().unwrap().contains("confine commands");
    assert_eq!(findings.iter().find(confines).unwrap()["mood"], "good", "{findings:?}");
    let page = gated.json(&["explain", "PV-4", "--json"], 0);
    assert_eq!(page["code"], "PLAN_PATH_INVALID");
    assert!(gated.json(&["explain", "--list", "--json"], 0).as_array().unwrap().len() > 20);
    let plan = gated.json(&["explain", &text(&told["plan_id"]), "--json"], 0);
    assert_eq!(plan["plan_hash"], told["plan_hash"]);
    assert_eq!(gated.json(&["gc", "--json"], 0)["deleted"], 0);
    let run = text(&told["run"]["run_id"]);
    let hash = text(&told["plan_hash"]);
    let forgotten = gated.json(&["forget", &run, "--hash", &hash, "--json"], 0);
    assert_eq!(forgotten["run_id"], run.as_str());
}

#[test]
fn what_took_the_place_of_a_plan_is_named_and_waited_for() {
    let gated = Gated::of(&[MAIN], HASH);
    let told = gated.propose(WAITS, 11);
    let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
    // Blanks and repetitions are no other steps.
    let approve = ["approve", &plan, "--steps", "step_2, step_3,step_2", "--hash", &hash, "--json"];
    let derived = text(&gated.json(&approve, 0)["plan_id"]);
    assert_ne!(derived, plan);
    assert_eq!(gated.json(&["status", &plan, "--json"], 0)["replaced_by"], derived);
    let waited = gated.json(&["wait", &plan, "--timeout", "0", "--json"], 11);
    assert_eq!((&waited["plan_id"], &waited["state"]), (&derived.into(), &"user_approved".into()));
    assert_eq!(gated.exacta(&["approve", &plan, "--steps", ",", "--hash", &hash]).code, 2);
}

#[test]
fn every_answer_names_the_run_and_every_error_is_json() {
    let gated = Gated::of(&[MAIN], HASH);
    let path = gated.home().join("small.json");
    fs::write(&path, SMALL).unwrap();
    let propose = ["propose", path.to_str().unwrap(), "--idempotency-key", "k", "--json"];
    let (first, second) = (gated.json(&propose, 0), gated.json(&propose, 0));
    assert_eq!(first["run_id"], first["run"]["run_id"]);
    assert_eq!(second["run_id"], first["run_id"]);
    let (plan, run) = (text(&first["plan_id"]), text(&first["run_id"]));
    let log = gated.exacta(&["log", "--plan", &plan]).out;
    assert!(log.contains("run_started") && log.contains("run_completed"), "{log}");
    let hash = text(&first["plan_hash"]);
    assert_eq!(gated.exacta(&["forget", &run, "--hash", &hash]).code, 0);
    assert!(gated.exacta(&["forget", &run, "--hash", &hash]).err.contains("already"));
    let usage = gated.json(&["list", "--bad", "--json"], 2);
    assert!(text(&usage["error"]).contains("--bad"), "{usage}");
    let failed = gated.json(&["capture", "--json", "--", "false"], 13);
    assert!(text(&failed["error"]).contains("nothing is proposed"), "{failed}");
}
