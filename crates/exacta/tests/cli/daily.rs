//! Finding one's way day by day: short ids, one command to approve and run, folders that move,
//! tests as a check, commits by policy.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::gated::{Gated, HASH, MAIN, SMALL, WAITS, end as end_of, text};

const MANUAL: &str = "version = 1\ndecide = \"hash\"\n";

#[test]
fn people_see_the_end_of_an_id_and_every_command_takes_it() {
    let gated = Gated::of(&[MAIN], MANUAL);
    let told = gated.propose(SMALL, 11);
    let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
    let end = end_of(&plan);
    for command in [&["list"][..], &["status", end], &["show", end], &["log"]] {
        let said = gated.exacta(command);
        assert_eq!(said.code, 0, "{command:?} {}", said.err);
        assert!(said.out.contains(end), "{command:?} {}", said.out);
        // The page of a plan names it whole once, where its hashes stand.
        let whole = usize::from(command[0] == "show") * 2;
        assert!(said.out.matches(&plan).count() <= whole, "{command:?} {}", said.out);
    }
    let waits = gated.exacta(&["run", end]);
    assert_eq!(waits.code, 11);
    assert!(waits.err.contains(end) && !waits.err.contains(&plan), "{}", waits.err);
    // Programs see it whole.
    assert_eq!(gated.json(&["status", end, "--json"], 0)["plan_id"], plan.as_str());

    let ran = gated.json(&["approve", end, "--hash", &hash, "--run", "--json"], 0);
    assert_eq!(ran["state"], "completed");
    assert!(gated.read("src/main.py").contains("we say hello"));
    let run = text(&ran["run_id"]);
    let shown = gated.exacta(&["show", end_of(&run)]);
    assert_eq!(shown.code, 0, "{}", shown.err);
}

#[test]
fn the_log_has_one_order_of_columns_and_the_list_says_what_is_next() {
    let gated = Gated::of(&[MAIN], MANUAL);
    let plan = text(&gated.propose(SMALL, 11)["plan_id"]);
    let end = end_of(&plan);
    let log = gated.exacta(&["log"]).out;
    let created = log.lines().find(|line| line.contains("plan_created")).unwrap();
    let places = ["plan_created", end, "uid ", "greet"].map(|word| created.find(word));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{created}");
    let list = gated.exacta(&["list"]).out;
    assert!(list.contains(&format!("next: `exacta review {end}`")), "{list}");
    assert!(list.contains("1 file") && list.contains("pending"), "{list}");
}

#[test]
fn approving_and_running_says_so_and_does_both() {
    let gated = Gated::of(&[MAIN], "version = 1\n");
    let plan = text(&gated.propose(SMALL, 11)["plan_id"]);
    let said = gated.at_terminal(&["approve", &plan, "--run"]);
    assert_eq!(said.code, 0, "{}", said.out);
    assert!(said.out.contains("Approve and run plan"), "{}", said.out);
    assert!(said.out.contains("Type yes to confirm, anything else to go back: "), "{}", said.out);
    assert!(said.out.contains("done: run "), "{}", said.out);
    assert!(gated.read("src/main.py").contains("we say hello"));
}

#[test]
fn past_ten_files_a_report_sums_up() {
    let names: Vec<String> = (10..23).map(|number| format!("f{number}.txt")).collect();
    let steps: Vec<Value> = names
        .iter()
        .enumerate()
        .map(|(at, name)| {
            json!({"step_id": format!("step_{}", at + 1), "title": format!("Add {name}"),
                "type": "file_create", "target": name, "content": "x\n"})
        })
        .collect();
    let gated = Gated::of(&[MAIN], MANUAL);
    let told = gated.propose(&json!({"goal": "many", "steps": steps}).to_string(), 11);
    let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
    let ran = gated.exacta(&["approve", &plan, "--hash", &hash, "--run"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("and 3 more files"), "{}", ran.out);
    assert!(ran.out.contains("f19.txt") && !ran.out.contains("f20.txt"), "{}", ran.out);
    let undone = gated.exacta(&["undo", "--hash", &hash]);
    assert!(undone.out.contains("and 3 more files"), "{}", undone.out);
}

#[test]
fn a_moved_folder_goes_on_with_its_record_and_every_undo() {
    let gated = Gated::of(&[MAIN], "version = 1\nprofile = \"conservative\"\n");
    gated.propose(SMALL, 0);
    let waits = text(&gated.propose(WAITS, 11)["plan_id"]);
    let place = tempfile::tempdir().unwrap();
    let here = place.path().join("here");
    let twin = place.path().join("twin");
    copy(gated.project.path(), &twin);
    // As `mv` would do it; the folder itself belongs to the test.
    copy(gated.project.path(), &here);
    for entry in fs::read_dir(gated.project.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else {
            fs::remove_file(path).unwrap();
        }
    }
    fs::remove_dir(gated.project.path()).unwrap();
    let exacta = |folder: &std::path::Path, args: &[&str]| -> crate::project::Said {
        let mut command = gated.command(env!("CARGO_BIN_EXE_exacta"));
        command.current_dir(folder).args(args).output().unwrap().into()
    };
    assert_eq!(exacta(&here, &["list"]).code, 15);
    // Not without the proof.
    assert_eq!(exacta(&here, &["adopt"]).code, 11);
    let said = gated.at_terminal_in(&here, &["adopt"]);
    assert_eq!(said.code, 0, "{}", said.out);
    assert!(said.out.contains("the record goes on here"), "{}", said.out);
    assert!(said.out.contains("1 plan expired"), "{}", said.out);
    let log = exacta(&here, &["log"]).out;
    assert!(log.contains("record_moved") && log.contains("the project was moved since"), "{log}");
    let verified = exacta(&here, &["verify"]);
    assert_eq!(verified.code, 0, "{}", verified.out);
    assert_eq!(exacta(&here, &["run", &waits]).code, 12);
    // The other one is a copy of it from now on.
    let said = exacta(&twin, &["verify"]);
    assert!(said.code == 15 && said.out.contains("copied in .exacta"), "{}", said.out);
    let undone = gated.at_terminal_in(&here, &["undo"]);
    assert_eq!(undone.code, 0, "{}", undone.out);
    assert_eq!(fs::read_to_string(here.join("src/main.py")).unwrap(), MAIN.1);
}

#[test]
fn a_moved_record_that_was_cut_does_not_go_on() {
    let gated = Gated::of(&[MAIN], "version = 1\nprofile = \"conservative\"\n");
    let place = tempfile::tempdir().unwrap();
    let here = place.path().join("here");
    gated.propose(WAITS, 11);
    copy(gated.project.path(), &here);
    gated.propose(SMALL, 0);
    // The copy is behind what was noted, and the original is gone.
    fs::remove_dir_all(gated.project.path()).unwrap();
    let said = gated.at_terminal_in(&here, &["adopt"]);
    assert_eq!(said.code, 0, "{}", said.out);
    assert!(said.out.contains("adopted: project"), "{}", said.out);
    let mut log = gated.command(env!("CARGO_BIN_EXE_exacta"));
    let log = log.current_dir(&here).arg("log").output().unwrap();
    let log = String::from_utf8(log.stdout).unwrap();
    assert!(log.contains("record_begun") && !log.contains("plan_created"), "{log}");
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    let done = std::process::Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap();
    assert!(done.success());
}

#[test]
fn init_adds_only_tests_that_pass_here_and_offers_them_in_every_project() {
    let script = |gated: &Gated, text: &str| {
        let at = gated.project.path().join("test");
        fs::write(&at, text).unwrap();
        fs::set_permissions(&at, fs::Permissions::from_mode(0o755)).unwrap();
    };
    // Checks of other projects are no answer for this one.
    let other = "version = 1\n[checks.tests-other]\ncommand = [\"true\"]\nruns = \"named\"\n";
    let gated = Gated::of(&[MAIN], other);
    script(&gated, "#!/bin/sh\nseq 1000; echo no such thing; exit 3\n");
    let said = gated.at_terminal(&["init"]);
    assert_eq!(said.code, 0, "{}", said.out);
    for part in ["ended with code 3", "| no such thing", "no check was added", "all the same"] {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
    // What went wrong stands at the end of what it printed.
    assert!(said.out.contains("| (961 lines before these)"), "{}", said.out);
    assert!(said.out.contains("| 1000") && !said.out.contains("| 900\r"), "{}", said.out);
    assert!(!gated.project.path().join(".exacta/policy.toml").exists());
    script(&gated, "#!/bin/sh\ngrep -q hi src/main.py\n");
    let said = gated.at_terminal(&["init"]);
    assert!(said.out.contains("now checks every change of this project"), "{}", said.out);
    assert!(gated.project.path().join(".exacta/policy.toml").exists());
    // From now on there is nothing to offer.
    let again = gated.exacta(&["init"]);
    assert!(!again.err.contains("policy set check"), "{}", again.err);
    // One that tests nothing shows nothing, although it passes.
    let gated = Gated::of(&[MAIN], "version = 1\n");
    script(&gated, "#!/bin/sh\necho 'running 0 tests'\n");
    let said = gated.at_terminal(&["init"]);
    for part in
        ["passed", "but it ran no test: `running 0 tests`", "no check was added", "all the same"]
    {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
    assert!(!said.out.contains("now checks every change"), "{}", said.out);
    assert!(!gated.project.path().join(".exacta/policy.toml").exists());
    // A program that is not here is not offered.
    let gated = Gated::of(&[MAIN, ("justfile", "test:\n\ttrue\n")], "version = 1\n");
    let said = gated.exacta(&["init"]);
    assert!(said.err.contains("`just` is not here"), "{}", said.err);
}

#[test]
fn init_offers_the_tests_and_they_judge_every_run_here() {
    let gated =
        Gated::of(&[MAIN, ("test", "#!/bin/sh\ngrep -q hi src/main.py\n")], "version = 1\n");
    let script = gated.project.path().join("test");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    // Nobody to ask: it is only said.
    let quiet = gated.exacta(&["init"]);
    assert_eq!(quiet.code, 0, "{}", quiet.err);
    assert!(quiet.err.contains("policy set check tests-"), "{}", quiet.err);
    assert!(!gated.project.path().join(".exacta/policy.toml").exists());

    let said = gated.at_terminal(&["init"]);
    assert_eq!(said.code, 0, "{}", said.out);
    assert!(said.out.contains("`./test` now checks every change of this project"), "{}", said.out);
    let policy = fs::read_to_string(gated.home().join(".config/exacta/policy.toml")).unwrap();
    assert!(policy.contains("runs = \"named\""), "{policy}");
    // A second one of that name is refused with what to do instead.
    let name = policy.split("tests-").nth(1).and_then(|rest| rest.split(['"', ']']).next());
    let name = format!("tests-{}", name.unwrap());
    let again = gated.exacta(&["policy", "set", "check", &name, "--", "true"]);
    assert_eq!(again.code, 10, "{}", again.err);
    assert!(again.err.contains("already: `./test`"), "{}", again.err);
    assert!(again.err.contains("exacta policy confirm"), "{}", again.err);
    // A plan that the tests do not like does nothing, whoever approves it.
    let plan = text(&gated.propose(SMALL, 11)["plan_id"]);
    let ran = gated.at_terminal(&["approve", &plan, "--run"]);
    assert_eq!(ran.code, 13, "{}", ran.out);
    assert!(ran.out.contains("rolled back"), "{}", ran.out);
    assert_eq!(gated.read("src/main.py"), MAIN.1);
    assert!(!gated.at_terminal(&["init"]).out.contains("Type yes"));

    // Taken out again, with the same proof as an approval, it stops nothing.
    let unset = ["policy", "unset", "check", name.as_str()];
    let refused = gated.exacta(&unset);
    assert_eq!(refused.code, 11, "{}", refused.err);
    let still = fs::read_to_string(gated.project.path().join(".exacta/policy.toml")).unwrap();
    assert!(still.contains(&name), "{still}");
    let said = gated.at_terminal(&unset);
    assert_eq!(said.code, 0, "{}", said.out);
    assert!(said.out.contains("changes no longer have to pass it"), "{}", said.out);
    for place in [gated.home().join(".config/exacta"), gated.project.path().join(".exacta")] {
        let policy = fs::read_to_string(place.join("policy.toml")).unwrap();
        assert!(!policy.contains(&name), "{policy}");
    }
    let none = gated.exacta(&unset);
    assert_eq!((none.code, none.err.contains("there is no check")), (2, true), "{}", none.err);
    let plan = text(&gated.propose(SMALL, 11)["plan_id"]);
    let ran = gated.at_terminal(&["approve", &plan, "--run"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
}

#[test]
fn policy_may_have_every_run_committed() {
    let policy = format!("{HASH}commit = true\n");
    let gated = Gated::of(&[MAIN], &policy);
    for args in [
        &["init", "-q", "-b", "main"][..],
        &["config", "user.name", "Ada"],
        &["config", "user.email", "ada@example.com"],
        &["add", "-A"],
        &["commit", "-qm", "start"],
    ] {
        gated.project.git(args);
    }
    let hash = text(&gated.propose(SMALL, 0)["plan_hash"]);
    let show = || String::from_utf8(gated.project.git(&["show", "HEAD:src/main.py"])).unwrap();
    assert!(show().contains("we say hello"));
    gated.json(&["undo", "--hash", &hash, "--json"], 0);
    assert_eq!(show(), MAIN.1);
    // A project may only switch it off.
    fs::write(gated.project.path().join(".exacta/policy.toml"), "commit = false\n").unwrap();
    gated.propose(SMALL, 0);
    assert_eq!(show(), MAIN.1);
    gated.policy(HASH);
    fs::write(gated.project.path().join(".exacta/policy.toml"), "commit = true\n").unwrap();
    let shown = gated.exacta(&["policy", "show"]).out;
    assert!(shown.contains("commit"), "{shown}");
    assert_eq!(gated.json(&["policy", "check", "--json"], 0)["ok"], true);
}

#[test]
fn a_stray_file_beside_the_record_stops_every_command() {
    let gated = Gated::of(&[MAIN], MANUAL);
    let told = gated.propose(SMALL, 11);
    let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
    let stray = gated.project.path().join(".exacta/log/notes.txt");
    fs::write(&stray, "x").unwrap();
    for command in [&["verify"][..], &["approve", &plan, "--hash", &hash], &["run", &plan]] {
        let said = gated.exacta(command);
        assert_eq!(said.code, 15, "{command:?} {}{}", said.out, said.err);
        assert!(format!("{}{}", said.out, said.err).contains("notes.txt"), "{}", said.err);
    }
    fs::remove_file(&stray).unwrap();
    gated.json(&["approve", &plan, "--hash", &hash, "--json"], 0);
}

#[test]
fn what_a_failing_check_prints_has_no_secrets_in_it() {
    let key = ["ghp_", "0123456789abcdefghij0123456789ABCDEF"].concat();
    let policy = format!(
        "{HASH}[checks.env]\ncommand = [\"sh\", \"-c\", \"echo TOKEN={key}; echo ordinary; exit 1\"]\n"
    );
    let gated = Gated::of(&[MAIN], &policy);
    let path = gated.home().join("plan.json");
    fs::write(&path, SMALL).unwrap();
    let told = gated.json(&["propose", path.to_str().unwrap(), "--no-run", "--json"], 0);
    let ran = gated.exacta(&["run", &text(&told["plan_id"]), "--json"]);
    assert_eq!(ran.code, 13, "{}", ran.err);
    assert!(ran.out.contains("ordinary") && !ran.out.contains(&key), "{}", ran.out);
}

#[test]
fn shims_find_their_versions_wherever_their_manager_lies() {
    let gated = Gated::of(&[MAIN], MANUAL);
    let elsewhere = tempfile::TempDir::new().unwrap();
    let manager = elsewhere.path().join("manager");
    for part in ["shims", "versions/3.99/bin", "private"] {
        fs::create_dir_all(manager.join(part)).unwrap();
    }
    fs::write(manager.join("private/token"), "not for you\n").unwrap();
    let real = manager.join("versions/3.99/bin/greet");
    let shim = format!(
        "#!/bin/sh\ncat '{0}/private/token' > out.txt 2>/dev/null\nexec '{1}'\n",
        manager.display(),
        real.display()
    );
    for (at, body) in [
        (&real, "#!/bin/sh\necho hello from a version > out.txt\n".to_owned()),
        (&manager.join("shims/greet"), shim),
    ] {
        fs::write(at, body).unwrap();
        fs::set_permissions(at, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}/shims:{}", manager.display(), std::env::var("PATH").unwrap());
    let said = gated
        .command(env!("CARGO_BIN_EXE_exacta"))
        .env("PATH", &path)
        .args(["capture", "--json", "--no-review", "--", "greet"])
        .output()
        .unwrap();
    let told: Value = serde_json::from_slice(&said.stdout).unwrap();
    let diff = gated.exacta(&["diff", &text(&told["plan_id"])]).out;
    assert!(diff.contains("hello from a version") && !diff.contains("not for you"), "{diff}");
}

#[test]
fn an_environment_of_another_folder_works_in_capture_without_flags() {
    let gated = Gated::of(&[MAIN], MANUAL);
    // As pyenv, nvm and the like lay things out: a program, and its library beside it.
    let versions = gated.home().join(".pyenv/versions/3.99");
    fs::create_dir_all(versions.join("bin")).unwrap();
    fs::create_dir_all(versions.join("lib")).unwrap();
    fs::write(versions.join("lib/words"), "hello from the library\n").unwrap();
    fs::write(gated.home().join(".pyenv/secret"), "not for you\n").unwrap();
    let program = versions.join("bin/greet");
    let lib = versions.join("lib/words");
    let secret = gated.home().join(".pyenv/secret");
    let body = format!(
        "#!/bin/sh\ncat '{}' > out.txt\ncat '{}' >> out.txt 2>/dev/null\nexit 0\n",
        lib.display(),
        secret.display()
    );
    fs::write(&program, body).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", versions.join("bin").display(), std::env::var("PATH").unwrap());
    let mut command = gated.command(env!("CARGO_BIN_EXE_exacta"));
    let said = command
        .env("PATH", &path)
        .args(["capture", "--json", "--no-review", "--", "greet"])
        .output()
        .unwrap();
    let told: Value = serde_json::from_slice(&said.stdout).unwrap();
    assert_eq!(told["state"], "pending", "{told:#}");
    let diff = gated.exacta(&["diff", &text(&told["plan_id"])]).out;
    assert!(diff.contains("hello from the library") && !diff.contains("not for you"), "{diff}");
    // A folder given by name is shown also where one below it is on PATH.
    let said = gated
        .command(env!("CARGO_BIN_EXE_exacta"))
        .env("PATH", &path)
        .args(["capture", "--json", "--no-review", "--read"])
        .arg(gated.home().join(".pyenv"))
        .args(["--", "greet"])
        .output()
        .unwrap();
    let told: Value = serde_json::from_slice(&said.stdout).unwrap();
    let diff = gated.exacta(&["diff", &text(&told["plan_id"])]).out;
    assert!(diff.contains("not for you"), "{diff}");
}
