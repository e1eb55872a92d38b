//! Looking behind: what was acted on is looked at on another thread while acting goes on.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use super::ahead::SetAtEnd;

/// How far both have come.
struct Progress {
    /// So many were acted on.
    done: AtomicUsize,
    /// The next one to look at.
    next: AtomicUsize,
    /// Nothing more will be acted on.
    over: AtomicBool,
}

/// Calls `act` for the number of each item, in order, until it says that this is enough, and
/// does `look` at each that it is through with. Nothing is told when it was enough before
/// the end. `started` is called once the other thread is under way.
pub(super) fn behind<I: Sync, T: Send>(
    items: &[I],
    act: &mut dyn FnMut(usize) -> bool,
    look: impl Fn(&I) -> T + Sync,
    started: impl FnOnce(),
) -> Vec<T> {
    let progress = Progress {
        done: AtomicUsize::new(0),
        next: AtomicUsize::new(0),
        over: AtomicBool::new(false),
    };
    let looks = || progress.look_at(items, &look);
    let seen = thread::scope(|scope| {
        let other = thread::Builder::new().spawn_scoped(scope, looks).ok();
        if other.is_some() {
            started();
        }
        let over = SetAtEnd(&progress.over);
        let all = (0..items.len()).all(|number| {
            let goes_on = act(number);
            // What was done must be seen by whoever looks at it.
            progress.done.store(number + usize::from(goes_on), Ordering::Release);
            goes_on
        });
        drop(over);
        let mut seen = if all { looks() } else { Vec::new() };
        if let Some(other) = other {
            match other.join() {
                Ok(mut theirs) => seen.append(&mut theirs),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        if all { seen } else { Vec::new() }
    });
    in_order(seen)
}

impl Progress {
    /// Looks at whatever was acted on, until there is nothing more to come.
    fn look_at<I, T>(&self, items: &[I], look: impl Fn(&I) -> T) -> Vec<(usize, T)> {
        let mut seen = Vec::new();
        loop {
            let over = self.over.load(Ordering::Acquire);
            let (next, done) =
                (self.next.load(Ordering::Relaxed), self.done.load(Ordering::Acquire));
            if next >= done {
                if over {
                    return seen;
                }
                // The next one comes in a moment; waking up would take longer.
                thread::yield_now();
                continue;
            }
            let taken =
                self.next.compare_exchange(next, next + 1, Ordering::Relaxed, Ordering::Relaxed);
            if let (Ok(number), Some(item)) = (taken, items.get(next)) {
                seen.push((number, look(item)));
            }
        }
    }
}

fn in_order<T>(mut seen: Vec<(usize, T)>) -> Vec<T> {
    seen.sort_unstable_by_key(|(number, _)| *number);
    seen.into_iter().map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Mutex;

    #[test]
    fn nobody_waits_for_one_who_is_gone() {
        let ends = |acts: bool, looks: bool| {
            let act = &mut |_| {
                assert!(acts, "the one who acts");
                true
            };
            let look = |_: &i32| assert!(looks, "the one who looks");
            let both = AssertUnwindSafe(|| behind(&[0; 99], act, look, || {}));
            catch_unwind(both).is_ok()
        };
        assert!(ends(true, true));
        assert!(!ends(false, true));
        assert!(!ends(true, false));
    }

    #[test]
    fn each_is_looked_at_once_after_it_was_acted_on() {
        for (count, enough) in [(0, 9), (1, 9), (300, 999), (300, 100)] {
            let items: Vec<usize> = (0..count).collect();
            let acted = Mutex::new(vec![0_u32; count]);
            let mut act = |number: usize| {
                acted.lock().unwrap()[number] += 1;
                number + 1 < enough
            };
            let look = |item: &usize| (*item, acted.lock().unwrap()[*item]);
            let seen = behind(&items, &mut act, look, || {});
            let expected: Vec<(usize, u32)> =
                if count < enough { (0..count).map(|item| (item, 1)).collect() } else { vec![] };
            assert_eq!(seen, expected);
            let acted = acted.into_inner().unwrap();
            assert_eq!(acted.iter().sum::<u32>() as usize, count.min(enough));
        }
    }
}
