//! Time as the gate trusts it: two clocks and the boot they belong to.
//!
//! One clock alone can be turned back, so a deadline has passed as soon as either says
//! so, and whenever time seems to run backwards.

use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A point in time on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Moment {
    /// The boot that the machine is in.
    pub boot: String,
    /// Milliseconds since that boot, sleep included.
    pub boottime_ms: u64,
    /// Milliseconds since 1970.
    pub wall_ms: u64,
}

impl Moment {
    /// Whether a clock of the same boot shows less than it did at `earlier`.
    #[must_use]
    pub fn runs_before(&self, earlier: &Self) -> bool {
        self.boot == earlier.boot
            && (self.boottime_ms < earlier.boottime_ms || self.wall_ms < earlier.wall_ms)
    }

    /// The later reading of each clock; another boot starts anew.
    #[must_use]
    pub fn latest(&self, other: &Self) -> Self {
        if self.boot != other.boot {
            return other.clone();
        }
        Self {
            boot: self.boot.clone(),
            boottime_ms: self.boottime_ms.max(other.boottime_ms),
            wall_ms: self.wall_ms.max(other.wall_ms),
        }
    }

    /// How long ago `earlier` was by the clock that says more; `None` in another boot.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Option<u64> {
        let up = self.boottime_ms.saturating_sub(earlier.boottime_ms);
        let wall = self.wall_ms.saturating_sub(earlier.wall_ms);
        (self.boot == earlier.boot).then(|| up.max(wall))
    }

    /// How long ago `earlier` was by the clock that says less; in another boot only the
    /// wall can tell.
    #[must_use]
    pub fn at_least_since(&self, earlier: &Self) -> u64 {
        let up = self.boottime_ms.saturating_sub(earlier.boottime_ms);
        let wall = self.wall_ms.saturating_sub(earlier.wall_ms);
        if self.boot == earlier.boot { up.min(wall) } else { wall }
    }
}

/// The last moment at which a plan may be approved or started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Deadline {
    /// The boot it belongs to.
    pub boot: String,
    /// On the clock that counts from boot.
    pub boottime_ms: u64,
    /// On the wall.
    pub wall_ms: u64,
}

/// Why a deadline counts as passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overdue {
    /// The machine was started anew, which ends every session.
    OtherBoot,
    /// A clock has reached it.
    Reached,
    /// A clock was turned back behind the newest entry of the record.
    ClockTurnedBack,
}

impl Deadline {
    /// The deadline `ttl_ms` from `now`.
    #[must_use]
    pub fn after(now: &Moment, ttl_ms: u64) -> Self {
        Self {
            boot: now.boot.clone(),
            boottime_ms: now.boottime_ms.saturating_add(ttl_ms),
            wall_ms: now.wall_ms.saturating_add(ttl_ms),
        }
    }

    /// Whether it has passed, given the newest moment on the record.
    #[must_use]
    pub fn overdue(&self, now: &Moment, newest: Option<&Moment>) -> Option<Overdue> {
        if self.boot != now.boot {
            Some(Overdue::OtherBoot)
        } else if now.boottime_ms >= self.boottime_ms || now.wall_ms >= self.wall_ms {
            Some(Overdue::Reached)
        } else if newest.is_some_and(|newest| now.runs_before(newest)) {
            Some(Overdue::ClockTurnedBack)
        } else {
            None
        }
    }

    /// Milliseconds left by the clock that says less.
    #[must_use]
    pub fn left(&self, now: &Moment) -> u64 {
        let up = self.boottime_ms.saturating_sub(now.boottime_ms);
        up.min(self.wall_ms.saturating_sub(now.wall_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(boot: &str, up: u64, wall: u64) -> Moment {
        Moment { boot: boot.into(), boottime_ms: up, wall_ms: wall }
    }

    #[test]
    fn a_deadline_passes_by_either_clock_by_boot_and_by_a_clock_that_runs_back() {
        let deadline = Deadline::after(&at("b", 100, 1000), 50);
        let newest = at("b", 110, 1010);
        for (now, expected) in [
            (at("b", 110, 1010), None),
            (at("b", 149, 1049), None),
            (at("b", 150, 1049), Some(Overdue::Reached)),
            (at("b", 149, 1050), Some(Overdue::Reached)),
            (at("c", 120, 1020), Some(Overdue::OtherBoot)),
            (at("b", 109, 1020), Some(Overdue::ClockTurnedBack)),
            (at("b", 120, 1009), Some(Overdue::ClockTurnedBack)),
        ] {
            assert_eq!(deadline.overdue(&now, Some(&newest)), expected, "{now:?}");
        }
        assert_eq!(deadline.overdue(&at("b", 120, 900), None), None);
        assert_eq!(deadline.left(&at("b", 120, 1049)), 1);
    }
}
