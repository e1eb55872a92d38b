//! One suite for every implementation of the port, and faults that it must notice.

use std::panic::{AssertUnwindSafe, catch_unwind};

use exacta_engine::workspace::{Root, Workspace};
use exacta_testkit::workspace::{FLAWS, Flawed, Ground, MemoryGround, PROMISES, RealGround};

fn keeps_every_promise(ground: impl Fn() -> Box<dyn Ground>) {
    for (promise, test) in PROMISES {
        println!("{promise}");
        test(&*ground());
    }
}

#[test]
fn real_files_keep_every_promise() {
    keeps_every_promise(|| Box::new(RealGround::new()));
}

#[test]
fn memory_keeps_every_promise() {
    keeps_every_promise(|| Box::new(MemoryGround::new()));
}

#[test]
fn every_flaw_breaks_a_promise() {
    // The panics are what we want to see; their words are not.
    std::panic::set_hook(Box::new(|_| {}));
    let mut missed = Vec::new();
    for flaw in FLAWS {
        let breaks = |test: fn(&dyn Ground)| {
            catch_unwind(AssertUnwindSafe(|| test(&Flawed::new(flaw)))).is_err()
        };
        match PROMISES.into_iter().find(|(_, test)| breaks(*test)) {
            Some((promise, _)) => println!("{flaw:?} breaks `{promise}`"),
            None => missed.push(flaw),
        }
    }
    let _ = std::panic::take_hook();
    println!("planted flaws: {} of {} noticed", FLAWS.len() - missed.len(), FLAWS.len());
    assert_eq!(missed, []);
}

/// A server holds a project for weeks and uses it from any thread.
#[test]
fn a_workspace_belongs_to_no_thread() {
    fn is_shared<T: Send + Sync + ?Sized>() {}
    is_shared::<Root>();
    is_shared::<dyn Workspace>();
}
