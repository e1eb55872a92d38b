//! Step ids: unique to machines and to people, and in sequence where numbered.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use hashbrown::HashMap;

use crate::model::code::Code;
use crate::model::diagnostic::Issue;
use crate::model::path::{fold_key, is_hidden, look_alike_key, reads_as};
use crate::model::plan::{Draft, Step};

/// The longest id, in bytes.
const MAX_ID: usize = 128;

/// Checks the ids of all steps. `derived` plans keep the ids of the plan they were
/// selected from and are exempt from the sequence rule.
pub fn ids(draft: &Draft, derived: bool, issues: &mut Vec<Issue>) {
    if draft.steps.is_empty() {
        issues.push(
            Issue::error(Code::PlanNoSteps, "PV-1", "the plan has no steps")
                .at(crate::text::pointer::Pointer::root().key("steps"))
                .help("say what is to be done; a plan has at least one step"),
        );
        return;
    }
    let mut exact: HashMap<&str, usize> = HashMap::with_capacity(draft.steps.len());
    let mut similar: HashMap<String, usize> = HashMap::new();
    let mut folds: HashMap<Cow<'_, str>, usize> = HashMap::new();
    let mut numbers: Vec<usize> = Vec::new();
    // Plain numbers never look alike, so a plan that has no other ids needs no keys.
    let only_numbers =
        draft.steps.iter().all(|step| matches!(numbered(&step.step_id), Numbered::Plain(_)));
    for (index, step) in draft.steps.iter().enumerate() {
        let id = step.step_id.as_str();
        if let Some(reason) = malformed(id) {
            issues.push(finding(index, step, "step_id", reason));
            continue;
        }
        if let Some(first) = exact.insert(id, index) {
            issues.push(finding(
                index,
                step,
                "step_id_unique",
                format!("the id `{id}` is used again; step {} has it", first + 1),
            ));
            continue;
        }
        match numbered(id) {
            Numbered::No => {}
            Numbered::Plain(number) => {
                numbers.push(number);
                if only_numbers {
                    continue;
                }
            }
            Numbered::Odd if derived => {}
            Numbered::Odd => {
                issues.push(finding(
                    index,
                    step,
                    "step_id_sequence",
                    format!(
                        "`{id}` is not numbered as steps are: from 1, in digits, without zeros before"
                    ),
                ));
                continue;
            }
        }
        // Letters of other scripts may look alike in one case only.
        let folded = if id.is_ascii() { None } else { folds.insert(fold_key(id), index) };
        if let Some(first) = similar.insert(look_alike_key(id), index).or(folded) {
            issues.push(finding(
                index,
                step,
                "step_id_look_alike",
                format!("the id `{id}` looks like that of step {}", first + 1),
            ));
        }
    }
    // The numbers differ from each other, so they are 1 to M exactly when none is above M.
    let contiguous = numbers.iter().all(|number| *number <= numbers.len());
    if !contiguous && !derived {
        numbers.sort_unstable();
        let missing = numbers.iter().zip(1..).find(|(n, k)| *n != k).map_or(1, |(_, k)| k);
        let after_gap =
            draft.steps.iter().enumerate().find(
                |(_, step)| matches!(numbered(&step.step_id), Numbered::Plain(n) if n > missing),
            );
        if let Some((index, step)) = after_gap {
            let message = format!(
                "ids of the form `step_<k>` run from step_1 without gaps: `step_{missing}` is missing"
            );
            issues.push(finding(index, step, "step_id_sequence", message));
        }
    }
}

fn finding(index: usize, step: &Step, rule: &'static str, message: impl Into<String>) -> Issue {
    Issue::error(Code::PlanStepIdInvalid, rule, message)
        .step(step.step_id.clone())
        .at(Draft::step_pointer(index).key("step_id"))
        .help("give each step an id of its own; number them step_1, step_2, … without gaps")
}

fn malformed(id: &str) -> Option<String> {
    if id.is_empty() {
        return Some("the step id is empty".into());
    }
    if id.len() > MAX_ID {
        return Some(format!("the step id has {} bytes; {MAX_ID} is the most", id.len()));
    }
    if id == "__meta__" {
        return Some("`__meta__` is the name of the summary row of every result list".into());
    }
    if id.chars().any(is_hidden) {
        return Some("the step id has hidden characters".into());
    }
    if id.chars().any(char::is_whitespace) {
        return Some("the step id has white space in it".into());
    }
    // Where ids are listed, one would read as several, or as words of ours.
    if id.chars().any(|c| reads_as(c, &[',', '`', '\'', '"'])) {
        return Some("the step id has a comma, a quote or a backtick in it".into());
    }
    if id.chars().next().is_some_and(|c| reads_as(c, &['-'])) {
        return Some("the step id begins with a dash, as an option does".into());
    }
    None
}

enum Numbered {
    /// Not of the form `step_<k>`.
    No,
    /// `step_<k>` in plain digits.
    Plain(usize),
    /// A number written another way: leading zeros, other digits.
    Odd,
}

fn numbered(id: &str) -> Numbered {
    let Some(digits) = id.strip_prefix("step_") else { return Numbered::No };
    if digits.is_empty() || !digits.chars().all(char::is_numeric) {
        return Numbered::No;
    }
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    match digits.parse() {
        Ok(number) if plain => Numbered::Plain(number),
        _ => Numbered::Odd,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_as_one_word_and_as_none_of_ours() {
        for id in [
            "a,b",
            "a, b",
            "step 1",
            "step 1, needs nothing",
            "a\u{a0}b",
            "a\u{3000}b",
            "a\tb",
            " a",
            "--hash",
            "-",
            "-a",
            "\u{2212}a",
            "\u{2013}a",
            "\u{2014}a",
            "a`b",
            "it's",
            "\"a\"",
            "\u{201c}a\u{201d}",
            "\u{2019}",
            "\u{ab}a\u{bb}",
            "a\u{ff0c}b",
            "a\u{3001}b",
            "a\u{60c}b",
            "a\u{201a}b",
            "a\u{2bc}b",
            "a\u{b4}",
        ] {
            assert!(malformed(id).is_some(), "{id}");
        }
        for id in [
            "step_1",
            "add-tests",
            "add_tests",
            "a.b",
            "a/b",
            "a:b",
            "a+b",
            "schritt_größe",
            "шаг",
            "手順",
            "\u{5d9}\u{5d5}\u{5dd}",
            "1",
        ] {
            assert_eq!(malformed(id), None, "{id}");
        }
    }
}
