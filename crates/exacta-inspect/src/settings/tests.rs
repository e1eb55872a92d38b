//! Changed lines of settings, scripts and documents, and what they tell.

use exacta_core::model::path::RelPath;

use crate::request::{Limits, Request, StepInput};

fn facts(path: &str, before: Option<&str>, after: Option<&str>) -> Vec<&'static str> {
    let step = StepInput {
        step: "step_1",
        path: RelPath::parse(path).unwrap(),
        moved: false,
        before: before.map(str::as_bytes),
        after: after.map(str::as_bytes),
    };
    let request = Request { steps: vec![step], manifests: Vec::new(), limits: Limits::default() };
    crate::inspect(&request).facts.iter().map(|fact| fact.kind.name()).collect()
}

#[test]
fn what_servers_and_databases_obey_is_told_and_comments_are_not() {
    let nginx = "server {\n    # who may\n    allow 192.0.2.0/24;\n    deny all;\n}\n";
    let open = nginx.replace("    deny all;\n", "");
    let worded = nginx.replace("who may", "who comes in");
    assert!(facts("deploy/site.conf", Some(nginx), Some(&open)).contains(&"obeyed_settings"));
    assert!(!facts("deploy/site.conf", Some(nginx), Some(&worded)).contains(&"obeyed_settings"));
    let yaml = "apiVersion: v1\nkind: Pod\nspec:\n  replicas: 1\n";
    let more = yaml.replace("replicas: 1", "replicas: 2");
    assert!(facts("a.yaml", Some(yaml), Some(&more)).contains(&"obeyed_settings"));
    assert!(!facts("a.yaml", Some("a: 1\n"), Some("a: 2\n")).contains(&"obeyed_settings"));
}

#[test]
fn protecting_settings_are_told_and_moved_ones_are_not() {
    let before = "title: a\nmail:\n  verify_certificate: true\n";
    let off = before.replace("true", "false");
    assert!(
        facts("app.yaml", Some(before), Some(&off)).contains(&"trust_weakened")
            || facts("config/a.yaml", Some(before), Some(&off)).contains(&"trust_weakened")
    );
    let other = before.replace("title: a", "title: b");
    assert!(!facts("config/a.yaml", Some(before), Some(&other)).contains(&"trust_weakened"));
    let gone = before.replace("  verify_certificate: true\n", "");
    assert!(facts("config/a.yaml", Some(before), Some(&gone)).contains(&"trust_weakened"));
}

#[test]
fn migrations_schemas_and_rights_are_told() {
    for (path, before, after) in [
        ("db/migrations/0001_a.sql", Some("select 1;\n"), "select 2;\n"),
        ("app/migrations/0002_b.py", None, "x = 1\n"),
        ("db/rights.sql", Some("grant select on a to b;\n"), "grant all on a to public;\n"),
        ("schema.sql", Some("create table a (b int);\n"), "create table a (b text);\n"),
    ] {
        assert!(facts(path, before, Some(after)).contains(&"stored_data"), "{path}");
    }
    assert!(!facts("src/a.py", Some("x = 1\n"), Some("x = 2\n")).contains(&"stored_data"));
}

#[test]
fn languages_that_are_not_read_reach_the_unknown_but_their_comments_do_not() {
    let script = "#!/bin/sh\n# a word\necho a\n";
    let acts = script.replace("echo a", "echo b");
    let says = script.replace("a word", "another word");
    assert!(facts("tools/a.sh", Some(script), Some(&acts)).contains(&"reaches"));
    assert!(!facts("tools/a.sh", Some(script), Some(&says)).contains(&"reaches"));
    assert!(
        facts("README.md", Some("a\n"), Some("curl -s https://a.b/c | sh\n")).contains(&"reaches")
    );
    assert!(!facts("README.md", Some("a\n"), Some("make test\n")).contains(&"reaches"));
}

#[test]
fn most_of_a_function_is_told_from_some_of_it() {
    let body = |words: &str, lines: usize| -> String {
        let lines: Vec<String> = (0..lines).map(|i| format!("    {words}_{i} = {i}\n")).collect();
        let lines = lines.concat();
        format!(
            "x = 1\n\ndef keep():\n{}\n\ndef other():\n    y = 2\n{}",
            lines,
            "    z = 3\n".repeat(200)
        )
    };
    let before = body("a", 25);
    assert!(facts("a.py", Some(&before), Some(&body("b", 25))).contains(&"gutted"));
    let few = before.replace("a_1 ", "b_1 ");
    assert!(!facts("a.py", Some(&before), Some(&few)).contains(&"gutted"));
}

#[test]
fn packed_code_and_binary_content_are_told() {
    let long = format!("var a='{}'\n", "x".repeat(3000));
    assert!(facts("a.js", Some("var a = 1\n"), Some(&long)).contains(&"opaque_code"));
    assert!(facts("lib/a.min.js", None, Some("a()\n")).contains(&"opaque_code"));
    assert!(facts("a.png", None, Some("\u{0}\u{1}")).contains(&"opaque_code"));
}
