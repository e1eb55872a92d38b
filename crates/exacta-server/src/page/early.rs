//! The page of a run that is not on the record yet: it is being prepared, or went no further.

use exacta_core::model::id::RunId;
use exacta_core::text::shown::visible;
use exacta_engine::gate::{Gate, GateError};
use exacta_engine::machine::time_text;
use maud::{Markup, html};

use super::frame::{Frame, Here, Notice, frame, short, time};
use crate::api::EarlyState;
use crate::underway::{Early, NotStarted};

/// The page.
pub(super) fn page(
    gate: &Gate<'_>,
    project: &(String, String),
    run_id: &RunId,
    early: &Early,
    token: &dyn Fn(&str) -> String,
    notice: Option<&Notice>,
) -> Result<Markup, GateError> {
    let plan = gate.plan_named(early.plan_id())?;
    let hash = plan.created.plan_hash.to_string();
    let (class, word, says) = match (EarlyState::of(gate, Some(early)), early) {
        (EarlyState::NotStarted, _) => ("no", "not started", "Nothing was changed."),
        (_, Early::Underway { cancelled: true, .. }) => ("go", "stopping", "It was asked to stop."),
        (EarlyState::Checking, _) => ("go", "checking", "Your checks are under way."),
        (EarlyState::Starting, _) => ("go", "starting", "It is being prepared."),
    };
    let (since_ms, why, stoppable) = match early {
        Early::Underway { since_ms, cancelled, .. } => (*since_ms, None, !cancelled),
        Early::NotStarted(NotStarted { since_ms, why, .. }) => (*since_ms, Some(why), false),
    };
    let title = format!("Run {}", short(run_id.as_str()));
    let plan_href = format!("/projects/{}/plans/{}", project.0, plan.created.plan_id);
    let about = Frame {
        title: &title,
        here: Here::Run,
        project: Some((&project.0, &project.1)),
        notice,
        kind: "run",
    };
    let body = html! {
        div.run data-run=(run_id) data-project=(project.0) data-under-way[why.is_none()] data-early[why.is_none()] {
            p.crumbs { (project.1) " · run " code { (short(run_id.as_str())) } " of "
                a href=(plan_href) { "plan " (short(plan.created.plan_id.as_str())) } " · " (time(&time_text(since_ms))) }
            h1 { span class={ "state " (class) } { (word) } " " (says) }
            @if let Some(why) = why {
                section.life { h2 { "Why it went no further" } p.pre { (visible(why.as_bytes())) } }
            } @else {
                p.quiet { "Nothing has moved yet. The files change together, once everything before that has passed." }
            }
            section.decide aria-label="what now" {
                div.left {
                    @if stoppable {
                        form method="post" action={ "/projects/" (project.0) "/runs/" (run_id) "/act" } {
                            input type="hidden" name="token" value=(token(&hash));
                            input type="hidden" name="plan_hash" value=(hash);
                            button name="act" value="cancel" data-key="x" { "Cancel the run " kbd { "x" } }
                        }
                    }
                }
                div.right { a.button href=(plan_href) { "The plan" } }
            }
        }
    };
    Ok(frame(&about, &body))
}
