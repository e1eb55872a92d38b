//! How many cases a large suite runs: a count in the plain run, more in the full one.
//!
//! `./test` must end soon on a small machine, so a suite stops when its time is up and
//! says how far it came. With `EXACTA_TEST_FULL=1` the count alone decides.

use std::time::{Duration, Instant};

/// A count of cases and the time they may take.
#[derive(Debug)]
pub struct Budget {
    name: &'static str,
    count: u64,
    deadline: Option<Instant>,
    started: Instant,
}

impl Budget {
    /// `plain` cases within `seconds`, or `full` cases without a limit of time.
    #[must_use]
    pub fn new(name: &'static str, plain: u64, seconds: u64, full: u64) -> Self {
        let started = Instant::now();
        if is_full() {
            return Self { name, count: full, deadline: None, started };
        }
        let deadline = Some(started + Duration::from_secs(seconds));
        Self { name, count: plain, deadline, started }
    }

    /// Whether case number `done` (from 0) is still to be run.
    #[must_use]
    pub fn allows(&self, done: u64) -> bool {
        done < self.count && self.deadline.is_none_or(|deadline| Instant::now() < deadline)
    }

    /// How many cases were asked for.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Says how far the suite came.
    #[expect(clippy::print_stderr, reason = "the count is what the reader of a test run wants")]
    pub fn report(&self, done: u64) {
        let seconds = self.started.elapsed().as_secs_f64();
        eprintln!("{}: {done} of {} cases in {seconds:.1} s", self.name, self.count);
    }
}

/// Whether the large suites run at their full counts.
#[must_use]
pub fn is_full() -> bool {
    std::env::var_os("EXACTA_TEST_FULL").is_some_and(|value| value == "1")
}
