//! What `exacta explain` says of rows, reasons, profiles, classes and the words of the program.

use exacta_core::judge::decide::ReasonKind;
use exacta_core::judge::decide::table::ROWS;
use exacta_core::judge::policy::Profile;
use exacta_core::judge::score::{Class, Thousandths};
use exacta_engine::gate::PlanStatus;

/// Words that are not a row, reason, profile, class or status.
const WORDS: [(&str, &str); 15] = [
    (
        "plan",
        "An immutable contract made from a draft: what happens to which file, with scores, decision and hash.",
    ),
    ("draft", "What a planner hands in. Nothing in it is trusted."),
    ("run", "One execution of one approved plan: all of it or none of it."),
    (
        "risk",
        "0 to 100: points for what a plan does, each with its evidence. `exacta explain ID` lists them.",
    ),
    (
        "class",
        "What a change does, which is the least risk of its plan: neutral, additive, behaviour or dangerous.",
    ),
    ("quality", "0.000 to 1.000: how complete, specific, feasible, safe and clear a plan is."),
    (
        "approval",
        "A signed, single-use entry on the record that names one plan by its hash, until a deadline.",
    ),
    ("record", "The append-only, chained log in `.exacta/log`. `exacta verify` checks it."),
    (
        "policy",
        "What the operator allows. `exacta policy show` shows every value and where it comes from.",
    ),
    ("profile", "How much may run without a person: `manual`, `conservative` or `balanced`."),
    (
        "binding",
        "The policy and model that a plan was made under. If they change, the plan is renewed.",
    ),
    (
        "check",
        "A command of the operator that judges the staged files before they are put in place.",
    ),
    ("undo", "The inverse of a run, through the same path. It restores every file or refuses."),
    ("plan_hash", "Names a plan with everything computed about it; equal on every machine."),
    ("effect_hash", "Names what a plan does, whoever made it and however it was scored."),
];

/// The explanation of a word; nothing where it is none of ours.
pub(super) fn explained(word: &str) -> Option<String> {
    let word = word.to_lowercase().replace([' ', '-'], "_");
    if let Some(row) = ROWS.into_iter().find(|row| row.name == word) {
        let profiles: Vec<&str> = row.profiles.iter().map(|profile| profile.as_str()).collect();
        return Some(format!(
            "{}: {}\n  matches quality {} to {}, risk {} to {}, profile {}\n  decision: {}",
            row.name,
            row.says,
            Thousandths::new(*row.quality.start()),
            Thousandths::new(*row.quality.end()),
            row.risk.start(),
            row.risk.end(),
            profiles.join(", "),
            row.kind.as_str(),
        ));
    }
    if let Some(kind) = ReasonKind::ALL.iter().find(|kind| kind.as_str() == word) {
        let (name, says, to_pass) = (kind.as_str(), kind.summary(), kind.to_pass());
        return Some(format!("{name}: {says}\n  asks a person; to run alone: {to_pass}"));
    }
    if let Some((name, profile)) = Profile::WORDS.iter().find(|(name, _)| *name == word) {
        let says = super::policy::meaning(*profile);
        return Some(format!(
            "{name}: {says}\n  `exacta policy set profile {name}` chooses it, `exacta policy show` \
             shows the one in force"
        ));
    }
    if let Some(class) = Class::ALL.into_iter().find(|class| class.as_str() == word) {
        return Some(format!(
            "{}: {}\n  when: {}\n  risk: at least {}",
            class.as_str(),
            class.sentence(),
            class.when(),
            class.floor(),
        ));
    }
    if let Some(status) = PlanStatus::ALL.into_iter().find(|status| status.as_str() == word) {
        return Some(format!("{status}: {}", says(status)));
    }
    WORDS.iter().find(|(name, _)| *name == word).map(|(name, says)| format!("{name}: {says}"))
}

const fn says(status: PlanStatus) -> &'static str {
    match status {
        PlanStatus::Pending => "it waits for a person; `exacta review` asks",
        PlanStatus::Paused => "it waits, and somebody postponed it; its time runs on",
        PlanStatus::AutoApproved => "the decision table let it pass; it has not run",
        PlanStatus::UserApproved => "a person approved it; it has not run",
        PlanStatus::Running => "its run has begun and is not settled, or its checks are under way",
        PlanStatus::Executed => "it ran; what it does is done",
        PlanStatus::Waiting => "its run goes on when a person has decided on a step",
        PlanStatus::Failed => "it ran, some of it did not happen, and what did stays",
        PlanStatus::Unknown => "it ran, and whether a step happened is not known",
        PlanStatus::RolledBack => "it ran, and every file is as it was",
        PlanStatus::Rejected => "it will never run",
        PlanStatus::Expired => {
            "it was made for another state of things: its time, a file or the configuration; \
             `exacta renew` makes a fresh plan"
        }
        PlanStatus::ChangesRequested => "a person asked for another plan in its place",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_reasons_profiles_and_words_are_known() {
        for word in [
            "risk_low",
            "Risk-Low",
            "manual",
            "balanced",
            "changes requested",
            "binding",
            "neutral",
            "Dangerous",
        ] {
            assert!(explained(word).is_some(), "{word}");
        }
        for kind in ReasonKind::ALL.iter().filter(|kind| **kind != ReasonKind::Row) {
            assert!(explained(kind.as_str()).is_some(), "{}", kind.as_str());
        }
        assert_eq!(explained("nonsense"), None);
    }
}
