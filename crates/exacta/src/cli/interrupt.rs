//! Ctrl-C as a flag that a run looks at, so that it can go back in order.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

/// The flag; the first call starts listening. A second Ctrl-C ends the process at once,
/// and recovery does the rest.
pub(crate) fn flag() -> &'static AtomicBool {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    FLAG.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            // The order matters: the second signal finds the flag set and ends the process.
            let _ = signal_hook::flag::register_conditional_shutdown(
                signal,
                128 + signal,
                Arc::clone(&flag),
            );
            let _ = signal_hook::flag::register(signal, Arc::clone(&flag));
        }
        flag
    })
}
