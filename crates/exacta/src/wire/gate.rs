//! What the commands of the gate print as JSON.

use exacta_core::change::{FileMode, NetChange};
use exacta_core::digest::Digest;
use exacta_core::lifecycle::State;
use exacta_core::path::RelPath;
use exacta_core::results::{MetaResult, StepResult};
use exacta_core::score::Thousandths;
use exacta_engine::checks;
use exacta_engine::gate::{
    Gate, Listed, PlanOutcome, RunOutcome, RunState, Settled, Standing, UndoOutcome,
};
use exacta_engine::log::{Problem, Report};
use exacta_engine::run::Receipt;
use schemars::JsonSchema;
use serde::Serialize;

use super::check::CheckReport;

/// An interrupted run that a command brought to one side before it did what it was asked for.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SettledReport {
    /// The run.
    run_id: String,
    /// Its plan.
    plan_id: String,
    /// Whether it was brought to its end; else it was taken back.
    finished: bool,
    /// How many files it is about.
    files: usize,
    /// Files that keep somebody's edit.
    conflicts: Vec<String>,
}

impl SettledReport {
    /// Everything that the gate brought to one side.
    pub(crate) fn all(gate: &Gate<'_>) -> Vec<Self> {
        let report = |settled: Settled| {
            let Settled { run_id, plan_id, finished, files, conflicts, .. } = settled;
            Self { run_id, plan_id, finished, files, conflicts }
        };
        gate.settled().into_iter().map(report).collect()
    }
}

/// What `propose --json` prints: the check, and what became of the plan.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProposeReport {
    /// The check.
    #[serde(flatten)]
    pub(crate) check: CheckReport,
    /// The plan; null when the text made none.
    pub(crate) plan_id: Option<String>,
    /// The intent that it belongs to.
    pub(crate) correlation_id: Option<String>,
    /// Its state; null when there is no plan.
    pub(crate) state: Option<State>,
    /// Its run, when this command ran it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<RunReport>,
    /// Its run, whether this command ran it or one before; what `undo` takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run_id: Option<String>,
    /// Interrupted runs that were brought to one side first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) recovered: Vec<SettledReport>,
}

/// What `approve`, `renew`, `reject`, `changes` and `pause` print.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DecisionReport {
    /// The resulting plan.
    pub(crate) plan_id: String,
    /// Its hash.
    pub(crate) plan_hash: Digest,
    /// Its state.
    pub(crate) state: State,
    /// The plan that it came from, when that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) original_plan_id: Option<String>,
    /// Interrupted runs that were brought to one side first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) recovered: Vec<SettledReport>,
}

impl DecisionReport {
    /// The plan after a decision.
    pub(crate) fn of(outcome: PlanOutcome, gate: &Gate<'_>) -> Self {
        let PlanOutcome { plan_id, plan_hash, state, original } = outcome;
        let recovered = SettledReport::all(gate);
        Self { plan_id, plan_hash, state, original_plan_id: original, recovered }
    }
}

/// What happened to one file.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FileReport {
    /// The file.
    path: RelPath,
    /// The steps that changed it.
    step: String,
    /// Its bytes before.
    before: Option<Digest>,
    /// Its bytes after.
    after: Option<Digest>,
    /// Its permission bits before.
    mode_before: Option<FileMode>,
    /// Its permission bits after.
    mode_after: Option<FileMode>,
}

/// Proof that a run completed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReceiptReport {
    /// The run.
    run_id: String,
    /// The plan's hash.
    plan_hash: Digest,
    /// Hash of the run's manifest, which the record names.
    manifest: Digest,
    /// What happened to each file.
    files: Vec<FileReport>,
    /// Folders that the run made.
    folders: Vec<RelPath>,
    /// Files that some program had open and wrote to after they were swapped out.
    late_edits: Vec<RelPath>,
}

impl ReceiptReport {
    fn of(receipt: &Receipt, plan_hash: Digest) -> Self {
        let files = receipt.files.iter().map(|file| FileReport {
            path: file.path.clone(),
            step: file.step.clone(),
            before: file.before,
            after: file.after,
            mode_before: file.mode_before,
            mode_after: file.mode_after,
        });
        Self {
            run_id: receipt.run.as_str().into(),
            plan_hash,
            manifest: receipt.manifest,
            files: files.collect(),
            folders: receipt.folders.clone(),
            late_edits: receipt.late_edits.clone(),
        }
    }
}

/// A row of a result list.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum ResultRow {
    /// A step.
    Step(StepResult),
    /// The last row.
    Meta(MetaResult),
}

/// What a check of the operator said.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckOutcome {
    /// The name that policy gives it.
    name: String,
    /// Whether it passed.
    passed: bool,
    /// What it said, in words.
    verdict: String,
    /// What it wrote; bytes that are no text are replaced.
    output: String,
    /// How long it took, in milliseconds.
    took_ms: u64,
}

impl From<&checks::Outcome> for CheckOutcome {
    fn from(outcome: &checks::Outcome) -> Self {
        Self {
            name: outcome.name.clone(),
            passed: outcome.verdict == checks::Verdict::Passed,
            verdict: outcome.verdict.to_string(),
            output: String::from_utf8_lossy(&outcome.output).into_owned(),
            took_ms: u64::try_from(outcome.took.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// What `run --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunReport {
    /// The run.
    pub(crate) run_id: String,
    /// The plan.
    pub(crate) plan_id: String,
    /// `completed`, `rolled_back` or `unknown`.
    pub(crate) state: &'static str,
    /// A row for each step, and one about all of them.
    pub(crate) results: Vec<ResultRow>,
    /// What happened to each file; null when nothing did.
    pub(crate) receipt: Option<ReceiptReport>,
    /// Why it did not complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// Files that keep somebody's edit although the run went back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) conflicts: Vec<String>,
    /// The operator's checks, in the order they ran.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) checks: Vec<CheckOutcome>,
    /// Interrupted runs that were brought to one side first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) recovered: Vec<SettledReport>,
}

impl From<&RunOutcome> for RunReport {
    fn from(run: &RunOutcome) -> Self {
        let rows = run.results.rows().iter().cloned().map(ResultRow::Step);
        let meta = ResultRow::Meta(run.results.meta().clone());
        Self {
            run_id: run.run_id.clone(),
            plan_id: run.plan_id.clone(),
            state: run.state.as_str(),
            results: rows.chain([meta]).collect(),
            receipt: run.receipt.as_ref().map(|r| ReceiptReport::of(r, run.plan_hash)),
            reason: run.why.clone(),
            conflicts: run.conflicts.clone(),
            checks: run.checks.iter().map(Into::into).collect(),
            recovered: Vec::new(),
        }
    }
}

impl RunReport {
    /// How the command ends.
    pub(crate) fn exit(run: &RunOutcome) -> crate::exit::Exit {
        use crate::exit::Exit;
        match run.state {
            RunState::Completed => Exit::Done,
            RunState::RolledBack if run.conflicts.is_empty() => Exit::RunFailed,
            RunState::RolledBack | RunState::Unknown => Exit::Unsettled,
        }
    }
}

/// What `undo` and `redo` print.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UndoReport {
    /// The inverse run; the run itself when there was a conflict.
    pub(crate) run_id: String,
    /// `undone`, `redone` or `conflict`.
    pub(crate) state: &'static str,
    /// What stands in the way.
    pub(crate) conflicts: Vec<String>,
    /// Why that is so, where the record tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// Files that a program wrote to after they were swapped out; that is kept with the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) late_edits: Vec<RelPath>,
    /// Interrupted runs that were brought to one side first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) recovered: Vec<SettledReport>,
}

impl From<&UndoOutcome> for UndoReport {
    fn from(undo: &UndoOutcome) -> Self {
        Self {
            run_id: undo.run_id.clone().unwrap_or_else(|| undo.of.clone()),
            state: undo.state.as_str(),
            conflicts: undo.conflicts.clone(),
            reason: undo.reason.clone(),
            late_edits: undo.receipt.iter().flat_map(|r| r.late_edits.clone()).collect(),
            recovered: Vec::new(),
        }
    }
}

/// One plan of `list`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ListedPlan {
    /// The plan.
    plan_id: String,
    /// Its state.
    state: State,
    /// What it is for.
    goal: String,
    /// Its risk, 0 to 100.
    risk: Option<u32>,
    /// Its quality, 0 to 1.
    quality: Option<Thousandths>,
    /// When it came in.
    created_at: String,
    /// Where it stands, in the word that people see; `state` stays what was decided.
    standing: Standing,
    /// The run its approval was spent on.
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<String>,
    /// The undo that took the run back, unless that was taken back in turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    undone_by: Option<String>,
    /// Whether the way back of the run was given up.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    forgotten: bool,
    /// Why it cannot be approved or run any more, although that is not on the record yet; told
    /// of the fifty newest plans that can still run.
    #[serde(skip_serializing_if = "Option::is_none")]
    out_of_date: Option<String>,
}

impl ListedPlan {
    /// A plan, and how the project differs from what it was made for.
    pub(crate) fn new(plan: Listed, out_of_date: Option<String>) -> Self {
        Self {
            out_of_date,
            plan_id: plan.plan_id,
            state: plan.state,
            goal: plan.goal,
            risk: plan.risk,
            quality: plan.quality,
            created_at: plan.created_at,
            standing: plan.standing,
            run_id: plan.run_id,
            undone_by: plan.undone_by,
            forgotten: plan.forgotten,
        }
    }
}

/// What `list --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ListReport(pub(crate) Vec<ListedPlan>);

/// What `status --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StatusReport {
    /// The plan.
    pub(crate) plan_id: String,
    /// Its hash.
    pub(crate) plan_hash: Digest,
    /// The intent that it belongs to.
    pub(crate) correlation_id: String,
    /// Its state: what was decided.
    pub(crate) state: State,
    /// Where it stands, in the word that people see.
    pub(crate) standing: Standing,
    /// Its risk.
    pub(crate) risk: Option<u32>,
    /// Its quality.
    pub(crate) quality: Option<Thousandths>,
    /// The decision.
    pub(crate) decision: Option<String>,
    /// Why.
    pub(crate) reasons: Vec<String>,
    /// When it came in.
    pub(crate) created_at: String,
    /// Why it was rejected or expired.
    pub(crate) ended_because: Option<String>,
    /// The plan that it was made in place of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<String>,
    /// The plan that took its place: the selected steps, or a fresh one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replaced_by: Option<String>,
    /// Its run.
    pub(crate) run_id: Option<String>,
    /// How the run ended.
    pub(crate) run_status: Option<String>,
    /// Why the run did not complete, or why an unwatched one did not start; the reason in the
    /// first line, then what the check that did not pass wrote last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run_reason: Option<String>,
    /// Whether the run was interrupted, so that `exacta recover` is needed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) interrupted: bool,
    /// How long the plan can still be decided on and run, in seconds; null when that is over.
    pub(crate) expires_in_sec: Option<u64>,
    /// Why it cannot be approved or run any more, although that is not on the record yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) out_of_date: Option<String>,
    /// The undo that took the run back, unless that was taken back in turn.
    pub(crate) undone_by: Option<String>,
}

/// What `diff --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DiffReport {
    /// The plan.
    pub(crate) plan_id: String,
    /// Its hash.
    pub(crate) plan_hash: Digest,
    /// What becomes of each file.
    pub(crate) files: Vec<NetChange>,
    /// The patch that `git apply` takes; null when it holds bytes that are no text, which
    /// `diff` without `--json` writes as they are.
    pub(crate) patch: Option<String>,
}

/// What `verify --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct VerifyReport {
    /// Whether nothing is wrong.
    pub(crate) ok: bool,
    /// How many entries were read.
    pub(crate) entries: u64,
    /// The link of the newest one; null when nothing could be read.
    pub(crate) head: Option<Digest>,
    /// What is wrong.
    pub(crate) problems: Vec<Problem>,
    /// Whether a run was interrupted, which `exacta recover` brings to one side. That is no
    /// tampering.
    pub(crate) recovery_needed: bool,
}

impl From<Report> for VerifyReport {
    fn from(report: Report) -> Self {
        Self {
            ok: report.problems.is_empty(),
            entries: report.entries,
            head: Some(report.head),
            problems: report.problems,
            recovery_needed: false,
        }
    }
}

/// What `checkpoint` prints, and what `verify --against` reads.
#[derive(Debug, Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckpointReport {
    /// Always `exacta/checkpoint/v1`.
    pub(crate) format: String,
    /// The project.
    pub(crate) project: String,
    /// How many entries its record has.
    pub(crate) entries: u64,
    /// The link of the newest one.
    pub(crate) head: Digest,
    /// When.
    pub(crate) time: String,
}

/// What `recover --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RecoverReport {
    /// Runs brought to their end.
    pub(crate) finished: Vec<String>,
    /// Runs taken back.
    pub(crate) aborted: Vec<String>,
    /// Runs whose manifest is torn; nothing of theirs was acted on.
    pub(crate) torn: Vec<String>,
    /// What lies there and is not ours; left alone.
    pub(crate) foreign: Vec<String>,
    /// Files that keep somebody's edit.
    pub(crate) conflicts: Vec<String>,
    /// Files derived from the record that were missing and are there again.
    pub(crate) rebuilt: Vec<String>,
}
