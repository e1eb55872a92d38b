//! The page of one plan: what will happen, why a person is asked, everything it rests on,
//! the differences, and the ways to decide.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use exacta_core::judge::decide::{Kind, Reason};
use exacta_core::judge::examine::Examined;
use exacta_core::judge::score::Level;
use exacta_core::review::{
    Block, FileState, Obstacle, Part, PartKind, Review, ReviewedFile, RowKind,
};
use exacta_engine::gate::{PlanStatus, StatusReport};
use maud::{Markup, html};

use super::changes::{changes, choosable};
use super::decide::{self, Deciding};
use super::difference::Layout;
use super::frame::{self, Frame, Here, Notice, frame, meter, short};
use super::graph::{graph, nodes};
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
            data-expires=[view.status.expires_in_sec] data-passkey=[view.passkey.then_some("")] {
            (head(view))
            div.columns {
                aside.side { (tree::tree(&view.review.files)) (contents(view)) }
                div.read {
                    (why(view))
                    (life(view))
                    @if let Some(since) = view.since { (super::since::since(since)) }
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
    acts.extend(tools.iter().map(|(tool, calls)| match calls {
        1 => format!("calls {tool}"),
        more => format!("calls {tool} {more} times"),
    }));
    let (added, removed) =
        review.files.iter().fold((0, 0), |sum, file| (sum.0 + file.added, sum.1 + file.removed));
    let last = acts.pop();
    let acts = match (acts.is_empty(), last) {
        (_, None) => return "Running it changes nothing.".into(),
        (true, Some(last)) => last,
        (false, Some(last)) => format!("{} and {last}", acts.join(", ")),
    };
    let lines = if added + removed == 0 {
        String::new()
    } else {
        format!(" ({added} lines added, {removed} removed)")
    };
    format!("Running it {acts}{lines}.")
}

fn head(view: &PlanView<'_>) -> Markup {
    html! {
        section.headline aria-label="plan" {
            p.crumbs {
                (view.project.1) " · plan " code { (short(&view.status.plan_id)) } " · "
                (frame::status(view.status.status.as_str()))
                @if let Some(proposer) = view.proposer { " · from " strong { (proposer) } }
                " · " time data-time=(view.status.created_at) { (view.status.created_at) }
                @if let Some(left) = view.status.expires_in_sec {
                    " · " span.deadline data-left=(left) { "expires in " (span_of(left)) }
                }
            }
            h1 { (sentence(view.review, view.examined)) }
            p.goal title="words of whoever asked, not checked" { span.quiet { "Asked for: " } (view.goal) }
        }
    }
}

/// A span of seconds in words.
pub(super) fn span_of(seconds: u64) -> String {
    exacta_core::review::time(std::time::Duration::from_secs(seconds))
}

fn part(review: &Review, kind: PartKind) -> Option<&Part> {
    review.parts.iter().find(|part| part.kind == kind)
}

/// The rows of a part, without its heading.
fn rows(part: &Part) -> Markup {
    html! {
        @for block in &part.blocks {
            @if let Block::Rows(rows) = block {
                @for row in rows.iter().filter(|row| row.kind != RowKind::Heading && !row.spans.is_empty()) {
                    (words(row))
                }
            }
        }
    }
}

/// Why a person is asked: the first reason as a sentence, then all of them with evidence.
fn why(view: &PlanView<'_>) -> Markup {
    let Some(part) = part(view.review, PartKind::Why) else { return html! {} };
    let decision = view.examined.decision.as_ref();
    let kind = decision.map_or(Kind::Reject, |decision| decision.kind);
    let title = match kind {
        Kind::Wait => "Why you are asked",
        Kind::AutoNotify | Kind::AutoSilent => "Why nobody has to be asked",
        Kind::Reject => "Why the plan is refused",
    };
    // What the scores alone would do is not why somebody is asked, where there is a reason.
    let first = decision.and_then(|decision| {
        let told = |reason: &&Reason| kind != Kind::Wait || reason.to_pass.is_some();
        decision.reasons.iter().find(told).or_else(|| decision.reasons.first())
    });
    let first = first.map(|reason| reason.message.clone()).or_else(|| {
        let issue = view.examined.issues.iter().find(|issue| issue.is_error());
        issue.map(|issue| issue.message.clone())
    });
    html! {
        section.why aria-labelledby="why" {
            h2 #why { (title) }
            @if let Some(first) = first { p.sentence { (first) "." } }
            details open[view.waits()] { summary { "Every reason, with its evidence" } (rows(part)) }
        }
    }
}

/// What became of the plan, where it no longer waits.
fn life(view: &PlanView<'_>) -> Markup {
    let status = view.status;
    let link = |id: &str| format!("/projects/{}/plans/{id}", view.project.0);
    html! {
        @if let Some(why) = &status.ended_because {
            section.life { h2 { "What became of it" } p.pre { (why) }
                @if let Some(next) = &status.replaced_by {
                    p { "It goes on as " a href=(link(next)) { "plan " (short(next)) } "." }
                }
            }
        }
        @if let Some(why) = status.out_of_date.as_ref().filter(|_| view.waits()) {
            section.life.stale { h2 { "It does not fit the project any more" } p.pre { (why) }
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

/// Risk and quality.
fn scores(view: &PlanView<'_>) -> Markup {
    let Some(assessment) = &view.examined.assessment else { return html! {} };
    let (word, class) = match assessment.risk.level {
        Level::Low => ("low", "low"),
        Level::Medium => ("medium", "medium"),
        Level::High => ("high", "high"),
    };
    let quality = assessment.quality.overall;
    let good = match quality.get() {
        0..=599 => "high",
        600..=749 => "medium",
        _ => "low",
    };
    let body = |kind: PartKind| {
        part(view.review, kind).map(|part| html! {
            @for block in &part.blocks {
                @if let Block::Rows(rows) = block {
                    @for row in rows.iter().filter(|row| !row.spans.is_empty()).skip(1) { (words(row)) }
                }
            }
        })
    };
    html! {
        section.scores {
            div.score {
                h2 { "Risk " strong { (assessment.risk.score) } span.quiet { " of 100, " (word) } }
                (meter(assessment.risk.score, 100, class))
                @if let Some(body) = body(PartKind::Risk) { (body) }
            }
            div.score {
                h2 { "Quality " strong { (quality) } span.quiet { " of 1" } }
                (meter(quality.get(), 1000, good))
                @if let Some(body) = body(PartKind::Quality) { (body) }
            }
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
    let choose = view.waits() && view.review.obstacle.is_none() && steps.len() > 1;
    html! {
        section.steps aria-labelledby="steps" {
            h2 #steps { "Steps" span.quiet { " (" (steps.len()) ")" } }
            (graph(&nodes(steps)))
            ol {
                @for step in steps {
                    @let needs: Vec<&str> = step.needs.iter().filter_map(|need| steps.get(*need)).map(|step| step.id.as_str()).collect();
                    li data-step=(step.id) data-needs=(serde_json::to_string(&needs).unwrap_or_default()) {
                        @if steps.len() == 1 && view.waits() {
                            input type="hidden" form="parts" name="step" value=(step.id);
                        }
                        @if choose {
                            label.take { input type="checkbox" form="parts" name="step" value=(step.id) checked; " " code { (step.id) } }
                        } @else { code { (step.id) } }
                        @if !needs.is_empty() { span.quiet { " needs " (needs.join(", ")) } }
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
