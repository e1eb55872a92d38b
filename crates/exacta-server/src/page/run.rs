//! The page of one run: how far each step came, what it put out, the receipt, and the way back.

use exacta_core::life::ledger::{RunEntry, RunStage};
use exacta_core::model::change::{NetChange, net};
use exacta_core::model::id::RunId;
use exacta_core::model::plan::Action;
use exacta_core::read::validate::graph as graph_of;
use exacta_core::record::{RunKind, StepEnd};
use exacta_core::text::shown::visible;
use exacta_engine::gate::{Gate, GateError, Shown, StepQuestion};
use maud::{Markup, html};

use super::frame::{Frame, Here, Notice, frame, short, time};
use super::graph::{Node, graph};

/// One step of a run.
pub(super) struct RunStep {
    /// Its id, as it is shown.
    pub(super) id: String,
    /// Its id, as the plan has it.
    pub(super) raw: String,
    /// The steps it needs, by their places.
    pub(super) needs: Vec<usize>,
    /// What it does.
    pub(super) says: String,
    /// What it put out, if anything, as text.
    pub(super) output: Option<String>,
    /// What a person is asked before it acts.
    pub(super) asks: Option<StepQuestion>,
    /// Whether what became of it is not known.
    pub(super) unknown: bool,
}

/// Everything that the page of a run shows.
pub(super) struct RunView<'a> {
    /// The project's id and name.
    pub(super) project: (&'a str, &'a str),
    /// What the record says about it.
    pub(super) run: &'a RunEntry,
    /// The plan's hash: what an undo names.
    pub(super) plan_hash: &'a str,
    /// The steps of its plan.
    pub(super) steps: &'a [RunStep],
    /// The result list as JSON, once there is one.
    pub(super) results: Option<&'a serde_json::Value>,
    /// Why it did not complete.
    pub(super) why: Option<&'a str>,
    /// The run that took it back.
    pub(super) undone_by: Option<&'a str>,
    /// The files of the plan with what became of them.
    pub(super) files: &'a [(String, &'static str)],
    /// What stands in the way of an undo that was tried.
    pub(super) conflicts: &'a [String],
    /// The word that forms carry.
    pub(super) token: &'a str,
    /// Whether a passkey signs what is let happen.
    pub(super) passkey: bool,
    /// What just happened.
    pub(super) notice: Option<&'a Notice>,
}

/// How a run stands, in words: a class and a sentence.
fn standing(run: &RunEntry) -> (&'static str, &'static str) {
    match (run.stage, run.state().map(exacta_core::life::ledger::RunState::as_str)) {
        (_, Some("completed")) | (RunStage::Completed, None) => {
            ("done", "Everything it promised is done.")
        }
        (_, Some("rolled_back")) | (RunStage::Aborted, None) => {
            ("no", "It was rolled back: every file is as it was.")
        }
        (_, Some("partial")) => {
            ("no", "Some steps were skipped; the others did what they promised.")
        }
        (_, Some("failed")) => ("no", "A step failed; what the others did stays."),
        (_, Some("blocked")) => ("no", "Nothing could start."),
        (_, Some(_)) => ("wait", "Whether a step happened is not known: its answer was lost."),
        (_, None) if run.waiting_steps().next().is_some() => {
            ("ask", "A step waits for you before it acts.")
        }
        (_, None) if run.cancelled => ("go", "It was asked to stop."),
        (_, None) => ("go", "It is under way."),
    }
}

/// How a step stands.
fn step_state(run: &RunEntry, id: &str) -> (&'static str, &'static str) {
    if let Some(step) = run.steps.get(id) {
        if step.unknown {
            return ("wait", "what happened is not known");
        }
        if step.waits() && run.status.is_none() {
            return ("ask", "waits for you");
        }
        return match step.end {
            Some(StepEnd::Ok) => ("done", "done"),
            Some(StepEnd::Failed) => ("no", "failed"),
            Some(StepEnd::Skipped) => ("over", "skipped"),
            Some(StepEnd::Suppressed) => ("over", "suppressed"),
            Some(StepEnd::Declined) => ("no", "declined"),
            Some(StepEnd::Cancelled) => ("over", "cancelled"),
            Some(StepEnd::Compensated) => ("over", "taken back"),
            None if step.attempts == 0 => ("wait", "waits"),
            None => ("go", "running"),
        };
    }
    match (run.stage, run.status.is_some()) {
        (RunStage::Completed, _) => ("done", "done"),
        (RunStage::Aborted, _) => ("over", "rolled back"),
        (_, true) => ("over", "not started"),
        (_, false) if run.begun => ("", "not yet"),
        (_, false) => ("go", "under way"),
    }
}

/// The whole page.
#[must_use]
pub(super) fn run(view: &RunView<'_>) -> Markup {
    let run = view.run;
    let title = format!("Run {}", short(&run.run_id));
    let about = Frame {
        title: &title,
        here: Here::Run,
        project: Some(view.project),
        notice: view.notice,
        kind: "run",
    };
    let (class, says) = standing(run);
    let under_way =
        run.state().is_none() && !matches!(run.stage, RunStage::Completed | RunStage::Aborted);
    let plan_href = format!("/projects/{}/plans/{}", view.project.0, run.plan_id);
    let run_href = |id: &str| format!("/projects/{}/runs/{id}", view.project.0);
    let nodes: Vec<Node> = view
        .steps
        .iter()
        .map(|step| Node {
            id: step.id.clone(),
            needs: step.needs.clone(),
            state: Some(step_state(run, &step.raw).0),
            says: step.says.clone(),
        })
        .collect();
    let body = html! {
        div.run data-run=(run.run_id) data-project=(view.project.0) data-under-way[under_way] {
            p.crumbs { (view.project.1) " · run " code { (short(&run.run_id)) } " of "
                a href=(plan_href) { "plan " (short(&run.plan_id)) } " · " (time(&run.time)) }
            h1 { span class={ "state " (class) } { (class_word(class)) } " " (says) }
            @match &run.kind {
                RunKind::Plan => {}
                RunKind::Undo { of } => { p { "It takes back " a href=(run_href(of)) { "run " (short(of)) } "." } }
                RunKind::Redo { of } => { p { "It takes back the undo " a href=(run_href(of)) { (short(of)) } "." } }
            }
            @if let Some(why) = view.why { section.life { h2 { "Why it did not complete" } p.pre { (visible(why.as_bytes())) } } }
            @if let Some(by) = view.undone_by { p { "It was taken back by " a href=(run_href(by)) { "run " (short(by)) } "." } }
            @if !view.conflicts.is_empty() {
                section.life.stale.conflicts { h2 { "It cannot be taken back as it is" }
                    p { "These files were changed since. Nothing was touched." }
                    ul { @for conflict in view.conflicts { li { (conflict) } } }
                }
            }
            section.steps {
                h2 { "Steps" }
                (graph(&nodes))
                ol {
                    @for step in view.steps {
                        @let (class, word) = step_state(run, &step.raw);
                        li {
                            code { (step.id) } " " span class={ "state " (class) } { (word) }
                            p.row { (step.says) }
                            @if let Some(reason) = run.steps.get(step.raw.as_str()).and_then(|one| one.reason.as_deref()) { p.row.quiet { (reason) } }
                            @if let Some(output) = &step.output {
                                details { summary { "What it put out" } pre.words { (output) } }
                            }
                            @if let Some(question) = &step.asks { (asks(view, question)) }
                            @if step.unknown { (lost(view, &step.raw)) }
                        }
                    }
                }
            }
            @if !view.files.is_empty() {
                section { h2 { "Receipt" }
                    table.plain { thead { tr { th { "file" } th { "what became of it" } } }
                        tbody { @for (path, what) in view.files { tr { td { code { (path) } } td { (what) } } } } }
                }
            }
            @if let Some(results) = view.results {
                section { details { summary { "Result list" } pre { (serde_json::to_string_pretty(results).unwrap_or_default()) } } }
            }
            section.decide aria-label="what now" {
                div.left {
                    @if under_way && !run.cancelled { (button(view, "cancel", "Cancel the run", "x")) }
                }
                div.right {
                    @if run.stage == RunStage::Completed && view.undone_by.is_none() && !run.forgotten {
                        @if matches!(run.kind, RunKind::Undo { .. }) { (button(view, "redo", "Redo", "u")) }
                        @else { (button(view, "undo", "Undo", "u")) }
                    }
                    a.button href=(plan_href) { "The plan" }
                }
            }
        }
    };
    frame(&about, &body)
}

const fn class_word(class: &str) -> &'static str {
    match class.as_bytes() {
        b"done" => "done",
        b"no" => "not done",
        b"go" => "running",
        b"ask" => "waits for you",
        _ => "unknown",
    }
}

fn button(view: &RunView<'_>, act: &str, words: &str, key: &str) -> Markup {
    html! {
        form method="post" action={ "/projects/" (view.project.0) "/runs/" (view.run.run_id) "/act" } {
            input type="hidden" name="token" value=(view.token);
            input type="hidden" name="plan_hash" value=(view.plan_hash);
            @if view.passkey { input type="hidden" name="passkey" value=""; }
            button name="act" value=(act) data-key=(key) { (words) " " kbd { (key) } }
        }
    }
}

/// JSON a line a value, everything else as it is; what does not show is spelled out.
fn legible(bytes: &[u8]) -> String {
    let json = serde_json::from_slice::<serde_json::Value>(bytes);
    let text = json.ok().and_then(|value| serde_json::to_string_pretty(&value).ok());
    let text = text.unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned());
    text.lines().map(|line| visible(line.as_bytes())).collect::<Vec<_>>().join("\n")
}

/// The fields that every form of the page carries.
fn hidden(view: &RunView<'_>, step: &str) -> Markup {
    html! {
        input type="hidden" name="token" value=(view.token);
        input type="hidden" name="plan_hash" value=(view.plan_hash);
        input type="hidden" name="step" value=(step);
        @if view.passkey { input type="hidden" name="passkey" value=""; }
    }
}

fn act_href(view: &RunView<'_>) -> String {
    format!("/projects/{}/runs/{}/act", view.project.0, view.run.run_id)
}

/// One step waits for a person, with its arguments in view.
fn asks(view: &RunView<'_>, question: &StepQuestion) -> Markup {
    let shown = legible(question.args.to_string().as_bytes());
    let filled: Vec<String> =
        question.filled.iter().map(|place| visible(place.as_bytes())).collect();
    html! {
        div.asks {
            p { strong { "This step waits for you." } " " (visible(question.why.as_bytes())) }
            p { "It calls " code { (visible(question.tool.as_bytes())) } " with exactly this:" }
            pre.words { (shown) }
            @if !filled.is_empty() {
                p.warn { "Filled in from what earlier steps put out: " (filled.join(", ")) }
            }
            form method="post" action=(act_href(view)) {
                (hidden(view, &question.step_id))
                input type="hidden" name="arguments" value=(question.arguments);
                label { "If not, why? " span.quiet { "(goes on the record)" }
                    textarea name="reason" rows="1" maxlength="300" {} }
                div.apart {
                    button.danger name="act" value="decline" { "Decline" }
                    button.primary name="act" value="allow" { "Let it act" }
                }
            }
        }
    }
}

/// The answer of a step was lost; somebody finds out and says it.
fn lost(view: &RunView<'_>, step: &str) -> Markup {
    html! {
        div.asks {
            p { strong { "Nobody knows whether this happened." }
                " It is not tried again by itself. Look where it would show (the mailbox, the service), then say it." }
            form method="post" action=(act_href(view)) {
                (hidden(view, step))
                div.apart {
                    button name="act" value="not" { "It did not happen" }
                    button name="act" value="happened" { "It happened" }
                }
            }
        }
    }
}

/// The page of a run.
pub(super) fn page(
    gate: &Gate<'_>,
    project: &(String, String),
    run_id: &RunId,
    token: &dyn Fn(&str) -> String,
    passkey: bool,
    notice: Option<&Notice>,
    conflicts: &[String],
) -> Result<Markup, GateError> {
    gate.refresh()?;
    let entry = gate.run_named(run_id)?;
    let plan = gate.plan_named(&entry.plan_id)?;
    let hash = plan.created.plan_hash.to_string();
    // What the plan was made of may be gone; the record still says how the run ended.
    let shown = gate.show(&entry.plan_id).ok();
    let steps = shown.as_ref().map(|shown| steps(gate, &entry, shown)).unwrap_or_default();
    let read = |digest| gate.object(&digest).ok();
    let results = entry.results.and_then(read);
    let results = results.and_then(|blob| serde_json::from_slice(blob.bytes()).ok());
    let why = gate.why(&entry);
    let undone_by = gate.undone_by(run_id);
    let backwards = matches!(entry.kind, RunKind::Undo { .. });
    let files = match &shown {
        Some(shown) if entry.stage == RunStage::Completed => receipt(shown, backwards),
        _ => Vec::new(),
    };
    Ok(run(&RunView {
        project: (&project.0, &project.1),
        run: &entry,
        plan_hash: &hash,
        steps: &steps,
        results: results.as_ref(),
        why: why.as_deref(),
        undone_by: undone_by.as_deref(),
        files: &files,
        conflicts,
        token: &token(&hash),
        passkey,
        notice,
    }))
}

/// What became of each file.
fn receipt(shown: &Shown, backwards: bool) -> Vec<(String, &'static str)> {
    let one = |change: &NetChange| {
        let (before, after) =
            if backwards { (change.after, change.before) } else { (change.before, change.after) };
        let what = match (before, after) {
            (None, Some(_)) => "created",
            (Some(_), None) => "deleted",
            (Some(_), Some(_)) => "written",
            (None, None) => "nothing",
        };
        (change.path.to_string(), what)
    };
    net(shown.examined.changes()).iter().map(one).collect()
}

fn steps(gate: &Gate<'_>, entry: &RunEntry, shown: &Shown) -> Vec<RunStep> {
    let draft = shown.examined.draft();
    let graph = graph_of(draft, &mut Vec::new());
    let count = draft.steps.len();
    let complete = graph.order.len() == count;
    let order = if complete { graph.order.clone() } else { (0..count).collect() };
    let place = |index: usize| order.iter().position(|other| *other == index);
    // What cannot be read is not asked about; the run stays where it is.
    let mut questions = gate.questions(entry).unwrap_or_default();
    let mut list = Vec::new();
    for index in &order {
        let Some(step) = draft.steps.get(*index) else { continue };
        let needs = graph.needs.get(*index).map(Vec::as_slice).unwrap_or_default();
        let says = match &step.action {
            Action::Tool(call) => format!("call {}", visible(call.name.as_bytes())),
            Action::File(file) => {
                let verb = file.kind().trim_start_matches("file_");
                format!("{verb} {}", visible(file.target.as_bytes()))
            }
        };
        let output = entry.steps.get(step.step_id.as_str()).and_then(|one| one.output);
        let output = output.and_then(|digest| gate.object(&digest).ok());
        let question = questions.iter().position(|one| one.step_id == step.step_id.as_str());
        list.push(RunStep {
            id: visible(step.step_id.as_bytes()),
            needs: needs.iter().filter_map(|need| place(*need)).collect(),
            says,
            output: output.map(|blob| legible(blob.bytes())),
            asks: question.map(|at| questions.swap_remove(at)),
            unknown: entry.steps.get(step.step_id.as_str()).is_some_and(|one| one.unknown),
            raw: step.step_id.clone(),
        });
    }
    list
}
