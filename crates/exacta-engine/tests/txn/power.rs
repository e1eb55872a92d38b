//! Power loss at every operation, in a model that forgets what was not synced.
//!
//! Each act runs once on the model. At every operation the disk is kept as it is then;
//! from each of these, many different losses are drawn, recovered and compared. Some
//! lose power again while they recover.

use exacta_engine::run::Quiet;
use exacta_engine::workspace::PortError;
use exacta_testkit::{MemoryWorkspace, Rng, Shared};

use crate::project::{Act, engine, perform, run_id, shape};
use crate::shapes::{Shape, shapes};
use crate::tap::{Op, Tap, Tapped};

/// Keeps the disk as it was before every operation.
pub(crate) struct Film<'a> {
    model: &'a MemoryWorkspace,
    pub(crate) frames: Shared<Vec<MemoryWorkspace>>,
}

impl<'a> Film<'a> {
    pub(crate) fn of(model: &'a MemoryWorkspace) -> Self {
        Self { model, frames: Shared::default() }
    }
}

impl Tap for Film<'_> {
    fn before(&self, _: Op<'_>) -> Result<(), PortError> {
        self.frames.borrow_mut().push(self.model.clone());
        Ok(())
    }
}

/// What is done while the power may go.
pub(crate) const ACTS: [Act; 3] = [Act::Apply, Act::RollBack, Act::Undo];

/// The disk on which an act starts.
pub(crate) fn start(act: Act, shape: &Shape) -> MemoryWorkspace {
    let model = MemoryWorkspace::new(&shape.before);
    if act == Act::Undo {
        perform(&model, Act::Apply, shape);
    }
    model
}

/// What is wrong with a disk after recovery; `None` when nothing is.
pub(crate) fn wrong(model: &MemoryWorkspace, sides: &[&MemoryWorkspace]) -> Option<String> {
    let engine = engine(model);
    let report = match engine.recover() {
        Ok(report) => report,
        Err(error) => return Some(error.to_string()),
    };
    if !report.conflicts.is_empty() || !report.foreign.is_empty() {
        return Some(format!("{report:?}"));
    }
    let tree = model.tree();
    if !sides.iter().any(|side| side.tree() == tree) {
        return Some(format!("neither before nor after: {tree:?}"));
    }
    match engine.recover() {
        Ok(again) if again.is_clean() => None,
        other => Some(format!("a second recovery was not idle: {other:?}")),
    }
}

#[test]
fn power_loss_at_every_operation() {
    let budget = if crate::full() { 200_000 } else { 9_000 };
    let all = shapes();
    let mut frames_in_all = 0;
    let mut states = 0_u64;
    let mut random = Rng::new(0x9e37_79b9_7f4a_7c15);
    for shape in &all {
        for act in ACTS {
            let model = start(act, shape);
            let before = model.clone();
            let film = Tapped::new(&model, Film::of(&model));
            perform(&film, act, shape);
            let frames = film.tap.frames.take();
            frames_in_all += frames.len();
            let each = budget / (all.len() * ACTS.len() * frames.len()).max(1) + 1;
            for (number, frame) in frames.iter().enumerate() {
                for draw in 0..each {
                    let what = format!("{act:?} of `{}` at {number}, draw {draw}", shape.name);
                    let lost = frame.power_loss(&mut random);
                    // Every fourth disk loses power again while it is recovered.
                    let lost = if draw % 4 == 3 { again(&lost, &mut random) } else { lost };
                    let fault = wrong(&lost, &[&before, &model]);
                    assert_eq!(fault, None, "{what}");
                    states += 1;
                }
            }
            // Acknowledged is acknowledged.
            for draw in 0..each * 4 {
                let lost = model.power_loss(&mut random);
                let fault = wrong(&lost, &[&model]);
                assert_eq!(fault, None, "{act:?} of `{}` after the end, draw {draw}", shape.name);
                states += 1;
            }
        }
    }
    println!("power loss: {states} states from {frames_in_all} operations of {} shapes", all.len());
    assert!(states >= 5_000);
}

/// Starts a recovery and loses power somewhere in it.
fn again(model: &MemoryWorkspace, random: &mut Rng) -> MemoryWorkspace {
    let film = Tapped::new(model, Film::of(model));
    let _ = engine(&film).recover();
    let frames = film.tap.frames.take();
    let at = random.below(frames.len());
    frames[at].power_loss(random)
}

/// The model must be able to lose something, or the test above would mean nothing.
#[test]
fn the_model_loses_what_no_barrier_covered() {
    let shape = &shape("ten files");
    let (changes, images) = shape.changes();
    let model = MemoryWorkspace::new(&shape.before);
    let engine = engine(&model);
    let staged = engine.stage(&run_id("r1"), &changes, &images, &Quiet).unwrap();
    assert!(model.pending() > 10);
    let committed = staged.commit(&Quiet).unwrap();
    let mut random = Rng::new(7);
    let trees: std::collections::BTreeSet<_> =
        (0..200).map(|_| format!("{:?}", model.power_loss(&mut random).tree())).collect();
    assert!(trees.len() > 20, "{}", trees.len());
    let _ = committed.seal().unwrap();
}
