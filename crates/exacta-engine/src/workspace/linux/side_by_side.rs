//! The same work on many things, on a few threads.
//!
//! Only for what changes no name and no byte: looking and syncing. Everything that acts
//! on files does so in one order, on one thread.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Does `work` on every item; the answers are in the order of the items. Where the system
/// grants fewer threads, fewer share the work.
pub(super) fn side_by_side<I: Sync, T: Send>(
    threads: usize,
    items: &[I],
    work: impl Fn(&I) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let some = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(number) else { return done };
            done.push((number, work(item)));
        }
    };
    let mut answers = thread::scope(|scope| {
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, some).ok();
        let others: Vec<_> = (1..threads).filter_map(spawn).collect();
        let mut answers = some();
        for other in others {
            match other.join() {
                Ok(mut theirs) => answers.append(&mut theirs),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        answers
    });
    answers.sort_unstable_by_key(|(number, _)| *number);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_answered_once_and_in_order() {
        for (threads, count) in [(1, 0), (1, 5), (2, 1), (2, 100), (8, 1_000)] {
            let items: Vec<usize> = (0..count).collect();
            let calls = AtomicUsize::new(0);
            let answers = side_by_side(threads, &items, |item| {
                calls.fetch_add(1, Ordering::Relaxed);
                item * 2
            });
            assert_eq!(answers, items.iter().map(|item| item * 2).collect::<Vec<_>>());
            assert_eq!(calls.into_inner(), count);
        }
    }
}
