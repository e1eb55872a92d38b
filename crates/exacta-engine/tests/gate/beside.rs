//! What lies beside the record is edited: plans, approvals, blobs, projections, policy,
//! or the whole project goes to another user. A run is blocked and nothing changes.

use std::fs;
use std::path::Path;

use exacta_core::judge::policy::Decide;
use exacta_core::life::lifecycle::State;
use exacta_core::model::id::PlanId;
use exacta_engine::gate::{ErrorKind, GateError};
use exacta_engine::log::ProblemKind;
use exacta_engine::machine::ThisMachine;
use exacta_testkit::Budget;

use crate::any::{Outcome, Proof, What};
use crate::ground::{handle, look, standpoint};
use crate::tamper::twenty;
use crate::world::{LOG, World, asks, command, decided, propose, proposed};

/// A project with one approved plan that has not run.
fn approved() -> (World, PlanId) {
    let world = World::new(&[("a.txt", "one\n"), ("Cargo.toml", "[package]\n")]);
    let plan = world.propose(&asks("a.txt", "two\n")).unwrap();
    world.approve(&plan.plan_id).unwrap();
    (world, plan.plan_id)
}

/// Runs the plan after a file of the gate's own was changed; returns the refusal.
fn refused(world: &World, plan_id: &str, what: &str) -> GateError {
    let before = world.disk.tree();
    let error = match world.run(plan_id) {
        Err(error) => error,
        Ok(run) => panic!("{what}: it ran: {:?}", run.state),
    };
    assert_eq!(world.disk.tree(), before, "{what}: the files changed");
    assert!(!error.to_string().is_empty(), "{what}");
    error
}

#[test]
fn every_byte_of_what_was_approved() {
    let (origin, plan_id) = approved();
    assert_eq!(origin.fork().run(&plan_id).unwrap().state.as_str(), "completed");
    let mut paths = origin.disk.gate_files(".exacta/objects");
    paths.push(format!(".exacta/plans/{plan_id}.json"));
    paths.push(LOG.into());
    let budget = Budget::of_processor("bytes edited after the approval", u64::MAX, 60, u64::MAX);
    let total: usize = paths.iter().map(|path| origin.disk.bytes(path).unwrap().len()).sum();
    let mut done = 0;
    for path in &paths {
        let good = origin.disk.bytes(path).unwrap();
        for at in 0..good.len() {
            if !budget.allows(done) {
                break;
            }
            let world = origin.fork();
            let mut bad = good.clone();
            bad[at] ^= 1;
            world.disk.tamper(path, Some(&bad));
            let what = format!("byte {at} of {path}");
            let error = refused(&world, &plan_id, &what);
            let kind = error.kind();
            assert!(
                matches!(kind, ErrorKind::Stale | ErrorKind::Unverified),
                "{what}: {error} {kind:?}"
            );
            let message = error.to_string();
            // The message says which object, file, plan or entry it is.
            let names = ["stored as the image", "entry", "acknowledged", &plan_id];
            assert!(names.iter().any(|name| message.contains(name)), "{what}: {message}");
            assert!(!world.verify().problems.is_empty(), "{what}: verify says nothing");
            done += 1;
        }
        let world = origin.fork();
        world.disk.tamper(path, None);
        refused(&world, &plan_id, &format!("{path} removed"));
        assert!(!world.verify().problems.is_empty(), "{path} removed: verify says nothing");
    }
    println!("edited after the approval: {done} of {total} bytes of {} files", paths.len());
    assert!(done > 500);
}

#[test]
fn policy_edited_after_the_approval() {
    let (origin, plan_id) = approved();
    // The project's own policy file and its configuration expire the plan.
    for (path, bytes) in [
        (".exacta/policy.toml", Some("version = 1\n")),
        ("Cargo.toml", Some("[package]\nname = \"x\"\n")),
        ("Cargo.toml", None),
        ("package.json", Some("{}")),
    ] {
        let world = origin.fork();
        world.disk.tamper(path, bytes.map(str::as_bytes));
        let error = refused(&world, &plan_id, path);
        assert!(error.to_string().contains(path), "{path}: {error}");
        assert_eq!(error.kind(), ErrorKind::Stale);
        assert_eq!(world.state(&plan_id), State::Expired);
    }
    // The policy in force blocks, names both values and changes nothing.
    let world = origin.fork();
    world.policy.borrow_mut().token_budget -= 1;
    let error = refused(&world, &plan_id, "policy");
    assert!(
        matches!(&error, GateError::Blocked { difference, .. }
        if difference.recorded != difference.current),
        "{error}"
    );
    assert_eq!(error.kind(), ErrorKind::Stale);
    assert_eq!(world.state(&plan_id), State::UserApproved);
    // Changed back it passes again.
    world.policy.borrow_mut().token_budget += 1;
    assert_eq!(world.run(&plan_id).unwrap().state.as_str(), "completed");
}

#[test]
fn projections_objects_and_backups_are_compared() {
    let origin = twenty();
    let mut cases = 0;
    for (folder, kind) in [
        (".exacta/plans", ProblemKind::Projection),
        (".exacta/audit-log", ProblemKind::Projection),
        (".exacta/objects", ProblemKind::Object),
        (".exacta/kept", ProblemKind::Backup),
    ] {
        let files = origin.disk.gate_files(folder);
        assert!(files.len() > 1, "{folder}: {files:?}");
        for path in &files {
            let good = origin.disk.bytes(path).unwrap();
            let mut edited = good.clone();
            edited[good.len() / 2] ^= 1;
            for bad in [Some(edited.as_slice()), None, Some(b"".as_slice())] {
                let world = origin.fork();
                world.disk.tamper(path, bad);
                let report = world.verify();
                let told: Vec<_> = report.problems.iter().map(|problem| problem.kind).collect();
                assert!(told.contains(&kind), "{path}: {:?}", report.problems);
                cases += 1;
            }
        }
    }
    for extra in [".exacta/plans/extra.json", ".exacta/audit-log/extra.json"] {
        let world = origin.fork();
        world.disk.tamper(extra, Some(b"{}"));
        let report = world.verify();
        assert_eq!(report.problems.len(), 1);
        assert_eq!(report.problems[0].file, extra);
        cases += 1;
    }
    println!("projections, objects and backups: {cases} changes found");
}

#[test]
fn deciding_needs_what_policy_says() {
    let world = World::new(&[("a.txt", "one\n")]);
    let plan = world.propose(&asks("a.txt", "two\n")).unwrap();
    let approve = |hash, proof| {
        let plan_id = plan.plan_id.clone();
        world.handle(What::Approve { plan_id, hash, steps: None, proof })
    };
    let right = Some(plan.plan_hash);
    for (decide, hash, proof) in [
        (Decide::Terminal, right, Proof::None),
        (Decide::Terminal, right, Proof::Credential),
        (Decide::Credential, right, Proof::None),
        (Decide::Credential, right, Proof::Terminal),
        (Decide::Hash, None, Proof::None),
    ] {
        world.policy.borrow_mut().decide = decide;
        let error = approve(hash, proof.clone()).unwrap_err();
        assert!(matches!(error, GateError::NotEntitled { .. }), "{decide:?} {proof:?}: {error}");
        assert_eq!(error.kind(), ErrorKind::Waits);
        assert_eq!(world.state(&plan.plan_id), State::Pending);
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Everything a project carries with it counts for nothing elsewhere.
#[test]
fn a_project_that_goes_to_another_user_or_place() {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name);
    let (project, mine, theirs) = (at("project"), at("state"), at("other-state"));
    fs::create_dir(&project).unwrap();
    fs::write(project.join("a.txt"), "one\n").unwrap();
    let plan =
        proposed(handle(&project, &mine, command(propose(&asks("a.txt", "two\n")), None)).unwrap());
    let approve = What::Approve {
        plan_id: plan.plan_id.clone(),
        hash: Some(plan.plan_hash),
        steps: None,
        proof: Proof::None,
    };
    let approved = decided(handle(&project, &mine, command(approve, None)).unwrap());
    assert_eq!(approved.state, State::UserApproved);
    let run = || command(What::Run { plan_id: plan.plan_id.clone(), hash: None }, None);
    let word = |project: &Path, state: &Path| standpoint(project, state).1.standing.as_str();
    let nothing_runs = |project: &Path, state: &Path, expected: &str| {
        assert_eq!(word(project, state), expected);
        let error = handle(project, state, run()).unwrap_err();
        assert!(matches!(error, GateError::Untrusted(_)), "{expected}: {error}");
        assert_eq!(error.kind(), ErrorKind::Unverified);
        assert_eq!(fs::read_to_string(project.join("a.txt")).unwrap(), "one\n");
    };
    let cloned = at("clone");
    copy(&project, &cloned);
    nothing_runs(&cloned, &theirs, "no_checkpoint_here");
    nothing_runs(&cloned, &mine, "copied");
    nothing_runs(&project, &theirs, "no_checkpoint_here");
    // A clone that carries the name of a project that this user has.
    let own = at("own");
    fs::create_dir(&own).unwrap();
    fs::write(own.join("a.txt"), "one\n").unwrap();
    handle(&own, &theirs, command(propose(&asks("a.txt", "three\n")), None)).unwrap();
    let name = fs::read(own.join(".exacta/project")).unwrap();
    fs::write(cloned.join(".exacta/project"), name).unwrap();
    nothing_runs(&cloned, &theirs, "copied");
    // A record that is gone is missed.
    let kept = fs::read(project.join(".exacta/project")).unwrap();
    fs::remove_file(project.join(".exacta/project")).unwrap();
    nothing_runs(&project, &mine, "missing");
    fs::write(project.join(".exacta/project"), kept).unwrap();
    // Moved, it is known as moved; taken over, what came before counts for nothing.
    let moved = at("moved");
    fs::rename(&project, &moved).unwrap();
    nothing_runs(&moved, &mine, "moved");
    let (root, standpoint) = standpoint(&moved, &mine);
    standpoint.adopt(&root, &ThisMachine).unwrap();
    let error = handle(&moved, &mine, run()).unwrap_err();
    assert!(matches!(error, GateError::NoSuchPlan(_)), "{error}");
    assert_eq!(fs::read_to_string(moved.join("a.txt")).unwrap(), "one\n");
    let plan = handle(&moved, &mine, command(propose(&asks("a.txt", "two\n")), None)).unwrap();
    assert!(matches!(plan, Outcome::Proposed(_)));
    assert_eq!(look(&moved, &mine, |gate| gate.verify(&[]).unwrap()).problems, []);
}

/// A collection does not take what a plan that can still run would miss, when the object that
/// names it cannot be read.
#[test]
fn a_collection_leaves_what_a_live_plan_may_need() {
    let world = World::new(&[("a.txt", "one\n")]);
    let plan = world.propose(&asks("a.txt", "two\n")).unwrap();
    let record = world.entry(&plan.plan_id).created.record.to_string();
    let (shelf, name) = record.split_at(2);
    let path = format!(".exacta/objects/{shelf}/{name}");
    let bytes = world.disk.bytes(&path).unwrap();
    world.disk.tamper(&path, None);
    let before = world.disk.gate_files(".exacta/objects");
    assert!(before.len() > 1);
    let refused = world.handle(What::Gc);
    assert!(refused.is_err(), "{refused:?}");
    assert_eq!(world.disk.gate_files(".exacta/objects"), before);
    // Put back, the plan is whole.
    world.disk.tamper(&path, Some(&bytes));
    world.approve(&plan.plan_id).unwrap();
    assert_eq!(world.run(&plan.plan_id).unwrap().state.as_str(), "completed");
    // What is over needs nothing any more.
    world.disk.tamper(&path, None);
    assert!(matches!(world.handle(What::Gc), Ok(Outcome::Collected(_))));
}
