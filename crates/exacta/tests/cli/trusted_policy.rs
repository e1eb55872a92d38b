//! The operator's policy counts where it was met and as it was confirmed.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::gated::{Gated, HASH};

const MAIN: (&str, &str) = ("src/main.py", "a = 1\nb = 2\n");
const PLAN: &str = r#"{"steps": [{"step_id": "step_1", "title": "Change src/main.py", "type":
    "file_modify", "target": "src/main.py", "content": "a = 1\nb = 3\n"}]}"#;
const BALANCED: &str = "version = 1\nprofile = \"balanced\"\ndecide = \"hash\"\n";

fn gated(policy: &str) -> Gated {
    let gated = Gated::of(&[MAIN], policy);
    fs::write(gated.home().join("plan.json"), PLAN).unwrap();
    assert_eq!(gated.exacta(&["init"]).code, 0);
    gated
}

/// Writes the operator's file behind the back of the gate.
fn by_hand(gated: &Gated, text: &str) {
    fs::write(gated.home().join(".config/exacta/policy.toml"), text).unwrap();
}

fn profile(gated: &Gated) -> String {
    let shown = gated.json(&["policy", "show", "--json"], 0);
    shown["record"]["effective_profile"].as_str().unwrap().into()
}

fn changes(gated: &Gated) -> usize {
    gated.exacta(&["log"]).out.matches("policy_changed").count()
}

fn propose(gated: &Gated) -> i32 {
    let plan = gated.home().join("plan.json");
    gated.exacta(&["propose", plan.to_str().unwrap(), "--no-run"]).code
}

#[test]
fn looser_values_count_after_a_person_confirmed_them() {
    let gated = gated(HASH);
    assert!(gated.note().exists());
    by_hand(&gated, BALANCED);
    assert_eq!(profile(&gated), "conservative");
    let plan = gated.home().join("plan.json");
    let check = gated.exacta(&["check", plan.to_str().unwrap()]);
    assert_eq!(check.code, 11, "{}", check.out);
    assert!(check.err.contains("exacta policy confirm"), "{}", check.err);
    assert_eq!((propose(&gated), changes(&gated)), (11, 1));
    assert!(gated.exacta(&["list"]).err.contains("exacta policy confirm"));
    // The proof is the one that the noted policy demands, about the policy in force.
    assert_eq!(gated.exacta(&["policy", "confirm"]).code, 11);
    let other = "0".repeat(64);
    assert_eq!(gated.exacta(&["policy", "confirm", "--hash", &other]).code, 12);
    assert_eq!(gated.exacta(&["policy", "set", "profile", "balanced", "--hash", &other]).code, 12);
    let shown = gated.json(&["policy", "show", "--json"], 0);
    let hash = shown["record"]["safety_policy_hash"].as_str().unwrap();
    let set = gated.exacta(&["policy", "set", "profile", "balanced", "--hash", hash]);
    assert_eq!(set.code, 10, "{}", set.err);
    let done = gated.json(&["policy", "confirm", "--hash", hash, "--json"], 0);
    assert_eq!(done["confirmed"], true);
    assert_eq!(profile(&gated), "balanced");
    assert!(changes(&gated) >= 2);
    assert_eq!(gated.exacta(&["check", plan.to_str().unwrap()]).code, 0);
    let again = gated.json(&["policy", "confirm", "--json"], 0);
    assert_eq!(again["confirmed"], false);
}

#[test]
fn tighter_values_count_at_once_and_are_noted() {
    let gated = gated(BALANCED);
    by_hand(&gated, HASH);
    assert_eq!(profile(&gated), "conservative");
    assert_eq!((propose(&gated), changes(&gated)), (11, 1));
    // What was tightened cannot be loosened by putting the old text back.
    by_hand(&gated, BALANCED);
    assert_eq!(profile(&gated), "conservative");
}

#[test]
fn another_place_counts_after_a_person_confirmed_it() {
    let gated = gated(HASH);
    let elsewhere = gated.home().join("elsewhere/exacta");
    fs::create_dir_all(&elsewhere).unwrap();
    let plan = gated.home().join("plan.json");
    for text in [None, Some(BALANCED)] {
        if let Some(text) = text {
            fs::write(elsewhere.join("policy.toml"), text).unwrap();
        }
        let mut command = gated.command(env!("CARGO_BIN_EXE_exacta"));
        command.env("XDG_CONFIG_HOME", gated.home().join("elsewhere"));
        let said = command.args(["check", plan.to_str().unwrap()]).output().unwrap();
        assert_eq!(said.status.code(), Some(11), "{text:?}");
        let talk = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(talk.contains("lies elsewhere now"), "{talk}");
    }
    assert_eq!(gated.exacta(&["check", plan.to_str().unwrap()]).err, "");
    // The same with nothing but its own folder for the state is another user to the gate.
    let said = gated.exacta(&["doctor"]);
    assert!(said.out.contains("in the password database"), "{}", said.out);
}

#[test]
fn a_state_folder_below_one_that_others_can_write_to_is_refused() {
    let gated = gated(HASH);
    let above = gated.home().join(".local");
    fs::set_permissions(&above, fs::Permissions::from_mode(0o757)).unwrap();
    let plan = gated.home().join("plan.json");
    for args in [vec!["check", plan.to_str().unwrap()], vec!["list"], vec!["init"]] {
        let said = gated.exacta(&args);
        assert_ne!(said.code, 0, "{args:?}");
        assert!(said.err.contains("others may write to"), "{args:?}: {}", said.err);
    }
    assert_eq!(gated.exacta(&["policy", "show"]).code, 0);
    let said = gated.exacta(&["doctor"]);
    assert!(said.out.contains("others may write to"), "{}", said.out);
    assert_eq!(gated.exacta(&["explain", "PLAN_STEP_CAP_EXCEEDED"]).code, 0);
    fs::set_permissions(&above, fs::Permissions::from_mode(0o1757)).unwrap();
    let root = rustix::process::geteuid().is_root();
    assert_eq!(gated.exacta(&["list"]).code == 0, root, "sticky counts where root owns it");
}

#[test]
fn whoever_confirms_sees_what_it_changes() {
    let gated = gated("version = 1\nprofile = \"conservative\"\n");
    by_hand(&gated, "version = 1\nprofile = \"balanced\"\nttl_minutes = 90\n");
    let said = gated.at_terminal(&["policy", "confirm"]);
    assert_eq!(said.code, 0, "{}", said.out);
    assert!(said.out.contains("profile: now \"conservative\", then \"balanced\""), "{}", said.out);
    assert!(said.out.contains("ttl_minutes: now 30, then 90"), "{}", said.out);
    assert!(!said.out.contains("token_budget"), "{}", said.out);
    assert_eq!(profile(&gated), "balanced");
}

#[test]
fn a_project_gets_a_second_check_of_its_own_and_other_policies_are_left_alone() {
    let gated = gated("version = 1\nprofile = \"conservative\"\n");
    let own = gated.project.path().join(".exacta/policy.toml");
    for name in ["one", "two"] {
        let args = ["policy", "set", "check", name, "--here", "--", "true"];
        let said = gated.at_terminal(&args);
        assert_eq!(said.code, 0, "{}", said.out);
    }
    let text = fs::read_to_string(&own).unwrap();
    assert!(text.contains("tests_required=one") && text.contains("tests_required=two"), "{text}");
    let by_hand = format!("# ours\n{text}");
    fs::write(&own, &by_hand).unwrap();
    let said = gated.at_terminal(&["policy", "set", "check", "three", "--here", "--", "true"]);
    assert_eq!(said.code, 10, "{}", said.out);
    assert_eq!(fs::read_to_string(&own).unwrap(), by_hand);
}

/// Deleting what was noted must not make the file count as met for the first time.
#[test]
fn a_note_that_is_gone_loosens_nothing_where_records_are_known() {
    let gated = gated(HASH);
    by_hand(&gated, BALANCED);
    fs::remove_file(gated.note()).unwrap();
    assert_eq!(profile(&gated), "manual");
    assert_eq!((propose(&gated), changes(&gated)), (11, 1));
    assert!(gated.exacta(&["list"]).err.contains("exacta policy confirm"));
    assert!(!gated.note().exists());
    let done = gated.at_terminal(&["policy", "confirm"]);
    assert_eq!(done.code, 0, "{}", done.out);
    assert_eq!(profile(&gated), "balanced");
}

#[test]
fn a_note_that_is_gone_is_made_again_where_the_file_loosens_nothing() {
    let gated = gated("version = 1\nprofile = \"manual\"\n");
    fs::remove_file(gated.note()).unwrap();
    assert_eq!(propose(&gated), 11);
    assert!(gated.note().exists());
    assert!(!gated.exacta(&["list"]).err.contains("exacta policy confirm"));
}

/// The operator's own words are not called the project's.
#[test]
fn a_value_that_does_not_hold_is_named_as_the_operators() {
    let gated = gated(HASH);
    by_hand(&gated, BALANCED);
    let shown = gated.exacta(&["policy", "show"]);
    let said = format!("{}{}", shown.out, shown.err);
    assert!(said.contains("profile") && !said.contains("project policy"), "{said}");
}
