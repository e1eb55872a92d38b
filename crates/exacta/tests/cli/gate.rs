//! The whole way of a plan through the built program: propose, decide, run, undo.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::Value;

use crate::gated::{Gated, HASH, MAIN, SMALL, WAITS, text};
use crate::project::Said;

#[test]
fn a_small_plan_runs_alone_is_undone_and_redone() {
    let gated = Gated::of(&[MAIN], HASH);
    let told = gated.propose(SMALL, 0);
    assert_eq!(told["state"], "auto_approved");
    assert_eq!(told["decision"], "auto_silent");
    assert_eq!(told["run"]["state"], "completed");
    assert_eq!(told["run"]["results"][1]["step_id"], "__meta__");
    assert_eq!(told["run"]["receipt"]["files"][0]["path"], "src/main.py");
    assert_eq!(gated.read("src/main.py"), "a = 1\nb = 2\n# we say hello to all\n");

    let run = text(&told["run"]["run_id"]);
    let hash = text(&told["plan_hash"]);
    let undone = gated.json(&["undo", &run, "--hash", &hash, "--json"], 0);
    assert_eq!(undone["state"], "undone");
    assert_eq!(gated.read("src/main.py"), "a = 1\nb = 2\n# we say hi to all\n");
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
    let gated = Gated::of(&[MAIN], "profile = \"conservative\"\n");
    let run = text(&gated.propose(SMALL, 0)["run"]["run_id"]);
    let refused = gated.exacta(&["undo", &run]);
    assert_eq!(refused.code, 11, "{}", refused.err);
    assert!(refused.err.contains("`--propose` hands it in as a plan"), "{}", refused.err);
    assert_eq!(gated.read("src/main.py"), "a = 1\nb = 2\n# we say hello to all\n");

    // Harmless: it runs, as a plan with a way back of its own.
    let told = gated.json(&["undo", &run, "--propose", "--json"], 0);
    assert_eq!(
        (&told["state"], &told["decision"]),
        (&"auto_approved".into(), &"auto_silent".into())
    );
    assert_eq!(gated.read("src/main.py"), "a = 1\nb = 2\n# we say hi to all\n");
    let inverse = text(&told["run"]["run_id"]);
    for args in [["undo", &run, "--json", "--propose"].as_slice(), &["undo", &run, "--json"]] {
        let again = gated.json(args, 14);
        assert_eq!(again["state"], "conflict");
        let reason = text(&again["reason"]);
        assert!(reason.contains("taken back already") && reason.contains(&inverse), "{reason}");
    }
    gated.json(&["undo", &inverse, "--propose", "--json"], 0);
    assert_eq!(gated.read("src/main.py"), "a = 1\nb = 2\n# we say hello to all\n");

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
    gated.project.write("src/main.py", "a = 1\nb = 2\n# we say hi to all # mine\n");
    let said = gated.exacta(&["run", &plan]);
    assert_eq!(said.code, 12);
    assert!(said.err.contains("`src/main.py` has changed"), "{}", said.err);
    assert_eq!(gated.json(&["status", &plan, "--json"], 0)["state"], "expired");
    assert_eq!(gated.read("src/main.py"), "a = 1\nb = 2\n# we say hi to all # mine\n");
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
    assert_eq!(
        gated.json(&["reject", &plan, "--reason", "no", "--hash", &gated.hash(&plan), "--json"], 0)
            ["state"],
        "rejected"
    );
    assert_eq!(gated.exacta(&["run", &plan]).code, 10);
    assert_eq!(gated.exacta(&["renew", &plan, "--hash", &gated.hash(&plan)]).code, 10);
    let plan = fresh();
    assert_eq!(gated.json(&["pause", &plan, "--json"], 0)["state"], "pending");
    assert_eq!(
        gated.json(&["changes", &plan, "less", "--hash", &gated.hash(&plan), "--json"], 0)["state"],
        "expired"
    );
    let renewed = gated.json(&["renew", &plan, "--hash", &gated.hash(&plan), "--json"], 0);
    assert_eq!(
        (&renewed["state"], &renewed["original_plan_id"]),
        (&"pending".into(), &plan.into())
    );
    // A plan that would run alone waits when it is renewed.
    let told = gated.propose(SMALL, 0);
    let run = text(&told["run"]["run_id"]);
    gated.json(&["undo", &run, "--hash", &text(&told["plan_hash"]), "--json"], 0);
    let renewed = gated.json(
        &["renew", &text(&told["plan_id"]), "--hash", &text(&told["plan_hash"]), "--json"],
        0,
    );
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
