//! What tool steps spend, and how much they may.

use exacta_core::judge::policy::Caps;
use exacta_core::record::StepSpend;
use serde::{Deserialize, Serialize};

/// What was spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Calls of tools.
    pub calls: u64,
    /// Pages read.
    pub pages: u64,
    /// Money, in millionths of a US dollar.
    pub micro_usd: u64,
}

impl Spent {
    /// The sum; it stops at the largest number instead of wrapping.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            pages: self.pages.saturating_add(other.pages),
            micro_usd: self.micro_usd.saturating_add(other.micro_usd),
        }
    }
}

impl Spent {
    /// The smaller of each.
    #[must_use]
    pub fn least(self, other: Self) -> Self {
        Self {
            calls: self.calls.min(other.calls),
            pages: self.pages.min(other.pages),
            micro_usd: self.micro_usd.min(other.micro_usd),
        }
    }
}

impl From<StepSpend> for Spent {
    fn from(spent: StepSpend) -> Self {
        let StepSpend { calls, pages, micro_usd } = spent;
        Self { calls, pages, micro_usd }
    }
}

impl From<Spent> for StepSpend {
    fn from(spent: Spent) -> Self {
        let Spent { calls, pages, micro_usd } = spent;
        Self { calls, pages, micro_usd }
    }
}

/// How much may be spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCaps {
    /// In one run.
    pub run: Spent,
    /// In one day, over all runs; none is no limit.
    pub day: Option<Spent>,
}

impl ToolCaps {
    /// The caps of a run under these caps of a plan and this much money for the day.
    pub const fn of(caps: &Caps, daily_cost_micro_usd: u64) -> Self {
        let run = Spent {
            calls: caps.max_tool_calls,
            pages: caps.max_pages,
            micro_usd: caps.max_cost_micro_usd,
        };
        let day = Spent { calls: u64::MAX, pages: u64::MAX, micro_usd: daily_cost_micro_usd };
        Self { run, day: Some(day) }
    }

    /// The stricter of both in everything, such as those of policy and of the environment.
    #[must_use]
    pub fn least(self, other: Self) -> Self {
        let day = match (self.day, other.day) {
            (Some(one), Some(two)) => Some(one.least(two)),
            (one, two) => one.or(two),
        };
        Self { run: self.run.least(other.run), day }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caps_only_get_stricter() {
        let spent = |calls, pages, micro_usd| Spent { calls, pages, micro_usd };
        let policy = ToolCaps { run: spent(40, 200, 5), day: None };
        let environment = ToolCaps { run: spent(50, 100, 5), day: Some(spent(90, 9, 9)) };
        let both = policy.least(environment);
        assert_eq!(both, ToolCaps { run: spent(40, 100, 5), day: Some(spent(90, 9, 9)) });
        assert_eq!(both, environment.least(policy));
        let third = ToolCaps { run: both.run, day: Some(spent(1, 10, 9)) };
        assert_eq!(both.least(third).day, Some(spent(1, 9, 9)));
    }
}
