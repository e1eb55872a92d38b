//! What is derived from the record for people and other programs: a file for each plan,
//! an audit file for each intent. They can be thrown away and written again.

use std::collections::{BTreeMap, BTreeSet};

use exacta_core::ledger::{Ledger, PlanEntry};
use exacta_core::lifecycle::State;
use exacta_core::record::{ActorKind, Entry, Event};
use exacta_core::score::Thousandths;
use serde::Serialize;
use serde_json::value::RawValue;

use super::error::GateError;
use super::handle::Gate;
use super::notice::Notice;
use super::stored::{PlanParts, PlanRecord};
use crate::log::{Problem, ProblemKind, Projector};
use crate::objects::Objects;
use crate::run::{ImageError, Images as _};
use crate::workspace::{PortError, Spot, UNFINISHED, Workspace, replace};

const FORMAT: &str = "exacta/persisted-plan/v1";
const MISSING: &str = "it is missing; `exacta recover` writes it again from the record";
const FOLDERS: [&str; 2] = ["plans", "audit-log"];

/// Writes projections into the state folder.
pub struct Projections<'a> {
    port: &'a dyn Workspace,
}

impl<'a> Projections<'a> {
    /// Projections of the project behind this port.
    #[must_use]
    pub fn new(port: &'a dyn Workspace) -> Self {
        Self { port }
    }
}

impl Projections<'_> {
    /// Writes a file unless it has these bytes.
    fn put(&self, at: &Spot, bytes: &[u8]) -> Result<(), PortError> {
        match self.port.read(at) {
            Ok(there) if there == bytes => Ok(()),
            _ => replace(self.port, at, bytes),
        }
    }
}

/// Where a plan's file lies.
#[must_use]
pub fn plan_file(plan_id: &str) -> Spot {
    Spot::state().within("plans").within(&format!("{plan_id}.json"))
}

/// Where an intent's audit file lies.
#[must_use]
pub fn audit_file(correlation_id: &str) -> Spot {
    Spot::state().within("audit-log").within(&format!("{correlation_id}.json"))
}

#[derive(Serialize)]
struct PersistedPlan<'a, B> {
    format: &'static str,
    plan: PlanOf<'a, B>,
    plan_hash: exacta_core::digest::Digest,
    status: State,
    timestamp: &'a str,
    approval_decision: Option<ApprovalDecision<'a>>,
    expiry: Option<Expiry<'a>>,
    run_id: Option<&'a str>,
}

#[derive(Serialize)]
struct PlanOf<'a, B> {
    plan_id: &'a str,
    correlation_id: &'a str,
    version: u32,
    binding: B,
    content: &'a RawValue,
}

#[derive(Serialize)]
struct ApprovalDecision<'a> {
    decision: &'static str,
    risk_score: Option<u32>,
    quality_score: Option<Thousandths>,
    decided_at: &'a str,
    decided_by: &'static str,
}

#[derive(Serialize)]
struct Expiry<'a> {
    cause: &'static str,
    reason: String,
    expired_at: &'a str,
}

#[derive(Serialize)]
struct AuditEntry {
    event: &'static str,
    correlation_id: String,
    plan_id: String,
    timestamp: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    risk_score: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quality_score: Option<Thousandths>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// The bytes of a plan's file, with the binding and the form of the stored plan.
fn persisted(
    plan: &PlanEntry,
    binding: impl Serialize,
    form: &RawValue,
) -> Result<Vec<u8>, GateError> {
    let created = &plan.created;
    let by = |kind: ActorKind| if kind == ActorKind::System { "system" } else { "user" };
    let decided = |decision, at, by| ApprovalDecision {
        decision,
        risk_score: plan.risk,
        quality_score: plan.quality.map(Thousandths::new),
        decided_at: at,
        decided_by: by,
    };
    let approved = plan.approval.as_ref().zip(plan.approved_time.as_deref());
    let approval_decision = match (approved, &plan.rejection) {
        (Some((approval, at)), _) => {
            let by = by(approval.approver.kind);
            let word = if by == "system" { "auto_approved" } else { "user_approved" };
            Some(decided(word, at, by))
        }
        (None, Some(rejection)) => {
            let by = match plan.decision.as_deref() {
                Some("reject") => "system",
                _ => by(rejection.actor.kind),
            };
            Some(decided("rejected", &rejection.time, by))
        }
        (None, None) => None,
    };
    let expiry = plan.expiry.as_ref().zip(plan.expired_time.as_deref());
    let mut bytes = serde_json::to_vec(&PersistedPlan {
        format: FORMAT,
        plan: PlanOf {
            plan_id: &created.plan_id,
            correlation_id: &created.correlation_id,
            version: 1,
            binding,
            content: form,
        },
        plan_hash: created.plan_hash,
        status: plan.state,
        timestamp: &plan.created_time,
        approval_decision,
        expiry: expiry.map(|(cause, expired_at)| Expiry {
            cause: cause.as_str(),
            reason: cause.to_string(),
            expired_at,
        }),
        run_id: plan.run_id.as_deref(),
    })?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// The same of a plan whose object is as it was stored; `None` when it is not.
fn persisted_as_stored(
    objects: &Objects<'_>,
    plan: &PlanEntry,
) -> Result<Option<Vec<u8>>, PortError> {
    let stored = match objects.image(&plan.created.record) {
        Ok(stored) => stored,
        // For the moment it cannot be told what it is.
        Err(ImageError::Port(error @ PortError::System { .. })) => return Err(error),
        Err(_) => return Ok(None),
    };
    let parts = serde_json::from_slice(stored.bytes());
    Ok(parts.ok().and_then(|PlanParts { binding, form }| persisted(plan, binding, form).ok()))
}

/// The audit entry of an entry of the record; `None` for those that audit files leave out.
fn audited(entry: &Entry, ledger: &Ledger) -> Option<AuditEntry> {
    let plan = ledger.plan(entry.event.plan_id()?)?;
    let base = |event: &'static str| AuditEntry {
        event,
        correlation_id: plan.created.correlation_id.clone(),
        plan_id: plan.created.plan_id.clone(),
        timestamp: entry.time.clone(),
        risk_score: None,
        quality_score: None,
        decision: None,
        reason: None,
    };
    Some(match &entry.event {
        Event::PlanCreated(_) => base("plan_created"),
        Event::PlanEvaluated { decision, quality, reasons, risk, .. } => AuditEntry {
            risk_score: *risk,
            quality_score: quality.map(Thousandths::new),
            decision: Some(decision.clone()),
            reason: (!reasons.is_empty()).then(|| reasons.join("; ")),
            ..base("plan_evaluated")
        },
        Event::PlanApproved { spend, .. } => {
            let word = if spend.is_some() { "auto_approved" } else { "user_approved" };
            AuditEntry { decision: Some(word.into()), ..base("plan_approved") }
        }
        Event::PlanRejected { reason, .. } => AuditEntry {
            decision: Some("rejected".into()),
            reason: Some(reason.clone()),
            ..base("plan_rejected")
        },
        Event::PlanExpired { cause, .. } => {
            AuditEntry { reason: Some(cause.to_string()), ..base("plan_expired") }
        }
        Event::PlanExecuted { status, .. } => {
            AuditEntry { decision: Some(status.as_str().into()), ..base("plan_executed") }
        }
        _ => return None,
    })
}

/// The lines of an audit file: an array with one entry a line.
fn audit_text(lines: &[String]) -> Vec<u8> {
    if lines.is_empty() {
        return b"[]\n".to_vec();
    }
    format!("[\n{}\n]\n", lines.join(",\n")).into_bytes()
}

fn audit_lines(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    let lines = text.lines().filter(|line| line.starts_with('{'));
    lines.map(|line| line.trim_end_matches(',').to_owned()).collect()
}

impl Projector for Projections<'_> {
    fn project(&self, ledger: &Ledger, entries: &[Entry]) -> Result<(), PortError> {
        let objects = Objects::new(self.port);
        let mut plans: BTreeSet<&str> = BTreeSet::new();
        let mut audits: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for entry in entries {
            let by_run = entry.event.run_id().and_then(|run_id| ledger.run(run_id));
            plans.extend(entry.event.plan_id().or(by_run.map(|run| run.plan_id.as_str())));
            if let Some(audit) = audited(entry, ledger)
                && let Ok(line) = serde_json::to_string(&audit)
            {
                audits.entry(audit.correlation_id).or_default().push(line);
            }
        }
        if plans.is_empty() {
            return Ok(());
        }
        for name in FOLDERS {
            self.port.make_private(&Spot::state().within(name))?;
        }
        for plan_id in plans {
            let Some(plan) = ledger.plan(plan_id) else { continue };
            if plan.forgotten {
                self.port.remove(&plan_file(plan_id))?;
                continue;
            }
            // A plan whose object is gone keeps the file it has; `verify` says so.
            let Some(bytes) = persisted_as_stored(&objects, plan)? else { continue };
            replace(self.port, &plan_file(plan_id), &bytes)?;
        }
        for (correlation_id, fresh) in audits {
            let at = audit_file(&correlation_id);
            let mut lines = match self.port.read(&at) {
                Ok(bytes) => audit_lines(&bytes),
                Err(PortError::Gone(_)) => Vec::new(),
                Err(error) => return Err(error),
            };
            // A process that died right after writing them left them already there.
            let there = (1..=fresh.len())
                .rev()
                .find(|count| fresh.get(..*count).is_some_and(|written| lines.ends_with(written)));
            lines.extend(fresh.into_iter().skip(there.unwrap_or(0)));
            replace(self.port, &at, &audit_text(&lines))?;
        }
        Ok(())
    }

    fn restore(&self, ledger: &Ledger, entries: &[Entry], boot: &str) -> Result<(), PortError> {
        let objects = Objects::new(self.port);
        let touched: BTreeSet<&str> = entries
            .iter()
            .filter(|entry| entry.at.boot == boot)
            .filter_map(|entry| {
                let by_run = entry.event.run_id().and_then(|run_id| ledger.run(run_id));
                entry.event.plan_id().or(by_run.map(|run| run.plan_id.as_str()))
            })
            .collect();
        if touched.is_empty() {
            return Ok(());
        }
        for folder in FOLDERS.map(|name| Spot::state().within(name)) {
            self.port.make_private(&folder)?;
            for name in self.port.list(&folder)? {
                if name.starts_with(UNFINISHED) {
                    self.port.remove(&folder.within(&name))?;
                }
            }
        }
        let mut audits = all_audits(ledger, entries);
        for plan_id in touched {
            let Some(plan) = ledger.plan(plan_id) else { continue };
            if plan.forgotten {
                self.port.remove(&plan_file(plan_id))?;
            } else if let Some(bytes) = persisted_as_stored(&objects, plan)? {
                self.put(&plan_file(plan_id), &bytes)?;
            }
            if let Some(lines) = audits.remove(&plan.created.correlation_id) {
                self.put(&audit_file(&plan.created.correlation_id), &audit_text(&lines))?;
            }
        }
        Ok(())
    }
}

/// The lines of every audit file, from all entries of the record.
fn all_audits(ledger: &Ledger, entries: &[Entry]) -> BTreeMap<String, Vec<String>> {
    let mut audits: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let begun = entries.iter().rposition(|e| matches!(e.event, Event::RecordBegun { .. }));
    for entry in entries.iter().skip(begun.unwrap_or(0)) {
        if let Some(audit) = audited(entry, ledger)
            && let Ok(line) = serde_json::to_string(&audit)
        {
            audits.entry(audit.correlation_id).or_default().push(line);
        }
    }
    audits
}

impl Gate<'_> {
    /// The stored plan, if its own file says what the record says.
    pub(super) fn as_projected(&self, plan: &PlanEntry) -> Result<PlanRecord, GateError> {
        let record = PlanRecord::load(&self.objects, plan)?;
        match self.stale_plan_file(plan, &record)? {
            None => Ok(record),
            // Nobody could write it yet, and nothing is taken from it.
            Some(_) if self.owed()?.contains(&plan.created.plan_id) => Ok(record),
            Some(how) => {
                let what = format!("`{}`", plan_file(&plan.created.plan_id));
                Err(GateError::Differs { what, how })
            }
        }
    }

    /// How a plan's file differs from what the record says; `None` when it does not.
    fn stale_plan_file(
        &self,
        plan: &PlanEntry,
        record: &PlanRecord,
    ) -> Result<Option<String>, GateError> {
        let expected = persisted(plan, &record.binding, &record.form)?;
        match self.ports.port.read(&plan_file(&plan.created.plan_id)) {
            Ok(bytes) if bytes == expected => Ok(None),
            Ok(bytes) => Ok(Some(difference(&expected, &bytes))),
            Err(PortError::Gone(_)) => Ok(Some(MISSING.into())),
            Err(error) => Ok(Some(error.to_string())),
        }
    }

    /// Plans and intents whose files are behind the record: nobody trusts those, and the next
    /// command that writes brings them up to date.
    fn owed(&self) -> Result<BTreeSet<String>, GateError> {
        let ledger = self.log.ledger();
        let mut owed = BTreeSet::new();
        for entry in self.log.unprojected()? {
            let by_run = entry.event.run_id().and_then(|run_id| ledger.run(run_id));
            let plan_id = entry.event.plan_id().or(by_run.map(|run| run.plan_id.as_str()));
            if let Some(plan) = plan_id.and_then(|plan_id| ledger.plan(plan_id)) {
                owed.insert(plan.created.plan_id.clone());
                owed.insert(plan.created.correlation_id.clone());
            }
        }
        Ok(owed)
    }

    /// Every plan and audit file against the record, and whatever `judge` says of each plan
    /// as it is stored, after what is said of the files.
    pub(super) fn compare_projections(
        &self,
        judge: impl Fn(&PlanEntry, &Result<PlanRecord, GateError>) -> Vec<Problem>,
    ) -> Result<Vec<Problem>, GateError> {
        let problem = |file: &Spot, message: String| Problem {
            kind: ProblemKind::Projection,
            entry: None,
            file: file.to_string(),
            message,
        };
        let (mut problems, mut judged) = (Vec::new(), Vec::new());
        let plans: Vec<PlanEntry> = self.log.ledger().plans().cloned().collect();
        let owed = self.owed()?;
        for plan in &plans {
            let stored = PlanRecord::load(&self.objects, plan);
            judged.extend(judge(plan, &stored));
            if owed.contains(plan.created.plan_id.as_str()) {
                continue;
            }
            let stale = match stored {
                Ok(record) => self.stale_plan_file(plan, &record)?,
                // It has no file; one that is there is told of below.
                Err(GateError::Forgotten(_)) => None,
                Err(error) => Some(error.to_string()),
            };
            if let Some(how) = stale {
                problems.push(problem(&plan_file(&plan.created.plan_id), how));
            }
        }
        let audits = all_audits(&self.log.ledger(), &self.log.entries()?);
        for (correlation_id, lines) in &audits {
            let at = audit_file(correlation_id);
            if owed.contains(correlation_id) {
                continue;
            }
            match self.ports.port.read(&at) {
                Ok(bytes) if bytes == audit_text(lines) => {}
                Ok(bytes) => problems.push(problem(&at, difference(&audit_text(lines), &bytes))),
                Err(PortError::Gone(_)) => problems.push(problem(&at, MISSING.into())),
                Err(error) => problems.push(problem(&at, error.to_string())),
            }
        }
        let has_file =
            |plan: &&PlanEntry| !plan.forgotten || owed.contains(plan.created.plan_id.as_str());
        let known: BTreeSet<String> = plans
            .iter()
            .filter(has_file)
            .map(|plan| plan_file(&plan.created.plan_id).to_string())
            .chain(audits.keys().map(|id| audit_file(id).to_string()))
            .collect();
        for folder in FOLDERS.map(|name| Spot::state().within(name)) {
            for name in self.ports.port.list(&folder)? {
                let at = folder.within(name.strip_prefix(UNFINISHED).unwrap_or(&name));
                if !known.contains(at.as_str()) {
                    problems.push(problem(&at, "the record knows no such file".into()));
                }
            }
        }
        problems.extend(judged);
        Ok(problems)
    }
}

impl Gate<'_> {
    /// Writes every derived file that is missing. One that is there and says something
    /// else is left for `verify` to tell.
    pub(super) fn rebuild_missing(&self) -> Result<Vec<String>, GateError> {
        let turn = self.ports.port.turn()?;
        self.look_again()?;
        let mut rebuilt = Vec::new();
        let plans: Vec<PlanEntry> = self.log.ledger().plans().cloned().collect();
        let audits = all_audits(&self.log.ledger(), &self.log.entries()?);
        if !plans.is_empty() {
            for name in FOLDERS {
                self.ports.port.make_private(&Spot::state().within(name))?;
            }
        }
        let mut write = |at: Spot, bytes: &dyn Fn() -> Result<Option<Vec<u8>>, PortError>| {
            if self.ports.port.stamp(&at)?.is_none()
                && let Some(bytes) = bytes()?
            {
                replace(self.ports.port, &at, &bytes)?;
                rebuilt.push(at.to_string());
            }
            Ok::<(), PortError>(())
        };
        for plan in plans.iter().filter(|plan| !plan.forgotten) {
            // A plan whose object is gone cannot be written again; `verify` says so.
            let bytes = || persisted_as_stored(&self.objects, plan);
            write(plan_file(&plan.created.plan_id), &bytes)?;
        }
        for (correlation_id, lines) in &audits {
            write(audit_file(correlation_id), &|| Ok(Some(audit_text(lines))))?;
        }
        drop(turn);
        Ok(rebuilt)
    }

    /// The same, where not being able to write is no reason to do nothing else.
    pub(super) fn rebuilt_if_possible(&self) -> Result<Vec<String>, GateError> {
        match self.rebuild_missing() {
            Err(GateError::Port(error)) => {
                self.notice(Notice::Missing(error.to_string()));
                Ok(Vec::new())
            }
            other => other,
        }
    }

    /// The same for a command that writes, when somebody threw a whole folder away.
    pub(super) fn rebuild_folders(&self) -> Result<(), GateError> {
        let has_plans = self.log.ledger().has_plans();
        for name in FOLDERS {
            let folder = Spot::state().within(name);
            if has_plans && self.ports.port.look_folder(&folder)?.is_none() {
                return self.rebuilt_if_possible().map(drop);
            }
        }
        Ok(())
    }
}

/// The first byte at which two texts differ.
fn difference(expected: &[u8], found: &[u8]) -> String {
    let same = expected.iter().zip(found).take_while(|(a, b)| a == b).count();
    format!("it is not what the record says, from byte {same} on")
}
