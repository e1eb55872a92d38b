//! How much each caller may ask for: a bucket that fills again with time. Guessing a credential
//! has a delay of its own, which grows with each wrong one and ends.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use exacta_core::model::digest::Digest;

/// So many requests at once.
const BURST: f64 = 1000.0;
/// So many a second, over time.
const A_SECOND: f64 = 500.0;
/// So many wrong credentials cost nothing but their own second.
const FREE_GUESSES: u32 = 5;
/// The delay after the next wrong one; it doubles with each.
const FIRST_DELAY: Duration = Duration::from_secs(1);
/// It grows no further.
const LONGEST_DELAY: Duration = Duration::from_mins(1);
/// After so long without a wrong one it is forgotten.
const FORGOTTEN: Duration = Duration::from_mins(10);
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
    guesses: Mutex<BTreeMap<Option<IpAddr>, Guesses>>,
}

#[derive(Clone, Copy)]
struct Bucket {
    left: f64,
    at: Instant,
}

/// The wrong credentials of one address.
#[derive(Clone, Copy)]
struct Guesses {
    /// How many in a row.
    wrong: u32,
    /// When the last one was tried.
    at: Instant,
}

impl Guesses {
    /// How long nothing is compared after them.
    fn delay(self) -> Duration {
        match self.wrong.checked_sub(FREE_GUESSES) {
            None => Duration::ZERO,
            Some(more) => FIRST_DELAY.saturating_mul(1 << more.min(16)).min(LONGEST_DELAY),
        }
    }
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

    /// Whether one more credential may be tried from an address; else how long not. One that
    /// comes too soon is not looked at and does not make the delay longer. Each counts as wrong
    /// until [`Rates::was_right`].
    pub(crate) fn allow_guess(&self, from: Option<IpAddr>, now: Instant) -> Result<(), Duration> {
        let mut guesses = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        guesses.retain(|_, one| now.saturating_duration_since(one.at) < FORGOTTEN);
        if guesses.len() >= CALLERS && !guesses.contains_key(&from) {
            let oldest = guesses.iter().min_by_key(|(_, one)| one.at).map(|(from, _)| *from);
            oldest.and_then(|oldest| guesses.remove(&oldest));
        }
        let one = guesses.entry(from).or_insert(Guesses { wrong: 0, at: now });
        let left = one.delay().saturating_sub(now.saturating_duration_since(one.at));
        if !left.is_zero() {
            return Err(left);
        }
        *one = Guesses { wrong: one.wrong.saturating_add(1), at: now };
        Ok(())
    }

    /// The credential that was tried from an address was the right one.
    pub(crate) fn was_right(&self, from: Option<IpAddr>) {
        self.guesses.lock().unwrap_or_else(PoisonError::into_inner).remove(&from);
    }
}

#[cfg(test)]
mod tests {
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
    }

    #[test]
    fn guessing_gets_slow_and_the_delay_ends() {
        let (rates, start) = (Rates::default(), Instant::now());
        let one = Some(IpAddr::from([127, 0, 0, 1]));
        let tried = (0..20).filter(|_| rates.allow_guess(one, start).is_ok()).count();
        assert_eq!(tried, 5);
        // Whoever keeps trying does not make it longer, and another address is not delayed.
        assert_eq!(rates.allow_guess(one, start), Err(FIRST_DELAY));
        assert!(rates.allow_guess(Some(IpAddr::from([100, 64, 0, 7])), start).is_ok());
        let mut now = start;
        let mut tried = 0;
        while now < start + Duration::from_hours(1) {
            now += Duration::from_millis(100);
            tried += u32::from(rates.allow_guess(one, now).is_ok());
        }
        assert!((50..=70).contains(&tried), "{tried} in an hour");
        let most = rates.allow_guess(one, now).err().unwrap_or_default();
        assert!(most <= LONGEST_DELAY, "{most:?}");
        assert!(rates.allow_guess(one, now + LONGEST_DELAY).is_ok());
        rates.was_right(one);
        assert!(rates.allow_guess(one, now + LONGEST_DELAY).is_ok());
    }
}
