//! `exacta policy`, and that `check` keeps to the policy in force.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::project::{Project, Said};

/// The operator's configuration, outside of every project.
struct Operator(TempDir);

impl Operator {
    fn with(text: &str) -> Self {
        let operator = Self(TempDir::new().unwrap());
        let folder = operator.0.path().join("exacta");
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        let file = folder.join("policy.toml");
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        operator
    }

    fn run(&self, project: &Project, args: &[&str]) -> Said {
        let mut command = project.command(env!("CARGO_BIN_EXE_exacta"));
        command.env("XDG_CONFIG_HOME", self.0.path()).args(args).output().unwrap().into()
    }
}

const POLICY: &str = ".exacta/policy.toml";

fn delete(target: &str) -> String {
    json!({"steps": [{"step_id": "step_1", "type": "file_delete", "target": target}]}).to_string()
}

/// The value of a key and where it came from, in `policy show --json`.
fn row(shown: &Value, key: &str) -> (Value, Value) {
    let rows = shown["keys"].as_array().unwrap();
    let row = rows.iter().find(|row| row["key"] == key).unwrap();
    (row["value"].clone(), row["origins"].clone())
}

#[test]
fn show_says_where_each_value_came_from() {
    let project = Project::of(&[(POLICY, "profile = 'balanced'\ncaps.max_files = 3\n")]);
    let operator = Operator::with("ttl_minutes = 90\nallowed_domains = ['a.example']\n");
    let said = operator.run(&project, &["policy", "show", "--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let shown = said.json();
    assert_eq!(row(&shown, "ttl_minutes"), (json!(90), json!(["operator"])));
    assert_eq!(row(&shown, "caps.max_files"), (json!(3), json!(["project"])));
    assert_eq!(row(&shown, "profile"), (json!("manual"), json!(["built_in"])));
    assert_eq!(shown["ignored"][0]["key"], "profile");
    assert_eq!(shown["ignored"][0]["effective"], "manual");
    assert_eq!(shown["record"]["effective_profile"], "manual");
    assert_eq!(shown["files"][1]["path"], POLICY);

    let said = operator.run(&project, &["policy", "show"]);
    assert_eq!(said.code, 0);
    for part in ["ttl_minutes", "90  operator", "Ignored", "`profile = \"balanced\"`"] {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
}

#[test]
fn a_mistake_blocks_check_and_is_shown_with_its_place() {
    let project = Project::of(&[(POLICY, "# mine\nprofil = 'manual'\n"), ("a", "x")]);
    let plan = project.write("plan.json", delete("a"));
    let said = project.exacta(&["check", plan.to_str().unwrap()]);
    assert_eq!(said.code, 10, "{}", said.err);
    assert!(said.err.contains("line 2: there is no key `profil`"), "{}", said.err);
    assert!(said.out.is_empty());

    let said = project.exacta(&["policy", "check"]);
    assert_eq!(said.code, 10);
    for part in [
        "error[POLICY_INVALID]",
        ".exacta/policy.toml:2:1",
        "2 | profil = 'manual'\n    | ^",
        "did you mean `profile`?",
        "refused: .exacta/policy.toml",
    ] {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
    let said = project.exacta(&["policy", "check", POLICY, "--json"]);
    assert_eq!(said.code, 10);
    assert_eq!(said.json()["files"][0]["issues"][0]["place"], json!({"line": 2, "column": 1}));
    assert_eq!(project.exacta_with(&["policy", "check", "-"], "version = 1").code, 0);
    assert_eq!(project.exacta(&["policy", "check", "none.toml"]).code, 1);
}

#[test]
fn a_policy_in_the_hands_of_others_blocks() {
    let project = Project::of(&[("a", "x")]);
    let plan = project.write("plan.json", delete("a"));
    let operator = Operator::with("");
    let check = ["check", plan.to_str().unwrap()];
    // A deletion asks a person, and that is as far as this plan gets.
    assert_eq!(operator.run(&project, &check).code, 11);
    let folder = operator.0.path().join("exacta");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    let said = operator.run(&project, &check);
    assert_eq!(said.code, 10);
    assert!(said.err.contains("chmod go-w"), "{}", said.err);
    let said = operator.run(&project, &["policy", "check", "--json"]);
    assert_eq!(said.code, 10);
    assert_eq!(said.json()["files"][1]["issues"][0]["code"], "POLICY_REFUSED");
}

#[test]
fn check_keeps_to_the_layers() {
    let draft = json!({"steps": [
        {"step_id": "step_1", "tool": {"name": "ReadWeb", "args": {"url": "https://a.site.example/"}}}
    ]});
    let project = Project::of(&[("plan.json", &draft.to_string())]);
    let check = ["check", "plan.json", "--json"];
    assert_eq!(project.exacta(&check).codes(), ["PLAN_TOOL_NOT_ALLOWED"]);
    let operator = Operator::with("profile = 'balanced'\nallowed_domains = ['*.site.example']");
    assert_eq!(operator.run(&project, &check).code, 0);
    project.write(POLICY, "allowed_domains = ['b.site.example']");
    assert_eq!(operator.run(&project, &check).codes(), ["PLAN_TOOL_NOT_ALLOWED"]);
    project.write(POLICY, "[[rule]]\nmatch = {effects = ['read']}\nthen = 'deny'\nreason = 'no'");
    assert_eq!(operator.run(&project, &check).codes(), ["PLAN_RULE_DENIED"]);
}

#[test]
fn the_policy_is_part_of_the_plan_hash() {
    let project = Project::of(&[("a", "x")]);
    project.write("plan.json", delete("a"));
    let hash = |project: &Project| {
        let said = project.exacta(&["check", "plan.json", "--json"]);
        assert_eq!(said.code, 11, "{}", said.err);
        said.json()["plan_hash"].as_str().unwrap().to_owned()
    };
    let before = hash(&project);
    project.write(POLICY, "# a comment\n");
    let with = hash(&project);
    assert_ne!(with, before);
    project.write(POLICY, "# a comment!\n");
    assert_ne!(hash(&project), with);
    project.write(POLICY, "# a comment\n");
    assert_eq!(hash(&project), with);
}

const TABLE: &str = r#"
version = 1

[[case]]
name = "pages are kept"
draft = { steps = [{ step_id = "step_1", type = "file_delete", target = "docs/a.md" }] }
files = { "docs/a.md" = "text" }
expect = "reject"
codes = ["PLAN_RULE_DENIED"]
reasons = ["pages are archived"]

[[case]]
name = "code asks"
plan = "plan.json"
expect = "wait"
reasons = ["code is read by a person"]

[[case]]
name = "a new page runs alone"
draft = { steps = [{ step_id = "step_1", title = "Add docs/b.md", type = "file_create", target = "docs/b.md", content = "text" }] }
files = {}
expect = "runs"
"#;

const RULES: &str = "
[[rule]]
match = { paths = ['docs/**'], ops = ['delete'] }
then = 'deny'
reason = 'pages are archived'
[[rule]]
match = { paths = ['src/**'] }
then = 'ask'
reason = 'code is read by a person'
";

#[test]
fn a_table_of_plans_is_compared_with_what_becomes_of_them() {
    let project = Project::of(&[(POLICY, RULES), ("src/a", "x"), ("tests/table.toml", TABLE)]);
    project.write("tests/plan.json", delete("src/a"));
    let said = project.exacta(&["policy", "test", "tests/table.toml"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(said.out.contains("3 cases, 0 differ"), "{}", said.out);
    assert!(Path::new(&project.path().join("src/a")).exists());

    // A looser policy is noticed.
    fs::remove_file(project.path().join(POLICY)).unwrap();
    let said = project.exacta(&["policy", "test", "tests/table.toml", "--json"]);
    assert_eq!(said.code, 15);
    let report = said.json();
    assert_eq!(report["ok"], false);
    assert_eq!(report["exit_code"], 15);
    let ok: Vec<_> = report["cases"].as_array().unwrap().iter().map(|c| c["ok"].clone()).collect();
    // The second plan still waits, as every deletion does, but not for that reason.
    assert_eq!(ok, [false, false, true]);
    assert_eq!(report["cases"][0]["differences"].as_array().unwrap().len(), 3);
    let said = project.exacta(&["policy", "test", "tests/table.toml"]);
    assert!(said.out.contains("it is `wait`, not `reject`"), "{}", said.out);
}

#[test]
fn a_table_may_be_json_and_must_be_right() {
    let project = Project::of(&[]);
    let case = json!({"name": "n", "draft": {"steps": []}, "expect": "reject", "codes": ["PLAN_NO_STEPS"]});
    project.write("t.json", json!({"version": 1, "case": [case]}).to_string());
    assert_eq!(project.exacta(&["policy", "test", "t.json"]).code, 0);
    for (table, part) in [
        ("version = 2\ncase = []", "version 2"),
        ("case = [{name = 'n', expect = 'reject'}]", "either `plan` or `draft`"),
        ("case = [{name = 'n', expect = 'maybe'}]", "unknown variant `maybe`"),
        ("case = [{name = 'n', expect = 'wait', what = 1}]", "unknown field `what`"),
        ("cases = []", "unknown field `cases`"),
        (
            "case = [{name = 'n', expect = 'wait', draft = {}, files = {'../x' = ''}}]",
            "`../x` in `files`",
        ),
        ("case = [{name = 'n', expect = 'wait', draft = {}, constraints = ['x']}]", "unknown"),
    ] {
        project.write("t.toml", table);
        let said = project.exacta(&["policy", "test", "t.toml"]);
        assert_eq!(said.code, 2, "{table}: {}{}", said.out, said.err);
        assert!(said.err.contains(part), "{table}: {}", said.err);
    }
}
