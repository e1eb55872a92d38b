//! The record of a project: everything that happened, whether it hangs together, and a
//! checkpoint to keep elsewhere.

use std::collections::BTreeSet;

use exacta_core::judge::score::Thousandths;
use exacta_core::model::digest::Digest;
use exacta_core::record::{Entry, Event, RunKind};
use exacta_core::text::shown::visible;
use exacta_engine::gate::{Gate, GateError, RecordHead};
use exacta_engine::machine::time_text;
use maud::{Markup, html};
use serde::Serialize;

use super::frame::{Frame, Here, Notice, frame, short, time as frame_time};
use super::plan::escaped;

/// One entry, in words.
pub(super) struct Line {
    /// Its number.
    pub(super) seq: u64,
    /// When.
    pub(super) time: String,
    /// What.
    pub(super) event: &'static str,
    /// Who.
    pub(super) actor: String,
    /// The plan it is about.
    pub(super) plan_id: Option<String>,
    /// The run it is about.
    pub(super) run_id: Option<String>,
    /// More about it.
    pub(super) detail: String,
}

/// Everything that the page of a record shows.
pub(super) struct RecordView<'a> {
    /// The project's id and name.
    pub(super) project: (&'a str, &'a str),
    /// The entries, newest first.
    pub(super) lines: &'a [Line],
    /// How many there are in all.
    pub(super) entries: u64,
    /// The link of the newest one.
    pub(super) head: &'a str,
    /// What is shown: all, or what belongs to one intent.
    pub(super) of: Option<&'a str>,
    /// Where older entries begin, if there are any that are not listed.
    pub(super) older: Option<u64>,
    /// Whether it was verified just now: the problems, each in a sentence.
    pub(super) verified: Option<&'a [String]>,
    /// What just happened.
    pub(super) notice: Option<&'a Notice>,
}

/// The whole page.
#[must_use]
pub(super) fn record(view: &RecordView<'_>) -> Markup {
    let title = format!("Record of {}", view.project.1);
    let about = Frame {
        title: &title,
        here: Here::Record,
        project: Some(view.project),
        notice: view.notice,
        kind: "record",
    };
    let base = format!("/projects/{}", view.project.0);
    let body = html! {
        div.bar {
            h1 { "Record" }
            a.button href={ (base) "/record?verify=yes" } data-key="v" { "Verify " kbd { "v" } }
            a.button href={ (base) "/checkpoint" } download="checkpoint.json" { "Download a checkpoint" }
        }
        p { (view.entries) " entries; the newest link is " code.break { (view.head) } "." }
        @match view.verified {
            None => {}
            Some([]) => { p.notice.good role="status" { strong { "The record hangs together." } " Every entry, signature and stored object was looked at." } }
            Some(problems) => {
                div.notice.bad role="alert" { p { strong { "The record does not hang together." } }
                    ul { @for problem in problems.iter() { li { (problem) } } } }
            }
        }
        @if let Some(of) = view.of {
            p { "Only what belongs to " code { (visible(of.as_bytes())) } ". " a href={ (base) "/record" } { "Show everything" } }
        }
        ol.timeline {
            @for line in view.lines {
                li value=(line.seq) {
                    (frame_time(&line.time)) " " strong { (line.event) } " " span.quiet { (line.actor) }
                    @if let Some(plan) = &line.plan_id { " " a href={ (base) "/plans/" (plan) } { "plan " (short(plan)) } }
                    @if let Some(run) = &line.run_id { " " a href={ (base) "/runs/" (run) } { "run " (short(run)) } }
                    @if !line.detail.is_empty() { p.row { (line.detail) } }
                }
            }
        }
        @if let Some(older) = view.older {
            @let intent = view.of.map(|of| format!("&intent={}", escaped(of))).unwrap_or_default();
            p { a.button href={ (base) "/record?before=" (older) (intent) } data-key="o" { "Older entries " kbd { "o" } } }
        }
    };
    frame(&about, &body)
}

/// What of a record somebody wants to see.
#[derive(Debug, Default)]
pub(super) struct Look<'a> {
    /// Whether to verify all of it.
    pub(super) verify: bool,
    /// Only what belongs to this intent.
    pub(super) intent: Option<&'a str>,
    /// Only entries before this one.
    pub(super) before: Option<u64>,
}

/// The most entries that the page lists; the newest count.
const MOST: usize = 500;

/// Where a record stands, to be kept elsewhere; what `exacta verify --against` takes.
#[derive(Debug, Serialize)]
pub(super) struct Checkpoint {
    format: &'static str,
    project: String,
    entries: u64,
    head: Digest,
    time: String,
}

impl Checkpoint {
    pub(super) fn of(head: &RecordHead, wall_ms: u64) -> Self {
        Self {
            format: "exacta/checkpoint/v1",
            project: head.project.to_string(),
            entries: head.entries,
            head: head.head,
            time: time_text(wall_ms),
        }
    }
}

/// The page of a record.
pub(super) fn page(
    gate: &Gate<'_>,
    project: &(String, String),
    look: &Look<'_>,
) -> Result<Markup, GateError> {
    gate.refresh()?;
    let mut entries = gate.entries()?;
    if let Some(intent) = look.intent {
        let mine =
            gate.plans().into_iter().filter(|plan| plan.created.correlation_id.as_str() == intent);
        let plans: BTreeSet<String> = mine.map(|plan| plan.id().to_string()).collect();
        let runs = gate.runs().into_iter().filter(|run| plans.contains(run.plan_id.as_str()));
        let runs: BTreeSet<String> = runs.map(|run| run.run_id.to_string()).collect();
        entries.retain(|entry| {
            entry.event.plan_id().is_some_and(|plan| plans.contains(plan.as_str()))
                || entry.event.run_id().is_some_and(|run| runs.contains(run.as_str()))
        });
    }
    if let Some(before) = look.before {
        entries.retain(|entry| entry.seq < before);
    }
    let listed = entries.len().saturating_sub(MOST);
    let older = entries.get(listed).filter(|_| listed > 0).map(|oldest| oldest.seq);
    let lines: Vec<Line> = entries.iter().rev().take(MOST).map(|entry| line(gate, entry)).collect();
    let verified = if look.verify {
        let report = gate.verify(&[])?;
        let problem = |one: &exacta_engine::log::Problem| visible(one.message.as_bytes());
        Some(report.problems.iter().map(problem).collect::<Vec<String>>())
    } else {
        None
    };
    let head = gate.head();
    Ok(record(&RecordView {
        project: (&project.0, &project.1),
        lines: &lines,
        entries: head.entries,
        head: &head.head.to_string(),
        of: look.intent,
        older,
        verified: verified.as_deref(),
        notice: None,
    }))
}

fn line(gate: &Gate<'_>, entry: &Entry) -> Line {
    let event = &entry.event;
    Line {
        seq: entry.seq,
        time: entry.time.clone(),
        event: event.name(),
        actor: visible(entry.actor.name.as_bytes()),
        plan_id: event.plan_id().map(ToString::to_string),
        run_id: event.run_id().map(ToString::to_string),
        detail: visible(detail(gate, event).as_bytes()),
    }
}

/// More about an entry.
fn detail(gate: &Gate<'_>, event: &Event) -> String {
    match event {
        Event::Refused { codes, .. } => codes.join(", "),
        Event::PlanCreated(created) => created.goal.clone(),
        Event::PlanEvaluated { decision, quality, risk, .. } => {
            let risk = risk.map_or_else(|| "-".into(), |risk| risk.to_string());
            let quality = quality.map(|quality| Thousandths::new(quality).to_string());
            let quality = quality.unwrap_or_else(|| "-".into());
            format!("{}, risk {risk}, quality {quality}", decision.as_str())
        }
        Event::PlanApproved { approval, .. } => {
            let how = serde_json::to_value(approval.assurance).unwrap_or_default();
            format!("by {}", how.as_str().unwrap_or_default())
        }
        Event::PlanRejected { reason, .. } => reason.clone(),
        Event::PlanExpired { cause, .. } => cause.to_string(),
        Event::RunStarted { kind, .. } | Event::UndoApproved { kind, .. } => match kind {
            RunKind::Plan => String::new(),
            RunKind::Undo { of } => format!("takes back run {}", short(of.as_str())),
            RunKind::Redo { of } => format!("takes back the undo {}", short(of.as_str())),
        },
        Event::PlanExecuted { run_id, status, .. } => {
            let why = gate.run_named(run_id).ok().and_then(|run| gate.why(&run));
            let why = why.as_deref().and_then(|why| why.lines().next());
            let why = why.map_or_else(String::new, |why| format!(": {why}"));
            format!("{}{why}", status.as_str())
        }
        Event::StepStarted { step_id, .. }
        | Event::StepFinished { step_id, .. }
        | Event::StepUnknown { step_id, .. }
        | Event::StepDecided { step_id, .. }
        | Event::StepResolved { step_id, .. } => step_id.to_string(),
        _ => String::new(),
    }
}
