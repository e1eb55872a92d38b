//! What the plan will cost, and spans of time in words.

use std::time::Duration;

use exacta_core::plan::Confidence;
use exacta_core::shown::visible;

use crate::render::usd;
use crate::review::document::Document;
use crate::wire::CheckReport;

pub(super) fn add(report: &CheckReport, document: &mut Document) {
    let Some(estimates) = &report.estimates else { return };
    let sure = match estimates.confidence_band {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
    };
    document.heading("Estimate");
    document.line(format!(
        "  {} tokens, {}, {} s, confidence {sure}",
        estimates.estimated_tokens,
        usd(estimates.estimated_cost_micro_usd),
        estimates.estimated_runtime_sec,
    ));
    if estimates.estimated_pages > 0 {
        document.line(format!("  {} pages read", estimates.estimated_pages));
    }
    for (tool, calls) in &estimates.estimated_tool_calls {
        let word = if *calls == 1 { "call" } else { "calls" };
        document.line(format!("  {calls} {word} of {}", visible(tool.as_bytes())));
    }
}

/// A span of time in its two largest units.
pub(crate) fn time(span: Duration) -> String {
    let seconds = span.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}
