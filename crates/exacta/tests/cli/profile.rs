//! Nothing runs alone until somebody chose so, and choosing is a decision like any other.

use std::fs;

use crate::gated::{Gated, HASH, MAIN, SMALL, text};

const BY_HASH: &str = "version = 1 # mine\ndecide = \"hash\"\n";

fn policy_hash(gated: &Gated) -> String {
    text(&gated.json(&["policy", "show", "--json"], 0)["record"]["safety_policy_hash"])
}

#[test]
fn out_of_the_box_every_plan_waits() {
    let gated = Gated::of(&[MAIN], "version = 1\n");
    let plan = gated.propose(SMALL, 11);
    assert_eq!(plan["state"], "pending");
    assert_eq!(plan["decision"], "wait");
    assert_eq!(gated.read("src/main.py"), MAIN.1);
    let shown = gated.json(&["policy", "show", "--json"], 0);
    assert_eq!(shown["record"]["effective_profile"], "manual");
}

#[test]
fn choosing_a_profile_takes_a_proof_and_is_recorded() {
    let gated = Gated::of(&[MAIN], BY_HASH);
    let file = gated.home().join(".config/exacta/policy.toml");
    // Neither without the hash, nor with that of another policy.
    let without = gated.exacta(&["policy", "set", "profile", "conservative"]);
    assert_eq!(without.code, 11, "{}", without.err);
    let wrong = "0".repeat(64);
    let other = gated.exacta(&["policy", "set", "profile", "conservative", "--hash", &wrong]);
    assert_eq!(other.code, 12, "{}", other.err);
    assert_eq!(fs::read_to_string(&file).unwrap(), BY_HASH);

    let hash = policy_hash(&gated);
    let set =
        gated.json(&["policy", "set", "profile", "conservative", "--hash", &hash, "--json"], 0);
    assert_eq!(set["record"]["effective_profile"], "conservative");
    let after = "version = 1 # mine\nprofile = \"conservative\"\ndecide = \"hash\"\n";
    assert_eq!(fs::read_to_string(&file).unwrap(), after);
    let log = gated.exacta(&["log", "--json"]);
    let changed: Vec<serde_json::Value> = log
        .out
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|entry| entry["event"].get("policy_changed").is_some())
        .collect();
    let last = &changed.last().unwrap()["event"]["policy_changed"];
    assert_eq!((&last["profile"], &last["assurance"]), (&"conservative".into(), &"hash".into()));
    assert_eq!(gated.json(&["verify", "--json"], 0)["ok"], true);
    // And now a harmless plan runs.
    assert_eq!(gated.propose(SMALL, 0)["state"], "auto_approved");
}

#[test]
fn a_person_types_yes_at_the_terminal_and_an_absent_file_is_made() {
    let gated = Gated::of(&[MAIN], "version = 1\n");
    fs::remove_dir_all(gated.home().join(".config")).unwrap();
    let refused = gated.exacta(&["policy", "set", "profile", "balanced"]);
    assert_eq!(refused.code, 11, "{}", refused.err);
    let said = gated.at_terminal(&["policy", "set", "profile", "balanced"]);
    assert_eq!(said.code, 0, "{}", said.out);
    assert!(said.out.contains("Set the profile to balanced (now manual)"), "{}", said.out);
    assert_eq!(gated.propose(SMALL, 0)["state"], "auto_approved");
}

#[test]
fn a_project_can_only_be_stricter_and_that_is_said() {
    let gated = Gated::of(&[MAIN, (".exacta/policy.toml", "profile = \"manual\"\n")], BY_HASH);
    let hash = policy_hash(&gated);
    let said = gated.exacta(&["policy", "set", "profile", "balanced", "--hash", &hash]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("manual stays in force: the project policy"), "{}", said.out);
}

#[test]
fn after_a_few_decisions_more_is_offered_with_evidence() {
    let gated = Gated::of(&[MAIN], BY_HASH);
    for (round, whom) in ["all", "friends", "guests", "people", "users"].into_iter().enumerate() {
        let said = format!("a = 1\nb = 2\n# we say hi to the {whom} here\n");
        gated.project.write("src/main.py", said);
        let plan = gated.propose(SMALL, 11);
        let (id, hash) = (text(&plan["plan_id"]), text(&plan["plan_hash"]));
        let said = gated.exacta(&["approve", &id, "--hash", &hash]);
        assert_eq!(said.code, 0, "{}", said.err);
        let offered = said.err.contains("would have run alone under `conservative`");
        assert_eq!(offered, round == 4, "{round}: {}", said.err);
        if round == 4 {
            assert!(said.err.contains("of your last 5 plans 5 would"), "{}", said.err);
        }
    }
    assert!(gated.exacta(&["stats"]).out.contains("of your last 5 plans 5 would"));
    // Who has chosen is not asked again.
    gated.policy(HASH);
    assert!(!gated.exacta(&["stats"]).out.contains("would have run"));
}
