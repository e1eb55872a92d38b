//! How much each caller may ask for: a bucket that fills again with time.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use exacta_core::model::digest::Digest;

/// So many requests at once.
const BURST: f64 = 1000.0;
/// So many a second, over time.
const A_SECOND: f64 = 500.0;
/// So many credentials at once.
const GUESSES: f64 = 5.0;
/// So many a second, over time.
const GUESSES_A_SECOND: f64 = 0.1;
/// So many callers are told apart; beyond that the one that was quiet longest is forgotten.
const CALLERS: usize = 1024;

/// Who asks, as far as that matters for how much they may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Asker {
    /// Whoever holds this token or session; each has a share of their own.
    Known(Digest),
    /// Everybody whose token or session is none of ours: however many they make up, they share
    /// one.
    Mistaken,
    /// Everybody who shows nothing.
    Nobody,
}

/// The buckets of a server.
#[derive(Default)]
pub(crate) struct Rates {
    callers: Mutex<BTreeMap<Asker, Bucket>>,
    guesses: Mutex<Option<Bucket>>,
}

#[derive(Clone, Copy)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Bucket {
    fn take(&mut self, now: Instant, burst: f64, a_second: f64) -> bool {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.left = passed.mul_add(a_second, self.left).min(burst);
        self.at = now;
        let enough = self.left >= 1.0;
        if enough {
            self.left -= 1.0;
        }
        enough
    }
}

impl Rates {
    /// Whether whoever asks may have one more answer.
    pub(crate) fn allow(&self, who: Asker, now: Instant) -> bool {
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if callers.len() >= CALLERS && !callers.contains_key(&who) {
            let quiet = callers.iter().min_by_key(|(_, bucket)| bucket.at).map(|(who, _)| *who);
            quiet.and_then(|quiet| callers.remove(&quiet));
        }
        let fresh = Bucket { left: BURST, at: now };
        callers.entry(who).or_insert(fresh).take(now, BURST, A_SECOND)
    }

    /// Whether one more credential may be tried, whoever tries it.
    pub(crate) fn allow_guess(&self, now: Instant) -> bool {
        let mut guesses = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = guesses.get_or_insert(Bucket { left: GUESSES, at: now });
        bucket.take(now, GUESSES, GUESSES_A_SECOND)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn who_asks_too_much_waits_and_nobody_else_does() {
        let (rates, now) = (Rates::default(), Instant::now());
        let loud = Asker::Known(Digest::of(b"one"));
        for who in [loud, Asker::Mistaken] {
            let mut answered = 0;
            while rates.allow(who, now) && answered < 5000 {
                answered += 1;
            }
            assert_eq!(answered, 1000);
        }
        assert!(rates.allow(Asker::Nobody, now));
        assert!(rates.allow(Asker::Known(Digest::of(b"two")), now));
        assert!(rates.allow(loud, now + Duration::from_secs(1)));
        let tried = (0..20).filter(|_| rates.allow_guess(now)).count();
        assert_eq!(tried, 5);
    }
}
