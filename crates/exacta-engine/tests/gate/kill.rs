//! A process dies at every operation of a command: before it, after it, or with half of
//! its bytes written. Either the command happened with its record, or it did not.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use exacta_core::life::ledger::{Ledger, RunStage};
use exacta_core::life::lifecycle::State;
use exacta_core::model::path::RelPath;
use exacta_engine::gate::{GateError, UndoState};
use exacta_engine::log::LogError;
use exacta_engine::trust::{Checkpoint, Checkpoints, TrustError};
use exacta_engine::workspace::{PortError, Spot, Workspace as _};
use exacta_testkit::Shared;

use crate::any::{Outcome, Proof, What, handle as any_handle};
use crate::tap::{Op, Tap, Tapped};
use crate::world::{Heads, World, approve, asks, command, passes, propose, reject, secrets, undo};

/// How a process dies at an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Death {
    Before,
    Torn,
    After,
}

/// What unwinds instead of a dead process; nothing in the product catches it.
struct Dead;

fn die() -> ! {
    resume_unwind(Box::new(Dead))
}

/// Counts operations, and dies at one of them.
struct DieAt {
    at: Option<(u64, Death)>,
    names: Shared<Vec<&'static str>>,
}

impl Tap for DieAt {
    fn before(&self, op: Op<'_>) -> Result<(), PortError> {
        // Values are dropped while the stack unwinds; a dead process does nothing of that.
        if std::thread::panicking() {
            return Err(PortError::Gone(spot()));
        }
        self.names.borrow_mut().push(op.name);
        if self.at == Some((op.number, Death::Before)) {
            die();
        }
        Ok(())
    }

    fn cut(&self, op: Op<'_>, bytes: usize) -> usize {
        if self.at == Some((op.number, Death::Torn)) { bytes / 2 } else { bytes }
    }

    fn after(&self, op: Op<'_>) -> Result<(), PortError> {
        if self.at.is_some_and(|(number, death)| number == op.number && death != Death::Before) {
            die();
        }
        Ok(())
    }
}

/// Heads outside the project; the process dies before or after it notes one.
struct DyingHeads {
    heads: Heads,
    after: bool,
}

impl Checkpoints for DyingHeads {
    fn load(&self) -> Result<Option<Checkpoint>, TrustError> {
        self.heads.load()
    }

    fn note(&self, checkpoint: &Checkpoint) -> Result<(), TrustError> {
        if self.after {
            self.heads.note(checkpoint)?;
        }
        die()
    }
}

/// A command, the project it is given in, and what must hold whether it happened or not.
struct Act {
    name: &'static str,
    world: World,
    what: What,
}

const FILES: [(&str, &str); 3] = [("a.txt", "one\n"), ("b.txt", "two\n"), ("c.txt", "three\n")];

/// A draft of two independent steps that asks for a person.
pub(crate) fn pair() -> String {
    r#"{"goal":"write both","steps":[
      {"step_id":"step_1","title":"Write a.txt","description":"Give a.txt its new text",
       "type":"file_modify","target":"a.txt","content":"four\n","dependencies":[],
       "requires_approval":true},
      {"step_id":"step_2","title":"Write b.txt","description":"Give b.txt its new text",
       "type":"file_modify","target":"b.txt","content":"five\n","dependencies":[]}]}"#
        .into()
}

fn acts() -> Vec<Act> {
    let fresh = || World::new(&FILES);
    let pending = || {
        let world = fresh();
        let plan = world.propose(&pair()).unwrap();
        (world, plan.plan_id)
    };
    let act = |name, world, what| Act { name, world, what };
    let mut acts = vec![
        act("first propose", fresh(), propose(&asks("a.txt", "four\n"))),
        act("first propose, unasked", fresh(), propose(&passes("a.txt", "four\n"))),
        act("first propose, refused", fresh(), propose("no plan")),
    ];
    let (world, _) = pending();
    acts.push(act("propose", world, propose(&passes("c.txt", "six\n"))));
    let (world, plan_id) = pending();
    acts.push(act("approve", world, approve(&plan_id)));
    let (world, plan_id) = pending();
    let (steps, proof) = (Some(vec!["step_2".into()]), Proof::Terminal);
    acts.push(act("select", world, What::Approve { plan_id, hash: None, steps, proof }));
    let (world, plan_id) = pending();
    acts.push(act("reject", world, reject(&plan_id)));
    let (world, plan_id) = pending();
    let (request, proof) = ("another".into(), Proof::Terminal);
    acts.push(act("changes", world, What::Changes { plan_id, request, proof }));
    let (world, plan_id) = pending();
    acts.push(act("pause", world, What::Pause { plan_id }));
    let (world, plan_id) = pending();
    acts.push(act("renew", world, What::Renew { plan_id, proof: Proof::Terminal }));
    let (world, _) = pending();
    world.disk.tamper("a.txt", Some(b"edited\n"));
    acts.push(act("sweep", world, What::Sweep { plan_id: None }));
    let (world, plan_id) = pending();
    world.approve(&plan_id).unwrap();
    acts.push(act("run", world, What::Run { plan_id, hash: None }));
    let (world, plan_id) = pending();
    world.approve(&plan_id).unwrap();
    let run = world.run(&plan_id).unwrap();
    acts.push(act("undo", world, undo(&run.run_id)));
    acts
}

/// Carries out the command and dies on the way; `None` when it did not come to that.
fn die_in(world: &World, what: &What, at: Option<(u64, Death)>) -> (bool, Vec<&'static str>) {
    let tap = DieAt { at, names: Shared::default() };
    let port = Arc::new(Tapped::new(Arc::clone(&world.disk), tap));
    let act = || world.gate_on(&port, |gate| any_handle(gate, command(what.clone(), Some("key"))));
    let died = match catch_unwind(AssertUnwindSafe(act)) {
        Ok(done) => {
            done.unwrap().unwrap();
            false
        }
        Err(panic) if panic.is::<Dead>() => true,
        Err(panic) => resume_unwind(panic),
    };
    (died, port.tap.names.take())
}

/// What the record says, without what a death may leave either way.
fn told(ledger: &Ledger) -> String {
    let plans: Vec<_> = ledger
        .plans()
        .map(|plan| {
            (plan.state(), plan.is_paused(), plan.run_id().is_some(), plan.expiry().is_some())
        })
        .collect();
    let runs: Vec<_> =
        ledger.runs().map(|run| (run.stage, run.status, run.undone_by.is_some())).collect();
    format!("{plans:?} {runs:?}")
}

fn says(world: &World) -> String {
    world.gate(|gate| told(&gate.log().ledger())).unwrap()
}

#[test]
fn killed_at_every_operation_of_every_command() {
    let (mut deaths, mut before, mut after) = (0, 0, 0);
    for act in acts() {
        let whole = act.world.fork();
        let (died, names) = die_in(&whole, &act.what, None);
        assert!(!died);
        let (undone, done) = (says(&act.world), says(&whole));
        let sides = (act.world.disk.tree(), whole.disk.tree());
        let mut check = |world: &World, what: &str| {
            deaths += 1;
            // The next command works, whatever was left behind.
            world.handle(What::Recover).unwrap_or_else(|error| panic!("{what}: {error}"));
            let tree = world.disk.tree();
            assert!(tree == sides.0 || tree == sides.1, "{what}: {tree:?}");
            let said = says(world);
            // A run that was staged and taken back leaves its plan approved or used up; in
            // no case does the record say less than the files.
            let happened = said == done;
            if !happened && said != undone {
                assert!(matches!(act.name, "run" | "undo"), "{what}: {said}");
                assert_eq!(tree, sides.0, "{what}: {said}");
            }
            assert_eq!(tree == sides.1, happened || sides.0 == sides.1, "{what}: {said}");
            *(if happened { &mut after } else { &mut before }) += 1;
            let report = world.verify();
            assert_eq!(report.problems, [], "{what}");
            settled(world, what);
            // Given again, the command is done once in all.
            if !matches!(act.name, "run" | "undo" | "first propose, refused") {
                world.handle_keyed(act.what.clone(), Some("key")).unwrap_or_else(|error| {
                    panic!("{what}, given again: {error}");
                });
                assert_eq!(says(world), done, "{what}, given again");
            }
            let next = world.propose(&asks("c.txt", "next\n")).unwrap();
            assert_eq!(next.state, State::Pending, "{what}");
            assert_eq!(world.verify().problems, [], "{what}, and one more");
        };
        for (number, name) in (0_u64..).zip(&names) {
            let torn = matches!(*name, "stage" | "append");
            for death in [Death::Before, Death::Torn, Death::After] {
                if death == Death::Torn && !torn {
                    continue;
                }
                let world = act.world.fork();
                let what = format!("{}, {death:?} operation {number} ({name})", act.name);
                let died = die_in(&world, &act.what, Some((number, death))).0;
                // After an operation that failed, nobody dies: it was not done.
                assert!(died || death == Death::After, "{what}");
                if died {
                    check(&world, &what);
                }
            }
        }
        for after in [false, true] {
            let mut world = act.world.fork();
            let heads = world.heads.clone();
            world.secrets.checkpoints = Arc::new(DyingHeads { heads: heads.clone(), after });
            let what = format!("{}, at the first head outside, after={after}", act.name);
            assert!(die_in(&world, &act.what, None).0, "{what}");
            world.secrets = secrets(&heads);
            check(&world, &what);
        }
    }
    println!("killed: {deaths} deaths; {before} did not happen, {after} did");
    assert!(deaths > 1000);
}

/// No run is left without an end.
fn settled(world: &World, what: &str) {
    let runs = world.gate(|gate| gate.log().ledger().runs().cloned().collect::<Vec<_>>()).unwrap();
    for run in runs {
        assert_ne!(run.stage, RunStage::Started, "{what}");
        let plan_run = run.kind == exacta_core::record::RunKind::Plan;
        assert_eq!(plan_run, run.status.is_some(), "{what}: {run:?}");
    }
}

/// The result list becomes durable with the end of its run, so that wherever the process
/// dies no completed run is without one.
#[test]
fn a_completed_run_is_never_without_its_results() {
    let world = World::new(&FILES);
    let plan = world.propose(&pair()).unwrap();
    world.approve(&plan.plan_id).unwrap();
    let what = What::Run { plan_id: plan.plan_id.clone(), hash: None };
    let (_, names) = die_in(&world.fork(), &what, None);
    let mut completed = 0;
    for number in 0..names.len() as u64 {
        let world = world.fork();
        assert!(die_in(&world, &what, Some((number, Death::Before))).0);
        let runs = |gate: &exacta_engine::gate::Gate<'_>| {
            let ledger = gate.log().ledger();
            let ended = ledger.runs().filter(|run| run.stage == RunStage::Completed);
            ended.map(|run| (run.status.is_some(), run.results)).collect::<Vec<_>>()
        };
        for (has_status, results) in world.gate(runs).unwrap() {
            assert!(has_status, "operation {number}");
            let list = world.gate(|gate| gate.object(&results.unwrap())).unwrap();
            assert!(list.is_ok(), "operation {number}");
            completed += 1;
        }
    }
    assert!(completed > 2, "{completed}");
}

/// After a death in the middle of a run the next command judges whole files, and says what
/// it brought to one side, which way, and how many files that are.
#[test]
fn the_next_command_settles_a_dead_run_and_says_so() {
    let world = World::new(&FILES);
    let plan = world.propose(&pair()).unwrap();
    world.approve(&plan.plan_id).unwrap();
    let what = What::Run { plan_id: plan.plan_id.clone(), hash: None };
    let (_, names) = die_in(&world.fork(), &what, None);
    let swaps = names.iter().enumerate().filter(|(_, name)| **name == "swap");
    let (mut taken_back, mut half) = (0, 0);
    for (number, _) in swaps {
        let world = world.fork();
        assert!(die_in(&world, &what, Some((number as u64, Death::After))).0);
        let read = |name: &str| world.disk.read(&Spot::target(&RelPath::parse(name).unwrap()));
        let run_id = world.entry(&plan.plan_id).run_id().cloned();
        let Some(run_id) = run_id else { continue };
        half += usize::from(read("a.txt").unwrap() != read("b.txt").unwrap());
        // Nothing of this looks like tampering.
        assert_eq!(world.verify().problems, []);
        let interrupted = world.gate(|gate| gate.interrupted().unwrap()).unwrap();
        if interrupted.is_empty() {
            continue;
        }
        let (told, notices, settled) = world
            .gate(|gate| {
                let told = any_handle(gate, command(propose(&asks("a.txt", "nine\n")), None));
                (told, gate.take_notices(), gate.recovered())
            })
            .unwrap();
        told.unwrap();
        assert_eq!((settled.len(), settled[0].files), (1, 2), "operation {number}");
        assert_eq!(settled[0].run_id, run_id);
        let text = notices[0].to_string();
        assert!(text.contains("interrupted") && text.contains("2 files"), "{text}");
        let run = world.gate(|gate| gate.run_named(&run_id).unwrap()).unwrap();
        if !settled[0].finished {
            assert_eq!(read("a.txt").unwrap(), b"one\n");
            let why = world.gate(|gate| gate.why(&run)).unwrap();
            assert!(why.is_some_and(|why| why.contains("interrupted")));
            taken_back += 1;
        }
        assert!(run.status.is_some());
    }
    assert!(taken_back > 0 && half > 0, "{taken_back} {half}");
}

/// A port on which every operation from one on fails: disk full, or read-only.
struct FailFrom {
    from: u64,
    count: Shared<u64>,
}

impl Tap for FailFrom {
    fn before(&self, op: Op<'_>) -> Result<(), PortError> {
        *self.count.borrow_mut() += 1;
        let writes = matches!(op.name, "stage" | "append" | "place" | "swap" | "barrier");
        if op.number >= self.from && writes {
            let errno = rustix::io::Errno::NOSPC;
            return Err(PortError::System { act: "write", at: spot(), errno });
        }
        Ok(())
    }
}

fn spot() -> Spot {
    Spot::state()
}

/// A full or read-only disk at any point: no decision without its record (U17).
#[test]
fn a_full_disk_decides_nothing_without_its_record() {
    let mut failures = 0;
    for act in acts() {
        let whole = act.world.fork();
        let (_, names) = die_in(&whole, &act.what, None);
        let (undone, done) = (says(&act.world), says(&whole));
        for from in 0..names.len() as u64 {
            let world = act.world.fork();
            let tap = FailFrom { from, count: Shared::new(0) };
            let port = Arc::new(Tapped::new(Arc::clone(&world.disk), tap));
            let command = command(act.what.clone(), None);
            let outcome = world.gate_on(&port, |gate| any_handle(gate, command));
            let what = format!("{}, full from operation {from}", act.name);
            let mut unsure = false;
            let acknowledged = match outcome {
                Ok(Ok(Outcome::Ran(run))) => run.state.as_str() == "completed",
                Ok(Ok(Outcome::Undone(undo))) => undo.state != UndoState::Conflict,
                Ok(Ok(_)) => true,
                Ok(Err(error)) | Err(error) => {
                    assert!(!matches!(error, GateError::Json(_)), "{what}: {error}");
                    unsure = matches!(error, GateError::Log(LogError::Unsure(_)));
                    failures += 1;
                    false
                }
            };
            // What a full disk leaves behind the record is no tampering.
            if world.gate(|_| ()).is_ok() {
                assert_eq!(world.verify().problems, [], "{what}");
            }
            world.handle(What::Recover).unwrap_or_else(|error| panic!("{what}: {error}"));
            let said = says(&world);
            if acknowledged {
                assert_eq!(said, done, "{what}");
            } else if !matches!(act.name, "run" | "undo") {
                // Whoever is told that it failed does not find it done.
                assert!(said == undone || (unsure && said == done), "{what}: {said}");
            }
            assert_eq!(world.verify().problems, [], "{what}");
        }
    }
    println!("full disk: {failures} failures, each with the record and the files in step");
    assert!(failures > 200);
}
