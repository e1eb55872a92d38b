//! A plan that changes what a check of the operator runs could pass its own check: a file
//! that the check's command names always asks.

use alloc::string::String;
use alloc::vec::Vec;

use super::layer::LayerName;
use super::model::Policy;
use super::rule::Then;
use super::rules::{Clause, RuleVerdict};
use crate::model::change::Change;

/// A verdict for each check whose command names a file that the plan touches.
#[must_use]
pub fn guarded(policy: &Policy, changes: &[Change]) -> Vec<RuleVerdict> {
    let mut verdicts = Vec::new();
    for (name, check) in &policy.checks {
        let named: Vec<&str> = check.command.iter().flat_map(|word| words(word)).collect();
        let touched = || changes.iter().filter(|change| named.contains(&change.path.as_str()));
        let Some(first) = touched().next() else { continue };
        let mut steps: Vec<String> = touched().map(|change| change.step.clone()).collect();
        steps.dedup();
        verdicts.push(RuleVerdict {
            then: Then::Ask,
            reason: format!("its command names `{}`, which the plan changes", first.path),
            layer: LayerName::Operator,
            clause: Clause::Check { name: name.clone() },
            count: touched().count(),
            steps,
            matched: Some(first.path.as_str().into()),
        });
    }
    verdicts
}

/// The words of an argument that could be paths: a shell may read it.
fn words(argument: &str) -> impl Iterator<Item = &str> {
    let parts = |c: char| c.is_whitespace() || "\"'`;|&()<>=,:$".contains(c);
    argument.split(parts).map(|word| word.trim_start_matches("./")).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::words;

    #[test]
    fn paths_are_found_also_in_what_a_shell_reads() {
        let found: Vec<&str> = words("cd x && ./run.sh --config=ci/a.toml; sh 'b c.sh'").collect();
        assert_eq!(found, ["cd", "x", "run.sh", "--config", "ci/a.toml", "sh", "b", "c.sh"]);
    }
}
