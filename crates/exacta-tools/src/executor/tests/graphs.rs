//! All small graphs with all outcomes, against a reference that follows the contract's
//! tables step by step and shares nothing with the executor or the result builder.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use exacta_core::model::plan::Execution;
use exacta_core::model::registry::Effect;
use exacta_engine::tools::{
    StepAction, StepDecision, ToolGraph, ToolRun, ToolRunner as _, ToolStep, outline, result_list,
};
use serde_json::{Value, json};

use super::executor;
use crate::error::{AfterEffect, ToolError};
use crate::kit::{Act, Answers, Scripted, Tape, graph, ports, step};

/// What a step comes to when it has its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    Ok,
    Fail,
    NoTool,
    Panic,
    Timeout,
    Declined,
    Lost,
}

const TURNS: [Turn; 7] =
    [Turn::Ok, Turn::Fail, Turn::NoTool, Turn::Panic, Turn::Timeout, Turn::Declined, Turn::Lost];

/// A small plan: for each step what it depends on, and its turn.
#[derive(Clone, Debug)]
struct Small {
    needs: Vec<Vec<usize>>,
    turns: Vec<Turn>,
}

/// How a row looks: `+` ok, `~` skipped, `-` failed.
#[derive(Debug, PartialEq, Eq)]
struct Expected {
    rows: String,
    status: &'static str,
    blocked: Vec<usize>,
}

fn most_steps(usually: usize) -> usize {
    if std::env::var_os("EXACTA_TEST_FULL").is_some() { 5 } else { usually }
}

/// Every way in which each of `count` steps depends on some of those before it.
fn shapes(count: usize) -> Vec<Vec<Vec<usize>>> {
    let mut shapes = vec![Vec::new()];
    for at in 0..count {
        let mut longer = Vec::new();
        for shape in &shapes {
            for bits in 0..1_usize << at {
                let mut next: Vec<Vec<usize>> = shape.clone();
                next.push((0..at).filter(|need| bits >> need & 1 == 1).collect());
                longer.push(next);
            }
        }
        shapes = longer;
    }
    shapes
}

/// Every choice of turns; a step that never has its turn needs only one.
fn turns(needs: &[Vec<usize>]) -> Vec<Vec<Turn>> {
    let mut all: Vec<Vec<Turn>> = vec![Vec::new()];
    for needed in needs {
        let mut longer = Vec::new();
        for chosen in &all {
            let has_turn =
                needed.iter().all(|need| chosen[*need] == Turn::Ok && runs(needs, chosen, *need));
            for turn in if has_turn { &TURNS[..] } else { &TURNS[..1] } {
                let mut next = chosen.clone();
                next.push(*turn);
                longer.push(next);
            }
        }
        all = longer;
    }
    all
}

fn runs(needs: &[Vec<usize>], turns: &[Turn], at: usize) -> bool {
    needs[at].iter().all(|need| turns[*need] == Turn::Ok && runs(needs, turns, *need))
}

/// The rest of the contract, from what each row is.
fn summary(rows: &[char], needs: &[Vec<usize>]) -> Expected {
    let mut blocked: Vec<usize> = Vec::new();
    // A step comes after what it depends on.
    for (at, row) in rows.iter().enumerate() {
        let after_failure =
            needs[at].iter().any(|need| rows[*need] == '-' || blocked.contains(need));
        if *row == '~' && after_failure {
            blocked.push(at);
        }
    }
    let status = if rows.contains(&'-') {
        "FAILED"
    } else if rows.contains(&'~') {
        "PARTIAL"
    } else {
        "COMPLETED"
    };
    Expected { rows: rows.iter().collect(), status, blocked }
}

/// Branch by branch.
fn by_contract(small: &Small) -> Expected {
    let mut rows: Vec<char> = Vec::new();
    for (needs, turn) in small.needs.iter().zip(&small.turns) {
        let ready = needs.iter().all(|need| rows[*need] == '+');
        rows.push(match turn {
            _ if !ready => '~',
            Turn::Ok => '+',
            Turn::Declined => '~',
            _ => '-',
        });
    }
    summary(&rows, &small.needs)
}

/// All or nothing, one step at a time; the step that cannot be taken back comes last.
fn all_or_nothing(small: &Small) -> Expected {
    let count = small.needs.len();
    let mut rows = vec!['~'; count];
    let mut stopped = false;
    for last in [false, true] {
        for at in 0..count {
            let mine = (small.turns[at] == Turn::Lost) == last;
            let ready = small.needs[at].iter().all(|need| rows[*need] == '+');
            let others = (0..count).all(|other| other == at || rows[other] == '+');
            if !stopped && mine && ready && (!last || others) {
                rows[at] = if small.turns[at] == Turn::Ok { '+' } else { '-' };
                stopped = rows[at] == '-';
            }
        }
    }
    let lost = (0..count).any(|at| rows[at] == '-' && small.turns[at] == Turn::Lost);
    if stopped && !lost {
        // What was done is taken back.
        for row in rows.iter_mut().filter(|row| **row == '+') {
            *row = '-';
        }
    }
    summary(&rows, &small.needs)
}

fn tool(turn: Turn, done: Effect) -> (&'static str, Effect) {
    match turn {
        Turn::Ok | Turn::Declined => ("Ok", done),
        Turn::Fail => ("Fail", Effect::Read),
        Turn::NoTool => ("Nowhere", Effect::Read),
        Turn::Panic => ("Panic", Effect::Read),
        Turn::Timeout => ("Hang", Effect::Read),
        Turn::Lost => ("Lost", Effect::Send),
    }
}

/// The steps of a small plan, with ids of their own.
fn steps(small: &Small, prefix: &str, done: Effect) -> Vec<ToolStep> {
    let id = |at: usize| format!("{prefix}{at}");
    let each = small.needs.iter().zip(&small.turns).enumerate();
    each.map(|(at, (needs, turn))| {
        let needs: Vec<String> = needs.iter().map(|need| id(*need)).collect();
        let needs: Vec<&str> = needs.iter().map(String::as_str).collect();
        let (name, effect) = tool(*turn, done);
        let mut step = step(&id(at), name, effect, &needs);
        if let StepAction::Tool { timeout_ms, asks, .. } = &mut step.action {
            *asks = *turn == Turn::Declined;
            if *turn == Turn::Timeout {
                *timeout_ms = 1;
            }
        }
        step
    })
    .collect()
}

fn tools(done: Effect) -> [Scripted; 5] {
    let lost = ToolError::new("LOST", "no answer").after(AfterEffect::Unknown);
    [
        Scripted::new("Ok", done),
        Scripted::new("Fail", Effect::Read).usually(Act::Fail(ToolError::new("BAD", "it failed"))),
        Scripted::new("Panic", Effect::Read).usually(Act::Panic { after: false }),
        Scripted::new("Hang", Effect::Read).usually(Act::Hang { after: false }),
        Scripted::new("Lost", Effect::Send).usually(Act::FailAfter(lost)),
    ]
}

/// Says no to everybody who asks.
fn no(ids: impl Iterator<Item = String>) -> Answers {
    let declined = || StepDecision::Declined { reason: "no".into() };
    ids.fold(Answers::yes(), |answers, id| answers.and(&id, declined()))
}

/// What the result list of a run says, after the independent check of the contract.
fn told(graph: &ToolGraph, run: &ToolRun) -> Expected {
    let plan = outline(graph).unwrap();
    let list = serde_json::to_value(result_list(&plan, graph.execution, run).unwrap()).unwrap();
    let (meta, rows) = list.as_array().unwrap().split_last().unwrap();
    let mark = |row: &Value| match (row["ok"].as_bool(), row["skipped"].as_bool()) {
        (Some(true), _) => '+',
        (_, Some(true)) => '~',
        _ => '-',
    };
    let shown: String = rows.iter().map(mark).collect();
    let count = |wanted: char| shown.chars().filter(|mark| *mark == wanted).count();
    assert_eq!(
        meta["stats"],
        json!({"total_steps": rows.len(), "ok": count('+'), "skipped": count('~'), "failed": count('-')})
    );
    let place =
        |id: &Value| graph.steps.iter().position(|step| id == step.step_id.as_str()).unwrap();
    let places =
        |name: &str| -> Vec<usize> { meta[name].as_array().unwrap().iter().map(place).collect() };
    let failed: Vec<usize> =
        shown.char_indices().filter(|(_, mark)| *mark == '-').map(|(at, _)| at).collect();
    assert_eq!(places("failed_steps"), failed);
    let statuses = ["COMPLETED", "PARTIAL", "FAILED", "BLOCKED"];
    let status = statuses.into_iter().find(|status| meta["task_status"] == *status).unwrap();
    Expected { rows: shown, status, blocked: places("blocked_steps") }
}

/// All of them are branches of one large run, because in this mode branches do not know
/// of each other.
#[test]
fn every_small_graph_with_every_outcome_branch_by_branch() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut plans = 0;
    for count in 1..=most_steps(4) {
        let smalls: Vec<Small> = shapes(count)
            .into_iter()
            .flat_map(|needs| {
                turns(&needs).into_iter().map(move |turns| Small { needs: needs.clone(), turns })
            })
            .collect();
        for some in smalls.chunks(4000) {
            let each: Vec<Vec<ToolStep>> = some
                .iter()
                .enumerate()
                .map(|(at, small)| steps(small, &format!("p{at}_"), Effect::Read))
                .collect();
            let mut all = graph(Execution::Contract, each.concat());
            all.parallel = 64;
            let asks = all
                .steps
                .iter()
                .filter(|step| matches!(step.action, StepAction::Tool { asks: true, .. }));
            let answers = no(asks.map(|step| step.step_id.to_string()));
            let tools = tools(Effect::Read);
            let (executor, _folder) = executor(&tools.each_ref());
            let ports = ports(Arc::new(Tape::endless()), Arc::new(answers));
            let run = executor.run(&all, &ports).unwrap();
            let mut ends = run.steps.chunks(count);
            for (small, own) in some.iter().zip(each) {
                let part = ToolRun { steps: ends.next().unwrap().to_vec(), spent: run.spent };
                let found = told(&graph(Execution::Contract, own), &part);
                assert_eq!(found, by_contract(small), "{small:?}");
                *seen.entry(found.status).or_default() += 1;
                plans += 1;
            }
        }
    }
    assert!(plans > 10_000, "{plans}");
    assert_eq!(seen.keys().copied().collect::<Vec<_>>(), ["COMPLETED", "FAILED", "PARTIAL"]);
}

#[test]
fn every_small_graph_with_every_outcome_all_or_nothing() {
    let tools = tools(Effect::DraftWrite);
    let (executor, _folder) = executor(&tools.each_ref());
    let mut seen = BTreeSet::new();
    for count in 1..=most_steps(3) {
        for needs in shapes(count) {
            for turns in turns(&needs) {
                let small = Small { needs: needs.clone(), turns };
                let ends: Vec<usize> =
                    (0..count).filter(|at| small.turns[*at] == Turn::Lost).collect();
                let awaited = |at: &usize| needs.iter().any(|needs| needs.contains(at));
                if ends.len() > 1 || ends.iter().any(awaited) {
                    // Refused before it runs: PLAN_NOT_ATOMIC.
                    continue;
                }
                let mut plan = graph(Execution::Atomic, steps(&small, "s", Effect::DraftWrite));
                plan.parallel = 1;
                let ids = (0..count).filter(|at| small.turns[*at] == Turn::Declined);
                let answers = no(ids.map(|at| format!("s{at}")));
                let ports = ports(Arc::new(Tape::endless()), Arc::new(answers));
                let found = told(&plan, &executor.run(&plan, &ports).unwrap());
                if small.turns.contains(&Turn::Declined) {
                    // Other steps run while somebody thinks; all of them are taken back.
                    assert!(found.status == "FAILED" && !found.rows.contains('+'), "{found:?}");
                } else {
                    assert_eq!(found, all_or_nothing(&small), "{small:?}");
                }
                seen.insert(found.status);
            }
        }
    }
    assert_eq!(Vec::from_iter(seen), ["COMPLETED", "FAILED"], "an atomic run is never partial");
}

/// Any step may name any step, itself, or one that is not there.
#[test]
fn graphs_that_cannot_be_resolved_start_nothing_and_are_blocked() {
    let tools = tools(Effect::Read);
    let (executor, _folder) = executor(&[&tools[0]]);
    let mut blocked = 0;
    for count in 1..=3_usize {
        for bits in 0..1_usize << (count * (count + 1)) {
            let names = |at: usize, to: usize| bits >> (at * (count + 1) + to) & 1 == 1;
            let needs: Vec<Vec<usize>> =
                (0..count).map(|at| (0..=count).filter(|to| names(at, *to)).collect()).collect();
            // A step can be taken away when all it names are away; one that is not there never is.
            let mut away: BTreeSet<usize> = BTreeSet::new();
            for _ in 0..count {
                let more =
                    (0..count).filter(|at| needs[*at].iter().all(|need| away.contains(need)));
                let more: Vec<usize> = more.collect();
                away.extend(more);
            }
            let runnable = away.len() == count;
            if runnable && bits % 7 != 0 {
                // Sound graphs have tests of their own; some are enough here.
                continue;
            }
            let small = Small { needs, turns: vec![Turn::Ok; count] };
            let plan = graph(Execution::Contract, steps(&small, "s", Effect::Read));
            let tape = Arc::new(Tape::endless());
            let run = executor.run(&plan, &ports(tape.clone(), Arc::new(Answers::yes()))).unwrap();
            let found = told(&plan, &run);
            if runnable {
                assert_eq!(found.status, "COMPLETED");
            } else {
                assert_eq!(found.status, "BLOCKED");
                assert_eq!(found.rows, "~".repeat(count));
                assert_eq!(found.blocked.len(), count);
                assert!(tape.entries().is_empty());
                blocked += 1;
            }
        }
    }
    assert!(blocked > 3000, "{blocked}");
}
