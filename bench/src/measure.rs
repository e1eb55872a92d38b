//! Interleaved timing and the table at the end.

use std::time::{Duration, Instant};

/// One comparison.
pub(crate) struct Row {
    /// What is compared.
    pub(crate) name: String,
    /// Ours, in the unit of the row.
    pub(crate) ours: f64,
    /// The peer, in the same unit.
    pub(crate) peer: f64,
    /// The unit.
    pub(crate) unit: &'static str,
    /// The ratio where it was measured pair by pair; otherwise that of the two numbers.
    pub(crate) paired: Option<f64>,
    /// The largest ratio that is good.
    pub(crate) bound: f64,
}

impl Row {
    pub(crate) fn ratio(&self) -> f64 {
        self.paired.unwrap_or(self.ours / self.peer)
    }

    pub(crate) fn holds(&self) -> bool {
        self.ratio() <= self.bound
    }
}

/// Runs the two sides in turn and returns the best time of each: for work on the
/// processor alone, everything but the best is somebody else's noise.
pub(crate) fn best(
    rounds: usize,
    mut ours: impl FnMut(),
    mut peer: impl FnMut(),
) -> (Duration, Duration) {
    let (mut a, mut b) = (Duration::MAX, Duration::MAX);
    for _ in 0..rounds {
        a = a.min(timed(&mut ours));
        b = b.min(timed(&mut peer));
    }
    (a, b)
}

/// Runs the two sides in turn and returns the median time of each.
pub(crate) fn interleaved(
    rounds: usize,
    mut ours: impl FnMut(),
    mut peer: impl FnMut(),
) -> (Duration, Duration) {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        a.push(timed(&mut ours));
        b.push(timed(&mut peer));
    }
    (median(a), median(b))
}

pub(crate) fn timed(work: &mut impl FnMut()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// The median ratio of times that were taken side by side: what slowed one round slowed
/// both of its halves.
pub(crate) fn paired(ours: &[Duration], peer: &[Duration]) -> f64 {
    let ratio = |(a, b): (&Duration, &Duration)| a.as_secs_f64() / b.as_secs_f64();
    let mut ratios: Vec<f64> = ours.iter().zip(peer).map(ratio).collect();
    ratios.sort_unstable_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied().unwrap_or(f64::INFINITY)
}

pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

#[expect(clippy::print_stdout, reason = "the table is what the bench is for")]
pub(crate) fn print(rows: &[Row]) {
    println!("{:<66} {:>10} {:>10} {:>5} {:>7} {:>7}", "", "ours", "peer", "", "ratio", "bound");
    for row in rows {
        println!(
            "{:<66} {:>10.3} {:>10.3} {:>5} {:>7.2} {:>7.2}  {}",
            row.name,
            row.ours,
            row.peer,
            row.unit,
            row.ratio(),
            row.bound,
            if row.holds() { "ok" } else { "OVER" }
        );
    }
}
