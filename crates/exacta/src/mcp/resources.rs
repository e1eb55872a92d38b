//! Plans, results and the record as resources: the same that the tools give, by address.

use std::collections::BTreeSet;

use exacta_core::model::id::PlanId;
use serde_json::Value;

use super::desk::{Desk, Refusal, refusal};
use crate::cli::CliError;

/// What can be read at an address of ours.
#[derive(Debug, PartialEq, Eq)]
enum Address<'a> {
    Plan(&'a str),
    Run(&'a str),
    Record,
}

/// The addresses that take a name: address, name, words.
pub(super) const TEMPLATES: [(&str, &str, &str); 2] = [
    ("exacta://plans/{plan_id}", "plan", "A plan with its scores, files and patch."),
    ("exacta://runs/{run_id}", "results", "The result list of a run."),
];

/// The one that does not.
pub(super) const RECORD: (&str, &str, &str) =
    ("exacta://record", "record", "The newest entries of the record, oldest first.");

fn read_address(uri: &str) -> Option<Address<'_>> {
    let rest = uri.strip_prefix("exacta://")?;
    match rest.split_once('/') {
        Some(("plans", name)) if !name.is_empty() => Some(Address::Plan(name)),
        Some(("runs", name)) if !name.is_empty() => Some(Address::Run(name)),
        None if rest == "record" => Some(Address::Record),
        _ => None,
    }
}

/// How many entries the record shows at most.
const NEWEST: usize = 200;

impl Desk {
    /// What lies at an address.
    pub(super) fn read(&self, uri: &str) -> Result<Value, Refusal> {
        let unknown = || {
            refusal(CliError::Usage {
                message: format!("there is nothing at `{uri}`"),
                help: "`exacta://plans/ID`, `exacta://runs/ID` or `exacta://record`".into(),
            })
        };
        match read_address(uri).ok_or_else(unknown)? {
            Address::Plan(name) => {
                let plan = self.show(name)?;
                serde_json::to_value(plan).map_err(|error| refusal(error.into()))
            }
            Address::Run(name) => self.results(name).map_err(refusal),
            Address::Record => self.newest().map_err(refusal),
        }
    }

    fn results(&self, name: &str) -> Result<Value, CliError> {
        self.door()?.look(|gate| {
            let run = gate.run_named(name)?;
            self.seen(gate, gate.plan_or_run_named(run.plan_id.as_str())?)?;
            let results = match run.results {
                Some(object) => serde_json::from_slice(gate.object(&object)?.bytes())?,
                None => Value::Null,
            };
            Ok(serde_json::json!({ "run_id": run.run_id, "plan_id": run.plan_id,
                "status": run.status, "results": results }))
        })
    }

    fn newest(&self) -> Result<Value, CliError> {
        self.door()?.look(|gate| {
            let mut entries = gate.entries()?;
            if self.is_guest() {
                // An agent with a token sees what is about its own plans.
                let own: BTreeSet<PlanId> = gate
                    .plans()
                    .into_iter()
                    .filter(|plan| self.sees(gate, plan))
                    .map(|plan| plan.created.plan_id)
                    .collect();
                entries.retain(|entry| entry.event.plan_id().is_some_and(|id| own.contains(id)));
            }
            let from = entries.len().saturating_sub(NEWEST);
            let newest: Vec<_> = entries.into_iter().skip(from).collect();
            Ok(serde_json::json!({ "head": gate.head().head, "entries": newest }))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_addresses_are_read() {
        assert_eq!(read_address("exacta://plans/abc"), Some(Address::Plan("abc")));
        assert_eq!(read_address("exacta://runs/abc"), Some(Address::Run("abc")));
        assert_eq!(read_address("exacta://record"), Some(Address::Record));
        for other in ["file:///etc/passwd", "exacta://", "exacta://plans/", "exacta://policy", ""] {
            assert_eq!(read_address(other), None, "{other}");
        }
    }
}
