//! The record: copied, moved, cut, linked and forgotten; and what is derived from it.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::gated::{Gated, HASH, MAIN, SMALL, WAITS, text};
use crate::project::Said;

#[test]
fn a_project_that_was_copied_moved_or_brought_along_counts_for_nothing() {
    let gated = Gated::of(&[MAIN], HASH);
    let told = gated.propose(WAITS, 11);
    let plan = text(&told["plan_id"]);
    gated.json(&["approve", &plan, "--hash", &text(&told["plan_hash"]), "--json"], 0);
    let elsewhere = TempDir::new().unwrap();
    let copy = elsewhere.path().join("copy");
    let copied = Command::new("cp").arg("-a").arg(gated.project.path()).arg(&copy).status();
    assert!(copied.unwrap().success());
    let kind = |folder: &Path, home: &Path| {
        let mut command = gated.command(env!("CARGO_BIN_EXE_exacta"));
        command.current_dir(folder).env("HOME", home).args(["verify", "--json"]);
        let said = Said::from(command.output().unwrap());
        assert_eq!(said.code, 15, "{}", said.err);
        text(&said.json()["problems"][0]["kind"])
    };
    let run = |folder: &Path, home: &Path| {
        let mut command = gated.command(env!("CARGO_BIN_EXE_exacta"));
        command.current_dir(folder).env("HOME", home).args(["run", &plan]);
        Said::from(command.output().unwrap())
    };
    let stranger = TempDir::new().unwrap();
    assert_eq!(kind(&copy, gated.home.path()), "copied");
    assert_eq!(kind(&copy, stranger.path()), "no_checkpoint_here");
    for home in [gated.home.path(), stranger.path()] {
        assert_eq!(run(&copy, home).code, 15);
        assert!(!copy.join("NOTES.md").exists());
    }
    fs::remove_dir_all(gated.project.path().join(".exacta")).unwrap();
    assert_eq!(kind(gated.project.path(), gated.home.path()), "missing");
    // A person may take the copy over; what was approved before counts for nothing.
    let typed = format!(
        "(sleep 1; echo yes; sleep 1) | script -qec '{} -C {} adopt' /dev/null",
        env!("CARGO_BIN_EXE_exacta"),
        copy.display()
    );
    let adopted = Said::from(gated.command("sh").args(["-c", &typed]).output().unwrap());
    assert_eq!(adopted.code, 0, "{}", adopted.out);
    assert_eq!(run(&copy, gated.home.path()).code, 2);
}

#[test]
fn a_checkpoint_kept_elsewhere_finds_a_record_that_was_rolled_back() {
    let gated = Gated::of(&[MAIN], HASH);
    gated.propose(WAITS, 11);
    let state = gated.project.path().join(".exacta");
    let saved = gated.home.path().join("saved");
    let copy = |from: &Path, to: &Path| {
        assert!(Command::new("cp").arg("-aT").arg(from).arg(to).status().unwrap().success());
    };
    copy(&state, &saved);
    gated.propose(SMALL, 0);
    let kept = gated.home.path().join("kept.json");
    fs::write(&kept, gated.exacta(&["checkpoint"]).out).unwrap();
    let against = ["verify", "--json", "--against", kept.to_str().unwrap()];
    assert_eq!(gated.json(&against, 0)["ok"], true);
    fs::remove_dir_all(&state).unwrap();
    copy(&saved, &state);
    let told = gated.json(&["verify", "--json"], 15);
    assert_eq!(told["problems"][0]["kind"], "cut");
    assert_eq!(gated.json(&against, 15)["problems"][0]["kind"], "cut");
    assert_eq!(gated.exacta(&["list"]).code, 15);
}

#[test]
fn a_link_in_the_records_place_and_an_edited_backup_do_not_verify() {
    let gated = Gated::of(&[MAIN], HASH);
    let run = text(&gated.propose(SMALL, 0)["run"]["run_id"]);
    let state = gated.project.path().join(".exacta");
    let (segment, aside) = (state.join("log/0001.jsonl"), gated.home.path().join("aside"));
    fs::rename(&segment, &aside).unwrap();
    std::os::unix::fs::symlink(&aside, &segment).unwrap();
    let told = gated.json(&["verify", "--json"], 15);
    assert!(text(&told["problems"][0]["message"]).contains("symbolic link"), "{told}");
    assert_eq!(gated.exacta(&["list"]).code, 15);
    fs::rename(&aside, &segment).unwrap();
    assert_eq!(gated.json(&["verify", "--json"], 0)["ok"], true);
    let kept = fs::read_dir(state.join("kept")).unwrap().next().unwrap().unwrap().path();
    fs::write(kept.join("0"), "something else").unwrap();
    let told = gated.json(&["verify", "--json"], 15);
    assert_eq!(told["problems"][0]["kind"], "backup");
    assert!(text(&told["problems"][0]["message"]).contains(MAIN.0), "{told}");
    assert!(gated.exacta(&["verify"]).out.contains("`exacta forget`"));
    let hash = text(&gated.json(&["status", &run, "--json"], 0)["plan_hash"]);
    assert_eq!(gated.exacta(&["forget", &run, "--hash", &hash]).code, 0);
    assert_eq!(gated.json(&["verify", "--json"], 0)["ok"], true);
}

#[test]
fn nothing_is_called_forgotten_while_somebody_else_has_the_project() {
    let gated = Gated::of(&[MAIN], HASH);
    let told = gated.propose(SMALL, 0);
    let run = text(&told["run"]["run_id"]);
    let lock = fs::File::open(gated.project.path().join(".exacta/lock")).unwrap();
    lock.lock().unwrap();
    let hash = text(&told["plan_hash"]);
    assert_eq!(gated.exacta(&["forget", &run, "--hash", &hash]).code, 1);
    assert!(!gated.exacta(&["log"]).out.contains("forgotten"));
    lock.unlock().unwrap();
    // The name of a run alone does not give up the way back.
    assert_eq!(gated.exacta(&["forget", &run]).code, 11);
    gated.json(&["forget", &run, "--hash", &hash, "--json"], 0);
    assert!(gated.exacta(&["list"]).out.contains("backup deleted"));
    assert_eq!(gated.json(&["list", "--json"], 0)[0]["forgotten"], true);
    assert!(gated.exacta(&["log"]).out.contains("forgotten"));
}

#[test]
fn forgetting_a_run_forgets_its_undo_and_redo_as_well() {
    for named in 0..3 {
        let gated = Gated::of(&[MAIN], HASH);
        let told = gated.propose(SMALL, 0);
        let (run, hash) = (text(&told["run"]["run_id"]), text(&told["plan_hash"]));
        let undo = gated.json(&["undo", &run, "--hash", &hash, "--json"], 0);
        let redo = gated.json(&["redo", &run, "--hash", &hash, "--json"], 0);
        let chain = [run, text(&undo["run_id"]), text(&redo["run_id"])];
        assert_eq!(gated.exacta(&["forget", &chain[named], "--hash", &hash]).code, 0);
        for run in &chain {
            let refused = gated.exacta(&["undo", run, "--hash", &hash]);
            assert_eq!(refused.code, 10, "{}", refused.err);
        }
        let kept = gated.project.path().join(".exacta/kept");
        assert_eq!(fs::read_dir(kept).unwrap().count(), 0, "a way back is left");
        gated.json(&["verify", "--json"], 0);
    }
}

#[test]
fn derived_files_that_were_deleted_come_back_and_edited_ones_are_told() {
    let gated = Gated::of(&[MAIN], HASH);
    gated.propose(SMALL, 0);
    let state = gated.project.path().join(".exacta");
    let files = || -> Vec<_> {
        let folders = ["plans", "audit-log"].map(|name| state.join(name));
        let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let before: Vec<_> = files().into_iter().map(|path| fs::read(path).unwrap()).collect();
    for file in files() {
        fs::remove_file(file).unwrap();
    }
    gated.json(&["verify", "--json"], 15);
    let told = gated.json(&["recover", "--json"], 0);
    assert_eq!(told["rebuilt"].as_array().unwrap().len(), 2);
    let after: Vec<_> = files().into_iter().map(|path| fs::read(path).unwrap()).collect();
    assert_eq!(after, before);
    gated.json(&["verify", "--json"], 0);
    // A command that writes brings back a whole folder that was thrown away.
    fs::remove_dir_all(state.join("audit-log")).unwrap();
    assert_eq!(gated.exacta(&["gc"]).code, 0);
    gated.json(&["verify", "--json"], 0);
    // An edit is a matter for a person: it is told, and stays.
    let plan = fs::read_dir(state.join("plans")).unwrap().next().unwrap().unwrap().path();
    fs::write(&plan, "{}").unwrap();
    gated.json(&["recover", "--json"], 0);
    gated.json(&["verify", "--json"], 15);
}
