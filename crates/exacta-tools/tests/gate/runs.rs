//! A run of tools from approval to its result list.

use exacta_core::life::ledger::RunState;
use serde_json::json;

use crate::plans::{plan, tool};
use crate::world::{Does, World};

#[test]
fn reads_run_and_their_outputs_are_kept() {
    let world = World::new(&[]);
    world.script.set("step_1", Does::Gives(json!({"title": "news"})));
    let steps = [tool("step_1", "NotifyUser", &[]), tool("step_2", "NotifyUser", &["step_1"])];
    let plan_id = world.approved(&plan("atomic", &steps));
    let ran = world.run(&plan_id).unwrap();
    assert_eq!(ran.state, RunState::Completed, "{:?}", ran.reason);
    assert_eq!(world.script.effects(), ["step_1", "step_2"]);
    let results = ran.results.unwrap();
    let rows = serde_json::to_value(&results).unwrap();
    assert_eq!(rows[0]["output"], json!({"title": "news"}));
    assert_eq!(rows[2]["stats"]["ok"], 2);
    let events = world.events();
    let tail: Vec<&str> = events.iter().rev().take(6).rev().copied().collect();
    assert_eq!(
        tail,
        [
            "run_begun",
            "step_started",
            "step_finished",
            "step_started",
            "step_finished",
            "plan_executed"
        ]
    );
    world.verified();
    // An approval is good for one run.
    assert!(world.run(&plan_id).is_err());
    assert_eq!(world.script.effects().len(), 2);
}

#[test]
fn an_atomic_run_that_fails_takes_its_drafts_back() {
    let world = World::new(&[]);
    world.script.set("step_2", Does::Fails);
    let steps =
        [tool("step_1", "WriteOutcomeDraft", &[]), tool("step_2", "NotifyUser", &["step_1"])];
    let plan_id = world.approved(&plan("atomic", &steps));
    let ran = world.run(&plan_id).unwrap();
    assert_eq!(ran.state, RunState::RolledBack);
    assert_eq!(world.script.taken_back(), ["step_1"]);
    assert_eq!(ran.reason.unwrap(), "`step_2` failed: BROKEN: it broke");
    world.verified();
}

#[test]
fn in_a_contract_run_other_branches_go_on() {
    let world = World::new(&[]);
    world.script.set("step_1", Does::Fails);
    let steps = [
        tool("step_1", "NotifyUser", &[]),
        tool("step_2", "NotifyUser", &["step_1"]),
        tool("step_3", "WriteOutcomeDraft", &[]),
    ];
    let plan_id = world.approved(&plan("contract", &steps));
    let ran = world.run(&plan_id).unwrap();
    assert_eq!(ran.state, RunState::Failed);
    assert_eq!(world.script.effects(), ["step_3"]);
    assert!(world.script.taken_back().is_empty());
    let rows = serde_json::to_value(ran.results.unwrap()).unwrap();
    assert_eq!(rows[3]["blocked_steps"], json!(["step_2"]));
    world.verified();
}

#[test]
fn what_is_held_back_leaves_a_contract_run_partial() {
    let world = World::new(&[]);
    world.script.set("step_1", Does::Suppressed);
    let steps = [tool("step_1", "NotifyUser", &[]), tool("step_2", "NotifyUser", &[])];
    let plan_id = world.approved(&plan("contract", &steps));
    assert_eq!(world.run(&plan_id).unwrap().state, RunState::Partial);
}

#[test]
fn a_lost_answer_of_something_that_can_be_repeated_is_a_failure() {
    let world = World::new(&[]);
    world.script.set("step_1", Does::Loses);
    let plan_id = world.approved(&plan("contract", &[tool("step_1", "NotifyUser", &[])]));
    assert_eq!(world.run(&plan_id).unwrap().state, RunState::Failed);
}
