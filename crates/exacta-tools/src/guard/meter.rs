//! Counters that are asked before anything is spent.

use std::sync::{Arc, Mutex, PoisonError};

use exacta_engine::tools::{Spent, ToolCaps};

use crate::error::ToolError;

struct Totals {
    run: Spent,
    today: Spent,
}

/// Counts what a step spends against what the run and the day may.
#[derive(Clone)]
pub struct Meter {
    caps: ToolCaps,
    totals: Arc<Mutex<Totals>>,
    own: Arc<Mutex<Spent>>,
}

impl Meter {
    /// A meter of a run that has spent `run`, on a day on which other runs spent `today`.
    pub fn new(caps: ToolCaps, run: Spent, today: Spent) -> Self {
        let totals = Arc::new(Mutex::new(Totals { run, today }));
        Self { caps, totals, own: Arc::default() }
    }

    /// A meter for one step that counts into the same run.
    #[must_use]
    pub fn for_step(&self) -> Self {
        Self { own: Arc::default(), ..self.clone() }
    }

    /// Takes one call of a tool or a service.
    ///
    /// # Errors
    /// When the cap is reached; nothing is counted then.
    pub fn call(&self) -> Result<(), ToolError> {
        self.take(Spent { calls: 1, ..Spent::default() })
    }

    /// Takes that many pages.
    ///
    /// # Errors
    /// When the cap is reached; nothing is counted then.
    pub fn pages(&self, pages: u64) -> Result<(), ToolError> {
        self.take(Spent { pages, ..Spent::default() })
    }

    /// Takes money, in millionths of a US dollar. A price that is not known is not zero:
    /// the call is refused.
    ///
    /// # Errors
    /// When the price is unknown or the cap is reached; nothing is counted then.
    pub fn money(&self, micro_usd: Option<u64>) -> Result<(), ToolError> {
        let Some(micro_usd) = micro_usd else {
            return Err(ToolError::new("PRICE_UNKNOWN", "the price of this call is not known"));
        };
        self.take(Spent { micro_usd, ..Spent::default() })
    }

    /// What this step has spent.
    pub fn spent(&self) -> Spent {
        *self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the run has spent.
    pub fn run_spent(&self) -> Spent {
        self.totals.lock().unwrap_or_else(PoisonError::into_inner).run
    }

    fn take(&self, more: Spent) -> Result<(), ToolError> {
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        let run = totals.run.plus(more);
        within(more, run, self.caps.run, "this run")?;
        if let Some(day) = self.caps.day {
            within(more, totals.today.plus(run), day, "today")?;
        }
        totals.run = run;
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        *own = own.plus(more);
        Ok(())
    }
}

/// Whether what is taken now stays within its cap; what is not taken is not looked at.
fn within(more: Spent, total: Spent, cap: Spent, of: &str) -> Result<(), ToolError> {
    let refused = |code, what: &str, cap: u64| {
        Err(ToolError::new(code, format!("{what} of {of} are used up; the cap is {cap}")))
    };
    if more.calls > 0 && total.calls > cap.calls {
        return refused("CALL_CAP_EXCEEDED", "the calls", cap.calls);
    }
    if more.pages > 0 && total.pages > cap.pages {
        return refused("PAGE_CAP_EXCEEDED", "the pages", cap.pages);
    }
    if more.micro_usd > 0 && total.micro_usd > cap.micro_usd {
        return refused("COST_CAP_EXCEEDED", "the micro-dollars", cap.micro_usd);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spent(calls: u64, pages: u64, micro_usd: u64) -> Spent {
        Spent { calls, pages, micro_usd }
    }

    #[test]
    fn what_would_pass_the_cap_is_refused_and_not_counted() {
        let caps = ToolCaps { run: spent(2, 10, 100), day: None };
        let meter = Meter::new(caps, Spent::default(), Spent::default());
        meter.call().unwrap();
        meter.pages(8).unwrap();
        assert_eq!(meter.pages(3).unwrap_err().code, "PAGE_CAP_EXCEEDED");
        meter.pages(2).unwrap();
        assert_eq!(meter.money(Some(101)).unwrap_err().code, "COST_CAP_EXCEEDED");
        meter.money(Some(100)).unwrap();
        meter.money(Some(0)).unwrap();
        meter.call().unwrap();
        assert_eq!(meter.call().unwrap_err().code, "CALL_CAP_EXCEEDED");
        assert_eq!(meter.run_spent(), spent(2, 10, 100));
        assert_eq!(meter.pages(u64::MAX).unwrap_err().code, "PAGE_CAP_EXCEEDED");
    }

    #[test]
    fn a_price_that_is_not_known_is_not_zero() {
        let caps = ToolCaps { run: spent(0, 0, u64::MAX), day: None };
        let meter = Meter::new(caps, Spent::default(), Spent::default());
        assert_eq!(meter.money(None).unwrap_err().code, "PRICE_UNKNOWN");
        assert_eq!(meter.spent(), Spent::default());
    }

    #[test]
    fn steps_share_the_run_and_the_day_and_know_their_own() {
        let caps = ToolCaps { run: spent(9, 9, 9), day: Some(spent(9, 5, 9)) };
        let meter = Meter::new(caps, spent(0, 1, 0), spent(0, 2, 0));
        let (one, two) = (meter.for_step(), meter.for_step());
        one.pages(1).unwrap();
        two.pages(1).unwrap();
        assert_eq!(one.pages(1).unwrap_err().code, "PAGE_CAP_EXCEEDED");
        assert_eq!((one.spent().pages, two.spent().pages), (1, 1));
        assert_eq!(meter.run_spent().pages, 3);
    }
}
