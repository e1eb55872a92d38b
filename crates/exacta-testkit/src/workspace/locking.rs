//! Promises about locks, and about many threads at once.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use exacta_core::model::change::FileMode;
use exacta_engine::workspace::{Metadata, PortError, Workspace};

use super::ground::{Ground, spot};
use super::promises::stage;

const THREADS: u32 = 8;
const ROUNDS: u32 = 25;
/// Long enough for another thread to take what is free.
const A_WHILE: Duration = Duration::from_millis(50);

pub(super) fn one_holder(ground: &dyn Ground) {
    let (port, other) = (ground.port(), ground.other());
    let held = port.lock().unwrap();
    let tried = |port: &dyn Workspace| port.lock().err();
    assert_eq!(tried(port), Some(PortError::Locked), "the same handle");
    assert_eq!(tried(other), Some(PortError::Locked), "another handle");
    let elsewhere = thread::scope(|scope| scope.spawn(|| tried(port)).join().unwrap());
    assert_eq!(elsewhere, Some(PortError::Locked), "another thread");
    // Whoever writes the record does not wait for a run.
    drop(port.turn().unwrap());
    drop(held);
    drop(other.lock().unwrap());
    // Of many that try at once one has it.
    let (inside, most) = (AtomicU32::new(0), AtomicU32::new(0));
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..ROUNDS {
                    if let Ok(_held) = port.lock() {
                        most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                }
            });
        }
    });
    assert_eq!(most.into_inner(), 1);
}

pub(super) fn turns_wait(ground: &dyn Ground) {
    let (port, other) = (ground.port(), ground.other());
    let held = port.turn().unwrap();
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for waits in [port, other] {
            let over = &over;
            scope.spawn(move || {
                let _turn = waits.turn().unwrap();
                assert!(over.load(Ordering::SeqCst), "a turn began before the last one was over");
            });
        }
        thread::sleep(A_WHILE);
        over.store(true, Ordering::SeqCst);
        drop(held);
    });
    drop(port.turn().unwrap());
}

pub(super) fn many_threads(ground: &dyn Ground) {
    let (port, at) = (ground.port(), spot("log"));
    thread::scope(|scope| {
        for number in 0..THREADS {
            let at = &at;
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let _turn = port.turn().unwrap();
                    port.append(at, format!("{number} {round}\n").as_bytes()).unwrap();
                }
                stage(port, &format!("f{number}"), "x");
            });
        }
    });
    let text = String::from_utf8(port.read(&at).unwrap()).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), usize::try_from(THREADS * ROUNDS).unwrap());
    assert_eq!(port.list(&exacta_engine::workspace::Spot::root()).unwrap().len(), 10);
    // One of many makes a file of one name.
    let made = AtomicU32::new(0);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let staged = port.stage(&spot("one"), b"", FileMode::REGULAR, &Metadata::default());
                made.fetch_add(u32::from(staged.is_ok()), Ordering::SeqCst);
            });
        }
    });
    assert_eq!(made.into_inner(), 1);
}
