//! What people decide while a run is under way: a step, a lost answer, the end.

use exacta_core::life::ledger::RunState;
use exacta_core::record::Assurance;
use exacta_engine::gate::{CancelRun, GateError, Hint, Resolve, StepDecide};
use exacta_engine::proof::Proof;
use serde_json::{Value, json};

use crate::plans::{file, plan, tool};
use crate::world::{Does, World};

const BEFORE: &[(&str, &str)] = &[("a.txt", "one\n")];

fn mixed() -> Value {
    let steps = [
        file("step_1", "a.txt", "two\n", &[]),
        tool("step_2", "WriteOutcomeDraft", &[]),
        tool("step_3", "SendEmail", &["step_1", "step_2"]),
    ];
    plan("atomic", &steps)
}

fn proof() -> Proof {
    Proof::for_tests(Assurance::Terminal)
}

#[test]
fn a_yes_lets_exactly_these_arguments_go() {
    let world = World::new(BEFORE);
    let plan_id = world.approved(&mixed());
    let ran = world.run(&plan_id).unwrap();
    let command = |arguments, proof| StepDecide {
        run_id: ran.run_id.clone(),
        step_id: "step_3".into(),
        arguments,
        approve: true,
        reason: None,
        plan_hash: None,
        proof,
    };
    let asked = ran.asks[0].arguments;
    let other = exacta_core::model::digest::Digest::of(b"other");
    let refused = world.handle(command(other, proof())).unwrap_err();
    assert!(matches!(refused, GateError::StepNotOpen { .. }), "{refused}");
    let refused = world.handle(command(asked, Proof::none())).unwrap_err();
    assert!(matches!(refused, GateError::NotEntitled { .. }), "{refused}");
    assert_eq!(world.run(&plan_id).unwrap().state, RunState::Waiting);
    assert!(world.handle(command(asked, proof())).unwrap().waiting.is_empty());
    let ran = world.run(&plan_id).unwrap();
    assert_eq!(ran.state, RunState::Completed, "{:?}", ran.reason);
    assert_eq!((world.script.count("step_3"), world.script.count("step_2")), (1, 1));
    assert_eq!(world.text("a.txt").unwrap(), "two\n");
    world.verified();
}

#[test]
fn a_no_takes_an_atomic_run_back() {
    let world = World::new(BEFORE);
    let plan_id = world.approved(&mixed());
    let ran = world.run(&plan_id).unwrap();
    world.decide(&ran, false);
    let ran = world.run(&plan_id).unwrap();
    assert_eq!(ran.state, RunState::RolledBack);
    assert_eq!(world.text("a.txt").unwrap(), "one\n");
    assert_eq!(world.script.taken_back(), ["step_2"]);
    assert_eq!(world.script.count("step_3"), 0);
    world.verified();
}

#[test]
fn a_no_leaves_a_contract_run_partial() {
    let world = World::new(&[]);
    let steps = [tool("step_1", "SendEmail", &[]), tool("step_2", "NotifyUser", &[])];
    let plan_id = world.approved(&plan("contract", &steps));
    let ran = world.run(&plan_id).unwrap();
    assert_eq!(ran.state, RunState::Waiting);
    assert_eq!(world.script.effects(), ["step_2"], "what nobody asks about goes on");
    world.decide(&ran, false);
    let ran = world.run(&plan_id).unwrap();
    assert_eq!(ran.state, RunState::Partial);
    let rows = serde_json::to_value(ran.results.unwrap()).unwrap();
    assert_eq!(rows[0]["reason"], "declined");
    world.verified();
}

#[test]
fn an_earlier_output_in_a_draft_asks_with_what_it_would_write() {
    let world = World::new(&[]);
    world.script.set("step_1", Does::Gives(json!({"title": "news"})));
    let mut writes = tool("step_2", "WriteOutcomeDraft", &["step_1"]);
    writes["tool"]["args"] = json!({"text": {"$ref": "step_1.output.title"}});
    let steps = [tool("step_1", "NotifyUser", &[]), writes];
    let plan_id = world.approved(&plan("atomic", &steps));
    let ran = world.run(&plan_id).unwrap();
    assert_eq!(ran.state, RunState::Waiting);
    assert_eq!(ran.asks[0].args, json!({"text": "news"}));
    assert_eq!(ran.asks[0].filled, ["/text"]);
    world.decide(&ran, true);
    assert_eq!(world.run(&plan_id).unwrap().state, RunState::Completed);
    assert_eq!((world.script.count("step_1"), world.script.count("step_2")), (1, 1));
}

#[test]
fn a_lost_answer_keeps_the_files_until_a_person_has_found_out() {
    for happened in [true, false] {
        let world = World::new(BEFORE);
        world.script.set("step_3", Does::Loses);
        let plan_id = world.approved(&mixed());
        let ran = world.run(&plan_id).unwrap();
        world.decide(&ran, true);
        let ran = world.run(&plan_id).unwrap();
        assert_eq!(ran.state, RunState::Unknown);
        assert_eq!(world.text("a.txt").unwrap(), "two\n");
        let rows = serde_json::to_value(ran.results.unwrap()).unwrap();
        assert_eq!(
            (&rows[2]["reason"], &rows[3]["task_status"]),
            (&json!("outcome_unknown"), &json!("FAILED"))
        );
        // It is never tried again by itself.
        let Err(again) = world.run(&plan_id) else { panic!("it was tried again") };
        assert_eq!(again.hints(), [Hint::Resolve { run: ran.run_id.clone() }], "{again}");
        let resolve = Resolve {
            run_id: ran.run_id,
            step_id: None,
            happened,
            plan_hash: None,
            proof: proof(),
        };
        let unproven = Resolve { proof: Proof::none(), ..resolve.clone() };
        assert!(matches!(world.handle(unproven), Err(GateError::NotEntitled { .. })));
        let ran = world.handle(resolve.clone()).unwrap();
        assert_eq!(world.script.count("step_3"), 1);
        if happened {
            assert_eq!(ran.state, RunState::Completed, "{:?}", ran.reason);
            assert_eq!(world.text("a.txt").unwrap(), "two\n");
        } else {
            assert_eq!(ran.state, RunState::RolledBack, "{:?}", ran.reason);
            assert_eq!(world.text("a.txt").unwrap(), "one\n");
            assert_eq!(world.script.taken_back(), ["step_2"]);
        }
        assert!(matches!(world.handle(resolve), Err(GateError::StepNotOpen { .. })));
        world.verified();
    }
}

#[test]
fn a_run_that_waits_can_be_stopped() {
    let world = World::new(BEFORE);
    let plan_id = world.approved(&mixed());
    let ran = world.run(&plan_id).unwrap();
    let over = world.handle(CancelRun { run_id: ran.run_id.clone() }).unwrap().unwrap();
    assert_eq!(over.state, RunState::RolledBack, "{:?}", over.reason);
    assert_eq!(world.script.taken_back(), ["step_2"]);
    assert_eq!(world.text("a.txt").unwrap(), "one\n");
    assert!(world.handle(CancelRun { run_id: ran.run_id }).is_err());
    world.verified();
}

#[test]
fn what_a_guard_refuses_makes_no_plan_and_spends_nothing() {
    let world = World::new(&[]);
    let mut step = tool("step_1", "WriteOutcomeDraft", &[]);
    step["tool"]["args"] = json!({"text": 5});
    let issues = world.refused(&plan("atomic", &[step]));
    assert_eq!(issues[0].code.as_str(), "PLAN_SCHEMA_INVALID");
    assert_eq!(issues[0].rule, "tool_args");
}
