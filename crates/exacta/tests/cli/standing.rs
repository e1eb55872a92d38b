//! Where a plan stands: the same word in every command, and what became of its run.

use serde_json::Value;

use crate::gated::{Gated, HASH, MAIN, SMALL, WAITS, end, text};

/// The words that `list` shows, newest first.
fn listed(gated: &Gated, state: &str) -> Vec<String> {
    let list = gated.json(&["list", "--state", state, "--json"], 0);
    let plans = list.as_array().unwrap().iter();
    plans.map(|plan| text(&plan["standing"])).collect()
}

#[test]
fn an_undone_run_shows_it_everywhere_until_it_is_redone() {
    let gated = Gated::of(&[MAIN], HASH);
    let told = gated.propose(SMALL, 0);
    let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
    let run = text(&told["run"]["run_id"]);
    assert_eq!(gated.json(&["list", "--json"], 0)[0]["undone_by"], Value::Null);

    let undo = text(&gated.json(&["undo", &run, "--hash", &hash, "--json"], 0)["run_id"]);
    let words = format!("undone by {}", end(&undo));
    let list = gated.exacta(&["list"]).out;
    assert!(list.contains("undone") && list.contains(&words), "{list}");
    let status = gated.exacta(&["status", &plan]).out;
    assert!(status.starts_with(&format!("plan {}: executed, {words}\n", end(&plan))), "{status}");
    for args in [["list", "--json"].as_slice(), &["status", &plan, "--json"]] {
        let said = gated.json(args, 0);
        let plan = said.get(0).unwrap_or(&said);
        assert_eq!(
            (&plan["undone_by"], &plan["standing"]),
            (&undo.clone().into(), &"executed".into())
        );
        assert_eq!(plan["state"], "auto_approved", "what was decided stays");
    }
    let log = gated.exacta(&["log", "--run", &run]).out;
    assert!(log.contains("undo_approved") && log.contains(end(&undo)), "{log}");
    assert_eq!(listed(&gated, "undone"), ["executed"]);

    gated.json(&["redo", &run, "--hash", &hash, "--json"], 0);
    assert_eq!(gated.json(&["status", &plan, "--json"], 0)["undone_by"], Value::Null);
    assert!(listed(&gated, "undone").is_empty());
    assert!(gated.exacta(&["log", "--run", &run]).out.contains("takes back the undo"));
}

#[test]
fn every_word_that_is_shown_can_be_asked_for() {
    let gated = Gated::of(&[MAIN], HASH);
    gated.propose(SMALL, 0);
    let paused = text(&gated.propose(WAITS, 11)["plan_id"]);
    gated.json(&["pause", &paused, "--json"], 0);
    let rejected = text(&gated.propose(WAITS, 11)["plan_id"]);
    gated.json(
        &["reject", &rejected, "--reason", "no", "--hash", &gated.hash(&rejected), "--json"],
        0,
    );
    gated.propose(WAITS, 11);
    let stats = gated.json(&["stats", "--json"], 0);
    let shown = gated.exacta(&["stats"]).out;
    for (state, standings) in [
        ("executed", ["executed"].as_slice()),
        ("paused", &["paused"]),
        ("rejected", &["rejected"]),
        // What a state covers, in JSON too.
        ("pending", &["pending", "paused"]),
        ("auto_approved", &["executed"]),
        ("rolled_back", &[]),
    ] {
        assert_eq!(listed(&gated, state), standings, "{state}");
    }
    for standing in ["executed", "paused", "rejected", "pending"] {
        assert_eq!(stats["by_standing"][standing], 1, "{stats}");
        assert!(shown.contains(standing), "{shown}");
        assert!(gated.exacta(&["list"]).out.contains(standing));
    }
    let unknown = gated.exacta(&["list", "--state", "done"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("executed") && unknown.err.contains("undone"), "{}", unknown.err);
}

#[test]
fn nobody_is_asked_about_what_cannot_be_taken_back() {
    let gated = Gated::of(&[MAIN], "profile = \"conservative\"\n");
    let run = text(&gated.propose(SMALL, 0)["run"]["run_id"]);
    gated.project.write("src/main.py", "print(\"mine\")\n");
    let said = gated.at_terminal(&["undo", &run]);
    assert_eq!(said.code, 14, "{}", said.out);
    assert!(said.out.contains("conflict") && said.out.contains("src/main.py"), "{}", said.out);
    assert!(!said.out.contains("Type yes"), "{}", said.out);
}

#[test]
fn a_run_that_nobody_was_asked_about_is_told_also_when_it_is_started_later() {
    let gated = Gated::of(&[MAIN], "version = 1\nprofile = \"balanced\"\n");
    let steps: Vec<String> = ["a", "b"]
        .iter()
        .zip(1..)
        .map(|(name, id)| {
            let file = format!("src/{name}.py");
            gated.project.write(&file, "_LIMIT = 1\n");
            format!(
                r#"{{"step_id":"step_{id}","title":"Raise _LIMIT in {file}","type":"file_modify","target":"{file}","edits":[{{"old":"1","new":"2"}}]}}"#
            )
        })
        .collect();
    let path = gated.project.write("plan.json", format!(r#"{{"steps":[{}]}}"#, steps.join(",")));
    let told = gated.json(&["propose", path.to_str().unwrap(), "--no-run", "--json"], 0);
    assert_eq!(told["decision"], "auto_notify", "{told}");
    let said = gated.exacta(&["run", &text(&told["plan_id"])]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.err.contains("ran without asking"), "{}", said.err);
}

#[test]
fn an_id_may_be_cut_and_a_step_must_exist() {
    let gated = Gated::of(&[MAIN], HASH);
    let told = gated.propose(WAITS, 11);
    let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
    for cut in [0..4, 0..20, plan.len() - 4..plan.len()] {
        let part = plan.get(cut).unwrap();
        assert_eq!(text(&gated.json(&["status", part, "--json"], 0)["plan_id"]), plan);
    }
    let short = gated.exacta(&["status", plan.get(..3).unwrap()]);
    assert_eq!(short.code, 2);
    assert!(short.err.contains("4 characters"), "{}", short.err);
    let unknown = gated.exacta(&["approve", &plan, "--hash", &hash, "--steps", "step_9"]);
    assert_eq!(unknown.code, 10);
    assert!(unknown.err.contains("step_1, step_2, step_3"), "{}", unknown.err);
}

#[test]
fn what_a_plan_changes_is_also_there_as_json() {
    let gated = Gated::of(&[MAIN], HASH);
    let told = gated.propose(WAITS, 11);
    let diff = gated.json(&["diff", &text(&told["plan_id"]), "--json"], 0);
    assert_eq!(diff["plan_hash"], told["plan_hash"]);
    assert_eq!(diff["files"], told["files"]);
    let piped = gated.exacta(&["diff", &text(&told["plan_id"])]).out;
    assert_eq!(text(&diff["patch"]), piped);
    let ended = gated.json(&["demo", "--json"], 0);
    let mut standings: Vec<String> =
        ended.as_array().unwrap().iter().map(|plan| text(&plan["standing"])).collect();
    standings.sort();
    assert_eq!(
        standings,
        ["executed", "executed", "executed", "expired", "pending", "rejected", "rejected"]
    );
}

#[test]
fn a_plan_whose_files_changed_says_so_in_the_list() {
    let gated = Gated::of(&[MAIN], HASH);
    let plan = text(&gated.propose(WAITS, 11)["plan_id"]);
    let list = || gated.exacta(&["list"]).out;
    assert!(list().contains(end(&plan)) && !list().contains("out of date"), "{}", list());
    std::fs::write(gated.project.path().join("NOTES.md"), "mine\n").unwrap();
    assert!(list().contains("out of date: "), "{}", list());
    assert!(gated.json(&["list", "--json"], 0)[0]["out_of_date"].is_string());
    assert!(gated.exacta(&["show", &plan]).out.contains("NOTES.md"), "it is shown all the same");
    assert!(gated.exacta(&["show", &plan]).out.contains("out of date"));
}
