//! The page of one plan: what will happen, why a person is asked, everything it rests on,
//! the differences, and the ways to decide.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use exacta_core::judge::examine::Examined;
use exacta_core::review::{FileState, Obstacle, PartKind, Review, ReviewedFile};
use exacta_core::text::shown::visible;
use exacta_engine::gate::{PlanStatus, StatusReport};
use maud::{Markup, html};

use super::changes::{changes, choosable};
use super::decide::{self, Deciding};
use super::difference::Layout;
use super::frame::{self, Frame, Here, Notice, frame, short, spelled};
use super::graph::{graph, nodes};
use super::reasons::{part, rows, scores, why};
use super::row::words;
use super::since::Since;
use super::tree;

/// Everything that the page of a plan shows.
pub(super) struct PlanView<'a> {
    /// The project's id and name.
    pub(super) project: (&'a str, &'a str),
    /// What to read.
    pub(super) review: &'a Review,
    /// What was found out.
    pub(super) examined: &'a Examined,
    /// Where the plan is in its life.
    pub(super) status: &'a StatusReport,
    /// What it is for, as the record keeps it.
    pub(super) goal: &'a str,
    /// Who handed it in.
    pub(super) proposer: Option<&'a str>,
    /// The operator's checks that run before anything is written.
    pub(super) checks: &'a [String],
    /// How many lines each image after has, by file and step.
    pub(super) lengths: &'a BTreeMap<(String, Option<String>), usize>,
    /// How differences are laid out.
    pub(super) layout: Layout,
    /// What changed since the plan that this one answers.
    pub(super) since: Option<&'a Since>,
    /// Whether policy and program still find what they found when it was made.
    pub(super) same: bool,
    /// The word that forms carry.
    pub(super) token: &'a str,
    /// What just happened.
    pub(super) notice: Option<&'a Notice>,
    /// What a form that was refused had in it.
    pub(super) kept: Option<&'a str>,
    /// Whether files can be opened in an editor.
    pub(super) editor: bool,
    /// Whether a passkey signs what is approved.
    pub(super) passkey: bool,
    /// The intent that it serves.
    pub(super) intent: &'a str,
    /// A word for what each step does, by its id: the same as long as it does the same.
    pub(super) marks: &'a BTreeMap<String, String>,
}

impl PlanView<'_> {
    /// Where the plan's page is.
    pub(super) fn href(&self) -> String {
        format!("/projects/{}/plans/{}", self.project.0, self.status.plan_id)
    }

    /// Whether somebody can still decide on it.
    pub(super) fn waits(&self) -> bool {
        matches!(self.status.status, PlanStatus::Pending | PlanStatus::Paused)
    }
}

/// The whole page.
#[must_use]
pub(super) fn plan(view: &PlanView<'_>) -> Markup {
    let title = format!("Plan {}", short(&view.status.plan_id));
    let about = Frame {
        title: &title,
        here: Here::Plan,
        project: Some(view.project),
        notice: view.notice,
        kind: "plan",
    };
    let body = html! {
        div.plan data-plan=(view.status.plan_id) data-hash=(view.status.plan_hash)
            data-state=(view.status.status.as_str()) data-project=(view.project.0)
            data-intent=(view.intent)
            data-expires=[view.status.expires_in_sec] data-passkey=[view.passkey.then_some("")] {
            (head(view))
            div.columns.alone[view.review.files.is_empty()] {
                div.first {
                    (why(view))
                    (life(view))
                    @if let Some(since) = view.since { (super::since::since(since)) }
                }
                aside.side { (tree::tree(&view.review.files)) (contents(view)) }
                div.read {
                    (scores(view))
                    (facts(view))
                    (steps(view))
                    (changes(view))
                    (rest(view))
                }
            }
            @if view.waits() {
                (decide::decide(&Deciding {
                    href: &view.href(),
                    hash: &view.status.plan_hash.to_string(),
                    token: view.token,
                    obstacle: obstacle(view).as_deref(),
                    steps: view.review.steps.len(),
                    parts: has_parts(view.review),
                    kept: view.kept.unwrap_or_default(),
                }))
            } @else { (decide::afterwards(view.status, view.project.0, view.token)) }
        }
    };
    frame(&about, &body)
}

/// Why nothing can be approved, in words.
fn obstacle(view: &PlanView<'_>) -> Option<String> {
    let words = match view.review.obstacle? {
        Obstacle::Refused => "this plan was refused and cannot be approved".into(),
        Obstacle::MissingImage => {
            "an image is missing, so what would be written cannot be shown or approved".into()
        }
        Obstacle::Stale => {
            let why = view.review.stale.as_deref().unwrap_or("the project changed");
            format!("it cannot be approved any more: {why}")
        }
    };
    Some(words)
}

/// Whether there is anything to choose from.
fn has_parts(review: &Review) -> bool {
    review.steps.len() > 1 || review.files.iter().any(|file| choosable(review, file).is_some())
}

/// What will happen, in one sentence, from the effects alone.
pub(super) fn sentence(review: &Review, examined: &Examined) -> String {
    let mut acts: Vec<String> = Vec::new();
    for (state, verb) in [
        (FileState::Created, "creates"),
        (FileState::Modified, "changes"),
        (FileState::RenamedFrom, "renames"),
        (FileState::Deleted, "deletes"),
    ] {
        let files: Vec<&ReviewedFile> =
            review.files.iter().filter(|file| file.state == state).collect();
        match files.as_slice() {
            [] => {}
            [one] => acts.push(format!("{verb} {}", one.path)),
            several => acts.push(format!("{verb} {} files", several.len())),
        }
    }
    let tools = &examined.estimates.estimated_tool_calls;
    let calls = tools.iter().map(|(tool, calls)| match calls {
        1 => tool.clone(),
        more => format!("{tool} {more} times"),
    });
    acts.extend(listed(calls.collect()).map(|calls| format!("calls {calls}")));
    let (added, removed) =
        review.files.iter().fold((0, 0), |sum, file| (sum.0 + file.added, sum.1 + file.removed));
    let Some(acts) = listed(acts) else { return "Running it changes nothing.".into() };
    let lines = |count: u64| if count == 1 { "1 line".into() } else { format!("{count} lines") };
    let lines = match (added, removed) {
        (0, 0) => String::new(),
        (added, 0) => format!(" ({} added)", lines(added)),
        (0, removed) => format!(" ({} removed)", lines(removed)),
        (added, removed) => format!(" ({} added, {removed} removed)", lines(added)),
    };
    format!("Running it {acts}{lines}.")
}

/// Words one after the other, as a sentence lists them.
fn listed(mut words: Vec<String>) -> Option<String> {
    let last = words.pop()?;
    Some(if words.is_empty() { last } else { format!("{} and {last}", words.join(", ")) })
}

fn head(view: &PlanView<'_>) -> Markup {
    html! {
        section.headline aria-label="plan" {
            p.crumbs {
                (view.project.1) " · plan " code { (short(&view.status.plan_id)) } " · "
                (frame::status(view.status.status.as_str()))
                @if let Some(proposer) = view.proposer { " · from " strong { (proposer) } }
                " · " (frame::time(&view.status.created_at))
                @if let Some(left) = view.status.expires_in_sec {
                    " · " span.deadline data-left=(left) { "expires in " (span_of(left)) }
                }
                " · " a href={ "/projects/" (view.project.0) "/record?intent=" (view.intent) } title="everything on the record that belongs to this request" { "history" }
            }
            h1 { (sentence(view.review, view.examined)) }
            p.goal title="words of whoever asked, not checked" { span.quiet { "Asked for: " } (visible(view.goal.as_bytes())) }
        }
    }
}

/// A span of seconds in words.
pub(super) fn span_of(seconds: u64) -> String {
    exacta_core::review::time(std::time::Duration::from_secs(seconds))
}

/// What became of the plan, where it no longer waits.
fn life(view: &PlanView<'_>) -> Markup {
    let status = view.status;
    let link = |id: &str| format!("/projects/{}/plans/{id}", view.project.0);
    html! {
        @if let Some(why) = &status.ended_because {
            section.life { h2 { "What became of it" } p.pre { (spelled(why)) }
                @if let Some(next) = &status.replaced_by {
                    p { "It goes on as " a href=(link(next)) { "plan " (short(next)) } "." }
                }
            }
        }
        @if let Some(why) = status.out_of_date.as_ref().filter(|_| view.waits()) {
            section.life.stale { h2 { "It does not fit the project any more" } p.pre { (spelled(why)) }
                p { "Renewing it makes a fresh plan of the same draft for the files as they are." } }
        }
        @if let Some(parent) = &status.parent {
            p.quiet { "Made in place of " a href=(link(parent)) { "plan " (short(parent)) } "." }
        }
        @if !view.same {
            p.quiet { "Policy or program changed since it was judged; the scores on the record count." }
        }
    }
}

/// Constraints, checks, how long it takes, what it costs.
fn facts(view: &PlanView<'_>) -> Markup {
    let estimates = &view.examined.estimates;
    let constraints = part(view.review, PartKind::Constraints);
    let model = estimates.estimated_tokens > 0;
    html! {
        section.facts {
            div {
                h2 { "Constraints" }
                @if let Some(part) = constraints { (rows(part)) } @else { p.row { "none" } }
            }
            div {
                h2 { "Checks" }
                @if view.checks.is_empty() { p.row { "none are named by policy" } }
                @else {
                    p.row { "run on a private copy before anything is written:" }
                    ul { @for check in view.checks { li { code { (check) } } } }
                }
            }
            div {
                h2 { "Time and cost" }
                p.row { "about " (span_of(estimates.estimated_runtime_sec)) }
                @if model {
                    p.row { (estimates.estimated_tokens) " tokens, "
                        (exacta_core::review::usd(estimates.estimated_cost_micro_usd)) }
                }
            }
        }
    }
}

/// The steps with their graph, each with the box that takes it.
fn steps(view: &PlanView<'_>) -> Markup {
    let steps = &view.review.steps;
    let comments = view.waits() && view.review.obstacle.is_none();
    let choose = comments && steps.len() > 1;
    html! {
        section.steps aria-labelledby="steps" {
            h2 #steps { "Steps" span.quiet { " (" (steps.len()) ")" } }
            (graph(&nodes(steps)))
            ol {
                @for (index, step) in steps.iter().enumerate() {
                    @let needs: Vec<&str> = step.needs.iter().filter_map(|need| steps.get(*need)).map(|step| step.id.as_str()).collect();
                    li data-step=(step.id) data-needs=(serde_json::to_string(&needs).unwrap_or_default())
                        data-mark=[view.marks.get(&step.id)] {
                        @if steps.len() == 1 && view.waits() {
                            input type="hidden" form="parts" name="step" value=(step.id);
                        }
                        @if choose {
                            label.take { input type="checkbox" form="parts" name="step" value=(step.id) checked; " " code { (step.id) } }
                        } @else { code { (step.id) } }
                        @if !needs.is_empty() { span.quiet { " needs " (needs.join(", ")) } }
                        @if comments {
                            details.comment { summary { "Comment" }
                                input type="hidden" form="parts" name="place" value={ "step:" (step.id) };
                                label.hide for={ "s" (index) } { "Comment on step " (step.id) }
                                textarea id={ "s" (index) } form="parts" name="comment" rows="2" {}
                            }
                        }
                        @for effect in &step.effects { (words(effect)) }
                    }
                }
            }
            p.closure.quiet aria-live="polite" {}
            @if let Some(part) = part(view.review, PartKind::Steps).filter(|_| calls_tools(view)) {
                details open { summary { "What the tools are called with" } (rows(part)) }
            }
        }
    }
}

fn calls_tools(view: &PlanView<'_>) -> bool {
    !view.examined.estimates.estimated_tool_calls.is_empty()
}

/// The planner's words, images by name, ids.
fn rest(view: &PlanView<'_>) -> Markup {
    let of = |kind: PartKind| part(view.review, kind);
    html! {
        @if let Some(part) = of(PartKind::Intent) {
            section.untrusted { h2 { "What was asked for, as it was handed in" } (rows(part)) }
        }
        @if let Some(part) = of(PartKind::Words) {
            section.untrusted {
                h2 { "The planner's words" }
                p.quiet { "Untrusted: nothing below was checked or decides what runs." }
                (rows(part))
            }
        }
        section {
            details { summary { "Names and hashes" }
                @if let Some(part) = of(PartKind::Names) { (rows(part)) }
                @if let Some(part) = of(PartKind::Files) { (rows(part)) }
            }
        }
    }
}

/// What can be jumped to besides files.
fn contents(view: &PlanView<'_>) -> Markup {
    html! {
        nav.contents aria-label="parts" {
            a href="#why" { "Why" } " " a href="#steps" { "Steps" } " "
            @if !view.review.files.is_empty() { a href="#changes" { "Changes" } }
            @if view.waits() { " " a href="#decide" { "Decide" } }
        }
    }
}

/// A text as a value in an address.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' => {
                out.push(char::from(byte));
            }
            other => {
                // Writing to a string cannot fail.
                let _ = write!(out, "%{other:02X}");
            }
        }
    }
    out
}
