//! A plan stands as long as what it was judged by: its own files, and the answers of the
//! project around it.

use std::fs;

use serde_json::Value;

use super::gated::{Gated, HASH};

const FILES: [(&str, &str); 4] = [
    ("Makefile", "all:\n\techo hi\n"),
    ("src/a.py", "def area(w):\n    return w\n"),
    ("tool.sh", "#!/bin/sh\necho one\n"),
    ("other.py", "x = 1\n"),
];
const PLAN: &str = r##"{"steps": [
    {"step_id": "step_1", "title": "Change src/a.py", "type": "file_modify", "target": "src/a.py",
     "content": "def area(w):\n    return w + wide(w)\n"},
    {"step_id": "step_2", "title": "Change tool.sh", "type": "file_modify", "target": "tool.sh",
     "content": "#!/bin/sh\necho two\n"}]}"##;

fn approved(gated: &Gated) -> (String, Value) {
    let plan = gated.home().join("plan.json");
    fs::write(&plan, PLAN).unwrap();
    let made = gated.json(&["propose", plan.to_str().unwrap(), "--json"], 11);
    let (id, hash) = (made["plan_id"].as_str().unwrap(), made["plan_hash"].as_str().unwrap());
    gated.json(&["approve", id, "--hash", hash, "--json"], 0);
    (id.into(), made)
}

#[test]
fn an_unrelated_save_does_not_block_a_run() {
    let gated = Gated::of(&FILES, HASH);
    let (id, _) = approved(&gated);
    gated.project.write("other.py", "x = 2\n");
    gated.project.write("more.py", "def unrelated():\n    return 1\n");
    gated.project.write("Makefile", "# more words\nall:\n\techo ho\n");
    let ran = gated.json(&["run", &id, "--json"], 0);
    assert_eq!(ran["state"], "completed");
}

#[test]
fn an_answer_that_is_no_longer_true_blocks_it() {
    for (path, text, why) in [
        ("wide.py", "def wide(x):\n    return x\n", "the project now defines `wide`"),
        ("Makefile", "all:\n\t./tool.sh\n", "`tool.sh` is now named by make"),
        ("tests/test_a.py", "def test_a():\n    assert True\n", "the project has tests now"),
    ] {
        let gated = Gated::of(&FILES, HASH);
        let (id, _) = approved(&gated);
        gated.project.write(path, text);
        let said = gated.exacta(&["run", &id]);
        assert_eq!(said.code, 12, "{path}: {}", said.err);
        assert!(said.err.contains(why), "{path}: {}", said.err);
        let file = gated.read(&format!(".exacta/plans/{id}.json"));
        let plan: Value = serde_json::from_str(&file).unwrap();
        assert_eq!(plan["expiry"]["cause"], "context_changed", "{}", plan["expiry"]);
        assert_eq!(fs::read_to_string(gated.project.path().join("tool.sh")).unwrap(), FILES[2].1);
    }
}

#[test]
fn the_answers_are_part_of_the_hash() {
    let gated = Gated::of(&FILES, HASH);
    let (_, made) = approved(&gated);
    let other = Gated::of(&FILES, HASH);
    other.project.write("wide.py", "def wide(x):\n    return x\n");
    let (_, known) = approved(&other);
    assert_eq!(made["effect_hash"], known["effect_hash"]);
    assert_ne!(made["plan_hash"], known["plan_hash"]);
}
