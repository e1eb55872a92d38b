//! The whole review.

use exacta_core::shown::visible;

use super::{changes, constraints, estimate, files, scores, steps, why, words};
use crate::render::style;
use crate::review::diff::Colours;
use crate::review::document::Document;
use crate::review::look::Signs;
use crate::review::{ReviewPlan, text};

/// Puts the parts together: whether it can be decided at all and why a person is asked come
/// first, the planner's words last.
pub(in crate::review) fn compose(
    plan: &ReviewPlan<'_>,
    signs: Signs,
    colours: &Colours,
) -> Document {
    let mut document = Document::default();
    document.line(format!("plan {}", text::line(plan.plan_id.as_bytes(), signs)));
    document.line(format!("  {}", summary(plan)));
    stale(plan, &mut document);
    why::add(plan, &mut document);
    if let Some(intent) = plan.intent {
        document.heading("Asked for, as it was handed in");
        words::quote(intent, signs, &mut document);
    }
    steps::add(plan, signs, &mut document);
    if !plan.changes.is_empty() {
        document.heading("Changes");
        changes(plan, signs, colours, &mut document);
        files::add(plan, signs, &mut document);
    }
    constraints::add(plan, signs, &mut document);
    scores::add(plan.report, &mut document);
    estimate::add(plan.report, &mut document);
    words::add(plan.draft, signs, &mut document);
    document.heading("Plan");
    document.line(format!("  plan_id    {}", text::line(plan.plan_id.as_bytes(), signs)));
    document.line(format!("  plan_hash  {}", plan.plan_hash));
    if let Some(proposer) = plan.proposer {
        document.line(format!("  proposer   {}", text::line(proposer.as_bytes(), signs)));
    }
    if let Some(left) = plan.expires_in {
        document.line(format!("  expires in {}", estimate::time(left)));
    }
    document
}

/// How much it is, in a line: what becomes of how many files, risk and quality.
fn summary(plan: &ReviewPlan<'_>) -> String {
    let (mut created, mut changed, mut renamed, mut deleted) = (0, 0, 0, 0);
    for file in plan.touched().iter().filter(|file| !file.ends_as_it_began()) {
        let net = file.net();
        match (net.before, net.after) {
            (None, Some(_)) if file.last.renamed_from.is_some() => renamed += 1,
            (None, _) => created += 1,
            (Some(_), None) if plan.renamed_to(file.last).is_some() => {}
            (Some(_), None) => deleted += 1,
            (Some(_), Some(_)) => changed += 1,
        }
    }
    let counts =
        [(created, "created"), (changed, "changed"), (renamed, "renamed"), (deleted, "deleted")];
    let mut parts: Vec<String> = Vec::new();
    for (count, word) in counts.into_iter().filter(|(count, _)| *count > 0) {
        let files = match (parts.is_empty(), count) {
            (false, _) => "",
            (true, 1) => " file",
            (true, _) => " files",
        };
        parts.push(format!("{count}{files} {word}"));
    }
    if parts.is_empty() {
        parts.push("no file changes".into());
    }
    if let Some(risk) = &plan.report.risk {
        parts.push(format!("risk {} of 100", risk.score));
    }
    if let Some(quality) = &plan.report.quality {
        parts.push(format!("quality {}", quality.overall));
    }
    parts.join(", ")
}

/// That the plan was made for other files than those that are there now.
fn stale(plan: &ReviewPlan<'_>, document: &mut Document) {
    let Some(why) = plan.stale else { return };
    let warning = style::WARNING;
    document.line("");
    document.line(format!(
        "{warning}out of date{warning:#}: {}; it cannot be approved any more",
        visible(why.as_bytes())
    ));
    document.line(format!(
        "`exacta renew {}` makes a fresh plan for the files as they are",
        visible(plan.plan_id.as_bytes())
    ));
}
