//! What must hold for the class of every plan.

use super::Class;
use crate::judge::facts::{Fact, FactKind, Proof};
use crate::judge::score::properties::each;
use crate::judge::score::sample::{Sample, kinds};
use crate::model::change::FileMode;

fn class(sample: &Sample) -> Class {
    sample.risk().class.unwrap().class
}

/// A change of `path` of which `proof` is known.
fn proven(path: &str, proof: Proof) -> Sample {
    let mut sample = Sample::new();
    sample.modify(path);
    sample.facts.clear();
    sample.fact(FactKind::Proven { proof, lines: 10 });
    sample
}

#[test]
fn what_nobody_proved_changes_behaviour() {
    let mut sample = Sample::new();
    sample.modify("src/a.rs");
    sample.facts.clear();
    let risk = sample.risk();
    assert_eq!((risk.score, class(&sample)), (31, Class::Behaviour));
    let classed = risk.class.unwrap();
    assert_eq!(classed.understood, 0, "nothing is safe because nothing was understood");
    assert!(classed.evidence.finding.contains("no reader"));
}

#[test]
fn proofs_set_the_class_and_the_class_the_floor() {
    for (proof, expected, floor) in [
        (Proof::Same, Class::Neutral, 0),
        (Proof::Layout, Class::Neutral, 0),
        (Proof::Locals, Class::Neutral, 0),
        (Proof::Values, Class::Neutral, 0),
        (Proof::Document, Class::Neutral, 0),
        (Proof::Tests, Class::Additive, 0),
        (Proof::Items, Class::Additive, 0),
        (Proof::Followed, Class::Behaviour, 31),
        (Proof::Read, Class::Behaviour, 31),
        (Proof::Unread, Class::Behaviour, 31),
    ] {
        let sample = proven("src/a.rs", proof);
        assert_eq!((class(&sample), sample.risk().score), (expected, floor), "{proof}");
    }
}

#[test]
fn a_comment_is_a_comment_wherever_it_stands_but_not_where_prose_is_obeyed() {
    for (path, expected) in [
        (".github/workflows/ci.yml", Class::Neutral),
        ("Makefile", Class::Neutral),
        ("Cargo.toml", Class::Neutral),
        ("vendor/a/b.go", Class::Neutral),
        ("AGENTS.md", Class::Dangerous),
    ] {
        assert_eq!(class(&proven(path, Proof::Layout)), expected, "{path}");
        assert!(class(&proven(path, Proof::Tests)) >= Class::Behaviour, "{path}");
    }
    let mut secret = proven("src/a.rs", Proof::Layout);
    secret.fact(kinds::secret_added());
    assert_eq!(class(&secret), Class::Dangerous, "also in a comment");
}

#[test]
fn what_is_altered_beside_text_is_dangerous() {
    let mut sample = proven("run.sh", Proof::Layout);
    sample.last_change().mode_after = Some(FileMode::EXECUTABLE);
    assert_eq!(class(&sample), Class::Dangerous);
    let mut sample = Sample::new();
    (0..3).for_each(|i| sample.delete(&format!("{i}.txt")));
    assert_eq!(class(&sample), Class::Dangerous, "more than two deletes");
    let mut sample = Sample::new();
    sample.delete("a.txt");
    assert_eq!(class(&sample), Class::Behaviour);
}

#[test]
fn files_that_several_steps_change_are_judged_as_one_as_well() {
    let mut sample = proven("src/a.rs", Proof::Layout);
    assert_eq!(class(&sample), Class::Neutral);
    let of = |kind| Fact {
        step: "step_1".into(),
        path: sample.changes[0].path.clone(),
        line: None,
        excerpt: alloc::string::String::new(),
        kind,
    };
    let (read, lost) =
        (of(FactKind::Proven { proof: Proof::Read, lines: 1 }), of(kinds::large_removal()));
    sample.whole = vec![read];
    assert_eq!(class(&sample), Class::Behaviour);
    sample.whole.push(lost);
    assert_eq!(class(&sample), Class::Dangerous);
}

#[test]
fn one_more_change_or_finding_never_lowers_the_class() {
    each("classes", |world, seed, mut sample, mut rng| {
        let before = sample.risk().class.map(|classed| classed.class);
        world.add_step(&mut sample, &mut rng);
        let after = sample.risk().class.map(|classed| classed.class);
        assert!(after >= before, "seed {seed}");
        let floor = after.map_or(0, Class::floor);
        assert!(sample.risk().score >= floor, "seed {seed}");
    });
}
