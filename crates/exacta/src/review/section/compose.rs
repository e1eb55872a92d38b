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
