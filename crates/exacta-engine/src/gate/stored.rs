//! A plan as it is stored: what went in, so that everything can be computed again.
//!
//! No score and no effect is trusted from here; what the inspector found is, because the
//! signed log names this record by its hash. To be shown, a plan is examined again on the
//! files as they were; to be approved or run, on the files as they are.

use std::collections::BTreeMap;

use exacta_core::judge::decide::Spend;
use exacta_core::judge::examine::Context;
use exacta_core::life::binding::PlanBinding;
use exacta_core::life::ledger::PlanEntry;
use exacta_core::model::diagnostic::Issue;
use exacta_core::model::digest::{Blob, Digest};
use exacta_core::model::id::{CorrelationId, PlanId};
use exacta_core::model::plan::{Draft, replace, select};
use exacta_core::read::parse::{self, Limits};
use exacta_core::record::PickedHunks;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::cached_facts::Findings;
use super::error::GateError;
use super::frozen::FrozenTree;
use super::propose::SourceKind;
use crate::blobs::Blobs;

pub(super) const FORMAT: &str = "exacta/plan-record/v2";

/// The object that the record names for a plan.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlanRecord {
    pub(super) format: String,
    pub(super) plan_id: PlanId,
    pub(super) correlation_id: CorrelationId,
    pub(super) kind: SourceKind,
    /// The text that was handed in.
    pub(super) text: Digest,
    /// The steps that were selected of it.
    pub(super) steps: Option<Vec<String>>,
    /// The steps of which only hunks were selected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) hunks: Vec<PickedHunks>,
    /// The hash of the plan whose steps were selected.
    pub(super) derived_from: Option<Digest>,
    pub(super) intent: Option<String>,
    pub(super) constraints: Vec<String>,
    pub(super) proposer: Option<String>,
    pub(super) session: Spend,
    pub(super) everybody: Spend,
    pub(super) tree: FrozenTree,
    /// What the inspector found, an entry for each question; none where it was not asked.
    #[serde(default)]
    pub(super) findings: Vec<Findings>,
    /// The files that configure the project, as they were.
    pub(super) configuration: BTreeMap<String, Option<Digest>>,
    pub(super) binding: PlanBinding,
    /// Every object that belongs to the plan.
    pub(super) blobs: Vec<Digest>,
    /// The canonical form that the plan's hash names.
    pub(super) form: Box<RawValue>,
}

/// The parts of the same object that a plan's own file shows, as they are written.
#[derive(Debug, Deserialize)]
pub(super) struct PlanParts<'a> {
    #[serde(borrow)]
    pub(super) binding: &'a RawValue,
    #[serde(borrow)]
    pub(super) form: &'a RawValue,
}

impl PlanRecord {
    /// Reads the object that the record names; it is what was stored, to the byte.
    pub(super) fn load(objects: &dyn Blobs, plan: &PlanEntry) -> Result<Self, GateError> {
        let created = &plan.created;
        if plan.forgotten {
            return Err(GateError::Forgotten { plan_id: created.plan_id.clone() });
        }
        let blob = objects.get(&created.record)?;
        let differs = |how: String| GateError::Differs {
            plan_id: created.plan_id.clone(),
            what: format!("the stored plan {}", created.plan_id),
            how,
        };
        let text = str::from_utf8(blob.bytes()).map_err(|error| differs(error.to_string()))?;
        let record: Self =
            serde_json::from_str(text).map_err(|error| differs(error.to_string()))?;
        if record.format != FORMAT {
            return Err(differs(format!("its format is `{}`", record.format)));
        }
        if record.plan_id != created.plan_id || record.correlation_id != created.correlation_id {
            return Err(differs("it is another plan".into()));
        }
        if Digest::of(record.form.get().as_bytes()) != created.plan_hash {
            return Err(differs("its content does not have the plan's hash".into()));
        }
        if record.binding.hash()? != created.binding {
            return Err(differs("its binding is not the one on the record".into()));
        }
        Ok(record)
    }

    /// The draft, read again from the text that was handed in.
    pub(super) fn draft(&self, objects: &dyn Blobs) -> Result<Draft, GateError> {
        let text = objects.get(&self.text)?;
        let draft = read(self.kind, text.bytes()).map_err(GateError::Invalid)?;
        let fault = |fault| GateError::Select { plan_id: self.plan_id.clone(), fault };
        let mut draft = match &self.steps {
            None => draft,
            Some(steps) => select(&draft, steps).map_err(fault)?,
        };
        for picked in &self.hunks {
            replace(&mut draft, &picked.step, objects.get(&picked.image)?).map_err(fault)?;
        }
        Ok(draft)
    }

    /// What was said beside the draft.
    pub(super) fn context(&self) -> Result<Context, GateError> {
        let constraints = self
            .constraints
            .iter()
            .map(|words| parse::constraint_from_words(words))
            .collect::<Result<_, _>>()
            .map_err(|issue| GateError::Constraint(Box::new(issue)))?;
        Ok(Context {
            intent: self.intent.clone(),
            constraints,
            derived_from: self.derived_from,
            no_model: !self.kind.may_be_a_models(),
            proposer: self.proposer.clone(),
            session: self.session.clone(),
            everybody: self.everybody.clone(),
            window: Vec::new(),
        })
    }

    /// The object and its bytes.
    pub(super) fn to_blob(&self) -> Result<Blob, GateError> {
        Ok(Blob::new(serde_json::to_vec(self)?))
    }
}

/// Reads a text the way it was handed in.
pub(super) fn read(kind: SourceKind, text: &[u8]) -> Result<Draft, Vec<Issue>> {
    let limits = Limits::default();
    match kind {
        SourceKind::Draft | SourceKind::Computed => parse::draft(text, limits),
        SourceKind::Patch => parse::patch(text, limits),
    }
}
