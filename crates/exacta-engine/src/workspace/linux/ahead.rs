//! Reading ahead: small files are read on a thread of their own before they are asked for.
//!
//! The two threads never wake each other. Whoever is woken may be put on the core of the
//! one that wakes it, and then both take turns on one core. So the reader rests for a
//! moment by itself when it is far enough ahead, and a file that it did not come to is
//! left to whoever needs it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use exacta_core::digest::Blob;

/// The reader is at most so many files ahead,
const FILES: usize = 32;
/// and rests so long when it is.
const REST: Duration = Duration::from_micros(300);

/// What became of one file.
#[derive(Default)]
enum File {
    #[default]
    Untouched,
    /// One of the two is at it.
    Begun,
    Read(Option<Blob>),
}

/// The files and how far both have come.
struct Shelf {
    files: Vec<Mutex<File>>,
    asked: AtomicUsize,
    /// Nobody asks any more,
    over: AtomicBool,
    /// and nobody reads.
    ended: AtomicBool,
}

/// Calls `then` for each of `files`, in order, until it says that this is enough, with what
/// `read` made of the file where another thread came to it first.
pub(super) fn ahead<I: Sync>(
    files: &[I],
    read: impl Fn(&I) -> Option<Blob> + Sync,
    started: impl FnOnce(),
    then: &mut dyn FnMut(Option<Blob>) -> bool,
) {
    let shelf = Shelf {
        files: files.iter().map(|_| Mutex::default()).collect(),
        asked: AtomicUsize::new(0),
        over: AtomicBool::new(false),
        ended: AtomicBool::new(false),
    };
    thread::scope(|scope| {
        let _over = SetAtEnd(&shelf.over);
        let reader = || shelf.fill(files, &read);
        if thread::Builder::new().spawn_scoped(scope, reader).is_ok() {
            started();
        }
        let _ = (0..files.len()).all(|number| then(shelf.take(number)));
    });
}

impl Shelf {
    fn fill<I>(&self, files: &[I], read: impl Fn(&I) -> Option<Blob>) {
        let _ended = SetAtEnd(&self.ended);
        for (number, (file, place)) in files.iter().zip(&self.files).enumerate() {
            while number > self.asked.load(Ordering::Relaxed).saturating_add(FILES) {
                if self.over.load(Ordering::Relaxed) {
                    return;
                }
                thread::sleep(REST);
            }
            if begin(place) {
                let blob = read(file);
                *locked(place) = File::Read(blob);
            }
            if self.over.load(Ordering::Relaxed) {
                return;
            }
        }
    }

    /// What was read of a file; waits only for a reader that is at it.
    fn take(&self, number: usize) -> Option<Blob> {
        self.asked.store(number, Ordering::Relaxed);
        let place = self.files.get(number)?;
        if begin(place) {
            return None;
        }
        loop {
            if let File::Read(blob) = &mut *locked(place) {
                return blob.take();
            }
            if self.ended.load(Ordering::Acquire) {
                // It may have been put there just before.
                let File::Read(blob) = &mut *locked(place) else { return None };
                return blob.take();
            }
            thread::yield_now();
        }
    }
}

/// Says that somebody has ended, however that came about: nobody waits for one who is gone.
pub(super) struct SetAtEnd<'a>(pub(super) &'a AtomicBool);

impl Drop for SetAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

fn locked(place: &Mutex<File>) -> MutexGuard<'_, File> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether nobody was at the file before.
fn begin(place: &Mutex<File>) -> bool {
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
        let nothing = |_: &usize| None;
        let asker = catch_unwind(AssertUnwindSafe(|| {
            ahead(&files, nothing, || {}, &mut |_| panic!("the one who asks"));
        }));
        assert!(asker.is_err());
        let reader = catch_unwind(AssertUnwindSafe(|| {
            let slow = &mut |_| {
                thread::sleep(Duration::from_micros(100));
                true
            };
            ahead(&files, |_| panic!("the reader"), || {}, slow);
        }));
        assert!(reader.is_err());
    }

    #[test]
    fn every_file_is_given_once_in_order_read_or_not() {
        for (count, enough) in [(0, 9), (1, 1), (500, 500), (500, 3), (1_000, 700)] {
            let files: Vec<usize> = (0..count).collect();
            let reads = AtomicUsize::new(0);
            let (mut given, mut asked) = (0, 0);
            let read = |number: &usize| {
                reads.fetch_add(1, Ordering::Relaxed);
                (!number.is_multiple_of(7)).then(|| Blob::new(number.to_string().into_bytes()))
            };
            ahead(&files, read, || {}, &mut |blob| {
                if let Some(blob) = blob {
                    assert_eq!(blob.bytes(), asked.to_string().as_bytes());
                    given += 1;
                }
                asked += 1;
                asked < enough
            });
            assert_eq!(asked, enough.min(count));
            let reads = reads.into_inner();
            assert!(given <= reads && reads <= asked + FILES + 2, "{given} {reads} {asked}");
        }
    }
}
