//! Counts how often the parsing library asks for memory.
//!
//! The library lets its caller provide the memory; what is provided here is the system's,
//! counted. That takes the only unsafe code of the workspace: four functions that pass on
//! their arguments unchanged. Counts are kept by thread and reset by [`start`].

#![expect(unsafe_code, reason = "the library's hook takes functions of C")]

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use tree_sitter::{Allocator, set_allocator};

/// What was asked for since [`start`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) requests: u64,
    pub(super) bytes: u64,
}

thread_local! {
    static TAKEN: Cell<Taken> = const { Cell::new(Taken { requests: 0, bytes: 0 }) };
    static MOST: Cell<u64> = const { Cell::new(u64::MAX) };
}

static MAY_END: AtomicBool = AtomicBool::new(false);

/// From now on, going beyond what [`start`] allows ends the process. For the confined
/// child only, whose death is a fact.
pub(crate) fn may_end_the_process() {
    MAY_END.store(true, Ordering::Relaxed);
}

/// Puts the counting functions in place, once.
pub(super) fn count() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let counted =
            Allocator { malloc: provide, calloc: provide_zeroed, realloc: resize, free: take_back };
        // SAFETY: the functions below hand out and take back the memory of the same
        // allocator that the library uses by itself, so it does not matter which of them
        // served something that is still in use.
        unsafe { set_allocator(Some(counted)) };
    });
}

/// Starts counting anew, with the most requests that may be made.
pub(super) fn start(most: u64) {
    TAKEN.set(Taken::default());
    MOST.set(most);
}

/// What was asked for so far.
pub(super) fn taken() -> Taken {
    TAKEN.get()
}

fn note(bytes: usize) {
    let mut taken = TAKEN.get();
    taken.requests += 1;
    taken.bytes = taken.bytes.saturating_add(bytes as u64);
    TAKEN.set(taken);
    if taken.requests > MOST.get() && MAY_END.load(Ordering::Relaxed) {
        std::process::abort();
    }
}

unsafe extern "C" {
    fn malloc(bytes: usize) -> *mut c_void;
    fn calloc(count: usize, bytes: usize) -> *mut c_void;
    fn realloc(given: *mut c_void, bytes: usize) -> *mut c_void;
    fn free(given: *mut c_void);
}

/// What the library does when there is no memory: end the process.
fn granted(memory: *mut c_void) -> *mut c_void {
    if memory.is_null() {
        std::process::abort();
    }
    memory
}

unsafe extern "C" fn provide(bytes: usize) -> *mut c_void {
    note(bytes);
    // SAFETY: any size may be asked for.
    granted(unsafe { malloc(bytes.max(1)) })
}

unsafe extern "C" fn provide_zeroed(count: usize, bytes: usize) -> *mut c_void {
    note(count.saturating_mul(bytes));
    // SAFETY: any size may be asked for.
    granted(unsafe { calloc(count.max(1), bytes.max(1)) })
}

unsafe extern "C" fn resize(given: *mut c_void, bytes: usize) -> *mut c_void {
    note(bytes);
    // SAFETY: `given` is null or came from one of these functions.
    granted(unsafe { realloc(given, bytes.max(1)) })
}

unsafe extern "C" fn take_back(given: *mut c_void) {
    // SAFETY: `given` is null or came from one of these functions.
    unsafe { free(given) };
}
