//! From a plan's images to its facts.

use std::collections::{BTreeMap, BTreeSet};

use exacta_core::judge::facts::{Fact, FactKind, Reason, Report, Runner, TestLoss, of_path};

use crate::manifest;
use crate::request::{Request, StepInput};
use crate::step::{Around, StepFacts, inspect_step};
use crate::syntax::{Allowance, Surface, meet};
use crate::unfinished::forgive;

/// Every fact about the plan, in the order of its steps.
///
/// The result depends on the request alone. Nothing here panics on any bytes; the
/// grammars are C code and may end the process, which is why callers run this in a
/// confined child.
#[must_use]
pub fn inspect(request: &Request<'_>) -> Report {
    let around =
        Around { project: manifest::about(&request.manifests), allowance: Allowance::default() };
    let mut left = request.limits.plan_bytes;
    let mut results = Vec::new();
    for step in &request.steps {
        let size = step.before.map_or(0, <[u8]>::len) + step.after.map_or(0, <[u8]>::len);
        let result =
            if size > left { unread(step) } else { inspect_step(step, &around, &request.limits) };
        left = left.saturating_sub(size);
        results.push(result);
    }
    forgive_moved_tests(request, &mut results);
    lost_names(request, &mut results);
    forgive(request, &mut results);
    new_reach(request, &mut results);
    Report::new(
        results.into_iter().flat_map(|result| finish(result.facts, request.limits.facts)).collect(),
    )
}

fn unread(step: &StepInput<'_>) -> StepFacts {
    let mut facts = of_path(step.step, &step.path, step.before.is_none(), step.after.is_none());
    facts.push(whole_file(step, FactKind::NotAnalysed { reason: Reason::TooLarge }));
    StepFacts::unread(facts)
}

/// A fact about a file as a whole.
pub(crate) fn whole_file(step: &StepInput<'_>, kind: FactKind) -> Fact {
    Fact {
        step: step.step.to_owned(),
        path: step.path.clone(),
        line: None,
        excerpt: String::new(),
        kind,
    }
}

/// One order, no repetitions, a bounded number.
fn finish(mut facts: Vec<Fact>, most: usize) -> Vec<Fact> {
    facts.sort_by(|a, b| (a.line, &a.kind, &a.excerpt).cmp(&(b.line, &b.kind, &b.excerpt)));
    facts.dedup();
    if facts.len() > most {
        facts.truncate(most);
        if let Some(last) = facts.last_mut() {
            last.line = None;
            last.excerpt.clear();
            last.kind = FactKind::NotAnalysed { reason: Reason::TooManyFacts };
        }
    }
    facts
}

/// Names that no image of the plan defines; whether the project does is asked elsewhere.
fn new_reach(request: &Request<'_>, results: &mut [StepFacts]) {
    let defined: BTreeSet<String> =
        results.iter().flat_map(|result| result.names.defined.iter().cloned()).collect();
    for (step, result) in request.steps.iter().zip(results) {
        let used = std::mem::take(&mut result.names.used);
        let unknown = used.into_iter().filter(|(name, _)| !defined.contains(name));
        result.facts.extend(unknown.map(|(name, line)| Fact {
            line: u32::try_from(line + 1).ok(),
            ..whole_file(step, FactKind::NewReach { name: crate::excerpt::excerpt(&name) })
        }));
    }
}

/// What is gone although no other step brings it where users find it.
fn lost_names(request: &Request<'_>, results: &mut [StepFacts]) {
    let surfaces: Vec<Surface> =
        results.iter_mut().map(|result| std::mem::take(&mut result.surface)).collect();
    for ((step, result), told) in request.steps.iter().zip(results).zip(meet(&surfaces)) {
        result.facts.extend(told.into_iter().map(|one| Fact {
            line: u32::try_from(one.line + 1).ok(),
            excerpt: one.excerpt,
            ..whole_file(step, one.kind)
        }));
    }
}

/// A test that left one file and arrived in another of the same plan is not lost.
fn forgive_moved_tests(request: &Request<'_>, results: &mut [StepFacts]) {
    let mut arrived: BTreeMap<String, usize> = BTreeMap::new();
    for (step, result) in request.steps.iter().zip(results.iter()) {
        if !Runner::of(&step.path).may_run() {
            continue;
        }
        for name in &result.tests.added {
            *arrived.entry(name.clone()).or_default() += 1;
        }
    }
    let created: BTreeSet<(&[u8], Runner)> = request
        .steps
        .iter()
        .filter(|step| step.before.is_none())
        .filter_map(|step| Some((step.after?, Runner::of(&step.path))))
        .collect();
    for (step, result) in request.steps.iter().zip(results.iter_mut()) {
        let mut lost = result.tests.lost();
        lost.retain(|name| match arrived.get_mut(name) {
            Some(count) if *count > 0 && !name.is_empty() => {
                *count -= 1;
                false
            }
            _ => true,
        });
        let moved = step.after.is_none()
            && step.before.is_some_and(|before| {
                let runner = Runner::of(&step.path);
                runner.as_good_as().any(|other| created.contains(&(before, other)))
            });
        let all_moved = step.after.is_none() && lost.is_empty() && !result.tests.removed.is_empty();
        if moved || all_moved {
            result.facts.retain(|fact| {
                !matches!(fact.kind, FactKind::TestsLost { loss: TestLoss::FileDeleted, .. })
            });
        }
        if !moved && let Some(first) = lost.first() {
            let count = u32::try_from(lost.len()).unwrap_or(u32::MAX);
            let mut fact = whole_file(
                step,
                FactKind::TestsLost {
                    loss: TestLoss::CasesRemoved,
                    name: crate::excerpt::shorten(&crate::excerpt::visible(first)),
                    count,
                },
            );
            fact.line = result.tests.first_removed.and_then(|line| u32::try_from(line + 1).ok());
            result.facts.push(fact);
        }
    }
}
