//! A run as a signed statement: which plan, who approved it, what became of each file.
//!
//! The form is an in-toto statement in a DSSE envelope, so that whoever trusts the project's
//! key can check it without the project. It is made from the record and from nothing else.

use exacta_core::model::change::net;
use exacta_core::model::id::RunId;
use exacta_core::record::Event;
use serde_json::{Value, json};

use super::error::GateError;
use super::handle::Gate;
use crate::trust::Envelope;

/// What the statement is about.
pub const RECEIPT_TYPE: &str = "urn:exacta:receipt:v1";
const STATEMENT: &str = "https://in-toto.io/Statement/v1";

impl Gate<'_> {
    /// The signed statement of a run.
    ///
    /// # Errors
    /// When there is no such run, or what is stored of its plan was changed.
    pub fn receipt(&self, run_id: &RunId) -> Result<Envelope, GateError> {
        let run = self.run_named(run_id.as_str())?;
        let shown = self.show(&run.plan_id)?;
        let created = &shown.entry.created;
        let approval = self.entries()?.into_iter().find_map(|entry| match entry.event {
            Event::PlanApproved { approval, .. } if approval.plan_id == run.plan_id => {
                Some(json!({ "entry": entry.seq, "time": entry.time, "approval": approval }))
            }
            _ => None,
        });
        let results: Option<Value> = match run.results {
            Some(object) => Some(serde_json::from_slice(self.object(&object)?.bytes())?),
            None => None,
        };
        let files = net(shown.examined.changes());
        let plan = json!({ "name": format!("plan {}", created.plan_id),
            "digest": { "sha256": created.plan_hash } });
        let subjects = files.iter().filter_map(|file| {
            let after = file.after.as_ref()?;
            Some(json!({ "name": file.path, "digest": { "sha256": after } }))
        });
        let subjects: Vec<Value> = std::iter::once(plan).chain(subjects).collect();
        let head = self.head();
        let statement = json!({
            "_type": STATEMENT,
            "subject": subjects,
            "predicateType": RECEIPT_TYPE,
            "predicate": {
                "project": head.project,
                "plan_id": created.plan_id,
                "plan_hash": created.plan_hash,
                "correlation_id": created.correlation_id,
                "proposer": created.proposer,
                "run_id": run.run_id,
                "kind": run.kind,
                "time": run.time,
                "status": run.status,
                "undone_by": run.undone_by,
                "approved": approval,
                "files": files,
                "results": results,
                "record": { "entries": head.entries, "head": head.head },
            },
        });
        Ok(Envelope::sign(&statement, &self.secrets.signer)?)
    }
}
