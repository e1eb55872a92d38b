//! Whole steps in, facts out: the promises that scoring relies on.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod live_code;
mod losses;
mod placeholders;
mod public_items;
mod whole;

use exacta_core::judge::facts::Fact;
use exacta_core::model::path::RelPath;
use exacta_inspect::{Request, StepInput, inspect};

fn one(path: &str, before: Option<&str>, after: Option<&str>) -> Vec<Fact> {
    let step = StepInput {
        step: "step_1",
        path: RelPath::parse(path).unwrap(),
        before: before.map(str::as_bytes),
        after: after.map(str::as_bytes),
        moved: false,
    };
    findings(inspect(&Request { steps: vec![step], ..Request::default() }).facts)
}

/// Everything but what is proven of a change, which every change has.
fn findings(facts: Vec<Fact>) -> Vec<Fact> {
    facts.into_iter().filter(|fact| fact.kind.name() != "proven").collect()
}

fn names(facts: &[Fact]) -> Vec<&'static str> {
    let mut names: Vec<_> = facts.iter().map(|fact| fact.kind.name()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn lines(word: &str, count: usize) -> String {
    let lines: Vec<String> = (0..count).map(|n| format!("{word} {n}\n")).collect();
    lines.concat()
}

fn has(facts: &[Fact], name: &str) -> bool {
    facts.iter().any(|fact| fact.kind.name() == name)
}
