//! The whole way of a plan through the built program: propose, decide, run, undo, prove.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::project::{Project, Said};

/// A project whose gate keeps its key in a home of its own.
pub(crate) struct Gated {
    pub(crate) project: Project,
    home: TempDir,
}

pub(crate) const HASH: &str = "version = 1\ndecide = \"hash\"\n";

impl Gated {
    /// With an operator policy.
    pub(crate) fn of(files: &[(&str, &str)], policy: &str) -> Self {
        let gated = Self { project: Project::of(files), home: TempDir::new().unwrap() };
        gated.policy(policy);
        gated
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn policy(&self, text: &str) {
        let folder = self.home.path().join(".config/exacta");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("policy.toml"), text).unwrap();
    }

    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = self.project.command(program);
        command.env("HOME", self.home.path());
        command
    }

    pub(crate) fn exacta(&self, args: &[&str]) -> Said {
        self.command(env!("CARGO_BIN_EXE_exacta")).args(args).output().unwrap().into()
    }

    pub(crate) fn json(&self, args: &[&str], code: i32) -> Value {
        let said = self.exacta(args);
        assert_eq!(said.code, code, "{args:?}\n{}\n{}", said.out, said.err);
        said.json()
    }

    /// Runs the program at a terminal where somebody types `yes` when asked.
    pub(crate) fn at_terminal(&self, args: &[&str]) -> Said {
        self.at_terminal_in(self.project.path(), args)
    }

    /// The same in another folder.
    pub(crate) fn at_terminal_in(&self, folder: &Path, args: &[&str]) -> Said {
        let line = format!("{} {}", env!("CARGO_BIN_EXE_exacta"), args.join(" "));
        let typed = format!("(sleep 1; echo yes; sleep 1) | script -qec '{line}' /dev/null");
        self.command("sh").current_dir(folder).args(["-c", &typed]).output().unwrap().into()
    }

    pub(crate) fn propose(&self, plan: &str, code: i32) -> Value {
        let path = self.home.path().join("plan.json");
        fs::write(&path, plan).unwrap();
        self.json(&["propose", path.to_str().unwrap(), "--json"], code)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.project.path().join(name)).unwrap()
    }
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

pub(crate) const MAIN: (&str, &str) = ("src/main.py", "print(\"hi\")\n");

pub(crate) const SMALL: &str = r#"{"goal":"greet","steps":[{"step_id":"step_1","title":"Greet in src/main.py",
"type":"file_modify","target":"src/main.py","edits":[{"old":"hi","new":"hello"}]}]}"#;

/// A plan that always waits: it adds a workflow. Steps two and three belong together.
pub(crate) const WAITS: &str = r#"{"goal":"notes and checks","steps":[
{"step_id":"step_1","title":"Add a workflow","type":"file_create","target":".github/workflows/a.yml","content":"on: push\n","dependencies":[]},
{"step_id":"step_2","title":"Add NOTES.md","type":"file_create","target":"NOTES.md","content":"one\n","dependencies":[]},
{"step_id":"step_3","title":"Extend NOTES.md","type":"file_modify","target":"NOTES.md","edits":[{"old":"one","new":"two"}],"dependencies":["step_2"]}]}"#;

#[test]
fn a_small_plan_runs_alone_is_undone_and_redone() {
    let gated = Gated::of(&[MAIN], HASH);
    let told = gated.propose(SMALL, 0);
    assert_eq!(told["state"], "auto_approved");
    assert_eq!(told["decision"], "auto_silent");
    assert_eq!(told["run"]["state"], "completed");
    assert_eq!(told["run"]["results"][1]["step_id"], "__meta__");
    assert_eq!(told["run"]["receipt"]["files"][0]["path"], "src/main.py");
    assert_eq!(gated.read("src/main.py"), "print(\"hello\")\n");

    let run = text(&told["run"]["run_id"]);
    let hash = text(&told["plan_hash"]);
    let undone = gated.json(&["undo", &run, "--hash", &hash, "--json"], 0);
    assert_eq!(undone["state"], "undone");
    assert_eq!(gated.read("src/main.py"), "print(\"hi\")\n");
    let redone = gated.json(&["redo", &run, "--hash", &hash, "--json"], 0);
    assert_eq!(redone["state"], "redone");

    // Later work is never overwritten.
    gated.project.write("src/main.py", "print(\"mine\")\n");
    let conflict = gated.json(&["undo", &run, "--hash", &hash, "--json"], 14);
    assert_eq!(conflict["state"], "conflict");
    assert_eq!(conflict["conflicts"].as_array().unwrap().len(), 1);
    assert_eq!(gated.read("src/main.py"), "print(\"mine\")\n");

    let verified = gated.json(&["verify", "--json"], 0);
    assert_eq!((&verified["ok"], &verified["problems"]), (&true.into(), &Value::Array(vec![])));
    // The results of a run meet the contract that foreign executors are checked against.
    let results = gated.home.path().join("results.json");
    fs::write(&results, told["run"]["results"].to_string()).unwrap();
    let checked = gated.exacta(&["results", "check", results.to_str().unwrap()]);
    assert_eq!(checked.code, 0, "{}", checked.out);
}

/// DESIGN §7: a person's undo is its own approval, an agent's goes through the table.
#[test]
fn an_agents_undo_is_a_plan_for_the_decision_table() {
    let gated = Gated::of(&[MAIN], "version = 1\n");
    let run = text(&gated.propose(SMALL, 0)["run"]["run_id"]);
    let refused = gated.exacta(&["undo", &run]);
    assert_eq!(refused.code, 11, "{}", refused.err);
    assert!(refused.err.contains("`--propose` hands it in as a plan"), "{}", refused.err);
    assert_eq!(gated.read("src/main.py"), "print(\"hello\")\n");

    // Harmless: it runs, as a plan with a way back of its own.
    let told = gated.json(&["undo", &run, "--propose", "--json"], 0);
    assert_eq!(
        (&told["state"], &told["decision"]),
        (&"auto_approved".into(), &"auto_silent".into())
    );
    assert_eq!(gated.read("src/main.py"), "print(\"hi\")\n");
    let inverse = text(&told["run"]["run_id"]);
    for args in [["undo", &run, "--json", "--propose"].as_slice(), &["undo", &run, "--json"]] {
        let again = gated.json(args, 14);
        assert_eq!(again["state"], "conflict");
        let reason = text(&again["reason"]);
        assert!(reason.contains("taken back already") && reason.contains(&inverse), "{reason}");
    }
    gated.json(&["undo", &inverse, "--propose", "--json"], 0);
    assert_eq!(gated.read("src/main.py"), "print(\"hello\")\n");

    // A deletion waits for a person, and nothing happens until then.
    let create = r#"{"goal":"notes","steps":[{"step_id":"step_1","title":"Add NOTES.md",
"type":"file_create","target":"NOTES.md","content":"one\n"}]}"#;
    let run = text(&gated.propose(create, 0)["run"]["run_id"]);
    let told = gated.json(&["undo", &run, "--propose", "--json"], 11);
    assert_eq!((&told["state"], &told["files"][0]["op"]), (&"pending".into(), &"delete".into()));
    assert_eq!(gated.read("NOTES.md"), "one\n");
    assert!(gated.at_terminal(&["approve", &text(&told["plan_id"])]).out.contains("user_approved"));
    assert_eq!(gated.exacta(&["run", &text(&told["plan_id"])]).code, 0);
    assert!(!gated.project.path().join("NOTES.md").exists());

    // Rules for the one who asks hold, and what was not undone is not redone.
    assert_eq!(gated.exacta(&["undo", &run, "--propose", "--as", "stranger"]).code, 14);
    assert_eq!(gated.exacta(&["undo", &inverse, "--propose", "--as", "stranger"]).code, 14);
    assert_eq!(gated.exacta(&["redo", &run, "--propose"]).code, 10);
    gated.json(&["verify", "--json"], 0);
}

#[test]
fn nobody_decides_without_a_terminal_or_a_credential() {
    let gated = Gated::of(&[MAIN], "version = 1\n");
    let told = gated.propose(WAITS, 11);
    let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
    assert_eq!(gated.exacta(&["run", &plan]).code, 11);
    for args in [
        vec!["approve", &plan],
        vec!["approve", &plan, "--hash", &hash],
        vec!["reject", &plan, "--reason", "no"],
        vec!["changes", &plan, "other"],
        vec!["renew", &plan],
    ] {
        let alone = gated
            .command("setsid")
            .arg("--wait")
            .arg(env!("CARGO_BIN_EXE_exacta"))
            .args(&args)
            .output()
            .unwrap();
        let said = Said::from(alone);
        assert_eq!(said.code, 11, "{args:?} {}", said.err);
        assert!(said.err.contains("terminal"), "{}", said.err);
    }
    assert_eq!(gated.json(&["status", &plan, "--json"], 0)["state"], "pending");

    let said = gated.at_terminal(&["approve", &plan]);
    assert_eq!(said.code, 0, "{}", said.out);
    let log = gated.exacta(&["log", "--event", "plan_approved", "--json"]);
    let entry: Value = serde_json::from_str(log.out.trim()).unwrap();
    assert_eq!(entry["event"]["plan_approved"]["approval"]["assurance"], "terminal");
    assert_eq!(gated.json(&["run", &plan, "--json"], 0)["state"], "completed");
}

#[test]
fn a_credential_decides_and_another_one_does_not() {
    let gated = Gated::of(&[MAIN], "version = 1\ndecide = \"credential\"\n");
    let told = gated.propose(WAITS, 11);
    let plan = text(&told["plan_id"]);
    let secret = gated.home.path().join("secret");
    fs::write(&secret, "a long pass phrase\n").unwrap();
    // Whoever can read it can decide.
    let open = gated.at_terminal(&["policy", "credential", secret.to_str().unwrap()]);
    assert_eq!(open.code, 10, "{}{}", open.out, open.err);
    assert!(open.out.contains("chmod 600"), "{}", open.out);
    let private = |file: &Path| fs::set_permissions(file, Permissions::from_mode(0o600)).unwrap();
    private(&secret);
    let set = gated.at_terminal(&["policy", "credential", secret.to_str().unwrap()]);
    assert_eq!(set.code, 0, "{}{}", set.out, set.err);
    let wrong = gated.home.path().join("wrong");
    fs::write(&wrong, "another pass phrase\n").unwrap();
    private(&wrong);
    let refused = gated.exacta(&["approve", &plan, "--credential", wrong.to_str().unwrap()]);
    assert_eq!(refused.code, 11, "{}", refused.err);
    assert!(refused.err.contains("does not hold the credential"), "{}", refused.err);
    fs::set_permissions(&secret, Permissions::from_mode(0o644)).unwrap();
    let open = gated.exacta(&["approve", &plan, "--credential", secret.to_str().unwrap()]);
    assert_eq!(open.code, 10, "{}", open.err);
    private(&secret);
    let given = gated.exacta(&["approve", &plan, "--credential", secret.to_str().unwrap()]);
    assert_eq!(given.code, 0, "{}", given.err);
    let log = gated.exacta(&["log", "--json"]).out;
    assert!(log.contains("\"assurance\":\"credential\"") && !log.contains("pass phrase"));
}

#[test]
fn a_wrong_cut_or_upper_case_hash_is_refused_and_an_approval_is_good_for_one_run() {
    let gated = Gated::of(&[MAIN], HASH);
    let told = gated.propose(WAITS, 11);
    let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
    let other = told["effect_hash"].as_str().unwrap();
    for wrong in [other, hash.get(..63).unwrap(), &hash.to_uppercase(), ""] {
        let said = gated.exacta(&["approve", &plan, "--hash", wrong]);
        assert_eq!(said.code, 12, "{wrong}: {}", said.err);
    }
    assert_eq!(gated.exacta(&["approve", &plan]).code, 11);
    let approved = gated.json(&["approve", &plan, "--hash", &hash, "--json"], 0);
    assert_eq!(approved["state"], "user_approved");
    assert_eq!(gated.exacta(&["approve", &plan, "--hash", &hash]).code, 12);
    assert_eq!(gated.json(&["run", &plan, "--json"], 0)["state"], "completed");
    let again = gated.exacta(&["run", &plan]);
    assert_eq!(again.code, 12);
    assert!(again.err.contains("spent"), "{}", again.err);
}

#[test]
fn selected_steps_become_a_plan_of_their_own() {
    let gated = Gated::of(&[MAIN], HASH);
    let told = gated.propose(WAITS, 11);
    let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
    let lacking = gated.exacta(&["approve", &plan, "--hash", &hash, "--steps", "step_3"]);
    assert_eq!(lacking.code, 10);
    assert!(lacking.err.contains("`step_3` needs `step_2`"), "{}", lacking.err);
    assert_eq!(gated.exacta(&["approve", &plan, "--hash", &hash, "--steps", "step_9"]).code, 10);
    let steps = ["approve", &plan, "--hash", &hash, "--steps", "step_2,step_3", "--json"];
    let derived = gated.json(&steps, 0);
    assert_eq!(
        (&derived["state"], &derived["original_plan_id"]),
        (&"user_approved".into(), &plan.clone().into())
    );
    assert_ne!(derived["plan_id"], plan.as_str());
    assert_eq!(gated.json(&["status", &plan, "--json"], 0)["state"], "expired");
    assert_eq!(gated.exacta(&["run", &plan]).code, 12);
    let ran = gated.json(&["run", &text(&derived["plan_id"]), "--json"], 0);
    assert_eq!(ran["results"][0]["step_id"], "step_2");
    assert_eq!(gated.read("NOTES.md"), "two\n");
    assert!(!gated.project.path().join(".github").exists());
}

#[test]
fn what_changed_since_is_named_and_nothing_runs() {
    let gated = Gated::of(&[MAIN, ("Cargo.toml", "[package]\n")], HASH);
    let approved = || {
        let told = gated.propose(
            &SMALL
                .replace("\"goal\"", "\"assumptions\":[\"x\"],\"goal\"")
                .replace("\"type\"", "\"requires_approval\":true,\"type\""),
            11,
        );
        let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
        gated.json(&["approve", &plan, "--hash", &hash, "--json"], 0);
        plan
    };
    // A target.
    let plan = approved();
    gated.project.write("src/main.py", "print(\"hi\") # mine\n");
    let said = gated.exacta(&["run", &plan]);
    assert_eq!(said.code, 12);
    assert!(said.err.contains("`src/main.py` has changed"), "{}", said.err);
    assert_eq!(gated.json(&["status", &plan, "--json"], 0)["state"], "expired");
    assert_eq!(gated.read("src/main.py"), "print(\"hi\") # mine\n");
    // Its mode.
    gated.project.write("src/main.py", MAIN.1);
    let plan = approved();
    let path = gated.project.path().join("src/main.py");
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let said = gated.exacta(&["run", &plan]);
    assert!(said.code == 12 && said.err.contains("mode"), "{}", said.err);
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    // The project configuration.
    let plan = approved();
    gated.project.write("Cargo.toml", "[package] # other\n");
    let said = gated.exacta(&["run", &plan]);
    assert!(said.code == 12 && said.err.contains("`Cargo.toml` has changed"), "{}", said.err);
    // The operator's policy: blocked, and the plan keeps its state.
    let plan = approved();
    gated.policy(&format!("{HASH}ttl_minutes = 20\n"));
    let said = gated.exacta(&["run", &plan]);
    assert!(said.code == 12 && said.err.contains("policy hash"), "{}", said.err);
    assert_eq!(gated.json(&["status", &plan, "--json"], 0)["state"], "user_approved");
    gated.policy(HASH);
    assert_eq!(gated.json(&["run", &plan, "--json"], 0)["state"], "completed");
}

#[test]
fn rejected_changed_paused_and_renewed_plans() {
    let gated = Gated::of(&[MAIN], HASH);
    let fresh = || text(&gated.propose(WAITS, 11)["plan_id"]);
    let plan = fresh();
    assert_eq!(gated.json(&["reject", &plan, "--reason", "no", "--json"], 0)["state"], "rejected");
    assert_eq!(gated.exacta(&["run", &plan]).code, 10);
    assert_eq!(gated.exacta(&["renew", &plan]).code, 10);
    let plan = fresh();
    assert_eq!(gated.json(&["pause", &plan, "--json"], 0)["state"], "pending");
    assert_eq!(gated.json(&["changes", &plan, "less", "--json"], 0)["state"], "expired");
    let renewed = gated.json(&["renew", &plan, "--json"], 0);
    assert_eq!(
        (&renewed["state"], &renewed["original_plan_id"]),
        (&"pending".into(), &plan.into())
    );
    // A plan that would run alone waits when it is renewed.
    let told = gated.propose(SMALL, 0);
    let run = text(&told["run"]["run_id"]);
    gated.json(&["undo", &run, "--hash", &text(&told["plan_hash"]), "--json"], 0);
    let renewed = gated.json(&["renew", &text(&told["plan_id"]), "--json"], 0);
    assert_eq!(renewed["state"], "pending");
    // A plan that is not sound is stored, rejected, and stays so.
    let bad = SMALL.replace("\"hi\"", "\"bye\"");
    let told = gated.propose(&bad, 10);
    assert_eq!(told["state"], "rejected");
    // A text that is no plan at all leaves a refusal on the record, and no plan.
    let told = gated.propose("so, here is my plan", 10);
    assert_eq!(told["plan_id"], Value::Null);
    let log = gated.exacta(&["log", "--event", "refused", "--json"]).out;
    assert!(log.contains("PLAN_PARSE_NONJSON") && !log.contains("here is"), "{log}");
    assert_eq!(gated.json(&["verify", "--json"], 0)["ok"], true);
}

#[test]
fn a_key_makes_two_commands_one() {
    let gated = Gated::of(&[MAIN], HASH);
    let path = gated.home.path().join("plan.json");
    fs::write(&path, WAITS).unwrap();
    let args = ["propose", path.to_str().unwrap(), "--json", "--idempotency-key", "k1"];
    let one = gated.json(&args, 11);
    let two = gated.json(&args, 11);
    assert_eq!(one["plan_id"], two["plan_id"]);
    assert_eq!(gated.json(&["list", "--json"], 0).as_array().unwrap().len(), 1);
}

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
fn escapes_in_any_word_are_shown_and_never_obeyed() {
    let gated = Gated::of(&[MAIN], HASH);
    let evil = "\\u001b[31mred\\u001b]0;title\\u0007\\u202egnp.exe";
    let plan = WAITS
        .replace("notes and checks", evil)
        .replace("Add a workflow", evil)
        .replace("\"one\\n\"", &format!("\"{evil}one\\n\""));
    let told = gated.propose(&plan, 11);
    let plan = text(&told["plan_id"]);
    gated.exacta(&["changes", &plan, "\u{1b}[2Jgone \u{202e}x"]);
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
fn the_operators_checks_judge_the_staged_files() {
    let policy =
        |command: &str| format!("{HASH}[checks.grep]\ncommand = {command}\ntimeout_seconds = 20\n");
    let gated = Gated::of(&[MAIN], &policy(r#"["grep", "hello", "src/main.py"]"#));
    let told = gated.propose(SMALL, 0);
    assert_eq!(told["run"]["checks"][0]["passed"], true, "{told}");
    assert_eq!(gated.read("src/main.py"), "print(\"hello\")\n");
    // One that does not pass: nothing is touched, and the approval is spent.
    gated.policy(&policy(r#"["sh", "-c", "echo no good; exit 3"]"#));
    let plan = SMALL.replace("\"hi\"", "\"hello\"").replace("\"new\":\"hello\"", "\"new\":\"ho\"");
    let told = gated.propose(&plan, 13);
    assert_eq!(told["run"]["state"], "rolled_back", "{told}");
    assert_eq!(told["run"]["checks"][0]["output"], "no good\n");
    assert_eq!(gated.read("src/main.py"), "print(\"hello\")\n");
    assert_eq!(gated.exacta(&["run", &text(&told["plan_id"])]).code, 12);
    assert_eq!(gated.json(&["verify", "--json"], 0)["ok"], true);
}

#[test]
fn a_check_that_only_some_plans_name_judges_only_those() {
    let policy = format!(
        "{HASH}[checks.always]\ncommand = [\"true\"]\n[checks.slow]\nruns = \"named\"\n\
         command = [\"grep\", \"hello\", \"src/main.py\"]\n"
    );
    let gated = Gated::of(&[MAIN], &policy);
    let names = |told: &Value| -> Vec<String> {
        let checks = told["run"]["checks"].as_array().unwrap();
        checks.iter().map(|check| text(&check["name"])).collect()
    };
    // A draft can only add: the check that always runs is not left out.
    let draft = SMALL.replace(
        "\"steps\"",
        "\"constraints\":[{\"kind\":\"tests_required\",\"checks\":[\"slow\"]}],\"steps\"",
    );
    let told = gated.propose(&draft, 0);
    assert_eq!(names(&told), ["always", "slow"]);
    let plan = SMALL.replace("\"hi\"", "\"hello\"").replace("\"new\":\"hello\"", "\"new\":\"ho\"");
    let path = gated.home.path().join("plan.json");
    fs::write(&path, &plan).unwrap();
    let path = path.to_str().unwrap();
    // A person can name it for a plan that does not.
    let told = gated.json(&["propose", path, "--constraint", "tests_required=slow", "--json"], 13);
    assert_eq!(names(&told), ["always", "slow"]);
    assert_eq!(gated.read("src/main.py"), "print(\"hello\")\n");
    let told = gated.json(&["propose", path, "--json"], 0);
    assert_eq!(names(&told), ["always"]);
    // A name that policy does not know asks for nothing, so it is refused.
    let told = gated.json(&["check", path, "--constraint", "tests_required=no-such", "--json"], 10);
    let message = text(&told["issues"].as_array().unwrap().last().unwrap()["message"]);
    assert!(message.contains("policy knows no check `no-such`"), "{message}");
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
    assert!(gated.exacta(&["list"]).out.contains("way back given up"));
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
    assert!(ids.iter().all(|id| unclear.err.contains(id.as_str())), "{}", unclear.err);
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
    let gated = Gated::of(&files, &format!("{HASH}profile = \"balanced\"\n"));
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
