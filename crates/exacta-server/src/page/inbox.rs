//! The inbox: what waits, runs, is done or is over, in every project of this server.

use exacta_core::text::shown::visible;
use exacta_engine::gate::{Gate, GateError, PlanStatus};
use exacta_engine::machine::{Machine as _, ThisMachine};
use maud::{Markup, html};

use super::frame::{self, Frame, Here, Notice, frame, short};
use super::plan::span_of;

/// One plan of the inbox.
pub(super) struct Item {
    /// The project's id and name.
    pub(super) project: (String, String),
    /// The plan.
    pub(super) plan_id: String,
    /// What it is for; words of whoever asked.
    pub(super) goal: String,
    /// Its status.
    pub(super) status: PlanStatus,
    /// Its risk.
    pub(super) risk: Option<u32>,
    /// Its quality, as people read it.
    pub(super) quality: Option<String>,
    /// When it came in.
    pub(super) created_at: String,
    /// How old it is, in seconds.
    pub(super) age: Option<u64>,
    /// How long it can still be decided or run, in seconds.
    pub(super) left: Option<u64>,
    /// Why it can no longer be approved or run.
    pub(super) out_of_date: Option<String>,
    /// Its run.
    pub(super) run_id: Option<String>,
    /// Whether the run was taken back.
    pub(super) undone: bool,
    /// Who handed it in.
    pub(super) proposer: Option<String>,
}

/// A project of this server.
pub(super) struct Listed {
    /// Its id and name.
    pub(super) project: (String, String),
    /// Where it lies.
    pub(super) path: String,
    /// Why its plans cannot be listed.
    pub(super) fault: Option<String>,
}

/// The most plans of a group that are listed; older ones are on the record's page.
const MOST: usize = 100;

/// Which group a plan belongs to.
const fn group(status: PlanStatus) -> usize {
    match status {
        PlanStatus::Pending | PlanStatus::Paused | PlanStatus::Waiting => 0,
        PlanStatus::Running | PlanStatus::AutoApproved | PlanStatus::UserApproved => 1,
        PlanStatus::Executed
        | PlanStatus::RolledBack
        | PlanStatus::Failed
        | PlanStatus::Unknown => 2,
        PlanStatus::Rejected | PlanStatus::Expired | PlanStatus::ChangesRequested => 3,
    }
}

const GROUPS: [(&str, &str); 4] = [
    ("Waiting for you", "Nothing waits for you."),
    ("Approved or running", "Nothing is approved or running."),
    ("Done", "Nothing has run yet."),
    ("Over", "Nothing was rejected or expired."),
];

/// The whole page.
#[must_use]
pub(super) fn inbox(items: &[Item], projects: &[Listed], notice: Option<&Notice>) -> Markup {
    let waiting = items.iter().filter(|item| group(item.status) == 0).count();
    let title = if waiting > 0 { format!("({waiting}) Inbox") } else { "Inbox".into() };
    let about = Frame { title: &title, here: Here::Inbox, project: None, notice, kind: "inbox" };
    let body = html! {
        div.bar {
            h1 { "Inbox" }
            button type="button" data-notify hidden { "Tell me when a plan waits" }
        }
        @for one in projects {
            @if let Some(fault) = &one.fault {
                div.notice.bad role="alert" { p { strong { "The plans of " (one.project.1) " cannot be listed." } } p { (fault) } }
            }
        }
        div #inbox data-waiting=(waiting) { (lists(items)) }
        section.projects aria-labelledby="projects" {
            h2 #projects { "Projects" }
            ul {
                @for Listed { project: (id, name), path, .. } in projects {
                    li { strong { (name) } " " span.quiet.break { (path) } " "
                        a href={ "/projects/" (id) "/record" } aria-label={ "record of " (name) } { "record" } " "
                        a href={ "/projects/" (id) "/policy" } aria-label={ "policy of " (name) } { "policy" } }
                }
            }
        }
    };
    frame(&about, &body)
}

/// The lists alone, for a page that is open already.
#[must_use]
pub(super) fn lists(items: &[Item]) -> Markup {
    html! {
        @if items.is_empty() { (first_steps()) }
        @for (index, (title, none)) in GROUPS.iter().enumerate() {
            @let mine: Vec<&Item> = items.iter().filter(|item| group(item.status) == index).collect();
            section.group.empty[mine.is_empty()] aria-label=(title) {
                h2 { (title) " " span.count { (mine.len()) } }
                @if mine.is_empty() { p.quiet { (none) } } @else {
                    ul.items { @for item in mine.iter().take(MOST) { (row(item)) } }
                    @if mine.len() > MOST { p.quiet { (mine.len() - MOST) " older ones are on the record" } }
                }
            }
        }
    }
}

/// How a plan comes here, for whoever sees the room for the first time.
fn first_steps() -> Markup {
    html! {
        section.first-steps aria-labelledby="first-steps" {
            h2 #first-steps { "No plan has come in yet" }
            p { "What agents and people hand in appears here by itself. Nothing of it happens before it is checked, and what is not safe enough waits for you." }
            dl {
                dt { code { "exacta connect AGENT" } } dd { "has a coding agent hand in what it wants to do" }
                dt { code { "git diff | exacta propose" } } dd { "hands in a patch of yours, or of anybody" }
                dt { code { "exacta propose --branch NAME" } } dd { "hands in what merging a branch would do" }
                dt { code { "exacta demo --web" } } dd { "shows a room on a sample project, with a plan in every state" }
            }
        }
    }
}

fn row(item: &Item) -> Markup {
    let href = format!("/projects/{}/plans/{}", item.project.0, item.plan_id);
    html! {
        li.item {
            a.go href=(href) { span.goal { (visible(item.goal.as_bytes())) } }
            span.score {
                @if item.status != PlanStatus::Pending { (frame::status(item.status.as_str())) }
                @if item.undone { span.state.over { "undone" } }
                @if group(item.status) == 0 || group(item.status) == 1 { (frame::risk(item.risk)) }
            }
            span.meta {
                span.project { (item.project.1) }
                code { (short(&item.plan_id)) }
                @if let Some(quality) = &item.quality { span.quiet { "quality " (quality) } }
                @if let Some(proposer) = &item.proposer { span.quiet { "from " (proposer) } }
                @if let Some(age) = item.age {
                    time.quiet datetime=(item.created_at) title=(item.created_at) { (span_of(age)) " ago" }
                }
                @if let Some(why) = &item.out_of_date { span.warn { "out of date: " (why) } }
                @if let Some(run) = &item.run_id {
                    a href={ "/projects/" (item.project.0) "/runs/" (run) } { "its run" }
                }
            }
            @if let Some(left) = item.left { span.deadline data-left=(left) { "expires in " (span_of(left)) } }
        }
    }
}

/// Every plan of a project, as the inbox lists it.
pub(super) fn items(gate: &Gate<'_>, project: &(String, String)) -> Result<Vec<Item>, GateError> {
    gate.refresh()?;
    let mut list = gate.list()?;
    gate.compare_with_files(&mut list);
    let now = ThisMachine.now()?;
    let mut items = Vec::new();
    for plan in list.0 {
        let entry = gate.plan_named(&plan.plan_id)?;
        let live = plan.can_still_run();
        items.push(Item {
            project: project.clone(),
            plan_id: plan.plan_id.to_string(),
            goal: plan.goal,
            status: plan.status,
            risk: plan.risk,
            quality: plan.quality.map(|quality| quality.to_string()),
            age: age(&plan.created_at, now.wall_ms),
            created_at: plan.created_at,
            left: live.then(|| entry.created.deadline.left(&now) / 1000),
            out_of_date: plan.out_of_date,
            run_id: plan.run_id.map(|run| run.to_string()),
            undone: plan.undone_by.is_some(),
            proposer: entry.created.proposer,
        });
    }
    Ok(items)
}

/// How many seconds ago a time of the record is.
fn age(time: &str, now_ms: u64) -> Option<u64> {
    let then: jiff::Timestamp = time.parse().ok()?;
    let then = u64::try_from(then.as_millisecond()).ok()?;
    Some(now_ms.saturating_sub(then) / 1000)
}
