//! Names that are the same whenever a run is taken up again.

use exacta_core::model::digest::Digest;
use exacta_engine::tools::arguments_hash;
use serde_json::Value;

/// The idempotency key of a step: the same for every attempt, on every machine.
pub(super) fn idempotency_key(run_id: &str, step_id: &str) -> String {
    let text = format!("exacta/step/v1\n{}\n{run_id}{step_id}", run_id.len());
    let digest = Digest::of(text.as_bytes()).to_string();
    let hex = digest.rsplit(':').next().unwrap_or_default();
    hex.chars().take(32).collect()
}

/// Names arguments by their canonical form.
pub(super) fn args_hash(args: &Value) -> String {
    arguments_hash(args).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_key_belongs_to_one_step_of_one_run() {
        let key = idempotency_key("run", "step_1");
        assert_eq!(key.len(), 32);
        assert_eq!(key, idempotency_key("run", "step_1"));
        for (run, step) in [("run", "step_2"), ("runs", "tep_1"), ("run2", "step_1")] {
            assert_ne!(key, idempotency_key(run, step));
        }
    }

    #[test]
    fn the_order_of_members_makes_no_other_arguments() {
        assert_eq!(args_hash(&json!({"a": 1, "b": 2})), args_hash(&json!({"b": 2, "a": 1})));
        assert_ne!(args_hash(&json!({"a": 1})), args_hash(&json!({"a": "1"})));
    }
}
