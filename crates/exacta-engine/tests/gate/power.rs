//! Power loss while commands are carried out, in a model that forgets what was not
//! synced: no acknowledged event is lost, no half event is shown, and the head outside is
//! never ahead of the record.

use std::sync::Arc;

use exacta_core::life::lifecycle::State;

use exacta_engine::trust::Checkpoint;
use exacta_engine::workspace::PortError;
use exacta_testkit::{Budget, MemoryWorkspace, Rng, Shared};

use crate::any::{Outcome, Proof, What, handle as any_handle, plan_id_of};
use crate::kill::pair;
use crate::tap::{Op, Tap, Tapped};
use crate::world::{
    Heads, TestMachine, World, approve, asks, command, files, passes, propose, proposed, reject,
    secrets, undo,
};

/// The disk and the head outside before an operation.
struct Frame {
    disk: MemoryWorkspace,
    head: Option<Checkpoint>,
}

/// Keeps everything as it was before every operation.
struct Film {
    world: World,
    frames: Shared<Vec<Frame>>,
}

impl Tap for Film {
    fn before(&self, _: Op<'_>) -> Result<(), PortError> {
        let head = self.world.heads.0.borrow().clone();
        self.frames
            .borrow_mut()
            .push(Frame { disk: MemoryWorkspace::clone(&self.world.disk), head });
        Ok(())
    }
}

/// Carries out a command and returns what it went through.
fn filmed(world: &World, what: What) -> (Vec<Frame>, Option<String>) {
    let film = Film { world: world.clone(), frames: Shared::default() };
    let port = Arc::new(Tapped::new(Arc::clone(&world.disk), film));
    let outcome =
        world.gate_on(&port, |gate| any_handle(gate, command(what, None))).unwrap().unwrap();
    let plan = match outcome {
        Outcome::Ran(run) => Some(run.run_id.to_string()),
        outcome @ Outcome::Proposed(_) => Some(proposed(outcome).plan_id.to_string()),
        _ => None,
    };
    (port.tap.frames.take(), plan)
}

/// The machine after the power came back: another boot, and the note may be lost.
fn rebooted(world: &World, disk: MemoryWorkspace, head: Option<Checkpoint>) -> World {
    let heads = Heads::default();
    *heads.0.borrow_mut() = head;
    let machine = TestMachine::clone(&world.machine);
    {
        let mut now = machine.now.borrow_mut();
        (now.boot, now.boottime_ms) = ("boot-2".into(), 5_000);
        now.wall_ms += 60_000;
    }
    World {
        disk: Arc::new(disk.lasting()),
        machine: Arc::new(machine),
        policy: Arc::new(Shared::clone(&world.policy)),
        secrets: secrets(&heads),
        heads,
    }
}

/// What must hold on a disk after a power loss.
fn check(world: &World, acknowledged: u64, what: &str) {
    let entries = world
        .gate(|gate| gate.log().ledger().entries())
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(entries >= acknowledged, "{what}: {entries} of {acknowledged} entries");
    world.handle(What::Recover).unwrap_or_else(|error| panic!("{what}: {error}"));
    let report = world.verify();
    assert_eq!(report.problems, [], "{what}");
    let next = world.propose(&asks("c.txt", "next\n")).unwrap();
    assert_eq!(next.state, State::Pending, "{what}");
    assert_eq!(world.verify().problems, [], "{what}, and one more");
}

#[test]
fn power_loss_at_every_operation_of_a_session() {
    let project = [("a.txt", "one\n"), ("b.txt", "two\n"), ("c.txt", "three\n")];
    let world = World::on(MemoryWorkspace::new(&files(&project)));
    let budget = Budget::of_processor("power loss of the record", 3_000, 40, 200_000);
    let mut random = Rng::new(0x5eed);
    let mut frames: Vec<(String, u64, Frame)> = Vec::new();
    let mut plan_id = String::new();
    let mut run_id = String::new();
    let mut act = |name: &str, what: What| {
        let acknowledged = world.heads.0.borrow().as_ref().map_or(0, |head| head.entries);
        let (film, made) = filmed(&world, what);
        frames.extend(film.into_iter().map(|frame| (name.to_owned(), acknowledged, frame)));
        made
    };
    plan_id.push_str(&act("propose", propose(&pair())).unwrap());
    act("approve", approve(&plan_id));
    run_id.push_str(&act("run", What::Run { plan_id: plan_id_of(&plan_id), hash: None }).unwrap());
    act("undo", undo(&run_id));
    act("propose", propose(&passes("a.txt", "six\n")));
    let other = act("propose", propose(&pair())).unwrap();
    act("reject", reject(&other));
    let other = act("propose", propose(&pair())).unwrap();
    act("renew", What::Renew { plan_id: plan_id_of(&other), proof: Proof::Terminal });
    act("sweep", What::Sweep { plan_id: None });
    let first = frames.iter().find_map(|(.., frame)| frame.head.clone());
    assert_eq!(first.as_ref().map(|first| first.entries), Some(1));
    let total = frames.len() as u64;
    let each = budget.count().div_ceil(total);
    let mut done = 0;
    for draw in 0..each {
        for (number, (name, acknowledged, frame)) in frames.iter().enumerate() {
            if !budget.allows(done) {
                break;
            }
            let what = format!("{name}, operation {number}, draw {draw}");
            let lost = frame.disk.power_loss(&mut random);
            check(&rebooted(&world, lost, frame.head.clone()), *acknowledged, &what);
            // The note outside may be lost as well, back to the first one, which lasts.
            if draw % 3 == 2 {
                let lost = frame.disk.power_loss(&mut random);
                let head = frame.head.as_ref().and(first.clone());
                check(&rebooted(&world, lost, head), 0, &format!("{what}, with its first note"));
            }
            done += 1;
        }
    }
    budget.report(done);
    println!("power loss of the record: {done} states from {total} operations");
    // Acknowledged is acknowledged.
    let head = world.heads.0.borrow().clone();
    let all = head.as_ref().unwrap().entries;
    for draw in 0..200 {
        let lost = world.disk.power_loss(&mut random);
        check(&rebooted(&world, lost, head.clone()), all, &format!("at the end, draw {draw}"));
    }
}

/// A process dies in the middle of an append, another one goes on, then the power goes:
/// what the second one was told must last.
#[test]
fn power_loss_after_a_torn_append_was_mended() {
    let project = [("a.txt", "one\n"), ("c.txt", "three\n")];
    let origin = World::on(MemoryWorkspace::new(&files(&project)));
    origin.propose(&asks("a.txt", "two\n")).unwrap();
    let mut random = Rng::new(0xfeed);
    let good = origin.disk.bytes(crate::world::LOG).unwrap();
    for draw in 0..300 {
        let world = origin.fork();
        let head = world.heads.0.borrow().as_ref().unwrap().head;
        let mut torn = good.clone();
        // As an append begins.
        let next = format!("{{\"prev\":\"{head}\",").into_bytes();
        torn.extend(next.into_iter().chain(good[76..].iter().copied()).take(20 + draw));
        world.disk.tamper(crate::world::LOG, Some(&torn));
        world.propose(&asks("a.txt", "four\n")).unwrap();
        let head = world.heads.0.borrow().clone();
        let all = head.as_ref().unwrap().entries;
        let lost = world.disk.power_loss(&mut random);
        check(&rebooted(&world, lost, head), all, &format!("draw {draw}"));
    }
}

/// A run is under way and has not come to its barrier; another process notes the head.
#[test]
fn a_head_that_another_process_notes_is_never_ahead() {
    let project = [("a.txt", "one\n"), ("b.txt", "two\n"), ("c.txt", "three\n")];
    let world = World::on(MemoryWorkspace::new(&files(&project)));
    let plan = world.propose(&pair()).unwrap();
    world.approve(&plan.plan_id).unwrap();
    let (frames, _) = filmed(&world, What::Run { plan_id: plan.plan_id, hash: None });
    let mut random = Rng::new(0xbeef);
    let mut states = 0;
    for (number, frame) in frames.iter().enumerate() {
        for draw in 0..8 {
            let heads = Heads::default();
            heads.0.borrow_mut().clone_from(&frame.head);
            let other = World {
                disk: Arc::new(frame.disk.clone()),
                machine: Arc::new(TestMachine::clone(&world.machine)),
                policy: Arc::new(Shared::clone(&world.policy)),
                secrets: secrets(&heads),
                heads,
            };
            other.propose(&asks("c.txt", "four\n")).unwrap();
            let head = other.heads.0.borrow().clone();
            let all = head.as_ref().unwrap().entries;
            let lost = other.disk.power_loss(&mut random);
            let what = format!("operation {number}, draw {draw}");
            check(&rebooted(&world, lost, head), all, &what);
            states += 1;
        }
    }
    println!("heads noted by another process during a run: {states} states");
}
