//! How a run reports what it is doing, and how it is asked to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::tools::StepSign;

/// What a run is busy with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Comparing targets with what the plan was made for, and writing new images beside
    /// the project.
    Staging,
    /// Putting them in place.
    Swapping,
    /// Rolling targets back, or forward after a crash.
    Settling,
}

/// How far a phase has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The phase.
    pub phase: Phase,
    /// Items done.
    pub done: usize,
    /// Items in all.
    pub total: usize,
}

/// How far a check has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckProgress<'a> {
    /// Its name.
    pub name: &'a str,
    /// Checks that ended before it.
    pub done: usize,
    /// Checks in all.
    pub total: usize,
    /// How long it has been running.
    pub elapsed: Duration,
    /// Bytes it has written.
    pub output: usize,
}

impl<'a> CheckProgress<'a> {
    pub(crate) fn new(name: &'a str, done: usize, total: usize) -> Self {
        Self { name, done, total, elapsed: Duration::ZERO, output: 0 }
    }

    pub(crate) fn after(self, elapsed: Duration, output: usize) -> Self {
        Self { elapsed, output, ..self }
    }
}

/// Someone who watches a run.
pub trait Watch {
    /// Called after each item.
    fn progress(&self, progress: Progress) {
        let _ = progress;
    }

    /// Called while a check runs, several times a second, and when it has ended.
    fn check(&self, progress: CheckProgress<'_>) {
        let _ = progress;
    }

    /// Called when something happens to a tool step.
    fn step(&self, sign: &StepSign) {
        let _ = sign;
    }

    /// Called again and again while another process changes the project.
    fn waits(&self, elapsed: Duration) {
        let _ = elapsed;
    }

    /// Asked before each item, and while another process is waited for; once true, the run
    /// is rolled back.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Watch for Quiet {}

/// A flag that a signal handler may set.
#[derive(Clone, Copy, Debug)]
pub struct CancelFlag<'a>(pub &'a AtomicBool);

impl Watch for CancelFlag<'_> {
    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
