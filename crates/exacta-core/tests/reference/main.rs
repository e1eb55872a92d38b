//! Generated plans through the product and through a naive reference validator.
//!
//! `EXACTA_TEST_FULL=1` runs millions. A failure names its seed; `EXACTA_TEST_SEED=n`
//! runs that one plan.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code reports by panicking"
)]

mod generate;
mod model;
mod naive;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

use exacta_core::judge::examine::Verdict;
use exacta_testkit::check::findings;
use exacta_testkit::{Budget, Check, Rng};

use model::{Plan, mode_of};

/// Compares the product's word on a plan with the reference's; returns the rules broken.
fn compare(plan: &Plan) -> Result<BTreeSet<String>, String> {
    let mut check = Check::default();
    for file in &plan.tree {
        check.tree.put(file.path.clone(), file.content.clone(), mode_of(file.executable));
    }
    check.policy.caps.max_files = plan.max_files;
    check.policy.caps.max_steps = plan.max_steps;
    check.policy.caps.max_changed_lines = plan.max_changed_lines;
    let text = plan.to_json();
    let examined = check.text(&text).map_err(|issues| format!("not read: {issues:#?}"))?;
    let expected = naive::judge(plan);
    let mut found = findings(&examined.issues);
    if !expected.lines_known {
        found.retain(|(code, ..)| *code != "PLAN_LINE_CAP_EXCEEDED");
    }
    if found.is_empty() != expected.is_sound() {
        return Err(format!("sound: {}\n{:#?}\n{expected:#?}", found.is_empty(), examined.issues));
    }
    assert!(!examined.is_sound() || examined.issues.is_empty(), "a sound plan with findings");
    let wrong = |what: &str| Err(format!("{what}\n{found:#?}\n{expected:#?}"));

    // A cycle can be named at any of its steps.
    let cycles: BTreeSet<_> = found.iter().filter(|(_, rule, _)| rule == "PV-3").cloned().collect();
    if cycles.is_empty() != expected.on_cycle.is_empty()
        || cycles.iter().any(|(_, _, step)| !expected.on_cycle.contains(step.as_deref().unwrap()))
    {
        return wrong("cycles");
    }
    // Steps that get in each other's way can be named at any of them.
    let conflicts: BTreeSet<_> = found
        .iter()
        .filter(|(_, rule, step)| {
            (rule == "PS-2" || rule == "PS-3")
                && !expected.exact.contains(&("PLAN_CONFLICT", rule.clone(), step.clone()))
        })
        .cloned()
        .collect();
    for (_, rule, step) in &conflicts {
        let step = step.as_deref().unwrap();
        if !expected.conflicts.iter().any(|c| c.rule == rule && c.steps.contains(step)) {
            return wrong("a conflict that is none");
        }
    }
    for group in &expected.groups {
        let named = |(_, rule, step): &(&str, String, Option<String>)| {
            rule.starts_with("PS-") && group.contains(step.as_deref().unwrap_or_default())
        };
        if !found.iter().any(named) {
            return wrong("a conflict that was missed");
        }
    }
    found.retain(|finding| !cycles.contains(finding) && !conflicts.contains(finding));
    if found != expected.exact {
        return Err(format!("findings differ\n{found:#?}\n{expected:#?}"));
    }
    if let Verdict::Sound(sound) = &examined.verdict {
        // The last image of each file is the reference's file.
        for change in sound.changes() {
            let last = sound.changes().iter().rev().find(|c| c.path == change.path).unwrap();
            let file = expected.files.get(change.path.as_str()).and_then(Option::as_ref);
            let image = last.after.map(|digest| sound.image(&digest).unwrap().bytes().to_vec());
            if image != file.map(|file| file.content.clone().into_bytes())
                || last.mode_after != file.map(|file| mode_of(file.executable))
            {
                return Err(format!("`{}` differs\n{image:?}\n{file:?}", change.path));
            }
        }
    }
    Ok(examined
        .issues
        .iter()
        .map(|issue| format!("{} {}", issue.code.as_str(), issue.rule))
        .collect())
}

fn try_seed(seed: u64) -> BTreeSet<String> {
    let plan = generate::plan(&mut Rng::new(seed));
    compare(&plan).unwrap_or_else(|why| {
        panic!("seed {seed} (EXACTA_TEST_SEED={seed})\n{}\n{plan:#?}\n{why}", plan.to_json())
    })
}

/// What the generated plans must break, so that agreement means something.
const RULES: [&str; 27] = [
    "DIFF_MALFORMED diff",
    "DIFF_MISMATCH diff",
    "EDIT_MISMATCH edit",
    "FILE_EXISTS create",
    "FILE_MISSING exists",
    "FILE_REFUSED PV-4",
    "PLAN_CONFLICT PS-2",
    "PLAN_DELETE_PENDING PS-3",
    "PLAN_DEPENDENCY_CYCLE PV-3",
    "PLAN_DEPENDENCY_UNKNOWN PV-2",
    "PLAN_FILE_CAP_EXCEEDED max_files",
    "PLAN_INVALID_TOOL tool_exists",
    "PLAN_LINE_CAP_EXCEEDED max_changed_lines",
    "PLAN_NOT_ATOMIC atomic",
    "PLAN_ORDER_INVALID order",
    "PLAN_PATH_INVALID PV-4",
    "PLAN_PATH_RESERVED PV-4",
    "PLAN_SCHEMA_INVALID dependency_twice",
    "PLAN_STEP_CAP_EXCEEDED max_steps",
    "PLAN_STEP_ID_INVALID step_id",
    "PLAN_STEP_ID_INVALID step_id_look_alike",
    "PLAN_STEP_ID_INVALID step_id_sequence",
    "PLAN_STEP_ID_INVALID step_id_unique",
    "PLAN_TOOL_NOT_ALLOWED recipient_missing",
    "PLAN_TOOL_NOT_ALLOWED url_missing",
    "STEP_NO_EFFECT effect",
    "STEP_NO_EFFECT plan_effect",
];

/// Takes plans until the budget is used up; counts them by the rules they break.
fn work(budget: &Budget, next: &AtomicU64) -> (u64, BTreeMap<String, u64>) {
    let (mut done, mut counts) = (0, BTreeMap::new());
    loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if !budget.allows(seed) {
            return (done, counts);
        }
        let broken = try_seed(seed);
        done += 1;
        if broken.is_empty() {
            *counts.entry("sound".into()).or_default() += 1;
        }
        for rule in broken {
            *counts.entry(rule).or_default() += 1;
        }
    }
}

#[test]
fn generated_plans_get_the_verdict_of_the_reference() {
    if let Some(seed) = std::env::var("EXACTA_TEST_SEED").ok().and_then(|seed| seed.parse().ok()) {
        try_seed(seed);
        return;
    }
    let budget = Budget::new("plans against the reference validator", 100_000, 60, 5_000_000);
    let next = AtomicU64::new(0);
    let halves = std::thread::scope(|scope| {
        let threads = [(); 2].map(|()| scope.spawn(|| work(&budget, &next)));
        threads.map(|thread| thread.join().unwrap())
    });
    let mut done = 0;
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for (plans, rules) in halves {
        done += plans;
        for (rule, count) in rules {
            *counts.entry(rule).or_default() += count;
        }
    }
    budget.report(done);
    eprintln!("{counts:#?}");
    assert!(done >= 20_000, "only {done} plans in the time");
    let share = counts.remove("sound").unwrap() * 100 / done;
    assert!((40..=60).contains(&share), "{share} % of the plans are sound");
    for rule in RULES {
        assert!(counts.remove(rule).is_some_and(|count| count >= done / 2000), "{rule} is rare");
    }
    assert!(counts.is_empty(), "rules without a reference: {counts:?}");
}
