//! Cedar works on a stack of a known size.
//!
//! Where little stack is left, Cedar's evaluator fails and its type checker stops looking
//! and lets the policy pass. Neither may depend on who called us from how deep: with the
//! bounds of [`scan`](super::scan) this stack is many times what they need. A panic in
//! there is an answer too: nobody said yes.

use std::thread;

/// Policies of twice the bounds got along with an eighth of this.
const STACK: usize = 16 << 20;

/// Does the work; `None` when it could not be done.
pub(super) fn on_known_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok()?.join().ok()
    })
}
