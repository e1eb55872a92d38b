//! One check after the other, each on a view of its own; then the images once more.

use crate::checks::check::{Check, Outcome, Unchecked, Verdict, Why};
use crate::checks::conduct::{self, Ended};
use crate::checks::room::{Room, ViewKind};
use crate::checks::view::ViewFolder;
use crate::run::{CheckProgress, Staged, Watch};

/// Runs every check; stops at the first that does not pass.
///
/// # Errors
/// [`Unchecked`]: the staged run has been discarded, and no target was touched.
pub fn run<'a>(
    staged: Staged<'a>,
    checks: &[Check],
    room: &Room,
    watch: &dyn Watch,
) -> Result<(Staged<'a>, Vec<Outcome>), Unchecked> {
    let mut outcomes = Vec::new();
    match judge(&staged, checks, room, watch, &mut outcomes) {
        Ok(()) => Ok((staged, outcomes)),
        Err(why) => Err(Unchecked { why, outcomes }),
    }
}

fn judge(
    staged: &Staged<'_>,
    checks: &[Check],
    room: &Room,
    watch: &dyn Watch,
    outcomes: &mut Vec<Outcome>,
) -> Result<(), Why> {
    for (index, check) in checks.iter().enumerate() {
        if watch.cancelled() {
            return Err(Why::Cancelled);
        }
        let progress = CheckProgress::new(&check.name, index, checks.len());
        let outcome = run_one(staged, check, room, watch, progress)?;
        let verdict = outcome.verdict.clone();
        outcomes.push(outcome);
        if verdict != Verdict::Passed {
            return Err(Why::NotPassed { name: check.name.clone(), verdict });
        }
    }
    // Nothing that ran could reach them; this shows it.
    let drifts = staged.verify()?;
    if drifts.is_empty() { Ok(()) } else { Err(Why::Tampered(drifts)) }
}

/// Tries one kind of view after the other.
fn run_one(
    staged: &Staged<'_>,
    check: &Check,
    room: &Room,
    watch: &dyn Watch,
    progress: CheckProgress<'_>,
) -> Result<Outcome, Why> {
    let mut refusals = Vec::new();
    for kind in &room.views {
        match on_view(staged, check, room, watch, progress, *kind) {
            Err(Why::NoView(refusal)) => refusals.push(refusal),
            other => return other,
        }
    }
    Err(Why::NoView(refusals.join("; ")))
}

fn on_view(
    staged: &Staged<'_>,
    check: &Check,
    room: &Room,
    watch: &dyn Watch,
    progress: CheckProgress<'_>,
    kind: ViewKind,
) -> Result<Outcome, Why> {
    let folder = ViewFolder::make(staged, &room.scratch, kind)?;
    let request = folder.request(staged, room, check)?;
    let timeout = Some(check.timeout);
    let ended: Ended =
        conduct::conduct(room, &request, timeout, watch, progress, conduct::Output::Keep)?;
    Ok(Outcome {
        name: check.name.clone(),
        verdict: ended.verdict,
        output: ended.output,
        took: ended.took,
        view: kind,
    })
}
