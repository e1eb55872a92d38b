//! How many cases a large suite runs: a count in the plain run, more in the full one.
//!
//! `./test` must end soon on a small machine, so a suite stops when its time is up and
//! says how far it came. With `EXACTA_TEST_FULL=1` the count alone decides.

use std::time::{Duration, Instant};

use crate::processor::processor_time;

/// A count of cases and the time they may take.
#[derive(Debug)]
pub struct Budget {
    name: &'static str,
    count: u64,
    most: Option<Duration>,
    clock: Clock,
}

/// What counts as time.
#[derive(Clone, Copy, Debug)]
enum Clock {
    /// For suites that wait for others.
    Wall(Instant),
    /// For suites that only compute, so that a busy machine does not end them early.
    Processor(Duration),
}

impl Clock {
    fn elapsed(self) -> Duration {
        match self {
            Self::Wall(started) => started.elapsed(),
            Self::Processor(started) => processor_time().saturating_sub(started),
        }
    }
}

impl Budget {
    /// `plain` cases within `seconds`, or `full` cases without a limit of time.
    #[must_use]
    pub fn new(name: &'static str, plain: u64, seconds: u64, full: u64) -> Self {
        Self::on(Clock::Wall(Instant::now()), name, plain, seconds, full)
    }

    /// The same in seconds of this thread's processor time.
    #[must_use]
    pub fn of_processor(name: &'static str, plain: u64, seconds: u64, full: u64) -> Self {
        Self::on(Clock::Processor(processor_time()), name, plain, seconds, full)
    }

    fn on(clock: Clock, name: &'static str, plain: u64, seconds: u64, full: u64) -> Self {
        if is_full() {
            return Self { name, count: full, most: None, clock };
        }
        Self { name, count: plain, most: Some(Duration::from_secs(seconds)), clock }
    }

    /// Whether case number `done` (from 0) is still to be run. A run without a limit of
    /// time says after every hundredth part how far it came.
    #[must_use]
    pub fn allows(&self, done: u64) -> bool {
        let tells = done > 0 && done < self.count && done.is_multiple_of((self.count / 100).max(1));
        if self.most.is_none() && tells {
            self.report(done);
        }
        done < self.count && self.most.is_none_or(|most| self.clock.elapsed() < most)
    }

    /// How many cases were asked for.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Says how far the suite came.
    #[expect(clippy::print_stderr, reason = "the count is what the reader of a test run wants")]
    pub fn report(&self, done: u64) {
        let seconds = self.clock.elapsed().as_secs_f64();
        eprintln!("{}: {done} of {} cases in {seconds:.1} s", self.name, self.count);
    }
}

/// Whether the large suites run at their full counts.
#[must_use]
pub fn is_full() -> bool {
    std::env::var_os("EXACTA_TEST_FULL").is_some_and(|value| value == "1")
}
