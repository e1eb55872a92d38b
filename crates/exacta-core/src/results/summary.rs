//! The rules of the `__meta__` entry: it says what the rows say, and nothing else.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::contract::TaskStatus;
use super::findings::{Findings, quoted};
use super::reason::Reason;
use super::rule::Rule;
use super::shape::{Meta, Row, State};

/// Holds the summary against the rows.
pub(super) fn check(meta: &Meta<'_>, rows: &[Row<'_>], findings: &mut Findings) {
    if meta.skipped == Some(true) {
        let at = meta.at.key("skipped");
        findings.add(Rule::MetaSkipped, at, None, "the summary is said to be skipped");
    }
    let status = status_of(meta, findings);
    if let (Some(ok), Some(status)) = (meta.ok, status)
        && ok != (status == TaskStatus::Completed)
    {
        let message = format!("`ok` is {ok} and the status is {}", status.as_str());
        findings.add(Rule::MetaOk, meta.at.key("ok"), None, message);
    }
    if meta.ok == Some(false) && meta.reason.is_blank() {
        let message = "the run is not complete and `reason` does not say why";
        findings.add(Rule::MetaReason, meta.at.key("reason"), None, message);
    }
    total(meta, findings);
    listed(meta, rows, findings);
    // A row whose flags cannot be read is reported as such; anything counted over such
    // rows would only repeat it.
    let readable: Option<Vec<State>> = rows.iter().map(Row::state).collect();
    if let Some(states) = readable {
        let tally = Tally::of(&states);
        counts(meta, &tally, findings);
        failed_steps(meta, rows, findings);
        if let (Some(status), Some(blocked)) = (status, &meta.blocked_steps) {
            status_fits(status, meta, rows, &tally, blocked, findings);
        }
    }
}

/// How many rows there are of each kind.
struct Tally {
    ok: u64,
    skipped: u64,
    failed: u64,
}

impl Tally {
    fn of(states: &[State]) -> Self {
        let count = |wanted| states.iter().filter(|state| **state == wanted).map(|_| 1).sum();
        Self { ok: count(State::Ok), skipped: count(State::Skipped), failed: count(State::Failed) }
    }

    fn total(&self) -> u64 {
        self.ok.saturating_add(self.skipped).saturating_add(self.failed)
    }
}

fn status_of(meta: &Meta<'_>, findings: &mut Findings) -> Option<TaskStatus> {
    let text = meta.task_status?;
    let status = TaskStatus::parse(text);
    if status.is_none() {
        let message = format!("{} is not a status", quoted(text));
        findings.add(Rule::TaskStatus, meta.at.key("task_status"), None, message);
    }
    status
}

fn total(meta: &Meta<'_>, findings: &mut Findings) {
    let Some(stats) = &meta.stats else { return };
    if let (Some(total), Some(ok), Some(skipped), Some(failed)) =
        (stats.total_steps, stats.ok, stats.skipped, stats.failed)
    {
        let sum = u128::from(ok) + u128::from(skipped) + u128::from(failed);
        if u128::from(total) != sum {
            let message =
                format!("`total_steps` is {total}, but {ok} + {skipped} + {failed} = {sum}");
            findings.add(Rule::StatsTotal, meta.at.key("stats"), None, message);
        }
    }
}

fn counts(meta: &Meta<'_>, tally: &Tally, findings: &mut Findings) {
    let Some(stats) = &meta.stats else { return };
    for (name, said, counted) in [
        ("total_steps", stats.total_steps, tally.total()),
        ("ok", stats.ok, tally.ok),
        ("skipped", stats.skipped, tally.skipped),
        ("failed", stats.failed, tally.failed),
    ] {
        if let Some(said) = said
            && said != counted
        {
            let message = format!("`{name}` is {said}; the rows give {counted}");
            findings.add(Rule::StatsCount, meta.at.key("stats").key(name), None, message);
        }
    }
}

/// `blocked_steps`: skipped rows only, each once, and every row that says so itself.
fn listed(meta: &Meta<'_>, rows: &[Row<'_>], findings: &mut Findings) {
    let Some(blocked) = &meta.blocked_steps else { return };
    let skipped: BTreeMap<&str, Option<bool>> =
        rows.iter().filter_map(|row| Some((row.step_id?, row.skipped))).collect();
    let mut seen = BTreeSet::new();
    for (index, id) in blocked.iter().enumerate() {
        let at = meta.at.key("blocked_steps").index(index);
        if !seen.insert(*id) {
            let message = format!("{} is listed twice", quoted(id));
            findings.add(Rule::BlockedRepeated, at, Some(id), message);
        } else if !matches!(skipped.get(id), Some(Some(true) | None)) {
            let message = format!("{} has no skipped row", quoted(id));
            findings.add(Rule::BlockedSkipped, at, Some(id), message);
        }
    }
    for row in rows {
        if let Some(id) = row.step_id
            && row.has_reason(Reason::Blocked)
            && row.skipped == Some(true)
            && !seen.contains(id)
        {
            let message = format!("{} is blocked by its own word and not listed", quoted(id));
            findings.add(Rule::BlockedListed, row.at.key("reason"), Some(id), message);
        }
    }
}

fn failed_steps(meta: &Meta<'_>, rows: &[Row<'_>], findings: &mut Findings) {
    let Some(said) = &meta.failed_steps else { return };
    // A row without an id is reported as such and cannot be named here.
    let failed: Vec<&str> = rows
        .iter()
        .filter(|row| row.state() == Some(State::Failed))
        .filter_map(|row| row.step_id)
        .collect();
    if *said == failed {
        return;
    }
    let at = meta.at.key("failed_steps");
    let mut left: BTreeSet<&str> = failed.iter().copied().collect();
    let mut same = true;
    for (index, id) in said.iter().enumerate() {
        if !left.remove(id) {
            same = false;
            let message = format!("{} has no failed row, or is listed twice", quoted(id));
            findings.add(Rule::FailedSteps, at.index(index), Some(id), message);
        }
    }
    for id in &failed {
        if left.remove(id) {
            same = false;
            let message = format!("{} failed and is not listed", quoted(id));
            findings.add(Rule::FailedSteps, at.clone(), Some(id), message);
        }
    }
    if same && said.len() == failed.len() {
        let message = "the failed steps are not in the order of their rows";
        findings.add(Rule::FailedStepsOrder, at, None, message);
    }
}

/// Whether the rows carry the status. For any rows and any `blocked_steps` at most one
/// status does.
fn status_fits(
    status: TaskStatus,
    meta: &Meta<'_>,
    rows: &[Row<'_>],
    tally: &Tally,
    blocked: &[&str],
    findings: &mut Findings,
) {
    let (rule, fits) = match status {
        TaskStatus::Completed => {
            (Rule::StatusCompleted, tally.skipped == 0 && tally.failed == 0 && blocked.is_empty())
        }
        TaskStatus::Partial => {
            (Rule::StatusPartial, tally.skipped > 0 && tally.failed == 0 && blocked.is_empty())
        }
        TaskStatus::Failed => (Rule::StatusFailed, tally.failed > 0),
        TaskStatus::Blocked => {
            (Rule::StatusBlocked, !rows.is_empty() && none_started(rows, blocked))
        }
    };
    if !fits {
        let message = format!(
            "the status is {}; the rows are {} ok, {} skipped, {} failed, {} listed as blocked",
            status.as_str(),
            tally.ok,
            tally.skipped,
            tally.failed,
            blocked.len()
        );
        findings.add(rule, meta.at.key("task_status"), None, message);
    }
}

/// Whether every row is skipped with the reason `blocked` and listed.
fn none_started(rows: &[Row<'_>], blocked: &[&str]) -> bool {
    let listed: BTreeSet<&str> = blocked.iter().copied().collect();
    rows.iter().all(|row| {
        row.state() == Some(State::Skipped)
            && row.has_reason(Reason::Blocked)
            && row.step_id.is_some_and(|id| listed.contains(id))
    })
}
