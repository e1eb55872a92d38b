//! Ctrl-C and a closed terminal as a flag that a run looks at, so that it can go back in
//! order.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

static LISTENING: AtomicBool = AtomicBool::new(false);

/// The flag; the first call starts listening. A second Ctrl-C ends the process at once,
/// and recovery does the rest.
pub(crate) fn flag() -> &'static AtomicBool {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    FLAG.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // The order matters: the second signal finds the flag set and ends the process.
            let _ = signal_hook::flag::register_conditional_shutdown(
                signal,
                128 + signal,
                Arc::clone(&flag),
            );
            let _ = signal_hook::flag::register(signal, Arc::clone(&flag));
        }
        // A terminal that closes says so more than once, and nobody is there to be impatient.
        // Whoever started us with `nohup` wants us to go on.
        if !hangs_up_unheard() {
            let _ = signal_hook::flag::register(SIGHUP, Arc::clone(&flag));
        }
        crate::review::hand_over_signals();
        LISTENING.store(true, Ordering::SeqCst);
        flag
    })
}

/// Lets a write that meets a limit of file size fail with a reason instead of ending the
/// process without a word.
pub(crate) fn outlive_size_limits() {
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// Whether signals mean the flag, so that nothing else may end the process for them.
pub(crate) fn is_listening() -> bool {
    LISTENING.load(Ordering::SeqCst)
}

/// Whether we were started with SIGHUP ignored.
fn hangs_up_unheard() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & (1 << (SIGHUP - 1)) != 0)
}
