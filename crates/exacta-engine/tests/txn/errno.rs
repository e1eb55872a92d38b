//! The system says no at every operation: once, from then on, before or after the deed,
//! or in the middle of a write.

use std::path::Path;

use exacta_engine::run::{CommitError, Quiet, StageError, UndoError};
use exacta_engine::workspace::{PortError, Root, Spot, Workspace};
use rustix::io::Errno;

use crate::project::{apply, assert_nothing_left_over, engine, expected, run_id};
use crate::shapes::{Shape, shapes};
use crate::tap::{Op, Tap, Tapped};
use crate::tree::{Snapshot, build, scratch, snapshot};

const ERRNOS: [Errno; 6] =
    [Errno::IO, Errno::NOSPC, Errno::DQUOT, Errno::ROFS, Errno::MFILE, Errno::INTR];

/// When the refusal comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    /// Nothing is done.
    Before,
    /// All is done, but the answer is an error.
    After,
    /// Half of the bytes are written.
    Halfway,
    /// Nothing more is done from here on.
    FromNowOn,
}

const WHENS: [When; 4] = [When::Before, When::After, When::Halfway, When::FromNowOn];

struct Refuse {
    number: u64,
    when: When,
    errno: Errno,
}

impl Refuse {
    fn error(&self) -> PortError {
        PortError::System { act: "do", at: Spot::root(), errno: self.errno }
    }
}

impl Tap for Refuse {
    fn before(&self, op: Op<'_>) -> Result<(), PortError> {
        let hit = match self.when {
            When::Before => op.number == self.number,
            When::FromNowOn => op.number >= self.number,
            When::After | When::Halfway => false,
        };
        if hit { Err(self.error()) } else { Ok(()) }
    }

    fn cut(&self, op: Op<'_>, bytes: usize) -> usize {
        if self.when == When::Halfway && op.number == self.number { bytes / 2 } else { bytes }
    }

    fn after(&self, op: Op<'_>) -> Result<(), PortError> {
        let late = matches!(self.when, When::After | When::Halfway);
        if late && op.number == self.number { Err(self.error()) } else { Ok(()) }
    }
}

/// What the engine told its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Done,
    Untouched,
    RolledBack,
    Unsettled,
}

fn commit(staged: exacta_engine::run::Staged<'_>) -> Told {
    let ended = staged.commit(&Quiet).and_then(exacta_engine::run::Committed::seal);
    match ended {
        Ok(_) => Told::Done,
        Err(CommitError::RolledBack { conflicts, .. }) => {
            assert_eq!(conflicts, []);
            Told::RolledBack
        }
        Err(CommitError::Unsettled { .. }) => Told::Unsettled,
    }
}

fn attempt(port: &dyn Workspace, shape: &Shape, undoing: bool) -> Told {
    let (changes, images) = shape.changes();
    let engine = engine(port);
    if undoing {
        match engine.stage_undo(&run_id("r1"), &run_id("r2"), &Quiet) {
            Ok(staged) => commit(staged),
            Err(UndoError::Stage(_)) => Told::Untouched,
            Err(other) => panic!("{other}"),
        }
    } else {
        match engine.stage(&run_id("r1"), &changes, &images, &Quiet) {
            Ok(staged) => commit(staged),
            Err(StageError::Drift(drifts)) => panic!("{drifts:?}"),
            Err(_) => Told::Untouched,
        }
    }
}

/// Operations of an undisturbed run.
fn operations(shape: &Shape, undoing: bool) -> u64 {
    struct Nothing;
    impl Tap for Nothing {
        fn before(&self, _: Op<'_>) -> Result<(), PortError> {
            Ok(())
        }
    }
    let dir = scratch();
    let root = ready(dir.path(), shape, undoing);
    let port = Tapped::new(&root, Nothing);
    assert_eq!(attempt(&port, shape, undoing), Told::Done);
    port.count()
}

fn ready(dir: &Path, shape: &Shape, undoing: bool) -> Root {
    build(dir, &shape.before);
    let root = Root::open(dir).unwrap();
    if undoing {
        let (changes, images) = shape.changes();
        let _ = apply(&root, "r1", &changes, &images);
    }
    root
}

/// One refusal; returns what the engine said about it, after checking that it is true.
fn inject(shape: &Shape, undoing: bool, tap: Refuse, sides: (&Snapshot, &Snapshot)) -> Told {
    let (old, new) = sides;
    let what = format!(
        "{:?} {:?} operation {} of `{}` undoing={undoing}",
        tap.errno, tap.when, tap.number, shape.name
    );
    let dir = scratch();
    let root = ready(dir.path(), shape, undoing);
    let told = attempt(&Tapped::new(&root, tap), shape, undoing);
    let holds = |when: &str| {
        let now = snapshot(dir.path());
        match told {
            Told::Done => assert_eq!(&now, new, "{what}: {when}"),
            Told::Untouched | Told::RolledBack => assert_eq!(&now, old, "{what}: {when}"),
            Told::Unsettled => {}
        }
        now
    };
    holds("at once");
    let engine = engine(&root);
    assert_eq!(engine.recover().unwrap().conflicts, [], "{what}");
    let now = holds("after recovery");
    assert!(now == *old || now == *new, "{what}: {now:?}");
    assert_nothing_left_over(dir.path(), &what);
    told
}

#[test]
fn the_system_refuses_at_every_operation() {
    let most = if crate::full() { u64::MAX } else { 28 };
    let (mut injected, mut tally) = (0_u64, [0_u64; 4]);
    let mut turn = 0;
    for shape in &shapes() {
        let (before, after) = expected(shape);
        for undoing in [false, true] {
            let sides = if undoing { (&after, &before) } else { (&before, &after) };
            let operations = operations(shape, undoing);
            let stride = operations.div_ceil(most).max(1);
            for number in (0..operations).filter(|n| n % stride == 0) {
                for when in WHENS {
                    let errnos = if crate::full() { &ERRNOS[..] } else { &ERRNOS[turn % 6..][..1] };
                    for errno in errnos {
                        let tap = Refuse { number, when, errno: *errno };
                        tally[inject(shape, undoing, tap, sides) as usize] += 1;
                        injected += 1;
                    }
                    turn += 1;
                }
            }
        }
    }
    let [done, untouched, rolled_back, unsettled] = tally;
    println!(
        "errno injections: {injected}; {done} went through, {untouched} refused before \
         anything changed, {rolled_back} rolled back, {unsettled} left to recovery"
    );
    assert!(injected >= 500);
    assert!(untouched > 0 && rolled_back > 0 && unsettled > 0);
}
