//! A process dies at every entry of the record, in a run with reads, drafts, files and a send.
//! Nothing happens twice, nothing is lost, files are all or nothing, and the state is honest.

use std::sync::{Arc, Mutex};

use exacta_core::life::ledger::RunState;
use exacta_core::model::id::PlanId;
use exacta_core::record::Assurance;
use exacta_engine::gate::{Caller, GateError, Ran, Resolve, Run};
use exacta_engine::proof::Proof;
use exacta_engine::workspace::{PortError, Spot};
use serde_json::Value;

use crate::plans::{file, plan, tool};
use crate::tap::{Op, Tap, Tapped};
use crate::world::{Does, World, person};

pub(crate) const BEFORE: &[(&str, &str)] = &[("a.txt", "one\n"), ("b.txt", "one\n")];
/// More goes than any run needs.
const GOES: usize = 6;

/// From one operation on, nothing is done any more.
struct DieAt {
    at: Option<u64>,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Tap for DieAt {
    fn before(&self, op: Op<'_>) -> Result<(), PortError> {
        if self.at.is_some_and(|at| op.number >= at) {
            let errno = rustix::io::Errno::IO;
            return Err(PortError::System { act: "live", at: Spot::state(), errno });
        }
        self.seen.lock().unwrap().push(format!("{} {}", op.name, op.at));
        Ok(())
    }
}

fn draft(execution: &str) -> Value {
    plan(
        execution,
        &[
            tool("step_1", "NotifyUser", &[]),
            tool("step_2", "WriteOutcomeDraft", &["step_1"]),
            file("step_3", "a.txt", "two\n", &[]),
            file("step_4", "b.txt", "two\n", &[]),
            tool("step_5", "SendEmail", &["step_2", "step_3"]),
        ],
    )
}

/// Runs on a port that dies; gives the operations it saw.
pub(crate) fn run_dying(
    world: &World,
    plan_id: &PlanId,
    at: Option<usize>,
) -> (Vec<String>, Result<Ran, GateError>) {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let at = at.map(|at| u64::try_from(at).unwrap());
    let tap = DieAt { at, seen: Arc::clone(&seen) };
    let port = Arc::new(Tapped::new(world.disk.clone(), tap));
    let ran = match world.project_on(port).gate() {
        Ok(gate) => {
            gate.handle(&Caller::new(person()), Run { plan_id: plan_id.clone(), plan_hash: None })
        }
        Err(error) => Err(error),
    };
    let seen = seen.lock().unwrap().clone();
    (seen, ran)
}

/// Goes on until the run has ended, as a person would.
pub(crate) fn to_the_end(world: &World, plan_id: &PlanId) -> RunState {
    for _ in 0..GOES {
        let ran = match world.run(plan_id) {
            Ok(ran) => ran,
            // It had ended; only its answer was lost.
            Err(GateError::Refusal { .. } | GateError::Unresolved { .. }) => {
                let entry = world.gate(|gate| gate.plan_named(plan_id).unwrap());
                let run_id = entry.run_id().unwrap().clone();
                let run = world.gate(|gate| gate.run_named(&run_id).unwrap());
                match run.state().unwrap() {
                    RunState::Unknown => resolved(world, &run_id),
                    state => return state,
                }
            }
            Err(error) => panic!("{error}"),
        };
        match ran.state {
            RunState::Waiting => world.decide(&ran, true),
            RunState::Unknown => return resolved(world, &ran.run_id).state,
            state => return state,
        }
    }
    panic!("the run does not end");
}

/// Somebody looked into the mailbox.
fn resolved(world: &World, run_id: &exacta_core::model::id::RunId) -> Ran {
    let happened = world.script.count("step_5") > 0;
    let proof = Proof::for_tests(Assurance::Terminal);
    let run_id = run_id.clone();
    world.handle(Resolve { run_id, step_id: None, happened, plan_hash: None, proof }).unwrap()
}

pub(crate) fn check(world: &World, state: RunState, place: &str) {
    let sent = world.script.count("step_5");
    assert!(sent <= 1, "{place}: sent {sent} times");
    let files = (world.text("a.txt").unwrap(), world.text("b.txt").unwrap());
    match state {
        RunState::Completed => {
            assert_eq!(sent, 1, "{place}");
            assert_eq!(files, ("two\n".into(), "two\n".into()), "{place}");
            assert!(world.script.taken_back().is_empty(), "{place}");
        }
        RunState::RolledBack => {
            assert_eq!(sent, 0, "{place}");
            assert_eq!(files, ("one\n".into(), "one\n".into()), "{place}");
            let drafts = world.script.count("step_2");
            assert!(drafts == 0 || !world.script.taken_back().is_empty(), "{place}");
        }
        other => panic!("{place}: {other:?}"),
    }
    world.verified();
}

/// Every operation that writes the record, or all of them.
pub(crate) fn places(seen: &[String]) -> Vec<usize> {
    let full = std::env::var_os("EXACTA_TEST_FULL").is_some();
    let record = |name: &str| name.contains(".exacta/log") || name.contains(".exacta/runs");
    let places = seen.iter().enumerate().filter(|(at, name)| full || record(name) || at % 9 == 0);
    places.map(|(at, _)| at).collect()
}

#[test]
fn killed_before_a_person_was_asked() {
    let world = World::new(BEFORE);
    let plan_id = world.approved(&draft("atomic"));
    let (seen, ran) = run_dying(&world, &plan_id, None);
    assert_eq!(ran.unwrap().state, RunState::Waiting);
    for at in places(&seen) {
        let world = World::new(BEFORE);
        let plan_id = world.approved(&draft("atomic"));
        let (_, ran) = run_dying(&world, &plan_id, Some(at));
        let state = to_the_end(&world, &plan_id);
        check(&world, state, &format!("at {at}, `{}`, after {:?}", seen[at], ran.is_ok()));
        assert!(world.script.count("step_5") == 1, "at {at}: nothing was in the way of the send");
    }
}

#[test]
fn killed_after_a_person_said_yes() {
    for loses in [false, true] {
        let ready = || {
            let world = World::new(BEFORE);
            let plan_id = world.approved(&draft("atomic"));
            let ran = world.run(&plan_id).unwrap();
            world.decide(&ran, true);
            if loses {
                world.script.set("step_5", Does::Loses);
            }
            (world, plan_id)
        };
        let (world, plan_id) = ready();
        let (seen, ran) = run_dying(&world, &plan_id, None);
        let state = if loses { RunState::Unknown } else { RunState::Completed };
        assert_eq!(ran.unwrap().state, state);
        for at in places(&seen) {
            let (world, plan_id) = ready();
            let (_, ran) = run_dying(&world, &plan_id, Some(at));
            let state = to_the_end(&world, &plan_id);
            let place = format!("loses {loses}, at {at}, `{}`, {:?}", seen[at], ran.is_ok());
            check(&world, state, &place);
        }
    }
}
