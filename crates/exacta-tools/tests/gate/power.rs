//! The power goes in the middle of a run: what was only read may be read again, and nothing
//! else happens twice or is forgotten.

use exacta_core::model::id::PlanId;
use exacta_engine::gate::Recover;
use exacta_testkit::Rng;
use serde_json::Value;

use crate::kill::{BEFORE, check, places, run_dying, to_the_end};
use crate::plans::{file, plan, tool};
use crate::world::World;

/// How often the power goes at each place, each time losing something else.
const DRAWS: usize = 3;

fn draft() -> Value {
    plan(
        "atomic",
        &[
            tool("step_1", "NotifyUser", &[]),
            tool("step_3", "AggregateDailySummary", &["step_1"]),
            tool("step_4", "NotifyUser", &["step_3"]),
            tool("step_2", "WriteOutcomeDraft", &["step_4"]),
            file("step_6", "a.txt", "two\n", &[]),
            file("step_7", "b.txt", "two\n", &[]),
            tool("step_5", "SendEmail", &["step_2", "step_6"]),
        ],
    )
}

/// A world with the plan, approved, on a disk that loses what is not synced.
fn ready(answered: bool) -> (World, PlanId) {
    let world = World::forgetful(BEFORE);
    let plan_id = world.approved(&draft());
    if answered {
        let ran = world.run(&plan_id).unwrap();
        world.decide(&ran, true);
    }
    (world, plan_id)
}

#[test]
fn nothing_but_reads_is_done_again() {
    let mut random = Rng::new(0x9e1d);
    let (mut again, mut forgotten) = (0, 0);
    for answered in [false, true] {
        let (world, plan_id) = ready(answered);
        let (seen, ran) = run_dying(&world, &plan_id, None);
        ran.unwrap();
        for at in places(&seen) {
            for draw in 0..DRAWS {
                let (world, plan_id) = ready(answered);
                let (_, ran) = run_dying(&world, &plan_id, Some(at));
                let lost = world.disk.power_loss(&mut random).lasting();
                let world = world.with_disk(lost);
                world.reboot();
                let place = format!("at {at}, `{}`, draw {draw}, {}", seen[at], ran.is_ok());
                // Files that are derived from the record are not synced; they come back.
                world.handle(Recover).unwrap_or_else(|error| panic!("{place}: {error}"));
                world.verified();
                let run = world.gate(|gate| gate.plan_named(&plan_id).unwrap().run_id().cloned());
                if run.is_none() {
                    // The run had not begun: nothing has happened.
                    assert!(world.script.effects().is_empty(), "{place}");
                    forgotten += 1;
                    continue;
                }
                let state = to_the_end(&world, &plan_id);
                check(&world, state, &place);
                let reads = ["step_1", "step_3", "step_4"];
                assert!(reads.iter().all(|read| world.script.count(read) >= 1), "{place}");
                again += reads.iter().filter(|read| world.script.count(read) > 1).count();
            }
        }
    }
    assert!(again > 0, "no read was ever done again");
    assert!(forgotten > 0, "no start was ever lost");
}
