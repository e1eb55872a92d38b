//! What asked a person or rejected a plan, and how that ended: what to look at when policy asks
//! too often.

use std::collections::{BTreeMap, BTreeSet};

use exacta_core::judge::policy::Profile;
use exacta_core::life::lifecycle::State;
use exacta_core::text::shown::visible;
use schemars::JsonSchema;
use serde::Serialize;

use super::Gate;

/// One reason and what became of the plans that had it.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Asked {
    /// The reason, without what differs from plan to plan.
    pub reason: String,
    /// Plans that had it.
    pub plans: u64,
    /// Of these, how many a person approved.
    pub approved: u64,
    /// How many were rejected.
    pub rejected: u64,
    /// How many expired or wait.
    pub open: u64,
}

impl Gate<'_> {
    /// Counts the reasons of plans that did not run alone, most frequent first.
    #[must_use]
    pub fn asked_most(&self) -> Vec<Asked> {
        let mut asked: BTreeMap<String, Asked> = BTreeMap::new();
        for plan in self.plans().iter().filter(|plan| plan.state() != State::AutoApproved) {
            let kinds: BTreeSet<String> =
                plan.reasons.iter().map(|reason| kind_of(reason)).collect();
            for reason in kinds {
                let fresh = Asked { reason: reason.clone(), ..Asked::default() };
                let entry = asked.entry(reason).or_insert(fresh);
                entry.plans += 1;
                match plan.state() {
                    State::UserApproved => entry.approved += 1,
                    State::Rejected => entry.rejected += 1,
                    State::AutoApproved | State::Pending | State::Expired => entry.open += 1,
                }
            }
        }
        let mut asked: Vec<Asked> = asked.into_values().collect();
        asked.sort_by(|a, b| b.plans.cmp(&a.plans).then_with(|| a.reason.cmp(&b.reason)));
        asked
    }
}

/// A reason without names and numbers, so that reasons of one kind are counted together.
fn kind_of(reason: &str) -> String {
    let plain = reason.split(" (").next().unwrap_or(reason);
    let pieces = plain.split('`').enumerate().map(|(at, piece)| {
        let name = at % 2 == 1;
        let kept = !name || Profile::WORDS.iter().any(|(word, _)| *word == piece);
        if kept { piece } else { "…" }
    });
    let text = pieces.collect::<String>();
    let words = text.split_whitespace();
    let words =
        words.map(|word| if word.contains(|c: char| c.is_ascii_digit()) { "…" } else { word });
    visible(words.collect::<Vec<_>>().join(" ").trim_end_matches([':', ' ']).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::kind_of;

    #[test]
    fn reasons_are_counted_by_kind() {
        for (reason, kind) in [
            (
                "dangerous: public function `echo` is now `echo_`",
                "dangerous: public function … is now …",
            ),
            (
                "every plan waits for a person under `manual` (risk 66, quality 0.970)",
                "every plan waits for a person under manual",
            ),
            ("recent plans add up to 70 points", "recent plans add up to … points"),
        ] {
            assert_eq!(kind_of(reason), kind);
        }
    }
}
