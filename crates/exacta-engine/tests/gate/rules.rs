//! Every rule of validation at the gate: a draft that breaks one makes no plan, or a plan
//! that is rejected and stays so. And every named invariant has a test.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use exacta_core::life::lifecycle::State;
use exacta_engine::gate::{ErrorKind, Proposed, SourceKind};

use crate::any::{Outcome, What};
use crate::world::{World, approve};

/// PV-1 to PV-5 and PS-1 to PS-3 of seeds 000 and 001.
#[test]
fn a_plan_that_breaks_a_rule_is_never_approved() {
    let step = |id: &str, kind: &str, target: &str, more: &str| {
        format!(
            r#"{{"step_id":"{id}","title":"Change {target}","type":"{kind}","target":"{target}"{more}}}"#
        )
    };
    let write = r#","content":"x\n""#;
    let after = |id: &str| format!(r#"{write},"dependencies":["{id}"]"#);
    let cases: Vec<(&str, Vec<String>, &str)> = vec![
        ("PV-1", vec![], ""),
        ("PV-2", vec![step("step_1", "file_modify", "a.txt", &after("step_9"))], ""),
        (
            "PV-3",
            vec![
                step("step_1", "file_modify", "a.txt", &after("step_2")),
                step("step_2", "file_modify", "b.txt", &after("step_1")),
            ],
            "",
        ),
        ("PV-4", vec![step("step_1", "file_modify", "../a.txt", write)], ""),
        ("PV-4", vec![step("step_1", "file_modify", ".exacta/policy.toml", write)], ""),
        (
            "PV-5",
            vec![step("step_1", "file_modify", "a.txt", write)],
            r#""estimated_tokens":9000000,"#,
        ),
        ("PS-1", vec![step("step_1", "file_delete", "a.txt", "")], ""),
        (
            "PS-2",
            vec![
                step("step_1", "file_modify", "a.txt", &format!(r#"{write},"dependencies":[]"#)),
                step("step_2", "file_modify", "a.txt", &format!(r#"{write},"dependencies":[]"#)),
            ],
            "",
        ),
        (
            "PS-3",
            vec![
                step("step_1", "file_modify", "a.txt", &format!(r#"{write},"dependencies":[]"#)),
                step("step_2", "file_delete", "a.txt", r#","dependencies":[]"#),
            ],
            "",
        ),
    ];
    for (rule, steps, more) in cases {
        let world = World::new(&[("a.txt", "one\n"), ("b.txt", "two\n")]);
        let text = format!(r#"{{{more}"goal":"x","steps":[{}]}}"#, steps.join(","));
        let before = world.disk.tree();
        let told = world
            .handle(What::Propose {
                kind: SourceKind::Draft,
                text: text.into_bytes(),
                intent: None,
                constraints: vec![r#"{"kind":"no_delete"}"#.into()],
                proposer: None,
                parent: None,
                correlation_id: None,
            })
            .unwrap();
        let Outcome::Proposed(told) = told else { panic!("{rule}") };
        let issues = match *told {
            Proposed::Refused { issues, .. } => issues,
            Proposed::Plan { plan, examined, .. } => {
                assert_eq!(plan.state, State::Rejected, "{rule}");
                let error = world.handle(approve(&plan.plan_id)).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Refused, "{rule}: {error}");
                assert_eq!(world.state(&plan.plan_id), State::Rejected, "{rule}");
                examined.issues
            }
            Proposed::Again(plan) => panic!("{rule}: {plan:?}"),
        };
        let named: BTreeSet<&str> = issues.iter().map(|issue| &*issue.rule).collect();
        assert!(named.contains(rule), "{rule}: {named:?}");
        assert_eq!(world.disk.tree(), before, "{rule}");
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// Whatever judges, records and acts has no way out: no socket, and nothing that has one.
#[test]
fn what_judges_and_acts_opens_no_connection() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for name in ["exacta-core", "exacta-engine", "exacta-inspect"] {
        let mut files = Vec::new();
        sources(&root.join(name).join("src"), &mut files);
        assert!(files.len() > 10, "{name}");
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            // One file hands out a socket of a command's own empty network. It listens.
            let words: &[&str] = if file.ends_with("exacta-engine/src/checks/line.rs") {
                &["connect(", "TcpStream", "UdpSocket", "sendto", "ToSocketAddrs"]
            } else {
                &["std::net", "TcpStream", "UdpSocket", "rustix::net"]
            };
            for word in words {
                assert!(!text.contains(word), "{}: {word}", file.display());
            }
        }
        let manifest = fs::read_to_string(root.join(name).join("Cargo.toml")).unwrap();
        for word in ["reqwest", "hyper", "ureq", "curl", "tokio", "\"net\""] {
            let listens = (name, word) == ("exacta-engine", "\"net\"");
            assert!(listens || !manifest.contains(word), "{name}: {word}");
        }
    }
}

/// The core is `no_std`; what it names of `std` outside tests is a way to write bytes into
/// memory, and one to read a line once for all threads.
#[test]
fn the_core_names_nothing_of_the_system() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../exacta-core/src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut with_std = BTreeSet::new();
    for file in files {
        let name = file.strip_prefix(&root).unwrap().display().to_string();
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap();
        if name == "lib.rs" || !code.contains("extern crate std;") {
            continue;
        }
        for after in code.split("std::").skip(1) {
            let known = after.starts_with("io::")
                || name == "life/ledger/shelf.rs" && after.starts_with("sync::OnceLock");
            assert!(known, "{name} names `std::{:?}`", after.lines().next());
        }
        with_std.insert(name);
    }
    let allowed =
        ["life/ledger/shelf.rs", "model/canonical.rs", "model/digest.rs", "record/chain.rs"];
    let allowed = allowed.map(str::to_owned);
    assert_eq!(with_std, BTreeSet::from(allowed));
}

/// `docs/design/invariants.md` names a test for every promise, and each of them exists.
#[test]
fn every_invariant_names_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/design/invariants.md")).unwrap();
    let mut files = Vec::new();
    sources(&root.join("crates"), &mut files);
    let mut tests: BTreeSet<String> = BTreeSet::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for after in text.split("#[test]").skip(1) {
            // Some texts only speak of the attribute.
            let named = after.split_once("fn ").and_then(|(_, name)| name.split_once('('));
            tests.extend(named.map(|(name, _)| name.to_owned()));
        }
    }
    let mut named = 0;
    for row in page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---")) {
        let columns: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [_, _, shown] = columns.as_slice() else { panic!("three columns: {row}") };
        if shown.trim() == "test" {
            continue;
        }
        let quoted: Vec<&str> = shown.split('`').skip(1).step_by(2).collect();
        assert!(!quoted.is_empty(), "no test: {row}");
        for name in quoted {
            assert!(tests.contains(name), "no such test: {name}\n{row}");
            named += 1;
        }
    }
    for invariant in [
        "INV-PLAN-1",
        "INV-PLAN-2",
        "INV-PLAN-3",
        "INV-PLAN-4",
        "INV-PLAN-5",
        "INV-PLAN-5B",
        "INV-GLOBAL-1",
        "INV-GLOBAL-2",
        "INV-GLOBAL-3",
        "INV-GLOBAL-4",
        "INV-GLOBAL-5",
        "INV-GLOBAL-6",
        "INV-GLOBAL-7",
        "INV-GLOBAL-8",
        "INV-GLOBAL-9",
        "PV-1",
        "PV-2",
        "PV-3",
        "PV-4",
        "PV-5",
        "PS-1",
        "PS-2",
        "PS-3",
    ] {
        assert!(page.contains(invariant), "{invariant} is not on the page");
    }
    println!("invariants: {named} tests named");
    assert!(named > 50);
}
