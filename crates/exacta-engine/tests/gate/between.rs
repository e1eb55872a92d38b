//! Something happens between the look and the act: another process collects, decides or
//! runs, or the time runs out. What was promised holds all the same.

use std::sync::Arc;

use exacta_core::life::lifecycle::{Refusal, State};
use exacta_engine::gate::{Caller, Collect, Direction, GateError, UndoState};
use exacta_engine::run::Watch;
use exacta_engine::workspace::PortError;
use exacta_testkit::Shared;

use crate::any::{Outcome, Proof, What, handle as any_handle};
use crate::tap::{Op, Tap, Tapped};
use crate::world::{World, approve, asks, command, decided, person, propose, proposed, undo};

/// Acts once, right before the first operation that it is waiting for.
struct Once {
    waits_for: Box<dyn Fn(Op<'_>) -> bool + Send + Sync>,
    act: Shared<Option<Act>>,
    world: World,
}

type Act = Box<dyn FnOnce(&World) + Send + Sync>;

impl Once {
    fn before(
        world: &World,
        waits_for: impl Fn(Op<'_>) -> bool + Send + Sync + 'static,
        act: impl FnOnce(&World) + Send + Sync + 'static,
    ) -> Self {
        let act: Act = Box::new(act);
        Self { waits_for: Box::new(waits_for), act: Shared::new(Some(act)), world: world.clone() }
    }
}

impl Tap for Once {
    fn before(&self, op: Op<'_>) -> Result<(), PortError> {
        if (self.waits_for)(op)
            && let Some(act) = self.act.take()
        {
            act(&self.world);
        }
        Ok(())
    }
}

/// Gives a command while something else happens right before one of its operations.
fn handle_while(world: &World, what: What, tap: Once) -> Result<Outcome, GateError> {
    let tapped = Arc::new(Tapped::new(Arc::clone(&world.disk), tap));
    let told = world.gate_on(&tapped, |gate| any_handle(gate, command(what, None))).unwrap();
    assert!(tapped.tap.act.borrow().is_none(), "nothing happened in between");
    told
}

/// A collection comes between storing a plan and putting it on the record.
#[test]
fn what_a_plan_needs_is_there_when_the_plan_is() {
    let gc = |world: &World| {
        assert!(matches!(world.handle(What::Gc), Ok(Outcome::Collected(_))));
    };
    let project = [("a.txt", "one\n"), ("b.txt", "two\n")];
    let world = World::new(&project);
    let first = world.propose(&asks("b.txt", "three\n")).unwrap();
    // Objects are written before the turn to write the record is taken.
    let stored = Arc::new(Shared::new(false));
    let after_storing = || {
        let stored = Arc::clone(&stored);
        move |op: Op<'_>| {
            *stored.borrow_mut() |= op.name == "barrier";
            stored.get() && op.name == "turn"
        }
    };
    let told = handle_while(
        &world,
        propose(&asks("a.txt", "two\n")),
        Once::before(&world, after_storing(), gc),
    );
    let plan = proposed(told.unwrap());
    assert_eq!(world.verify().problems, []);
    world.approve(&plan.plan_id).unwrap();
    assert_eq!(world.run(&plan.plan_id).unwrap().state.as_str(), "completed");
    // The same where a plan is made of another.
    stored.replace(false);
    let renew = What::Renew { plan_id: first.plan_id, proof: Proof::Terminal };
    let told = handle_while(&world, renew, Once::before(&world, after_storing(), gc));
    let renewed = decided(told.unwrap());
    assert_eq!(world.verify().problems, []);
    world.approve(&renewed.plan_id).unwrap();
    // And while an object is being written.
    let half_written = |op: Op<'_>| op.name == "place" && op.at.contains("objects/");
    let told = handle_while(
        &world,
        propose(&asks("b.txt", "five\n")),
        Once::before(&world, half_written, gc),
    );
    let plan = proposed(told.unwrap());
    assert_eq!(world.verify().problems, []);
    world.approve(&plan.plan_id).unwrap();
}

/// The deadline passes while the files are staged.
#[test]
fn a_run_that_is_ready_too_late_does_not_start() {
    let world = World::new(&[("a.txt", "one\n")]);
    let plan = world.propose(&asks("a.txt", "two\n")).unwrap();
    world.approve(&plan.plan_id).unwrap();
    let before = world.disk.tree();
    let run = What::Run { plan_id: plan.plan_id.clone(), hash: None };
    let staging = |op: Op<'_>| op.name == "stage" && op.at.contains("/runs/");
    let told = handle_while(
        &world,
        run,
        Once::before(&world, staging, |world| world.machine.pass(30 * 60_000)),
    );
    assert!(
        matches!(told, Err(GateError::Refusal { refusal: Refusal::Expired { .. }, .. })),
        "it ran after its deadline: {told:?}"
    );
    assert_eq!(world.disk.tree(), before);
    assert_eq!(world.state(&plan.plan_id), State::Expired);
    assert_eq!(world.verify().problems, []);
}

/// Another process takes a run back and its undo as well, while this one waits for the
/// project: what is to be taken back is another run now.
#[test]
fn an_undo_takes_back_the_newest_of_the_chain() {
    let world = World::new(&[("a.txt", "one\n")]);
    let plan = world.propose(&asks("a.txt", "two\n")).unwrap();
    world.approve(&plan.plan_id).unwrap();
    let run = world.run(&plan.plan_id).unwrap();
    let redo = What::Redo { run_id: run.run_id.clone(), hash: None, proof: Proof::Terminal };
    let ran = run.run_id.clone();
    let meanwhile = move |world: &World| {
        world.undo(&ran).unwrap();
        world.handle(redo).unwrap();
    };
    let once = Once::before(&world, |op| op.name == "lock", meanwhile);
    let told = handle_while(&world, undo(&run.run_id), once);
    let Ok(Outcome::Undone(undone)) = &told else { panic!("{told:?}") };
    assert_eq!(undone.state, UndoState::Undone);
    // The redo was taken back, not the run that had been taken back already.
    let newest = world.gate(|gate| gate.to_invert(&run.run_id, Direction::Redo).unwrap()).unwrap();
    assert_eq!(newest.run_id, undone.run_id);
    let redone = world.gate(|gate| {
        let ledger = gate.log().ledger();
        ledger.runs().filter(|run| run.undone_by.is_none()).count()
    });
    assert_eq!(redone.unwrap(), 1, "one run is the newest");
    assert_eq!(world.verify().problems, []);
}

/// A key belongs to one command; an undo of another plan's run is another command.
#[test]
fn a_key_of_one_undo_is_not_that_of_another() {
    let world = World::new(&[("a.txt", "one\n"), ("b.txt", "two\n")]);
    let ran = |path: &str| {
        let plan = world.propose(&asks(path, "three\n")).unwrap();
        world.handle(approve(&plan.plan_id)).unwrap();
        world.run(&plan.plan_id).unwrap().run_id
    };
    let (one, other) = (ran("a.txt"), ran("b.txt"));
    world.handle_keyed(undo(&one), Some("key")).unwrap();
    let again = world.handle_keyed(undo(&one), Some("key")).unwrap_err();
    assert!(matches!(again, GateError::Refusal { refusal: Refusal::Used { .. }, .. }), "{again}");
    let error = world.handle_keyed(undo(&other), Some("key")).unwrap_err();
    assert!(matches!(error, GateError::KeyTaken { .. }), "{error}");
}

/// Another process adds a plan while the record is verified.
#[test]
fn what_is_added_during_a_check_is_no_problem() {
    for place in [".exacta/plans", ".exacta/audit-log", ".exacta/runs"] {
        let world = World::new(&[("a.txt", "one\n"), ("b.txt", "two\n")]);
        world.propose(&asks("b.txt", "three\n")).unwrap();
        let meanwhile = |world: &World| drop(world.propose(&asks("a.txt", "two\n")).unwrap());
        let listed = move |op: Op<'_>| op.name == "list" && op.at == place;
        let once = Once::before(&world, listed, meanwhile);
        let tapped = Arc::new(Tapped::new(Arc::clone(&world.disk), once));
        let report = world.gate_on(&tapped, |gate| gate.verify(&[]).unwrap()).unwrap();
        assert!(tapped.tap.act.borrow().is_none(), "nothing happened in between");
        assert_eq!(report.problems, [], "{place}");
    }
}

/// Other processes begin the record while this one opens it.
#[test]
fn a_record_that_others_begin_meanwhile_is_trusted() {
    let world = World::new(&[("a.txt", "one\n"), ("b.txt", "two\n")]);
    let meanwhile = |world: &World| drop(world.propose(&asks("b.txt", "three\n")).unwrap());
    let opening = |op: Op<'_>| op.name == "list" && op.at == ".exacta/log";
    let once = Once::before(&world, opening, meanwhile);
    let told = handle_while(&world, propose(&asks("a.txt", "two\n")), once);
    proposed(told.unwrap());
    assert_eq!(world.verify().problems, []);
}

/// A run waits while another one changes what configures the project.
#[test]
fn a_run_that_waited_is_compared_with_the_configuration_again() {
    let world = World::new(&[("a.txt", "one\n"), ("Cargo.toml", "[package]\n")]);
    let plan = world.propose(&asks("a.txt", "two\n")).unwrap();
    let other = world.propose(&asks("Cargo.toml", "[workspace]\n")).unwrap();
    world.approve(&plan.plan_id).unwrap();
    world.approve(&other.plan_id).unwrap();
    let run = What::Run { plan_id: plan.plan_id.clone(), hash: None };
    // Everything was looked at; the project is not ours yet.
    let locking = |op: Op<'_>| op.name == "lock";
    let meanwhile = move |world: &World| drop(world.run(&other.plan_id).unwrap());
    let told = handle_while(&world, run, Once::before(&world, locking, meanwhile));
    assert!(
        matches!(told, Err(GateError::Refusal { refusal: Refusal::Expired { .. }, .. })),
        "{told:?}"
    );
    assert_eq!(world.disk.bytes("a.txt").unwrap(), b"one\n");
    assert_eq!(world.state(&plan.plan_id), State::Expired);
    assert_eq!(world.verify().problems, []);
}

/// Whoever collects does not wait for a run that waits for them.
struct Hurried;

impl Watch for Hurried {
    fn cancelled(&self) -> bool {
        true
    }
}

fn collect_if_free(world: &World) -> bool {
    let mut caller = Caller::new(person());
    caller.watch = &Hurried;
    world.gate(|gate| gate.handle(&caller, Collect).is_ok()).is_ok_and(|collected| collected)
}

/// The last swap cannot be made durable, so that the run goes back; from then on there is a
/// collection before each turn.
struct Fails {
    world: World,
    swapped: Shared<bool>,
    back: Shared<bool>,
    collected: Shared<bool>,
}
impl Tap for Fails {
    fn before(&self, op: Op<'_>) -> Result<(), PortError> {
        let target = op.at == "a.txt" && op.name == "swap";
        if target && self.swapped.get() {
            self.back.set(true);
        }
        if op.name == "barrier" && self.swapped.get() && !self.back.get() {
            return Err(PortError::Locked);
        }
        self.swapped.set(self.swapped.get() || target);
        if self.back.get() && op.name == "turn" && collect_if_free(&self.world) {
            self.collected.set(true);
        }
        Ok(())
    }
}

/// A collection comes between storing why a run went back and saying so on the record.
#[test]
fn why_a_run_went_back_is_there_when_the_record_names_it() {
    let world = World::new(&[("a.txt", "one\n")]);
    let plan = world.propose(&asks("a.txt", "two\n")).unwrap();
    world.approve(&plan.plan_id).unwrap();
    let run = What::Run { plan_id: plan.plan_id.clone(), hash: None };
    let (swapped, back, collected) = (Shared::new(false), Shared::new(false), Shared::new(false));
    let fails = Fails { world: world.clone(), swapped, back, collected };
    let tapped = Arc::new(Tapped::new(Arc::clone(&world.disk), fails));
    let told = world.gate_on(&tapped, |gate| any_handle(gate, command(run, None))).unwrap();
    assert!(matches!(&told, Ok(Outcome::Ran(ran)) if ran.reason.is_some()), "{told:?}");
    assert!(tapped.tap.collected.get(), "nothing was collected in between");
    assert_eq!(world.disk.bytes("a.txt").unwrap(), b"one\n");
    assert_eq!(world.verify().problems, []);
}
