//! Deciding each part: hunks, steps and what is wanted in place of the rest, in one act.

use std::collections::{BTreeMap, BTreeSet};

use exacta_core::life::lifecycle::{Cause, State};
use exacta_core::model::digest::Digest;
use exacta_core::model::id::PlanId;
use exacta_core::model::plan::SelectFault;
use exacta_core::record::Assurance;
use exacta_core::review::Side;
use exacta_engine::gate::{Caller, Comment, CommentPlace, DecideParts, Decided, GateError, Parts};
use exacta_engine::proof::Proof;

use crate::world::{World, person};

/// Twenty lines, numbered.
fn lines() -> String {
    (1..=20).map(|line| format!("line {line}")).collect::<Vec<_>>().join("\n") + "\n"
}

/// The same with the first, the tenth and the last replaced: three hunks.
fn changed() -> String {
    lines()
        .replace("line 1\n", "first\n")
        .replace("line 10\n", "tenth\n")
        .replace("line 20\n", "last\n")
}

fn world() -> World {
    World::new(&[("a.txt", &lines()), ("b.txt", "two\n")])
}

fn draft(needs: &str) -> String {
    serde_json::json!({"goal": "change a.txt and b.txt", "steps": [
        {"step_id": "step_1", "type": "file_modify", "target": "a.txt", "content": changed(),
         "title": "a.txt", "dependencies": []},
        {"step_id": "step_2", "type": "file_modify", "target": "b.txt", "content": "five\n",
         "title": "b.txt", "dependencies": if needs.is_empty() { vec![] } else { vec![needs] },
         "requires_approval": true},
    ]})
    .to_string()
}

fn parts(steps: &[&str], hunks: &[(&str, &[u32])]) -> Parts {
    let steps = steps.iter().map(|step| (*step).to_owned()).collect::<BTreeSet<_>>();
    let hunks =
        hunks.iter().map(|(step, list)| ((*step).to_owned(), list.iter().copied().collect()));
    Parts { steps, hunks: hunks.collect::<BTreeMap<_, _>>() }
}

fn decide(
    world: &World,
    plan_id: &PlanId,
    parts: Parts,
    rest: Option<&str>,
) -> Result<Decided, GateError> {
    let comments = vec![Comment {
        place: CommentPlace::Lines { path: "a.txt".into(), side: Side::After, from: 10, to: 12 },
        text: "keep the number".into(),
    }];
    let command = DecideParts {
        plan_id: plan_id.clone(),
        plan_hash: None,
        parts,
        comments: if rest.is_some() { comments } else { Vec::new() },
        rest: rest.map(Into::into),
        proof: Proof::for_tests(Assurance::Terminal),
    };
    world.gate(|gate| gate.handle(&Caller::new(person()), command))?
}

#[test]
fn hunks_become_a_plan_that_writes_the_image_they_stand_for() {
    let world = world();
    let plan = world.propose(&draft("")).unwrap();
    let chosen = parts(&["step_2"], &[("step_1", &[1, 3])]);
    let derived = decide(&world, &plan.plan_id, chosen, Some("number ten stays")).unwrap();
    assert_eq!(derived.state, State::UserApproved);
    assert_eq!(derived.original_plan_id.as_ref(), Some(&plan.plan_id));
    let expected = lines().replace("line 1\n", "first\n").replace("line 20\n", "last\n");
    let approval = world.entry(&derived.plan_id).approval().unwrap().clone();
    assert_eq!(approval.hunks.len(), 1);
    assert_eq!(approval.hunks[0].hunks, [1, 3]);
    assert_eq!(approval.hunks[0].image, Digest::of(expected.as_bytes()));
    // The original is over, and whoever made it is told what is wanted instead.
    let original = world.entry(&plan.plan_id);
    let Some(Cause::StepsSelected { derived: made, request: Some(request) }) = original.expiry()
    else {
        panic!("{:?}", original.expiry());
    };
    assert_eq!(made, &derived.plan_id);
    for words in ["number ten stays", "a.txt:10-12: keep the number", "not taken: `step_1` hunk 2"]
    {
        assert!(request.contains(words), "{request}");
    }
    let done = world.run(&derived.plan_id).unwrap();
    assert_eq!(world.disk.bytes("a.txt").unwrap(), expected.as_bytes());
    assert_eq!(world.disk.bytes("b.txt").unwrap(), b"five\n");
    world.undo(&done.run_id).unwrap();
    assert_eq!(world.disk.bytes("a.txt").unwrap(), lines().as_bytes());
    assert_eq!(world.verify().problems, []);
}

#[test]
fn all_hunks_are_the_whole_step() {
    let world = world();
    let plan = world.propose(&draft("")).unwrap();
    let chosen = parts(&[], &[("step_1", &[1, 2, 3])]);
    let derived = decide(&world, &plan.plan_id, chosen, None).unwrap();
    assert_eq!(world.entry(&derived.plan_id).approval().unwrap().hunks, []);
    world.run(&derived.plan_id).unwrap();
    assert_eq!(world.disk.bytes("a.txt").unwrap(), changed().as_bytes());
    assert_eq!(world.disk.bytes("b.txt").unwrap(), b"two\n");
}

#[test]
fn what_cannot_be_taken_alone_is_refused_and_nothing_is_recorded() {
    let world = world();
    let plan = world.propose(&draft("step_1")).unwrap();
    let count = || world.gate(|gate| gate.log().ledger().entries()).unwrap();
    let before = count();
    let fault = |chosen: Parts| match decide(&world, &plan.plan_id, chosen, None) {
        Err(GateError::Select { fault, .. }) => fault,
        other => panic!("{other:?}"),
    };
    // step_2 was judged on all of step_1.
    let pair = vec![("step_2".to_owned(), "step_1".to_owned())];
    let both = parts(&["step_2"], &[("step_1", &[1])]);
    assert_eq!(fault(both), SelectFault::NeedsWhole(pair));
    let none = SelectFault::NoSuchHunk { step: "step_1".into(), number: 4, count: 3 };
    assert_eq!(fault(parts(&[], &[("step_1", &[4])])), none);
    assert_eq!(fault(parts(&[], &[("step_1", &[])])), SelectFault::Empty);
    assert!(matches!(fault(parts(&[], &[("step_9", &[1])])), SelectFault::NoSuchStep { .. }));
    assert_eq!(count(), before);
    assert_eq!(world.state(&plan.plan_id), State::Pending);
}
