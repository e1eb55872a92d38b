//! What is derived from the record, or kept beside it, cannot be written: the command has
//! happened and says so, or nothing was recorded.

use std::sync::Arc;

use exacta_core::life::ledger::RunStage;
use exacta_core::life::lifecycle::State;
use exacta_core::record::RunKind;
use exacta_core::results::TaskStatus;
use exacta_engine::gate::{Notice, plan_file};
use exacta_engine::trust::{Checkpoint, Checkpoints, TrustError};
use exacta_engine::workspace::{PortError, Workspace as _};
use exacta_testkit::Shared;

use crate::any::{Outcome, What, handle as any_handle};
use crate::tap::{Op, Tap, Tapped};
use crate::world::{Heads, World, approve, asks, command, propose, secrets, undo};

/// Files derived from the record cannot be written, and what is left of one stays.
struct NoProjections;

impl Tap for NoProjections {
    fn before(&self, op: Op<'_>) -> Result<(), PortError> {
        let derived = op.at.contains("/plans/") || op.at.contains("/audit-log/");
        if derived && matches!(op.name, "place" | "swap" | "remove") {
            return Err(PortError::Locked);
        }
        Ok(())
    }
}

#[test]
fn a_decision_counts_although_its_files_cannot_be_written() {
    let world = World::new(&[("a.txt", "one\n")]);
    let plan = world.propose(&asks("a.txt", "two\n")).unwrap();
    let file = plan_file(&plan.plan_id);
    let before = world.disk.read(&file).unwrap();
    let port = Arc::new(Tapped::new(Arc::clone(&world.disk), NoProjections));
    let (outcome, notices) = world
        .gate_on(&port, |gate| {
            (any_handle(gate, command(approve(&plan.plan_id), None)), gate.take_notices())
        })
        .unwrap();
    assert!(matches!(outcome, Ok(Outcome::Decided(plan)) if plan.state == State::UserApproved));
    assert!(matches!(notices.as_slice(), [Notice::Behind(_)]), "{notices:?}");
    assert_eq!(world.disk.read(&file).unwrap(), before);
    assert_eq!(world.verify().problems, []);
    // The next command that writes brings them up to date, and the plan runs.
    assert_eq!(world.run(&plan.plan_id).unwrap().state.as_str(), "completed");
    assert_ne!(world.disk.read(&file).unwrap(), before);
    assert_eq!(world.verify().problems, []);
}

/// Heads outside the project that cannot be noted while the switch is on.
struct ReadOnlyHeads {
    heads: Heads,
    refused: Arc<Shared<bool>>,
}

impl Checkpoints for ReadOnlyHeads {
    fn load(&self) -> Result<Option<Checkpoint>, TrustError> {
        self.heads.load()
    }

    fn note(&self, checkpoint: &Checkpoint) -> Result<(), TrustError> {
        if self.refused.get() {
            return Err(TrustError::Damaged { path: "checkpoint".into() });
        }
        self.heads.note(checkpoint)
    }
}

#[test]
fn nothing_is_recorded_whose_head_cannot_be_noted_outside() {
    let mut world = World::new(&[("a.txt", "one\n")]);
    let refused = Arc::new(Shared::new(false));
    let mut outside = secrets(&world.heads);
    let heads = world.heads.clone();
    outside.checkpoints = Arc::new(ReadOnlyHeads { heads, refused: Arc::clone(&refused) });
    world.secrets = outside;
    let plan = world.propose(&asks("a.txt", "two\n")).unwrap();
    let entries = || world.gate(|gate| gate.log().ledger().entries()).unwrap();
    let before = entries();
    refused.set(true);
    for what in [propose(&asks("a.txt", "three\n")), approve(&plan.plan_id)] {
        world.handle(what).unwrap_err();
        assert_eq!(entries(), before);
    }
    refused.set(false);
    world.approve(&plan.plan_id).unwrap();
    assert!(matches!(world.handle(What::Sweep { plan_id: None }), Ok(Outcome::Swept(_))));
}

/// Something that is no file lies where a derived file belongs: the record's head is noted
/// outside all the same, so that nothing can be cut off behind it.
#[test]
fn the_head_is_noted_although_its_files_cannot_be_written() {
    let world = World::new(&[("a.txt", "one\n")]);
    let plan = world.propose(&asks("a.txt", "two\n")).unwrap();
    let port = Arc::new(Tapped::new(Arc::clone(&world.disk), NoProjections));
    let decided =
        world.gate_on(&port, |gate| any_handle(gate, command(approve(&plan.plan_id), None)));
    decided.unwrap().unwrap();
    let noted = world.heads.0.borrow().clone().unwrap();
    let (entries, head) =
        world.gate(|gate| (gate.log().ledger().entries(), gate.log().head())).unwrap();
    assert_eq!((noted.entries, noted.head), (entries, head));
    assert!(noted.projected < entries);
    // And it follows later.
    world.handle(What::Sweep { plan_id: None }).unwrap();
    assert_eq!(world.heads.0.borrow().clone(), Some(Checkpoint::settled(entries, head)));
    assert_eq!(world.verify().problems, []);
}

/// One barrier of a command fails.
struct OneFails {
    barriers: Shared<usize>,
    fails: Option<usize>,
}

impl Tap for OneFails {
    fn before(&self, op: Op<'_>) -> Result<(), PortError> {
        if op.name != "barrier" {
            return Ok(());
        }
        self.barriers.set(self.barriers.get() + 1);
        if self.fails == Some(self.barriers.get()) { Err(PortError::Locked) } else { Ok(()) }
    }
}

/// Whichever barrier fails, a run and an undo happened or did not, and can be done again.
#[test]
fn after_any_barrier_that_fails_there_is_a_way_on() {
    let origin = World::new(&[("a.txt", "one\n")]);
    let plan = origin.propose(&asks("a.txt", "two\n")).unwrap();
    origin.approve(&plan.plan_id).unwrap();
    let ran = origin.fork();
    let run_id = ran.run(&plan.plan_id).unwrap().run_id;
    let run = What::Run { plan_id: plan.plan_id.clone(), hash: None };
    let mut went_back = 0;
    for (world, what) in [(&origin, run), (&ran, undo(&run_id))] {
        let tried = |fails: Option<usize>| {
            let world = world.fork();
            let tap = OneFails { barriers: Shared::new(0), fails };
            let port = Arc::new(Tapped::new(Arc::clone(&world.disk), tap));
            let told = world.gate_on(&port, |gate| any_handle(gate, command(what.clone(), None)));
            (port.tap.barriers.get(), told.and_then(|told| told), world.fork())
        };
        let (barriers, ..) = tried(None);
        assert!(barriers > 1);
        for number in 1..=barriers {
            let (_, told, world) = tried(Some(number));
            world.handle(What::Recover).unwrap();
            assert_eq!(world.verify().problems, [], "barrier {number}: {told:?}");
            let is_two = world.disk.bytes("a.txt").unwrap() == b"two\n";
            let runs = world.gate(|gate| gate.log().ledger().runs().cloned().collect::<Vec<_>>());
            for run in runs.unwrap() {
                // What the record says of it is what became of it.
                let completed = run.stage == RunStage::Completed;
                if run.kind == RunKind::Plan && run.undone_by.is_none() {
                    assert_eq!(completed, is_two, "barrier {number}: {told:?}");
                    let status = run.status.map(|status| status == TaskStatus::Completed);
                    assert_eq!(status, Some(completed), "barrier {number}");
                } else if run.kind != RunKind::Plan {
                    assert_eq!(completed, !is_two, "barrier {number}: {told:?}");
                    went_back += usize::from(!completed);
                }
            }
            // The way back is still there.
            if is_two {
                let run_id = world.entry(&plan.plan_id).run_id().cloned().unwrap();
                world.undo(&run_id).unwrap();
                assert_eq!(world.disk.bytes("a.txt").unwrap(), b"one\n");
            }
        }
    }
    assert!(went_back > 0, "no undo went back");
}
