//! Looking ahead: files are looked at on a thread of their own before they are asked for.
//!
//! The two threads never wake each other. Whoever is woken may be put on the core of the
//! one that wakes it, and then both take turns on one core. So the one ahead rests for a
//! moment by itself when it is far enough ahead, and a file that it did not come to is
//! left to whoever needs it. Nor does anybody wait idly: whoever needs a file that the other
//! is just looking at looks at one of the next meanwhile.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The one ahead is at most so many files ahead,
const FILES: usize = 8;
/// and rests so long when it is that far.
const REST: Duration = Duration::from_micros(60);

/// What became of one file.
enum File<T> {
    Untouched,
    /// One of the two is at it.
    Begun,
    Looked(Option<T>),
}

/// The files and how far both have come.
struct Shelf<T> {
    files: Vec<Mutex<File<T>>>,
    asked: AtomicUsize,
    /// Nobody asks any more,
    over: AtomicBool,
    /// and nobody looks.
    ended: AtomicBool,
}

/// Calls `then` for each of `files`, in order, until it says that this is enough, with what
/// `look` made of the file where another thread came to it first.
pub(super) fn ahead<I: Sync, T: Send>(
    files: &[I],
    look: impl Fn(&I) -> T + Sync,
    started: impl FnOnce(),
    then: &mut dyn FnMut(Option<T>) -> bool,
) {
    let shelf = Shelf {
        files: files.iter().map(|_| Mutex::new(File::Untouched)).collect(),
        asked: AtomicUsize::new(0),
        over: AtomicBool::new(false),
        ended: AtomicBool::new(false),
    };
    thread::scope(|scope| {
        let _over = SetAtEnd(&shelf.over);
        let looker = || shelf.fill(files, &look);
        if thread::Builder::new().spawn_scoped(scope, looker).is_ok() {
            started();
        }
        let _ = (0..files.len()).all(|number| then(shelf.take(number, files, &look)));
    });
}

impl<T> Shelf<T> {
    fn fill<I>(&self, files: &[I], look: impl Fn(&I) -> T) {
        let _ended = SetAtEnd(&self.ended);
        for (number, (file, place)) in files.iter().zip(&self.files).enumerate() {
            while number > self.asked.load(Ordering::Relaxed).saturating_add(FILES) {
                if self.over.load(Ordering::Relaxed) {
                    return;
                }
                thread::sleep(REST);
            }
            look_once(place, file, &look);
            if self.over.load(Ordering::Relaxed) {
                return;
            }
        }
    }

    /// What was seen of a file; for one who is at it, the next ones are looked at meanwhile.
    fn take<I>(&self, number: usize, files: &[I], look: impl Fn(&I) -> T) -> Option<T> {
        self.asked.store(number, Ordering::Relaxed);
        let place = self.files.get(number)?;
        if begin(place) {
            return None;
        }
        let mut next = self.files.iter().zip(files).skip(number + 1).take(FILES);
        loop {
            if let File::Looked(seen) = &mut *locked(place) {
                return seen.take();
            }
            if self.ended.load(Ordering::Acquire) {
                // It may have been put there just before.
                let File::Looked(seen) = &mut *locked(place) else { return None };
                return seen.take();
            }
            if !next.any(|(place, file)| look_once(place, file, &look)) {
                thread::yield_now();
            }
        }
    }
}

/// Looks at a file, unless somebody did or is at it.
fn look_once<I, T>(place: &Mutex<File<T>>, file: &I, look: impl Fn(&I) -> T) -> bool {
    let first = begin(place);
    if first {
        let seen = look(file);
        *locked(place) = File::Looked(Some(seen));
    }
    first
}

/// Says that somebody has ended, however that came about: nobody waits for one who is gone.
pub(super) struct SetAtEnd<'a>(pub(super) &'a AtomicBool);

impl Drop for SetAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

fn locked<T>(place: &Mutex<File<T>>) -> MutexGuard<'_, File<T>> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether nobody was at the file before.
fn begin<T>(place: &Mutex<File<T>>) -> bool {
    let mut file = locked(place);
    let untouched = matches!(*file, File::Untouched);
    if untouched {
        *file = File::Begun;
    }
    untouched
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn nobody_waits_for_one_who_is_gone() {
        let files: Vec<usize> = (0..200).collect();
        let nothing = |_: &usize| {};
        let asker = catch_unwind(AssertUnwindSafe(|| {
            ahead(&files, nothing, || {}, &mut |_| panic!("the one who asks"));
        }));
        assert!(asker.is_err());
        let looker = catch_unwind(AssertUnwindSafe(|| {
            let slow = &mut |_| {
                thread::sleep(Duration::from_micros(100));
                true
            };
            let looks = |_: &usize| -> () { panic!("the one who looks") };
            ahead(&files, looks, || {}, slow);
        }));
        assert!(looker.is_err());
    }

    #[test]
    fn every_file_is_given_once_in_order_looked_at_or_not() {
        for (count, enough) in [(0, 9), (1, 1), (500, 500), (500, 3), (1_000, 700)] {
            let files: Vec<usize> = (0..count).collect();
            let looks = AtomicUsize::new(0);
            let (mut given, mut asked) = (0, 0);
            let look = |number: &usize| {
                looks.fetch_add(1, Ordering::Relaxed);
                *number
            };
            ahead(&files, look, || {}, &mut |seen| {
                if let Some(seen) = seen {
                    assert_eq!(seen, asked);
                    given += 1;
                }
                asked += 1;
                asked < enough
            });
            assert_eq!(asked, enough.min(count));
            let looks = looks.into_inner();
            assert!(given <= looks && looks <= asked + FILES + 2, "{given} {looks} {asked}");
        }
    }
}
