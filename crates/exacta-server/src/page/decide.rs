//! The ways to decide, as forms that work without scripts.
//!
//! Approve stands at the one end, reject at the other. What is chosen on the page (steps,
//! hunks, comments) belongs to the form `parts`, wherever it stands.

use exacta_engine::gate::{PlanStatus, StatusReport};
use maud::{Markup, html};

/// What the forms need to know.
pub(super) struct Deciding<'a> {
    pub(super) href: &'a str,
    pub(super) hash: &'a str,
    pub(super) token: &'a str,
    /// Why nothing can be approved.
    pub(super) obstacle: Option<&'a str>,
    pub(super) steps: usize,
    /// Whether there is anything to choose from.
    pub(super) parts: bool,
    /// Words of a form that was refused, to be sent again.
    pub(super) kept: &'a str,
}

fn hidden(about: &Deciding<'_>) -> Markup {
    html! {
        input type="hidden" name="token" value=(about.token);
        input type="hidden" name="plan_hash" value=(about.hash);
    }
}

/// Everything that can be done with a plan that waits.
pub(super) fn decide(about: &Deciding<'_>) -> Markup {
    let act = format!("{}/decide", about.href);
    html! {
        section.decide #decide aria-labelledby="decide-title" {
            h2.hide #decide-title { "Decide" }
            div.left {
                details #reject name="deciding" {
                    summary.button.danger { "Reject… " kbd { "R" } }
                    form method="post" action=(act) {
                        (hidden(about))
                        label { "Why is it rejected? It ends the plan for good."
                            textarea name="reason" rows="2" required {} }
                        button.danger name="act" value="reject" { "Reject this plan" }
                    }
                }
                details.more {
                    summary.button { "More…" }
                    form method="post" action=(act) {
                        (hidden(about))
                        button name="act" value="pause" title="it stays and waits" { "Postpone " kbd { "z" } }
                    }
                    form method="post" action=(act) {
                        (hidden(about))
                        button name="act" value="renew" title="a fresh plan of the same draft, for the files as they are" { "Renew " kbd { "w" } }
                    }
                }
            }
            form.right #parts method="post" action=(act) {
                (hidden(about))
                input type="hidden" name="seen" value="";
                input type="hidden" name="passkey" value="";
                @if let Some(why) = about.obstacle {
                    p.obstacle { (why) }
                } @else {
                    div.look {
                        span.progress aria-live="off" {}
                        button.plain #next-unseen type="button" hidden title="go to the next part that was not on screen (.)" { "Next " kbd { "." } }
                        label.unseen { input type="checkbox" name="unseen" value="yes"; " not all seen: decide anyway" }
                    }
                }
                details #changes-form name="deciding" open[!about.kept.is_empty()] {
                    summary.button { "Request changes… " kbd { "m" } }
                    label { "What should be different? Comments on lines go along."
                        textarea name="request" rows="3" { (about.kept) } }
                    button name="act" value="changes" { "Send the whole plan back" }
                    @if about.parts && about.obstacle.is_none() {
                        button name="act" value="parts" { "Approve what is ticked, send the rest back" }
                    }
                }
                @if about.obstacle.is_none() {
                    @if about.parts {
                        button #take-some name="act" value="selected" { "Approve what is ticked " kbd { "s" } }
                    }
                    button.primary #approve name="act" value="approve" {
                        "Approve " @if about.steps > 1 { "all " } kbd { "a" }
                    }
                }
            }
        }
    }
}

/// What can be done with a plan that no longer waits.
pub(super) fn afterwards(status: &StatusReport, project: &str, token: &str) -> Markup {
    let act = format!("/projects/{project}/plans/{}/decide", status.plan_id);
    let hidden = html! {
        input type="hidden" name="token" value=(token);
        input type="hidden" name="plan_hash" value=(status.plan_hash);
    };
    html! {
        section.decide #decide aria-label="what now" {
            div.left {
                @if matches!(status.status, PlanStatus::Expired | PlanStatus::UserApproved | PlanStatus::AutoApproved) {
                    form method="post" action=(act) { (hidden)
                        button name="act" value="renew" { "Renew " kbd { "w" } } }
                }
            }
            div.right {
                @if matches!(status.status, PlanStatus::UserApproved | PlanStatus::AutoApproved) {
                    form method="post" action=(act) { (hidden)
                        button.primary #run name="act" value="run" { "Run it now " kbd { "g" } } }
                }
                @if let Some(run) = &status.run_id {
                    a.button href={ "/projects/" (project) "/runs/" (run) } { "Its run" }
                }
            }
        }
    }
}
