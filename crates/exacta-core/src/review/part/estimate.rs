//! What the plan will cost, and costs and spans of time in words.

use alloc::string::String;
use core::time::Duration;

use super::titled;
use crate::model::plan::{Confidence, Estimates};
use crate::review::model::{Part, PartKind};
use crate::review::row::Row;
use crate::text::shown::visible;

pub(in crate::review) fn estimate(estimates: &Estimates) -> Part {
    let sure = match estimates.confidence_band {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
    };
    titled(PartKind::Estimate, "Estimate", |sheet| {
        if estimates.estimated_tokens == 0 {
            let seconds = estimates.estimated_runtime_sec;
            sheet.row(Row::prose(2).say(format!("no model is involved; {seconds} s")));
            return;
        }
        sheet.row(Row::prose(2).say(format!(
            "{} tokens, {}, {} s, confidence {sure}",
            estimates.estimated_tokens,
            usd(estimates.estimated_cost_micro_usd),
            estimates.estimated_runtime_sec,
        )));
        if estimates.estimated_pages > 0 {
            sheet.row(Row::prose(2).say(format!("{} pages read", estimates.estimated_pages)));
        }
        sheet.rows(estimates.estimated_tool_calls.iter().map(|(tool, calls)| {
            let word = if *calls == 1 { "call" } else { "calls" };
            Row::prose(2).say(format!("{calls} {word} of {}", visible(tool.as_bytes())))
        }));
    })
}

/// A span of time in its two largest units.
#[must_use]
pub fn time(span: Duration) -> String {
    let seconds = span.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours @ 48.., ..) => format!("{} days {} h", hours / 24, hours % 24),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// A cost, rounded up: what is shown is never less than what is estimated.
#[must_use]
pub fn usd(micro: u64) -> String {
    let milli = micro.div_ceil(1000);
    format!("{}.{:03} USD", milli / 1000, milli % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_is_rounded_up() {
        let shown = [0, 1, 1_000, 4_662, 999_001, 12_000_000].map(usd);
        let expected = ["0.000", "0.001", "0.001", "0.005", "1.000", "12.000"];
        assert_eq!(shown, expected.map(|cost| format!("{cost} USD")));
    }
}
