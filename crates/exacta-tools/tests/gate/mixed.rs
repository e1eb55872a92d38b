//! Files and tools in one plan: stage, tools, commit, the last step, seal.

use std::time::Duration;

use exacta_core::life::ledger::RunState;
use serde_json::json;

use crate::plans::{file, plan, tool};
use crate::world::{Does, World};

const BEFORE: &[(&str, &str)] = &[("a.txt", "one\n")];

#[test]
fn files_are_committed_after_the_tools() {
    let world = World::new(BEFORE);
    let steps = [
        file("step_1", "a.txt", "two\n", &[]),
        tool("step_2", "NotifyUser", &[]),
        tool("step_3", "WriteOutcomeDraft", &["step_2"]),
    ];
    let plan_id = world.approved(&plan("atomic", &steps));
    let ran = world.run(&plan_id).unwrap();
    assert_eq!(ran.state, RunState::Completed, "{:?}", ran.reason);
    assert_eq!(world.text("a.txt").unwrap(), "two\n");
    assert_eq!(ran.receipt.unwrap().files.len(), 1);
    let events = world.events();
    let started = events.iter().position(|name| *name == "run_started").unwrap();
    let last_step = events.iter().rposition(|name| *name == "step_finished").unwrap();
    assert!(last_step < started, "{events:?}");
    world.verified();
}

#[test]
fn no_file_moves_when_a_tool_of_an_atomic_run_fails() {
    for does in [Does::Fails, Does::Panics, Does::Suppressed] {
        let world = World::new(BEFORE);
        world.script.set("step_3", does);
        let steps = [
            file("step_1", "a.txt", "two\n", &[]),
            tool("step_2", "WriteOutcomeDraft", &[]),
            tool("step_3", "NotifyUser", &["step_2"]),
        ];
        let plan_id = world.approved(&plan("atomic", &steps));
        let ran = world.run(&plan_id).unwrap();
        assert_eq!(ran.state, RunState::RolledBack, "{:?}", ran.reason);
        assert_eq!(world.text("a.txt").unwrap(), "one\n");
        assert_eq!(world.script.taken_back(), ["step_2"]);
        let rows = serde_json::to_value(ran.results.unwrap()).unwrap();
        assert_eq!(rows[0]["reason"], "rolled_back");
        world.verified();
    }
}

#[test]
fn in_a_contract_run_files_are_one_group() {
    let world = World::new(&[("a.txt", "one\n"), ("b.txt", "one\n")]);
    world.script.set("step_1", Does::Fails);
    world.script.set("step_4", Does::Waits(Duration::from_millis(5)));
    let steps = [
        tool("step_1", "NotifyUser", &[]),
        file("step_2", "a.txt", "two\n", &["step_1"]),
        file("step_3", "b.txt", "two\n", &[]),
        tool("step_4", "NotifyUser", &[]),
    ];
    let plan_id = world.approved(&plan("contract", &steps));
    let ran = world.run(&plan_id).unwrap();
    assert_eq!(ran.state, RunState::Failed, "{:?}", ran.reason);
    assert_eq!(
        (world.text("a.txt").unwrap(), world.text("b.txt").unwrap()),
        ("one\n".into(), "one\n".into())
    );
    assert_eq!(world.script.effects(), ["step_4"]);
    let rows = serde_json::to_value(ran.results.unwrap()).unwrap();
    assert_eq!(rows[2]["reason"], "file_group_not_committed");
    assert_eq!(rows[2]["skipped"], json!(true));
    world.verified();
}

#[test]
fn the_step_that_cannot_be_taken_back_waits_for_a_person_before_files_move() {
    let world = World::new(BEFORE);
    let steps = [
        file("step_1", "a.txt", "two\n", &[]),
        tool("step_2", "NotifyUser", &[]),
        tool("step_3", "SendEmail", &["step_1", "step_2"]),
    ];
    let plan_id = world.approved(&plan("atomic", &steps));
    let ran = world.run(&plan_id).unwrap();
    assert_eq!(ran.state, RunState::Waiting);
    assert_eq!(ran.asks.len(), 1);
    assert_eq!(ran.asks[0].args["to"], "ann@example.org");
    assert_eq!(world.text("a.txt").unwrap(), "one\n");
    assert_eq!(world.script.effects(), ["step_2"]);
    // Nobody has decided: it still waits, and nothing happens twice.
    assert_eq!(world.run(&plan_id).unwrap().state, RunState::Waiting);
    assert_eq!(world.script.count("step_2"), 1);
    assert_eq!(world.script.keys("step_2").len(), 1);
    world.verified();
}
