//! Ctrl-C and a closed terminal as flags: a run looks at one, so that it can go back in
//! order, and a question at a terminal at another, so that the terminal is put back.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};

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
        hand_over();
        LISTENING.store(true, Ordering::SeqCst);
        flag
    })
}

/// Lets a write that meets a limit of file size fail with a reason instead of ending the
/// process without a word.
pub(crate) fn outlive_size_limits() {
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// Signals that end a process, held back while a question is open.
struct Signals {
    /// One of them came.
    came: Arc<AtomicBool>,
    /// No question is open, so they do what they always do.
    idle: Arc<AtomicBool>,
}

/// Whether there was a question yet.
static ASKED: AtomicBool = AtomicBool::new(false);

/// Registered once: what is registered can never be taken back as if it had not been.
static SIGNALS: LazyLock<io::Result<Signals>> = LazyLock::new(|| {
    let signals =
        Signals { came: Arc::new(AtomicBool::new(false)), idle: Arc::new(AtomicBool::new(true)) };
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&signals.idle))?;
        signal_hook::flag::register(signal, Arc::clone(&signals.came))?;
    }
    Ok(signals)
});

/// From now on signals are the run's: none of them ends the process for a question.
fn hand_over() {
    // Asking for them registers them, which only a question needs.
    if ASKED.load(Ordering::SeqCst)
        && let Ok(signals) = signals()
    {
        signals.idle.store(false, Ordering::SeqCst);
    }
}

fn signals() -> io::Result<&'static Signals> {
    SIGNALS.as_ref().map_err(|error| io::Error::new(error.kind(), error.to_string()))
}

/// From now on signals are held back, because a question is open.
pub(crate) fn hold() -> io::Result<()> {
    let signals = signals()?;
    ASKED.store(true, Ordering::SeqCst);
    signals.came.store(false, Ordering::SeqCst);
    signals.idle.store(false, Ordering::SeqCst);
    Ok(())
}

/// Whether a signal came since.
pub(crate) fn held() -> io::Result<bool> {
    Ok(signals()?.came.load(Ordering::SeqCst))
}

/// The question is over: signals do what they always do. While a run listens, a signal takes
/// it back; ending at once would leave half of it.
pub(crate) fn let_go() {
    if let (Ok(signals), false) = (signals(), LISTENING.load(Ordering::SeqCst)) {
        signals.idle.store(true, Ordering::SeqCst);
    }
}

/// Whether we were started with SIGHUP ignored.
fn hangs_up_unheard() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & (1 << (SIGHUP - 1)) != 0)
}
