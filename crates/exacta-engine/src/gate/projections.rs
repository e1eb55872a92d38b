//! What is derived from the record for people and other programs: a file for each plan,
//! an audit file for each intent. They can be thrown away and written again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use exacta_core::judge::decide::Kind;
use exacta_core::judge::score::Thousandths;
use exacta_core::life::ledger::{Ledger, PlanEntry};
use exacta_core::life::lifecycle::{Phase, State};
use exacta_core::model::id::{CorrelationId, PlanId, RunId};
use exacta_core::record::{ActorKind, Entry, Event};
use serde::Serialize;
use serde_json::value::RawValue;

use super::error::GateError;
use super::stored::PlanParts;
use crate::blobs::Blobs;
use crate::log::Projector;
use crate::run::ImageError;
use crate::workspace::{PortError, Spot, UNFINISHED, Workspace, replace};

const FORMAT: &str = "exacta/persisted-plan/v1";
pub(super) const MISSING: &str = "it is missing; recovery writes it again from the record";
pub(super) const FOLDERS: [&str; 2] = ["plans", "audit-log"];

/// Writes projections into the state folder.
pub struct Projections {
    port: Arc<dyn Workspace + Send + Sync>,
    blobs: Arc<dyn Blobs>,
}

impl Projections {
    /// Projections of the project behind this port, whose plans are among these blobs.
    #[must_use]
    pub fn new(port: Arc<dyn Workspace + Send + Sync>, blobs: Arc<dyn Blobs>) -> Self {
        Self { port, blobs }
    }
}

impl Projections {
    /// Writes a file unless it has these bytes.
    fn put(&self, at: &Spot, bytes: &[u8]) -> Result<(), PortError> {
        match self.port.read(at) {
            Ok(there) if there == bytes => Ok(()),
            _ => replace(self.port.as_ref(), at, bytes),
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
    plan_hash: exacta_core::model::digest::Digest,
    status: State,
    timestamp: &'a str,
    approval_decision: Option<ApprovalDecision<'a>>,
    expiry: Option<Expiry<'a>>,
    run_id: Option<&'a RunId>,
}

#[derive(Serialize)]
struct PlanOf<'a, B> {
    plan_id: &'a PlanId,
    correlation_id: &'a CorrelationId,
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
    correlation_id: CorrelationId,
    plan_id: PlanId,
    timestamp: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    risk_score: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quality_score: Option<Thousandths>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// The bytes of a plan's file, with the binding and the form of the stored plan.
pub(super) fn persisted(
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
    let approval_decision = match &plan.phase {
        Phase::Rejected { actor, time, .. } => {
            let by = match plan.decision {
                Some(Kind::Reject) => "system",
                _ => by(actor.kind),
            };
            Some(decided("rejected", time, by))
        }
        phase => phase.grant().map(|grant| {
            let by = by(grant.approval.approver.kind);
            let word = if grant.unasked { "auto_approved" } else { "user_approved" };
            decided(word, &grant.time, by)
        }),
    };
    let expiry = match &plan.phase {
        Phase::Expired { cause, time, .. } => {
            Some(Expiry { cause: cause.as_str(), reason: cause.to_string(), expired_at: time })
        }
        _ => None,
    };
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
        status: plan.state(),
        timestamp: &plan.created_time,
        approval_decision,
        expiry,
        run_id: plan.run_id(),
    })?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// The same of a plan whose object is as it was stored; `None` when it is not.
pub(super) fn persisted_as_stored(
    objects: &dyn Blobs,
    plan: &PlanEntry,
) -> Result<Option<Vec<u8>>, PortError> {
    let stored = match objects.get(&plan.created.record) {
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
            decision: Some(decision.as_str()),
            reason: (!reasons.is_empty()).then(|| reasons.join("; ")),
            ..base("plan_evaluated")
        },
        Event::PlanApproved { spend, .. } => {
            let word = if spend.is_some() { "auto_approved" } else { "user_approved" };
            AuditEntry { decision: Some(word), ..base("plan_approved") }
        }
        Event::PlanRejected { reason, .. } => AuditEntry {
            decision: Some("rejected"),
            reason: Some(reason.clone()),
            ..base("plan_rejected")
        },
        Event::PlanExpired { cause, .. } => {
            AuditEntry { reason: Some(cause.to_string()), ..base("plan_expired") }
        }
        Event::PlanExecuted { status, .. } => {
            AuditEntry { decision: Some(status.as_str()), ..base("plan_executed") }
        }
        _ => return None,
    })
}

/// The lines of an audit file: an array with one entry a line.
pub(super) fn audit_text(lines: &[String]) -> Vec<u8> {
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

impl Projector for Projections {
    fn project(&self, ledger: &Ledger, entries: &[Entry]) -> Result<(), PortError> {
        let mut plans: BTreeSet<&PlanId> = BTreeSet::new();
        let mut audits: BTreeMap<CorrelationId, Vec<String>> = BTreeMap::new();
        for entry in entries {
            let by_run = entry.event.run_id().and_then(|run_id| ledger.run(run_id));
            plans.extend(entry.event.plan_id().or(by_run.map(|run| &run.plan_id)));
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
            let Some(bytes) = persisted_as_stored(self.blobs.as_ref(), plan)? else { continue };
            replace(self.port.as_ref(), &plan_file(plan_id), &bytes)?;
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
            replace(self.port.as_ref(), &at, &audit_text(&lines))?;
        }
        Ok(())
    }

    fn restore(&self, ledger: &Ledger, entries: &[Entry], boot: &str) -> Result<(), PortError> {
        let touched: BTreeSet<&PlanId> = entries
            .iter()
            .filter(|entry| entry.at.boot == boot)
            .filter_map(|entry| {
                let by_run = entry.event.run_id().and_then(|run_id| ledger.run(run_id));
                entry.event.plan_id().or(by_run.map(|run| &run.plan_id))
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
            } else if let Some(bytes) = persisted_as_stored(self.blobs.as_ref(), plan)? {
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
pub(super) fn all_audits(
    ledger: &Ledger,
    entries: &[Entry],
) -> BTreeMap<CorrelationId, Vec<String>> {
    let mut audits: BTreeMap<CorrelationId, Vec<String>> = BTreeMap::new();
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
