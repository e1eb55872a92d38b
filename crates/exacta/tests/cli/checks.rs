//! The operator's checks judge the files that would be.

use std::fs;

use serde_json::Value;

use crate::gated::{Gated, HASH, MAIN, SMALL, text};

#[test]
fn the_operators_checks_judge_the_staged_files() {
    let policy =
        |command: &str| format!("{HASH}[checks.grep]\ncommand = {command}\ntimeout_seconds = 20\n");
    let gated = Gated::of(&[MAIN], &policy(r#"["grep", "-r", "hello", "src"]"#));
    let told = gated.propose(SMALL, 0);
    assert_eq!(told["run"]["checks"][0]["passed"], true, "{told}");
    assert_eq!(gated.read("src/main.py"), "a = 1\nb = 2\n# we say hello to all\n");
    // One that does not pass: nothing is touched, and the approval is spent.
    gated.policy(&policy(r#"["sh", "-c", "echo no good; exit 3"]"#));
    let plan = SMALL.replace("\"hi\"", "\"hello\"").replace("\"new\":\"hello\"", "\"new\":\"ho\"");
    let told = gated.propose(&plan, 13);
    assert_eq!(told["run"]["state"], "rolled_back", "{told}");
    assert_eq!(told["run"]["checks"][0]["output"], "no good\n");
    assert_eq!(gated.read("src/main.py"), "a = 1\nb = 2\n# we say hello to all\n");
    assert_eq!(gated.exacta(&["run", &text(&told["plan_id"])]).code, 12);
    assert_eq!(gated.json(&["verify", "--json"], 0)["ok"], true);
}

#[test]
fn a_check_that_only_some_plans_name_judges_only_those() {
    let policy = format!(
        "{HASH}[checks.always]\ncommand = [\"true\"]\n[checks.slow]\nruns = \"named\"\n\
         command = [\"grep\", \"-r\", \"hello\", \"src\"]\n"
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
    assert_eq!(gated.read("src/main.py"), "a = 1\nb = 2\n# we say hello to all\n");
    let told = gated.json(&["propose", path, "--json"], 0);
    assert_eq!(names(&told), ["always"]);
    // A name that policy does not know asks for nothing, so it is refused.
    let told = gated.json(&["check", path, "--constraint", "tests_required=no-such", "--json"], 10);
    let message = text(&told["issues"].as_array().unwrap().last().unwrap()["message"]);
    assert!(message.contains("policy knows no check `no-such`"), "{message}");
}

/// Who looks from elsewhere sees that a plan's checks are under way.
#[test]
fn checks_that_are_under_way_show() {
    let policy = format!("{HASH}[checks.slow]\ncommand = [\"sleep\", \"8\"]\n");
    let gated = Gated::of(&[MAIN], &policy);
    let path = gated.home.path().join("plan.json");
    fs::write(&path, SMALL).unwrap();
    let told = gated.json(&["propose", path.to_str().unwrap(), "--no-run", "--json"], 0);
    let plan_id = text(&told["plan_id"]);
    let standing = || text(&gated.json(&["status", &plan_id, "--json"], 0)["standing"]);
    assert_eq!(standing(), "auto_approved");
    assert_eq!(gated.exacta(&["run", &plan_id, "--detach"]).code, 0);
    let begun = std::time::Instant::now();
    while standing() != "running" {
        assert!(begun.elapsed().as_secs() < 30, "it does not show");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let status = gated.exacta(&["status", &plan_id]);
    assert!(status.out.contains("its checks are under way"), "{}", status.out);
    let listed = gated.json(&["list", "--state", "running", "--json"], 0);
    assert_eq!(listed[0]["plan_id"], plan_id.as_str());
    assert_eq!(gated.exacta(&["wait", &plan_id]).code, 0);
    assert_eq!(standing(), "executed");
    assert_eq!(gated.json(&["verify", "--json"], 0)["ok"], true);
}
