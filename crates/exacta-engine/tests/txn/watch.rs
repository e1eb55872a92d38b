//! Those who watch: how far a run has come, and a wish to stop at any moment.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

use exacta_engine::run::{
    CancelFlag, Cause, CommitError, Phase, Progress, StageError, UndoError, Watch,
};

use crate::project::{apply, assert_nothing_left_over, engine, expected, laid_out, run_id, shape};
use crate::tree::snapshot;

/// Stops after a number of questions.
struct StopAfter(std::cell::Cell<u32>);

impl Watch for StopAfter {
    fn cancelled(&self) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(1));
        left == 0
    }
}

#[test]
fn a_request_to_stop_leaves_the_tree_as_it_was_wherever_it_comes() {
    let shape = &shape("mixed twenty");
    let (changes, images) = shape.changes();
    let (before, after) = expected(shape);
    let (dir, root) = laid_out(&shape.before);
    let engine = engine(&root);
    let (mut while_staging, mut while_swapping) = (0, 0);
    for stop in 0.. {
        let watch = StopAfter(stop.into());
        let staged = match engine.stage(&run_id(&format!("r{stop}")), &changes, &images, &watch) {
            Ok(staged) => staged,
            Err(StageError::Cancelled) => {
                while_staging += 1;
                assert_eq!(snapshot(dir.path()), before);
                continue;
            }
            Err(other) => panic!("{other}"),
        };
        match staged.commit(&watch) {
            Err(CommitError::RolledBack { cause: Cause::Cancelled, conflicts }) => {
                while_swapping += 1;
                assert_eq!(conflicts, []);
                assert_eq!(snapshot(dir.path()), before);
            }
            Err(other) => panic!("{other}"),
            Ok(committed) => {
                let _ = committed.seal().unwrap();
                break;
            }
        }
    }
    assert_eq!(snapshot(dir.path()), after);
    // Before each file is looked at and written, and before each movement.
    assert_eq!(while_staging, changes.len());
    assert!(while_swapping > changes.len(), "{while_swapping}");
    assert_nothing_left_over(dir.path(), "stop");
}

#[test]
fn a_request_to_stop_an_undo_leaves_the_run_in_place() {
    let shape = &shape("mixed twenty");
    let (changes, images) = shape.changes();
    let (before, after) = expected(shape);
    let (dir, root) = laid_out(&shape.before);
    let _ = apply(&root, "r1", &changes, &images);
    let engine = engine(&root);
    let mut stopped = 0;
    for stop in 0.. {
        let watch = StopAfter(stop.into());
        let ended = match engine.stage_undo(&run_id("r1"), &run_id(&format!("u{stop}")), &watch) {
            Ok(staged) => staged.commit(&watch).map(|committed| committed.seal().unwrap()),
            Err(UndoError::Stage(StageError::Cancelled)) => {
                assert_eq!(snapshot(dir.path()), after);
                stopped += 1;
                continue;
            }
            Err(other) => panic!("{other}"),
        };
        match ended {
            Ok(_) => break,
            Err(CommitError::RolledBack { cause: Cause::Cancelled, conflicts }) => {
                assert_eq!(conflicts, []);
                assert_eq!(snapshot(dir.path()), after);
                stopped += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(snapshot(dir.path()), before);
    println!("an undo was stopped at {stopped} moments");
    assert!(stopped > 40, "{stopped}");
    assert_nothing_left_over(dir.path(), "stop");
}

/// Raises the flag, as a signal handler would, in the middle of the swaps.
struct Interrupt<'a> {
    flag: &'a AtomicBool,
    heard: RefCell<Vec<Progress>>,
    at: usize,
}

impl Watch for Interrupt<'_> {
    fn progress(&self, progress: Progress) {
        if progress.phase == Phase::Swapping && progress.done == self.at {
            self.flag.store(true, Ordering::Relaxed);
        }
        self.heard.borrow_mut().push(progress);
    }

    fn cancelled(&self) -> bool {
        CancelFlag(self.flag).cancelled()
    }
}

#[test]
fn an_interrupt_in_the_middle_of_the_swaps_rolls_back() {
    let shape = &shape("fifty files");
    let (changes, images) = shape.changes();
    let (before, _) = expected(shape);
    let (dir, root) = laid_out(&shape.before);
    let flag = AtomicBool::new(false);
    let watch = Interrupt { flag: &flag, heard: RefCell::default(), at: 25 };
    let staged = engine(&root).stage(&run_id("r1"), &changes, &images, &watch).unwrap();
    match staged.commit(&watch).err().unwrap() {
        CommitError::RolledBack { cause: Cause::Cancelled, conflicts } => assert_eq!(conflicts, []),
        other => panic!("{other}"),
    }
    assert_eq!(snapshot(dir.path()), before);
    assert_eq!(watch.heard.borrow().last().unwrap().done, 25);
    assert_nothing_left_over(dir.path(), "interrupt");
    let kept = std::fs::read_dir(dir.path().join(".exacta/kept")).unwrap();
    assert_eq!(kept.count(), 0, "nobody's edit was found, so nothing is put aside");
}

#[test]
fn progress_counts_every_item_of_every_phase() {
    let shape = &shape("mixed twenty");
    let (changes, images) = shape.changes();
    let (_dir, root) = laid_out(&shape.before);
    let flag = AtomicBool::new(false);
    let watch = Interrupt { flag: &flag, heard: RefCell::default(), at: usize::MAX };
    let staged = engine(&root).stage(&run_id("r1"), &changes, &images, &watch).unwrap();
    let _ = staged.commit(&watch).unwrap().seal().unwrap();
    let heard = watch.heard.take();
    for (phase, total) in [
        (Phase::Staging, changes.len()),
        // Five folders are made besides.
        (Phase::Swapping, changes.len() + 5),
    ] {
        let counted: Vec<_> = heard.iter().filter(|p| p.phase == phase).collect();
        assert!(counted.iter().all(|progress| progress.total == total), "{phase:?}");
        let done: Vec<_> = counted.iter().map(|progress| progress.done).collect();
        assert_eq!(done, (1..=total).collect::<Vec<_>>(), "{phase:?}");
    }
}
