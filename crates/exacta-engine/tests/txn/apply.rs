//! The plain ways: apply, take back, undo, redo, for every shape.

use std::fs;

use exacta_engine::blobs::FileBlobs;
use exacta_engine::run::{Found, Quiet, StageError, UndoError};
use exacta_engine::workspace::{PortError, Root, Spot};
use exacta_testkit::Shared;

use crate::project::{
    apply, assert_nothing_left_over, engine, expected, laid_out, run_id, shape, undo,
};
use crate::shapes::{Shape, many, shapes};
use crate::tap::{Op, Tap, Tapped};
use crate::tree::{build, scratch, snapshot};

#[test]
fn every_shape_goes_there_and_back_and_there_again() {
    for shape in shapes() {
        let dir = tempfile::tempdir().unwrap();
        build(dir.path(), &shape.before);
        let (before, after) = expected(&shape);
        let (changes, images) = shape.changes();
        let root = Root::open(dir.path()).unwrap();
        assert_eq!(snapshot(dir.path()), before, "{}", shape.name);
        let receipt = apply(&root, "r1", &changes, &images);
        assert_eq!(receipt.files.len(), changes.len(), "{}", shape.name);
        assert_eq!(snapshot(dir.path()), after, "{}", shape.name);
        let _ = undo(&root, "r1", "r2").unwrap();
        assert_eq!(snapshot(dir.path()), before, "undo of {}", shape.name);
        let _ = undo(&root, "r2", "r3").unwrap();
        assert_eq!(snapshot(dir.path()), after, "redo of {}", shape.name);
        let _ = undo(&root, "r3", "r4").unwrap();
        assert_eq!(snapshot(dir.path()), before, "undo of the redo of {}", shape.name);
        assert_nothing_left_over(dir.path(), shape.name);
    }
}

#[test]
fn a_committed_run_can_be_taken_back_and_a_staged_one_discarded() {
    for shape in shapes() {
        let (dir, root) = laid_out(&shape.before);
        let (before, after) = expected(&shape);
        let (changes, images) = shape.changes();
        let engine = engine(&root);
        engine.stage(&run_id("r1"), &changes, &images, &Quiet).unwrap().discard();
        assert_eq!(snapshot(dir.path()), before, "{}", shape.name);
        let staged = engine.stage(&run_id("r2"), &changes, &images, &Quiet).unwrap();
        let committed = staged.commit(&Quiet).unwrap();
        assert_eq!(snapshot(dir.path()), after, "{}", shape.name);
        assert_eq!(committed.roll_back().unwrap().conflicts, []);
        assert_eq!(snapshot(dir.path()), before, "{}", shape.name);
        assert_nothing_left_over(dir.path(), shape.name);
        assert!(engine.recover().unwrap().is_clean());
    }
}

#[test]
fn a_staged_run_that_is_dropped_leaves_nothing() {
    let shape = &shape("mixed three");
    let (changes, images) = shape.changes();
    let (dir, root) = laid_out(&shape.before);
    let (before, after) = expected(shape);
    let stage = || engine(&root).stage(&run_id("r1"), &changes, &images, &Quiet);
    let forgets = || {
        let _staged = stage()?;
        Err::<(), _>(StageError::Nothing)
    };
    assert_eq!(forgets(), Err(StageError::Nothing));
    let panics = || {
        let _staged = stage();
        std::panic::resume_unwind(Box::new("in the midst"));
    };
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
    assert_eq!(snapshot(dir.path()), before);
    assert_nothing_left_over(dir.path(), "dropped");
    assert!(engine(&root).unsettled().unwrap().is_empty());
    // The project is free, and so is the name of the run.
    let _ = stage().unwrap().commit(&Quiet).unwrap().seal().unwrap();
    assert_eq!(snapshot(dir.path()), after);
}

/// Counts barriers and journal appends.
#[derive(Default)]
struct Count {
    barriers: Shared<u32>,
    appends: Shared<u32>,
}

impl Tap for Count {
    fn before(&self, op: Op<'_>) -> Result<(), PortError> {
        match op.name {
            "barrier" => self.barriers.set(self.barriers.get() + 1),
            "append" => self.appends.set(self.appends.get() + 1),
            _ => {}
        }
        Ok(())
    }
}

#[test]
fn two_barriers_whatever_the_number_of_files() {
    for shape in shapes() {
        let (_dir, root) = laid_out(&shape.before);
        let (changes, images) = shape.changes();
        for (run, what) in [("r1", "apply"), ("r2", "undo")] {
            let port = Tapped::new(&root, Count::default());
            match what {
                "apply" => drop(apply(&port, run, &changes, &images)),
                _ => drop(undo(&port, "r1", run).unwrap()),
            }
            assert_eq!(port.tap.barriers.get(), 2, "{what} of {}", shape.name);
            assert_eq!(port.tap.appends.get(), 2, "{what} of {}", shape.name);
        }
    }
}

#[test]
fn drift_refuses_with_the_whole_list_and_touches_nothing() {
    let shape = &shape("mixed three");
    let (changes, images) = shape.changes();
    let dir = scratch();
    build(dir.path(), &shape.before);
    fs::write(dir.path().join("m"), "edited").unwrap();
    fs::remove_file(dir.path().join("d")).unwrap();
    fs::write(dir.path().join("c"), "in the way").unwrap();
    let edited = snapshot(dir.path());
    let root = Root::open(dir.path()).unwrap();
    let engine = engine(&root);
    let asked = engine.drift(&changes).unwrap();
    match engine.stage(&run_id("r"), &changes, &images, &Quiet).err().unwrap() {
        StageError::Drift(drifts) => {
            assert_eq!(drifts, asked);
            let found: Vec<_> = drifts.iter().map(|d| (d.path.as_str(), &d.found)).collect();
            assert!(
                matches!(
                    found[..],
                    [("c", Found::Appeared(_)), ("d", Found::Vanished), ("m", Found::Changed(_))]
                ),
                "{found:?}"
            );
        }
        other => panic!("{other}"),
    }
    assert_eq!(snapshot(dir.path()), edited);
    assert_nothing_left_over(dir.path(), "drift");
}

/// So many that they are looked at by two at a time.
#[test]
fn hundreds_of_files_go_there_and_back_and_no_missing_image_hides_drift() {
    let shape = Shape { name: "hundreds", before: many(300, "old"), after: many(300, "new") };
    let (before, after) = expected(&shape);
    let (changes, images) = shape.changes();
    let (dir, root) = laid_out(&shape.before);
    let engine = engine(&root);
    let objects = FileBlobs::new(&root);
    let stage = |run: &str| engine.stage(&run_id(run), &changes, &objects, &Quiet);
    assert!(matches!(stage("r1").err(), Some(StageError::Image(_))));
    let last = changes.last().unwrap().path.as_str();
    fs::write(dir.path().join(last), "edited").unwrap();
    let Some(StageError::Drift(drifts)) = stage("r2").err() else { panic!("no drift was told") };
    assert_eq!(drifts.iter().map(|drift| drift.path.as_str()).collect::<Vec<_>>(), [last]);
    build(dir.path(), &shape.before);
    assert_eq!(snapshot(dir.path()), before);
    objects.put(&images.into_values().collect::<Vec<_>>()).unwrap();
    let receipt = stage("r3").unwrap().commit(&Quiet).unwrap().seal().unwrap();
    assert_eq!(receipt.files.len(), 300);
    assert_eq!(snapshot(dir.path()), after);
    let _ = undo(&root, "r3", "u3").unwrap();
    assert_eq!(snapshot(dir.path()), before);
    assert_nothing_left_over(dir.path(), "hundreds");
}

/// A process that does nothing more once it is dead.
struct Mortal {
    dead: Shared<bool>,
}

impl Tap for Mortal {
    fn before(&self, _: Op<'_>) -> Result<(), PortError> {
        if self.dead.get() { Err(PortError::Gone(Spot::root())) } else { Ok(()) }
    }
}

#[test]
fn one_process_at_a_time_and_a_dead_one_frees_the_project() {
    let shape = &shape("modify one");
    let (changes, images) = shape.changes();
    let (dir, root) = laid_out(&shape.before);
    let port = Tapped::new(&root, Mortal { dead: Shared::new(false) });
    let staged = engine(&port).stage(&run_id("r1"), &changes, &images, &Quiet).unwrap();
    let second = Root::open(dir.path()).unwrap();
    let rival = engine(&second);
    let refused = rival.stage(&run_id("r2"), &changes, &images, &Quiet).err().unwrap();
    assert_eq!(refused, StageError::Port(PortError::Locked));
    port.tap.dead.set(true);
    drop(staged);
    // What the first left behind must be recovered before anyone goes on.
    let refused = rival.stage(&run_id("r2"), &changes, &images, &Quiet).err().unwrap();
    assert_eq!(refused, StageError::RecoveryNeeded(vec![run_id("r1")]));
    assert_eq!(rival.recover().unwrap().aborted, [run_id("r1")]);
    assert!(rival.recover().unwrap().is_clean());
    rival.stage(&run_id("r2"), &changes, &images, &Quiet).unwrap().discard();
}

#[test]
fn a_run_has_one_name_and_one_story() {
    let shape = &shape("modify one");
    let (changes, images) = shape.changes();
    let (_dir, root) = laid_out(&shape.before);
    let _ = apply(&root, "r1", &changes, &images);
    let _ = undo(&root, "r1", "r2").unwrap();
    let engine = engine(&root);
    for used in ["r1", "r2"] {
        let refused = engine.stage(&run_id(used), &changes, &images, &Quiet).err().unwrap();
        assert_eq!(refused, StageError::RunExists(run_id(used)));
    }
    // Forgotten means: cannot be undone, and still cannot be used again.
    engine.forget(&run_id("r2")).unwrap();
    assert_eq!(undo(&root, "r2", "r3").unwrap_err(), UndoError::NotUndoable(run_id("r2")));
    let refused = engine.stage(&run_id("r2"), &changes, &images, &Quiet).err().unwrap();
    assert_eq!(refused, StageError::RunExists(run_id("r2")));
}
