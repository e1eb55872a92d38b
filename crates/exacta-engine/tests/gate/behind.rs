//! What is derived from the record, or kept beside it, cannot be written: the command has
//! happened and says so, or nothing was recorded.

use std::cell::Cell;
use std::rc::Rc;

use exacta_core::lifecycle::State;
use exacta_engine::gate::{Notice, Outcome, What, plan_file};
use exacta_engine::outer::{Checkpoint, Checkpoints, OuterError};
use exacta_engine::workspace::{PortError, Workspace as _};

use crate::tap::{Op, Tap, Tapped};
use crate::world::{Heads, World, approve, asks, command, propose, secrets};

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
    let port = Tapped::new(&world.disk, NoProjections);
    let (outcome, notices) = world
        .gate_on(&port, |gate| {
            (gate.handle(command(approve(&plan.plan_id), None)), gate.take_notices())
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
    refused: Rc<Cell<bool>>,
}

impl Checkpoints for ReadOnlyHeads {
    fn load(&self) -> Result<Option<Checkpoint>, OuterError> {
        self.heads.load()
    }

    fn note(&self, checkpoint: &Checkpoint) -> Result<(), OuterError> {
        if self.refused.get() {
            return Err(OuterError::Damaged { path: "checkpoint".into() });
        }
        self.heads.note(checkpoint)
    }
}

#[test]
fn nothing_is_recorded_whose_head_cannot_be_noted_outside() {
    let mut world = World::new(&[("a.txt", "one\n")]);
    let refused = Rc::new(Cell::new(false));
    let mut outside = secrets(&world.heads);
    let heads = world.heads.clone();
    outside.checkpoints = Box::new(ReadOnlyHeads { heads, refused: Rc::clone(&refused) });
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
    assert!(matches!(world.handle(What::Sweep), Ok(Outcome::Swept(_))));
}
