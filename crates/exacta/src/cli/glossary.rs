//! What `exacta explain` says of rows, reasons, profiles, classes and the words of the program.

use clap::CommandFactory as _;
use exacta_core::judge::decide::ReasonKind;
use exacta_core::judge::decide::table::ROWS;
use exacta_core::judge::policy::{KEYS, Profile};
use exacta_core::judge::score::{Class, Thousandths};
use exacta_engine::gate::PlanStatus;

use super::args::Cli;

/// Words that are not a row, reason, profile, class, status, command or kind of constraint.
const WORDS: [(&str, &str); 47] = [
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
    ("effect", "What really happens: a file that is written or goes, a tool that is called."),
    ("step", "One part of a plan: changes of files, or one call of a tool."),
    ("hunk", "Lines of a file that change together. A review takes or leaves each by itself."),
    (
        "selection",
        "The steps and hunks that are chosen in a review; what they need comes along. It becomes a plan of its own.",
    ),
    ("intent", "What the user asked for, in their words: `--intent`. A plan is held against it."),
    (
        "constraint",
        "What a plan must keep to, such as `no_delete` or `paths_within`; from the planner, the user or policy.",
    ),
    (
        "completeness",
        "Part of quality: does the plan do what the intent asks for, and does all of it count?",
    ),
    ("specificity", "Part of quality: does it say exactly what to do, without placeholders?"),
    ("feasibility", "Part of quality: can it be done as it stands?"),
    ("safety", "Part of quality: does it do without what puts work at risk?"),
    ("clarity", "Part of quality: can a person follow it?"),
    ("insufficient", "Quality below 0.600: the plan is rejected, whatever its risk."),
    ("row", "A row of the decision table: profile, risk and quality say what becomes of a plan."),
    (
        "checkpoint",
        "The head of the record, kept outside the project: a cut tail is found against it.",
    ),
    ("receipt", "A signed statement of plan, approval, effect and result: `exacta receipt RUN`."),
    (
        "approved",
        "A person (`user_approved`) or the decision table (`auto_approved`) let a plan pass; it has not run.",
    ),
    (
        "budget",
        "What may run unasked within ten minutes, taken together: `session_budget` in `exacta policy show`.",
    ),
    (
        "conflict",
        "A file was changed since the run, so that an undo would lose work; `exacta undo --free` and `--merge` help.",
    ),
    ("credential", "A passphrase or key file that proves a decision: `exacta policy credential`."),
    ("deadline", "Until when a plan can be decided on and run: `ttl_minutes` after it was made."),
    (
        "estimate",
        "The tokens, money and time that a plan may take; none where no model is involved.",
    ),
    ("evidence", "The step, file and line that a point of risk or quality was found at."),
    (
        "floor",
        "The least risk of a plan, whatever its points: by the class of its changes and the effect of its tools.",
    ),
    (
        "hash",
        "64 hexadecimal digits that name exactly one content: `plan_hash` a plan, `effect_hash` what it does.",
    ),
    (
        "moved",
        "The folder lies elsewhere than when it was last used; `exacta adopt` goes on with its record and every undo.",
    ),
    ("proposer", "Who hands in a plan: `--as NAME`, as policy registers them."),
    (
        "reach",
        "What a change newly does: names that it calls, addresses, paths and variables that were not there before.",
    ),
    (
        "rename",
        "A file that goes on under another name: one step and one row, compared with what it was.",
    ),
    (
        "session",
        "The time in which plans live: until the machine restarts, or while `exacta serve` runs.",
    ),
    ("terminal", "Where a person confirms; standard input is never read for that."),
    ("tier", "The level of a risk: low to 30, medium to 65, high from 66."),
    ("ttl", "How long a plan may wait and an approval be used: `ttl_minutes` in policy."),
];

/// The kinds of constraints, as `--constraint` takes them.
const CONSTRAINTS: [(&str, &str); 11] = [
    ("paths_within", "every file lies within these globs: `paths_within=src/**,docs/**`"),
    ("paths_except", "no file lies within these globs: `paths_except=vendor/**`"),
    ("must_touch", "a file within each of these globs changes: `must_touch=tests/**`"),
    ("max_files", "no more files than this change: `max_files=5`"),
    ("max_changed_lines", "no more lines than this change: `max_changed_lines=200`"),
    ("no_delete", "no file goes, and none is emptied"),
    ("no_new_dependencies", "no manifest names a package that it did not name before"),
    (
        "tests_required",
        "tests change with the code; with names, these checks pass: `tests_required=unit`",
    ),
    ("no_tool", "no step calls a tool, or none of these: `no_tool=SendEmail`"),
    ("domains", "tools reach these hosts alone: `domains=example.org`"),
    ("recipients", "mail goes to these addresses alone: `recipients=me@example.org`"),
];

/// The explanation of a word, each of its meanings by itself; nothing where it has none here.
pub(super) fn explained(word: &str) -> Option<String> {
    let word = word.to_lowercase().replace([' ', '-'], "_");
    let meanings = [
        of_policy(&word),
        of_decision(&word),
        of_plan(&word),
        of_constraint(&word),
        of_command(&word),
    ];
    let meanings: Vec<String> = meanings.into_iter().flatten().collect();
    (!meanings.is_empty()).then(|| meanings.join("\n\n"))
}

/// Every word that is explained, besides the keys of policy.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    let rows = ROWS.into_iter().map(|row| row.name);
    let reasons = ReasonKind::ALL.iter().map(|kind| kind.as_str());
    let profiles = Profile::WORDS.iter().map(|(name, _)| *name);
    let classes = Class::ALL.into_iter().map(Class::as_str);
    let statuses = PlanStatus::ALL.into_iter().map(PlanStatus::as_str);
    let others = WORDS.iter().chain(&CONSTRAINTS).map(|(name, _)| *name);
    let all = rows.chain(reasons).chain(profiles).chain(classes).chain(statuses).chain(others);
    all.collect::<std::collections::BTreeSet<_>>().into_iter()
}

/// The word that a text was probably meant to be.
pub(super) fn resembling(text: &str) -> Option<&'static str> {
    let text = text.to_lowercase().replace([' ', '-'], "_");
    let all = words().chain(KEYS.iter().map(|key| key.path));
    let (distance, word) =
        all.map(|word| (strsim::osa_distance(&text, word), word)).min_by_key(|(far, _)| *far)?;
    (distance * 3 <= word.len()).then_some(word)
}

/// A profile, or a key of policy files.
fn of_policy(word: &str) -> Option<String> {
    if let Some((name, profile)) = Profile::WORDS.iter().find(|(name, _)| *name == word) {
        let says = super::policy::meaning(*profile);
        return Some(format!(
            "{name}: {says}\n  `exacta policy set profile {name}` chooses it, `exacta policy show` \
             shows the one in force"
        ));
    }
    let key = KEYS.iter().find(|key| key.path == word)?;
    let mut says = format!("{word}: {}\n  a key of policy files; takes {}", key.about, key.takes);
    if let Some((_, word)) = WORDS.iter().find(|(name, _)| *name == word) {
        says = format!("{}: {word}\n  {says}", key.path);
    }
    Some(says)
}

/// A row of the decision table, or a reason to ask.
fn of_decision(word: &str) -> Option<String> {
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
    // That a row matched is said by the row.
    let mut reasons = ReasonKind::ALL.iter().filter(|kind| **kind != ReasonKind::Row);
    let kind = reasons.find(|kind| kind.as_str() == word)?;
    let (name, says, to_pass) = (kind.as_str(), kind.summary(), kind.to_pass());
    Some(format!("{name}: {says}\n  asks a person; to run alone: {to_pass}"))
}

/// A class, a status, or one of the other words.
fn of_plan(word: &str) -> Option<String> {
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
    // A word that is a key of policy as well was explained with it.
    let plain = KEYS.iter().all(|key| key.path != word);
    let known = WORDS.iter().find(|(name, _)| *name == word && plain);
    known.map(|(name, says)| format!("{name}: {says}"))
}

/// A kind of constraint.
fn of_constraint(word: &str) -> Option<String> {
    let (name, says) = CONSTRAINTS.iter().find(|(name, _)| *name == word)?;
    Some(format!(
        "{name}: {says}\n  a constraint: `--constraint`, a draft's `constraints` or policy sets it, \
         and code holds the plan to it"
    ))
}

/// What a command does, as its help says it.
fn of_command(word: &str) -> Option<String> {
    let name = word.replace('_', "-");
    let all = Cli::command();
    let command = all.find_subcommand(&name).filter(|command| !command.is_hide_set())?;
    let about = command.get_about()?.to_string();
    Some(format!("{name}: {about}\n  a command; `exacta {name} --help` says how"))
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
            "no_delete",
            "renew",
            "reach",
        ] {
            assert!(explained(word).is_some(), "{word}");
        }
        for kind in ReasonKind::ALL.iter().filter(|kind| **kind != ReasonKind::Row) {
            assert!(explained(kind.as_str()).is_some(), "{}", kind.as_str());
        }
        assert_eq!(explained("nonsense"), None);
        assert!(words().all(|word| explained(word).is_some_and(|says| !says.ends_with(": "))));
        assert!(explained("manual").unwrap().contains("policy set profile manual"));
        assert!(explained("ttl_minutes").unwrap().contains("a key of policy files"));
        let undo = explained("undo").unwrap();
        assert!(undo.contains("The inverse of a run") && undo.contains("`exacta undo --help`"));
        assert!(explained("profile").unwrap().starts_with("profile: "));
        assert_eq!(explained("help"), None);
        assert_eq!(resembling("profil"), Some("profile"));
        assert_eq!(resembling("conservativ"), Some("conservative"));
        assert_eq!(resembling("zzz"), None);
    }
}
