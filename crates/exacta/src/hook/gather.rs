//! What waits in one agent's session, gathered in one plan.
//!
//! An agent that makes eighty edits must not become eighty questions. While a plan of its
//! session waits, the next edit that would wait takes that plan's place together with what was
//! in it, so that a person is asked once for all of it.

use std::collections::BTreeMap;

use exacta_core::life::lifecycle::State;
use exacta_core::model::change::net;
use exacta_core::model::digest::Digest;
use exacta_core::model::id::{CorrelationId, PlanId};
use exacta_core::model::path::RelPath;
use exacta_core::record::Actor;
use exacta_engine::gate::Gate;

use super::call::Call;
use crate::cli::CliError;

/// More files than this are too much for one question.
const MOST_FILES: usize = 40;

/// A plan that waits, and what its files shall hold.
pub(super) struct Gathered {
    pub(super) plan_id: PlanId,
    pub(super) files: BTreeMap<RelPath, Option<Vec<u8>>>,
}

/// The intent of an agent's session: the same for all of its calls. None where the host does
/// not name its sessions.
pub(super) fn intent(call: &Call) -> Option<CorrelationId> {
    if call.session.is_empty() {
        return None;
    }
    let named = format!("exacta/session/v1\n{}\n{}", call.host.name(), call.session);
    let hex = Digest::of(named.as_bytes()).to_string();
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    // A UUID of the version that is for names of one's own.
    let id = format!(
        "{}-{}-8{}-8{}-{}",
        part(0, 8),
        part(8, 12),
        part(12, 15),
        part(15, 18),
        part(18, 30)
    );
    CorrelationId::parse(&id).ok()
}

/// The plan of this session that waits, if there is one that still fits the project.
pub(super) fn waiting(
    gate: &Gate<'_>,
    actor: &Actor,
    proposer: Option<&str>,
    intent: &CorrelationId,
) -> Result<Option<Gathered>, CliError> {
    let newest = gate.plans().into_iter().rev().find(|plan| {
        plan.created.correlation_id == *intent
            && plan.by == *actor
            && plan.created.proposer.as_deref() == proposer
            && plan.state() == State::Pending
    });
    let Some(plan) = newest else { return Ok(None) };
    if gate.out_of_date(plan.id())?.is_some() {
        return Ok(None);
    }
    let shown = gate.show(plan.id())?;
    let changes = net(shown.examined.changes());
    if !shown.is_live() || changes.len() >= MOST_FILES {
        return Ok(None);
    }
    let mut files = BTreeMap::new();
    for change in changes {
        let after = match change.after {
            None => None,
            Some(digest) => match shown.examined.image(&digest) {
                Some(blob) => Some(blob.bytes().to_vec()),
                None => return Ok(None),
            },
        };
        files.insert(change.path, after);
    }
    Ok(Some(Gathered { plan_id: plan.id().clone(), files }))
}
