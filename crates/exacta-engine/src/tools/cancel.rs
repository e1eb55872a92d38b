//! A stop signal that anybody can give once and a runner can wait for.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

type Listener = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct State {
    given: bool,
    listeners: Vec<Listener>,
}

/// The stop signal of a run. Clones are the same signal.
#[derive(Clone, Default)]
pub struct Cancel(Arc<Mutex<State>>);

impl Cancel {
    /// Gives the signal. A second time changes nothing.
    pub fn cancel(&self) {
        let listeners = {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.given = true;
            std::mem::take(&mut state.listeners)
        };
        for listener in listeners {
            listener();
        }
    }

    /// Whether the signal was given.
    pub fn is_cancelled(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).given
    }

    /// Calls `listener` when the signal is given, or now if it was.
    pub fn on_cancel(&self, listener: impl FnOnce() + Send + 'static) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.given {
            drop(state);
            listener();
        } else {
            state.listeners.push(Box::new(listener));
        }
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cancel").field(&self.is_cancelled()).finish()
    }
}
