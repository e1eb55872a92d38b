//! When a rule applies, and what it says then.

use crate::{drafted, merged};
use exacta_core::judge::policy::{PlanView, Then, rules};
use exacta_core::model::change::{Change, FileMode};
use exacta_core::model::code::Code;
use exacta_core::model::digest::Blob;
use exacta_core::model::digest::Digest;
use exacta_core::model::path::RelPath;
use exacta_core::read::dry_run::Totals;

fn change(step: &str, path: &str, before: Option<&str>, after: Option<&str>) -> Change {
    let mode = |image: Option<&str>| image.map(|_| FileMode::REGULAR);
    Change {
        path: RelPath::parse(path).unwrap(),
        before: before.map(|text| Digest::of(text.as_bytes())),
        after: after.map(|text| Digest::of(text.as_bytes())),
        mode_before: mode(before),
        mode_after: mode(after),
        step: step.into(),
        renamed_from: None,
    }
}

/// A plan that creates, modifies, deletes and empties files, and calls three tools.
fn with_plan<T>(test: impl Fn(&PlanView<'_>) -> T) -> T {
    let changes = [
        change("step_1", "src/new.rs", None, Some("a")),
        change("step_2", "src/old.rs", Some("a"), Some("b")),
        change("step_3", "db/Migrations/1.sql", Some("a"), None),
        change("step_4", "docs/page.md", Some("a"), Some("\u{feff}")),
    ];
    let mut totals = Totals { changed_lines: 120, ..Totals::default() };
    totals.see(Some(&Blob::new("\u{feff}".into())));
    let draft = drafted(&["ReadWeb", "SendEmail", "Nothing"]);
    test(&PlanView {
        draft: &draft,
        changes: &changes,
        totals: &totals,
        risk: Some(40),
        proposer: Some("bot"),
    })
}

/// The files and calls a condition applies to first, with their number.
fn hit(condition: &str, plan: &PlanView<'_>) -> Option<(Option<String>, usize)> {
    let text = format!("[[rule]]\nmatch = {condition}\nthen = 'ask'\nreason = 'because'");
    let policy = merged("", "", &text).policy;
    let verdicts = rules(&policy, plan);
    assert!(verdicts.len() <= 1);
    verdicts.into_iter().next().map(|verdict| (verdict.matched, verdict.count))
}

#[test]
fn conditions_hold_or_not() {
    let yes = |what: &str, count| Some((Some(what.into()), count));
    let always = Some((None, 0));
    for (condition, expected) in [
        ("{}", always.clone()),
        ("{paths = ['src/*']}", yes("src/new.rs", 2)),
        ("{paths = ['SRC/old.rs']}", yes("src/old.rs", 1)),
        ("{paths = ['db/migrations/**']}", yes("db/Migrations/1.sql", 1)),
        ("{paths = ['*.rs']}", None),
        ("{paths = ['**/*.rs', 'docs/**']}", yes("src/new.rs", 3)),
        ("{ops = ['create']}", yes("src/new.rs", 1)),
        ("{ops = ['modify']}", yes("src/old.rs", 2)),
        ("{ops = ['delete']}", yes("db/Migrations/1.sql", 2)),
        ("{paths = ['docs/**'], ops = ['delete']}", yes("docs/page.md", 1)),
        // Both must hold for one and the same file.
        ("{paths = ['src/**'], ops = ['delete']}", None),
        ("{tools = ['SendEmail']}", yes("SendEmail", 1)),
        ("{tools = ['CallApi']}", None),
        // A tool that does not exist is taken to do everything.
        ("{effects = ['send']}", yes("SendEmail", 2)),
        ("{effects = ['publish']}", yes("Nothing", 1)),
        ("{tools = ['ReadWeb'], effects = ['send']}", None),
        ("{paths = ['src/**'], tools = ['ReadWeb']}", yes("src/new.rs", 3)),
        ("{paths = ['src/**'], tools = ['CallApi']}", None),
        ("{min_risk = 40}", always.clone()),
        ("{min_risk = 41}", None),
        ("{min_changed_lines = 120}", always.clone()),
        ("{min_changed_lines = 121}", None),
        ("{proposers = ['bot', 'other']}", always.clone()),
        ("{proposers = ['anonymous']}", None),
        ("{recipes = ['Custom']}", always.clone()),
        ("{recipes = ['DailyBrief']}", None),
        ("{paths = ['src/**'], min_risk = 41}", None),
    ] {
        assert_eq!(with_plan(|plan| hit(condition, plan)), expected, "{condition}");
    }
}

#[test]
fn what_is_not_known_counts_against_the_plan() {
    with_plan(|plan| {
        let unknown = PlanView { risk: None, proposer: None, ..plan.clone() };
        assert!(hit("{min_risk = 100}", &unknown).is_some());
        assert!(hit("{proposers = ['anonymous']}", &unknown).is_some());
        assert!(hit("{proposers = ['bot']}", &unknown).is_none());
    });
}

#[test]
fn a_verdict_names_its_rule_and_a_denial_is_a_finding() {
    let rule = |paths: &str, then: &str| {
        format!(
            "[[rule]]\nmatch = {{paths = ['{paths}']}}\nthen = '{then}'\nreason = 'why {then}'\n"
        )
    };
    let policy = merged(
        &rule("never/**", "deny"),
        &(rule("src/new.rs", "ask") + &rule("db/**", "deny")),
        &rule("docs/**", "deny"),
    )
    .policy;
    let verdicts = with_plan(|plan| rules(&policy, plan));
    let names: Vec<_> = verdicts.iter().map(|verdict| (verdict.name(), verdict.then)).collect();
    assert_eq!(
        names,
        [
            ("rule 1 of the operator policy".into(), Then::Ask),
            ("rule 2 of the operator policy".into(), Then::Deny),
            ("rule 1 of the project policy".into(), Then::Deny),
        ]
    );
    assert!(verdicts[0].issue().is_none());
    let issue = verdicts[1].issue().unwrap();
    assert_eq!(issue.code, Code::PlanRuleDenied);
    assert_eq!(issue.step_id.as_deref(), Some("step_3"));
    assert_eq!(
        issue.message,
        "rule 2 of the operator policy refuses the plan (`db/Migrations/1.sql`): why deny"
    );
}

#[test]
fn a_rule_that_cannot_be_evaluated_denies() {
    let text = "[[rule]]\nmatch = {paths = ['x'], min_risk = 99}\nthen = 'ask'\nreason = 'r'";
    let mut policy = merged("", text, "").policy;
    assert!(with_plan(|plan| rules(&policy, plan)).is_empty());
    policy.rules[0].condition.paths = Some(vec!["a[".into()]);
    let verdicts = with_plan(|plan| rules(&policy, plan));
    assert_eq!(verdicts[0].then, Then::Deny);
    assert!(verdicts[0].reason.starts_with("the rule cannot be evaluated"), "{verdicts:?}");
}
