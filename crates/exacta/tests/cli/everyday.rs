//! What people do all day: short names, the newest run, taking back in part, committing.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::{Value, json};

use crate::gated::{Gated, HASH, MAIN, SMALL, WAITS, text};

const TWO: [(&str, &str); 2] =
    [("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n"), ("b.txt", "one\ntwo\nthree\n")];

/// Changes the first line of both files.
fn both() -> String {
    let step = |id: u32, file: &str, old: &str| {
        json!({"step_id": format!("step_{id}"), "title": format!("Change {file}"),
            "type": "file_modify", "target": file, "edits": [{"old": old, "new": "changed\n"}]})
    };
    json!({"goal": "change both", "steps": [step(1, "a.txt", "1\n"), step(2, "b.txt", "one\n")]})
        .to_string()
}

#[test]
fn undo_and_redo_alone_mean_the_newest_and_take_plans_too() {
    let gated = Gated::of(&[MAIN], HASH);
    let told = gated.propose(SMALL, 0);
    let hash = text(&told["plan_hash"]);
    let none = gated.exacta(&["redo", "--hash", &hash]);
    assert_eq!(none.code, 2, "{}", none.err);
    gated.json(&["undo", "--hash", &hash, "--json"], 0);
    assert_eq!(gated.read("src/main.py"), MAIN.1);
    gated.json(&["redo", "--hash", &hash, "--json"], 0);
    assert_eq!(gated.read("src/main.py"), "a = 1\nb = 2\n# we say hello to all\n");
    // The id of the plan stands for its run.
    gated.json(&["undo", &text(&told["plan_id"]), "--hash", &hash, "--json"], 0);
    assert_eq!(gated.read("src/main.py"), MAIN.1);
    assert_eq!(gated.exacta(&["undo", "--hash", &hash]).code, 2);
}

#[test]
fn on_a_conflict_the_free_files_go_back_and_the_rest_is_merged() {
    let gated = Gated::of(&TWO, HASH);
    let run = text(&gated.propose(&both(), 0)["run"]["run_id"]);
    // Somebody goes on working, in another line.
    gated.project.write("a.txt", "changed\n2\n3\n4\n5\n6\n7\nmine\n");
    let conflict = gated.exacta(&["undo", &run]);
    assert_eq!(conflict.code, 14, "{}", conflict.out);
    assert!(conflict.out.contains("nobody has changed b.txt"), "{}", conflict.out);
    assert!(conflict.out.contains("changed in other lines: a.txt"), "{}", conflict.out);
    assert_eq!(gated.read("b.txt"), "changed\ntwo\nthree\n");

    let approve = |told: &Value| {
        let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
        if told["state"] == "pending" {
            gated.json(&["approve", &plan, "--hash", &hash, "--json"], 0);
            gated.json(&["run", &plan, "--json"], 0);
        }
    };
    let said = gated.exacta(&["undo", &run, "--free", "--json"]);
    assert!([0, 11].contains(&said.code), "{}{}", said.out, said.err);
    approve(&said.json());
    assert_eq!(gated.read("b.txt"), TWO[1].1);
    assert_eq!(gated.read("a.txt"), "changed\n2\n3\n4\n5\n6\n7\nmine\n");

    let said = gated.exacta(&["undo", &run, "--merge", "--json"]);
    assert!([0, 11].contains(&said.code), "{}{}", said.out, said.err);
    approve(&said.json());
    assert_eq!(gated.read("a.txt"), "1\n2\n3\n4\n5\n6\n7\nmine\n");
    // The run itself is not called undone.
    let listed = gated.json(&["list", "--json"], 0);
    let of = |entry: &&Value| entry["run_id"].as_str() == Some(&run);
    let entry = listed.as_array().unwrap().iter().find(of).unwrap();
    assert_eq!(entry.get("undone_by"), None);
}

#[test]
fn lines_that_both_changed_are_never_merged() {
    let gated = Gated::of(&TWO, HASH);
    let run = text(&gated.propose(&both(), 0)["run"]["run_id"]);
    gated.project.write("a.txt", "mine\n2\n3\n4\n5\n6\n7\n8\n");
    let before = gated.project.snapshot();
    let merge = gated.exacta(&["undo", &run, "--merge"]);
    assert_eq!(merge.code, 14, "{}", merge.out);
    let same = |(path, _): &(&std::path::PathBuf, &(u32, Vec<u8>))| {
        !path.components().any(|part| part.as_os_str() == ".exacta")
    };
    let after = gated.project.snapshot();
    assert!(before.iter().filter(same).eq(after.iter().filter(same)));
}

fn repository(gated: &Gated) {
    for args in [
        &["init", "-q", "-b", "main"][..],
        &["config", "user.name", "Ada"],
        &["config", "user.email", "ada@example.com"],
        &["add", "-A"],
        &["commit", "-qm", "start"],
    ] {
        gated.project.git(args);
    }
}

#[test]
fn a_run_is_committed_exactly_and_its_undo_too() {
    let gated = Gated::of(&[MAIN, ("other.txt", "x\n")], HASH);
    repository(&gated);
    // Neither hooks nor filters of the repository have a part in it.
    let hooks = gated.project.path().join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    for name in ["pre-commit", "reference-transaction", "post-index-change", "post-commit"] {
        let hook = hooks.join(name);
        fs::write(&hook, "#!/bin/sh\ntouch marker\n").unwrap();
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::write(gated.project.path().join(".git/info/attributes"), "*.py filter=evil\n").unwrap();
    gated.project.git(&["config", "filter.evil.clean", "touch marker; cat"]);
    // What somebody is working on beside it stays out of it.
    gated.project.write("other.txt", "mine\n");

    let path = gated.home().join("plan.json");
    fs::write(&path, SMALL).unwrap();
    let told = gated.json(&["propose", path.to_str().unwrap(), "--no-run", "--json"], 0);
    let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
    let ran = gated.exacta(&["run", &plan, "--commit"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("committed as"), "{}", ran.err);
    let show = |what: &str| String::from_utf8(gated.project.git(&["show", what])).unwrap();
    assert_eq!(show("HEAD:src/main.py"), "a = 1\nb = 2\n# we say hello to all\n");
    assert_eq!(show("HEAD:other.txt"), "x\n");
    let message = String::from_utf8(gated.project.git(&["log", "-1", "--format=%B"])).unwrap();
    assert!(message.starts_with("greet\n") && message.contains("Exacta-Run: "), "{message}");
    assert!(!gated.project.path().join("marker").exists());
    let undone = gated.exacta(&["undo", "--hash", &hash, "--commit"]);
    assert_eq!(undone.code, 0, "{}{}", undone.out, undone.err);
    assert_eq!(show("HEAD:src/main.py"), MAIN.1);
    assert!(!gated.project.path().join("marker").exists());
    gated.project.git(&["config", "--unset", "filter.evil.clean"]);
    fs::remove_file(gated.project.path().join(".git/info/attributes")).unwrap();
    fs::remove_dir_all(&hooks).unwrap();
    let status = String::from_utf8(gated.project.git(&["status", "--short", "-uno"])).unwrap();
    assert_eq!(status, " M other.txt\n");
}

/// Commits SMALL in a repository; what was said of it.
fn committed(gated: &Gated) -> String {
    let path = gated.home().join("plan.json");
    fs::write(&path, SMALL).unwrap();
    let told = gated.json(&["propose", path.to_str().unwrap(), "--no-run", "--json"], 0);
    let ran = gated.exacta(&["run", &text(&told["plan_id"]), "--commit"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    ran.err
}

#[test]
fn a_commit_says_what_git_would_have_done_otherwise() {
    let gated = Gated::of(&[MAIN], HASH);
    repository(&gated);
    let said = committed(&gated);
    assert!(!said.contains("detached") && !said.contains("signed"), "{said}");
    // No branch has the commit, and the signing program is not run.
    let gated = Gated::of(&[MAIN], HASH);
    repository(&gated);
    gated.project.git(&["checkout", "-q", "--detach"]);
    gated.project.git(&["config", "commit.gpgSign", "true"]);
    gated.project.git(&["config", "gpg.program", "false"]);
    let said = committed(&gated);
    assert!(said.contains("committed as"), "{said}");
    assert!(said.contains("HEAD is detached") && said.contains("git switch -c NAME"), "{said}");
    assert!(said.contains("not signed") && said.contains("--amend --no-edit -S"), "{said}");
    // Nothing that a commit could come after.
    let gated = Gated::of(&[MAIN], HASH);
    gated.project.git(&["init", "-q"]);
    let said = committed(&gated);
    assert!(said.contains("not committed: the repository has no commit yet"), "{said}");
    let gated = Gated::of(&[MAIN], HASH);
    let said = committed(&gated);
    assert!(said.contains("not committed: the project is not in a git repository"), "{said}");
}

/// A rename is one step and one row, on the way back as on the way there.
#[test]
fn taking_a_rename_back_is_one_row_everywhere() {
    let long = (0..30).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
    let gated = Gated::of(&[("old name.txt", &long), ("c.txt", "c\n")], HASH);
    let patch = gated.home().join("move.patch");
    fs::write(
        &patch,
        "diff --git a/old name.txt b/new.txt\nsimilarity index 90%\nrename from old name.txt\n\
         rename to new.txt\n--- a/old name.txt\t\n+++ b/new.txt\n@@ -1,2 +1,2 @@\n-line 0\n\
         +line zero\n line 1\n",
    )
    .unwrap();
    let told = gated.json(&["propose", patch.to_str().unwrap(), "--json"], 11);
    let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
    let rows = |shown: &str| {
        assert!(shown.contains("Files (1)"), "{shown}");
        assert!(!shown.contains("delete ") && !shown.contains("create "), "{shown}");
        assert!(!shown.contains("deleted by") && !shown.contains("created by"), "{shown}");
    };
    let shown = gated.exacta(&["show", &plan]).out;
    rows(&shown);
    assert!(shown.contains("old name.txt → new.txt  renamed by step_1"), "{shown}");
    let ran = gated.exacta(&["approve", &plan, "--hash", &hash, "--run"]);
    assert!(ran.out.contains("renamed old name.txt -> new.txt"), "{}", ran.out);
    // As a plan for whoever may not decide.
    let back = gated.json(&["undo", "--propose", "--json"], 11);
    let (undo, undo_hash) = (text(&back["plan_id"]), text(&back["plan_hash"]));
    let renamed = back["files"].as_array().unwrap().iter();
    let renamed: Vec<_> = renamed.filter(|file| !file["renamed_from"].is_null()).collect();
    assert_eq!(renamed.len(), 1, "{back}");
    assert_eq!(
        (&renamed[0]["path"], &renamed[0]["renamed_from"]),
        (&"old name.txt".into(), &"new.txt".into())
    );
    let shown = gated.exacta(&["show", &undo]).out;
    rows(&shown);
    assert!(shown.contains("new.txt → old name.txt  renamed by step_1"), "{shown}");
    let listed = gated.exacta(&["list"]).out;
    assert!(!listed.contains("2 files"), "{listed}");
    let ran = gated.exacta(&["approve", &undo, "--hash", &undo_hash, "--run"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("renamed new.txt -> old name.txt"), "{}", ran.out);
    assert_eq!(gated.read("old name.txt"), long);
    assert!(!gated.project.path().join("new.txt").exists());
    // And at once, for whoever may.
    gated.json(&["undo", &undo, "--hash", &undo_hash, "--json"], 0);
    let again = gated.exacta(&["redo", &undo, "--hash", &undo_hash]);
    assert!(again.out.contains("renamed new.txt -> old name.txt"), "{}", again.out);
}

#[test]
fn what_was_not_as_committed_is_not_committed() {
    let gated = Gated::of(&[MAIN], HASH);
    repository(&gated);
    gated.project.write("src/main.py", "a = 1\nb = 2\n# we say hi to all of mine\n");
    let path = gated.home().join("plan.json");
    fs::write(&path, SMALL).unwrap();
    let told = gated.json(&["propose", path.to_str().unwrap(), "--no-run", "--json"], 0);
    let ran = gated.exacta(&["run", &text(&told["plan_id"]), "--commit"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("not committed: `src/main.py`"), "{}", ran.err);
    let count = gated.project.git(&["rev-list", "--count", "HEAD"]);
    assert_eq!(count, b"1\n");
    assert_eq!(gated.read("src/main.py"), "a = 1\nb = 2\n# we say hello to all of mine\n");
}

#[test]
fn under_hash_every_decision_takes_and_demands_it() {
    let gated = Gated::of(&[MAIN], HASH);
    let told = gated.propose(WAITS, 11);
    let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
    let wrong = "0".repeat(64);
    for decision in [
        &["reject", &plan, "--reason", "no"][..],
        &["changes", &plan, "- other words"],
        &["renew", &plan],
    ] {
        let without = gated.exacta(decision);
        assert_eq!(without.code, 11, "{decision:?} {}", without.err);
        let other = gated.exacta(&[decision, &["--hash", &wrong]].concat());
        assert_eq!(other.code, 12, "{decision:?} {}", other.err);
    }
    gated.json(&["changes", &plan, "- other words", "--hash", &hash, "--json"], 0);
    let list = gated.exacta(&["list"]);
    assert!(list.out.contains("changes requested"), "{}", list.out);
    assert_eq!(gated.json(&["status", &plan, "--json"], 0)["state"], "expired");
}

#[test]
fn an_intent_may_begin_with_a_dash_and_a_key_may_not_be_a_secret() {
    let gated = Gated::of(&[MAIN], HASH);
    let path = gated.home().join("plan.json");
    fs::write(&path, SMALL).unwrap();
    let path = path.to_str().unwrap();
    gated.json(&["propose", path, "--intent", "- greet in src/main.py", "--no-run", "--json"], 0);
    let key = ["ghp_", "0123456789abcdefghij0123456789ABCDEF"].concat();
    let said = gated.exacta(&["propose", path, "--idempotency-key", &key]);
    assert_eq!(said.code, 2, "{}", said.err);
    assert!(!said.err.contains(&key), "{}", said.err);
    assert!(!gated.exacta(&["log", "--json"]).out.contains(&key));
}

#[test]
fn a_state_folder_that_is_a_link_or_open_to_others_is_refused_by_every_command() {
    let gated = Gated::of(&[MAIN], HASH);
    gated.propose(WAITS, 11);
    let state = gated.home().join(".local/state/exacta");
    fs::set_permissions(&state, fs::Permissions::from_mode(0o755)).unwrap();
    for command in [&["list"][..], &["verify"], &["log"], &["review"], &["stats"]] {
        let said = gated.exacta(command);
        assert_eq!(said.code, 1, "{command:?} {}", said.err);
        assert!(said.err.contains("does not belong to this user alone"), "{}", said.err);
    }
    fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).unwrap();
    let elsewhere = gated.home().join("elsewhere");
    fs::rename(&state, &elsewhere).unwrap();
    symlink(&elsewhere, &state).unwrap();
    assert_eq!(gated.exacta(&["list"]).code, 1);
    assert_eq!(gated.exacta(&["policy", "show"]).code, 0);
    assert_eq!(gated.exacta(&["explain", "risk_low"]).code, 0);
}

#[test]
fn a_file_that_a_check_names_always_asks() {
    let policy =
        "profile = \"balanced\"\n[checks.tests]\ncommand = [\"sh\", \"-c\", \"./run.py\"]\n";
    let gated = Gated::of(&[("run.py", "print(1)\n"), ("other.py", "print(1)\n")], policy);
    for (file, decision) in [("run.py", "wait"), ("other.py", "auto_silent")] {
        let plan = json!({"steps": [{"step_id": "step_1", "title": format!("Print 2 in {file}"),
            "type": "file_modify", "target": file, "edits": [{"old": "1", "new": "2"}]}]});
        let path = gated.home().join("plan.json");
        fs::write(&path, plan.to_string()).unwrap();
        let said = gated.exacta(&["check", path.to_str().unwrap(), "--json"]).json();
        let asks = said["reasons"].to_string().contains("the check `tests` asks");
        assert_eq!(asks, decision == "wait", "{said:#}");
    }
}

#[test]
fn help_stands_in_groups_and_words_are_explained() {
    let gated = Gated::of(&[MAIN], HASH);
    let help = gated.exacta(&["--help"]).out;
    for title in ["Everyday:", "Look:", "Policy:", "Upkeep:"] {
        assert!(help.contains(title), "{help}");
    }
    for (word, says) in [
        ("manual", "every plan waits"),
        ("risk_low", "low risk"),
        ("step_asks", "a step asks"),
        ("expired", "another state"),
    ] {
        let said = gated.exacta(&["explain", word]);
        assert!(said.code == 0 && said.out.contains(says), "{word}: {}{}", said.out, said.err);
    }
    assert_eq!(gated.exacta(&["explain", "nonsense"]).code, 2);
}
