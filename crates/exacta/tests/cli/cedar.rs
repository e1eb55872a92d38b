//! `policy.cedar` through the built program: decided, shown, bound to approvals.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::project::{Project, Said};

const ALL: &str = "permit (principal, action, resource);\n";
const NO_SRC: &str = "@id(\"no-src\") @reason(\"src is ours\")\nforbid (principal, action, resource)\nwhen { resource.touched.folders.contains(\"src\") };\n";
const ASK_SRC: &str = "@id(\"ask-src\")\nforbid (principal, action == Action::\"may_run_unasked\", resource)\nwhen { resource.touched.folders.contains(\"src\") };\n";
const SMALL: &str = r#"{"goal": "greet", "steps": [{"step_id": "step_1", "title": "Greet in src/main.py",
"type": "file_modify", "target": "src/main.py", "edits": [{"old": "hi", "new": "hello"}]}]}"#;

/// A project, its operator's home, and the plan above.
struct World {
    project: Project,
    home: TempDir,
}

impl World {
    fn new() -> Self {
        let project = Project::of(&[("src/main.py", "a = 1\nb = 2\n# we say hi to all\n")]);
        let world = Self { project, home: TempDir::new().unwrap() };
        world.operator("policy.toml", "profile = \"conservative\"\ndecide = \"hash\"\n");
        fs::write(world.plan(), SMALL).unwrap();
        world
    }

    fn plan(&self) -> PathBuf {
        self.home.path().join("plan.json")
    }

    fn operator(&self, name: &str, text: &str) {
        let folder = self.home.path().join(".config/exacta");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(name), text).unwrap();
        crate::gated::met_anew(self.home.path());
    }

    fn mine(&self, text: &str) {
        self.project.write(".exacta/policy.cedar", text);
    }

    fn exacta(&self, args: &[&str]) -> Said {
        let mut command = self.project.command(env!("CARGO_BIN_EXE_exacta"));
        command.env("HOME", self.home.path()).env_remove("XDG_CONFIG_HOME");
        command.args(args).output().unwrap().into()
    }

    fn json(&self, args: &[&str], code: i32) -> Value {
        let said = self.exacta(args);
        assert_eq!(said.code, code, "{args:?}\n{}\n{}", said.out, said.err);
        said.json()
    }

    fn propose(&self, code: i32) -> Value {
        self.json(&["propose", self.plan().to_str().unwrap(), "--json"], code)
    }

    fn says(&self) -> String {
        fs::read_to_string(self.project.path().join("src/main.py")).unwrap()
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[test]
fn forbidden_is_refused_unasked_waits_and_permitted_runs() {
    for (operator, mine, code, says) in [
        (None, None, 0, "hello"),
        (Some(ALL), None, 0, "hello"),
        (Some(ALL), Some(""), 0, "hello"),
        (Some(""), None, 10, "hi"),
        (None, Some(NO_SRC), 10, "hi"),
        (Some(ALL), Some(NO_SRC), 10, "hi"),
        (None, Some(ASK_SRC), 11, "hi"),
        (Some(ALL), Some(ASK_SRC), 11, "hi"),
        // Whatever is wrong with a file denies.
        (Some(ALL), Some(ALL), 10, "hi"),
        (Some("permit (principal, action"), None, 10, "hi"),
        (Some("permit (principal, action, resource) when { resource.rsk > 1 };"), None, 10, "hi"),
    ] {
        let world = World::new();
        if let Some(text) = operator {
            world.operator("policy.cedar", text);
        }
        if let Some(text) = mine {
            world.mine(text);
        }
        let plan = world.plan();
        let said = world.exacta(&["propose", plan.to_str().unwrap(), "--json"]);
        assert_eq!(said.code, code, "{operator:?} {mine:?}\n{}\n{}", said.out, said.err);
        assert_eq!(world.says(), format!("a = 1\nb = 2\n# we say {says} to all\n"));
        assert_eq!(
            world.exacta(&["check", plan.to_str().unwrap()]).code,
            if code == 0 { 10 } else { code }
        );
    }
}

#[test]
fn check_explain_and_review_name_the_policy() {
    let world = World::new();
    world.mine(&format!("// ours\n{ASK_SRC}"));
    let plan = world.plan();
    let named = "policy `ask-src` (line 2) of the project `policy.cedar` asks for a person: it forbids `may_run_unasked`";
    let said = world.exacta(&["check", plan.to_str().unwrap(), "--explain"]);
    assert_eq!(said.code, 11);
    assert!(said.out.contains(named), "{}", said.out);
    let proposed = world.propose(11);
    let reasons = proposed["reasons"].to_string();
    assert!(reasons.contains("ask-src"), "{reasons}");
    let id = text(&proposed["plan_id"]);
    for command in ["explain", "show", "review"] {
        let said = world.exacta(&[command, id]);
        assert!(said.out.contains("ask-src"), "{command}: {}", said.out);
    }
    world.mine(NO_SRC);
    let checked = world.json(&["check", plan.to_str().unwrap(), "--json"], 10);
    let issue = &checked["issues"][0];
    assert_eq!(issue["code"], "PLAN_RULE_DENIED");
    assert_eq!(
        issue["message"],
        "policy `no-src` (line 1) of the project `policy.cedar` refuses the plan: src is ours"
    );
}

#[test]
fn the_proposer_is_who_the_door_knows() {
    let world = World::new();
    let cedar = "permit (principal == Proposer::\"bot\", action, resource)\nwhen { principal.class == \"LOCAL_ONLY\" };";
    world.operator("policy.cedar", cedar);
    let bot = "profile = \"conservative\"\n[proposers.bot]\nprovider = \"p\"\nmodel = \"m\"\nclass = \"LOCAL_ONLY\"\n";
    world.operator("policy.toml", bot);
    let plan = world.plan();
    let plan = plan.to_str().unwrap();
    assert_eq!(world.exacta(&["propose", plan, "--json"]).code, 10);
    fs::write(world.plan(), SMALL.replacen('{', r#"{"provider": "bot", "#, 1)).unwrap();
    assert_eq!(world.exacta(&["propose", plan, "--json"]).code, 10);
    assert_eq!(world.says(), "a = 1\nb = 2\n# we say hi to all\n");
    let said = world.exacta(&["propose", plan, "--as", "bot", "--json"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert_eq!(world.says(), "a = 1\nb = 2\n# we say hello to all\n");
}

#[test]
fn a_changed_policy_blocks_what_was_approved_before() {
    // The project's own file is configuration: plans expire.
    let world = World::new();
    world.mine(ASK_SRC);
    let proposed = world.propose(11);
    let (id, hash) = (text(&proposed["plan_id"]), text(&proposed["plan_hash"]));
    world.mine(&format!("{ASK_SRC}// another comment\n"));
    let said = world.exacta(&["approve", id, "--hash", hash]);
    assert_eq!(said.code, 12, "{}{}", said.out, said.err);
    assert!(format!("{}{}", said.out, said.err).contains("policy.cedar"), "{}", said.err);

    // The operator's is part of the binding: it blocks and names both values.
    let world = World::new();
    world.mine(ASK_SRC);
    let proposed = world.propose(11);
    let (id, hash) = (text(&proposed["plan_id"]), text(&proposed["plan_hash"]));
    assert_eq!(world.exacta(&["approve", id, "--hash", hash]).code, 0);
    world.operator("policy.cedar", ALL);
    let said = world.exacta(&["run", id, "--hash", hash]);
    assert_eq!(said.code, 12, "{}{}", said.out, said.err);
    assert!(said.err.contains("blocked: policy hash: recorded"), "{}", said.err);
    assert_eq!(world.says(), "a = 1\nb = 2\n# we say hi to all\n");
    fs::remove_file(world.home.path().join(".config/exacta/policy.cedar")).unwrap();
    // What is looser than it was counts once a person has confirmed it.
    assert_eq!(world.exacta(&["run", id, "--hash", hash]).code, 12);
    crate::gated::met_anew(world.home.path());
    assert_eq!(world.exacta(&["run", id, "--hash", hash]).code, 0);
    assert_eq!(world.says(), "a = 1\nb = 2\n# we say hello to all\n");
}

#[test]
fn show_and_check_know_the_files() {
    let world = World::new();
    world.operator("policy.cedar", ALL);
    world.mine(NO_SRC);
    let shown = world.json(&["policy", "show", "--json"], 0);
    assert_eq!(
        shown["cedar"],
        json!([
            {"layer": "operator", "line": 1, "effect": "permit", "name": "1"},
            {"layer": "project", "line": 1, "effect": "forbid", "name": "no-src", "reason": "src is ours"},
        ])
    );
    let paths: Vec<_> =
        shown["files"].as_array().unwrap().iter().map(|file| text(&file["path"])).collect();
    assert!(
        paths[1].ends_with("exacta/policy.cedar") && paths[2] == ".exacta/policy.cedar",
        "{paths:?}"
    );
    let said = world.exacta(&["policy", "show"]);
    assert!(said.out.contains("forbid no-src  src is ours  project, line 1"), "{}", said.out);

    let said = world.exacta(&["policy", "check"]);
    assert_eq!(said.code, 0, "{}", said.out);
    assert!(said.out.contains("good: .exacta/policy.cedar"), "{}", said.out);
    world.operator("policy.cedar", "// nothing\n");
    let said = world.exacta(&["policy", "check"]);
    assert_eq!(said.code, 0, "a warning does not block: {}", said.out);
    assert!(
        said.out.contains("warning[POLICY_INVALID] (doubt): the file permits nothing"),
        "{}",
        said.out
    );
    world.mine("forbid (principal, action, resource)\nwhen { resource.riks > 1 };\n");
    let said = world.exacta(&["policy", "check"]);
    assert_eq!(said.code, 10);
    for part in [
        ".exacta/policy.cedar:2:8",
        "2 | when { resource.riks > 1 };\n    |        ^",
        "did you mean `risk`",
        "refused: .exacta/policy.cedar",
        "Nothing can be proposed",
    ] {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
    // One file by itself: in `.exacta` it is a project's, elsewhere an operator's.
    world.mine(ALL);
    assert_eq!(world.exacta(&["policy", "check", ".exacta/policy.cedar"]).code, 10);
    world.project.write("mine.cedar", ALL);
    assert_eq!(world.exacta(&["policy", "check", "mine.cedar"]).code, 0);
    world.project.write("mine.cedar", "a".repeat((256 << 10) + 1));
    assert_eq!(world.exacta(&["policy", "check", "mine.cedar"]).code, 2);
    let schema = world.exacta(&["schema", "cedar"]);
    assert!(schema.code == 0 && schema.out.contains("action may_run, may_run_unasked"));
}

#[test]
fn policy_test_asks_too() {
    let world = World::new();
    world.operator("policy.cedar", &format!("{ALL}{NO_SRC}"));
    let table = |expect: &str| {
        format!(
            "[[case]]\nname = 'src stays'\ndraft = {{ steps = [{{ step_id = 'step_1', title = 'Add src/a.py', type = 'file_create', target = 'src/a.py', content = 'x = 1\\n' }}] }}\nexpect = '{expect}'\ncodes = ['PLAN_RULE_DENIED']\nreasons = ['src is ours']\n"
        )
    };
    world.project.write("cases.toml", table("reject"));
    let said = world.exacta(&["policy", "test", "cases.toml"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    world.operator("policy.cedar", ALL);
    assert_eq!(world.exacta(&["policy", "test", "cases.toml"]).code, 15);
}

#[test]
fn hostile_files_are_refused_and_nothing_crashes() {
    let deep = |open: &str, n: usize| {
        format!("forbid (principal, action, resource) when {{ {} }};", open.repeat(n))
    };
    for text in [
        deep("(", 60_000),
        deep("[", 60_000),
        deep("!", 60_000),
        deep("if ", 60_000),
        deep("true && ", 30_000),
        deep("a.", 60_000),
        "\"".into(),
        "forbid".repeat(40_000),
        "@id(\"x\")".repeat(25_000),
        "a".repeat((256 << 10) + 1),
        "\0".repeat(1_000),
        ";".repeat(200_000),
    ] {
        let world = World::new();
        world.mine(&text);
        let start: String = text.chars().take(60).collect();
        let said = world.exacta(&["propose", world.plan().to_str().unwrap(), "--json"]);
        assert_eq!(said.code, 10, "{start}\n{}{}", said.out, said.err);
        assert_eq!(world.exacta(&["policy", "check"]).code, 10, "{start}");
        assert_eq!(world.says(), "a = 1\nb = 2\n# we say hi to all\n");
    }
}
