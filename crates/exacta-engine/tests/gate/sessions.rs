//! A plan belongs to the session of the process that serves the project, if one does, and
//! otherwise to the boot; it ends with its session.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command as Process, Stdio};

use exacta_core::life::lifecycle::{Cause, Refusal, State};
use exacta_engine::gate::{Decided, GateError};
use exacta_engine::machine::{Machine as _, ThisMachine};
use exacta_engine::workspace::PortError;

use crate::any::{Proof, What};
use crate::ground::{handle, look, started};
use crate::race::{Place, file};
use crate::world::{World, asks, command, propose, proposed};

const HOLDER: &str = "EXACTA_TEST_HOLDER";
const HELD: &str = "held=";

fn proposed_by_a_command(place: &Place, content: &str) -> Decided {
    let what = propose(&asks(&file(0), content));
    proposed(handle(&place.project, &place.state, command(what, None)).unwrap())
}

fn approved(place: &Place, plan: &Decided) -> Result<(), GateError> {
    let (plan_id, hash) = (plan.plan_id.clone(), Some(plan.plan_hash));
    let what = What::Approve { plan_id, hash, steps: None, proof: Proof::None };
    handle(&place.project, &place.state, command(what, None)).map(drop)
}

fn session_of(place: &Place, plan: &Decided) -> String {
    look(&place.project, &place.state, |gate| {
        gate.log().ledger().plan(&plan.plan_id).unwrap().created.session.clone()
    })
}

fn boot() -> String {
    format!("boot:{}", ThisMachine.now().unwrap().boot)
}

/// What somebody sees of a plan who only looks.
fn shown(place: &Place, plan: &Decided) -> State {
    look(&place.project, &place.state, |gate| gate.status(&plan.plan_id).unwrap().state)
}

fn has_ended(told: &Result<(), GateError>) {
    let ended = matches!(
        told,
        Err(GateError::Refusal { refusal: Refusal::Expired { cause: Cause::SessionEnded }, .. })
    );
    assert!(ended, "{told:?}");
}

#[test]
fn a_plan_joins_the_session_that_is_held_and_ends_with_it() {
    let place = Place::new(1);
    let server = started(&place.project, &place.state).unwrap();
    let early = proposed_by_a_command(&place, "early\n");
    assert_eq!(session_of(&place, &early), boot());
    let session = server.own_session().unwrap();
    let (joined, other) =
        (proposed_by_a_command(&place, "two\n"), proposed_by_a_command(&place, "three\n"));
    for plan in [&joined, &other] {
        assert_eq!(session_of(&place, plan), session.name());
        assert_eq!(shown(&place, plan), State::Pending);
    }
    // Nobody else can own one meanwhile, not even another handle of this process.
    let again = started(&place.project, &place.state).unwrap().own_session();
    assert!(matches!(again, Err(GateError::Port(PortError::Locked))), "two sessions at once");
    approved(&place, &joined).unwrap();
    drop(session);
    for plan in [&joined, &other] {
        assert_eq!(shown(&place, plan), State::Expired);
    }
    has_ended(&approved(&place, &other));
    let run = What::Run { plan_id: joined.plan_id.clone(), hash: Some(joined.plan_hash) };
    has_ended(&handle(&place.project, &place.state, command(run, None)).map(drop));
    assert_eq!(place.read(0), "one\n");
    // Those of the boot go on, and new ones belong to it again.
    approved(&place, &early).unwrap();
    assert_eq!(session_of(&place, &proposed_by_a_command(&place, "four\n")), boot());
    // The next session is another one: nothing of the first comes back.
    let next = server.own_session().unwrap();
    assert_eq!(shown(&place, &other), State::Expired);
    let fresh = proposed_by_a_command(&place, "five\n");
    assert_eq!(session_of(&place, &fresh), next.name());
    place.is_clean();
}

#[test]
fn a_session_ends_with_the_death_of_its_owner() {
    let place = Place::new(1);
    drop(started(&place.project, &place.state).unwrap());
    let (mut child, name) = hold_elsewhere(&place.project, &place.state);
    let plan = proposed_by_a_command(&place, "two\n");
    assert_eq!(session_of(&place, &plan), name);
    assert_eq!(shown(&place, &plan), State::Pending);
    // SIGKILL: it can tidy up nothing.
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(shown(&place, &plan), State::Expired);
    has_ended(&approved(&place, &plan));
    let (ledger, _) = place.ledger();
    let expiry = ledger.plan(&plan.plan_id).unwrap().expiry().cloned();
    assert_eq!(expiry, Some(Cause::SessionEnded));
    // What the dead one left is in nobody's way.
    let server = started(&place.project, &place.state).unwrap();
    assert_eq!(session_of(&place, &proposed_by_a_command(&place, "three\n")), boot());
    let session = server.own_session().unwrap();
    assert_ne!(session.name(), name);
    assert_eq!(session_of(&place, &proposed_by_a_command(&place, "four\n")), session.name());
    place.is_clean();
}

/// Where nobody serves the project a plan ends with the boot, as ever.
#[test]
fn without_a_session_a_plan_ends_with_the_boot() {
    let world = World::new(&[("a.txt", "one\n")]);
    let plan = world.propose(&asks("a.txt", "two\n")).unwrap();
    assert_eq!(world.entry(&plan.plan_id).created.session, "boot:boot-1");
    world.machine.now.borrow_mut().boot = "boot-2".into();
    let error = world.approve(&plan.plan_id).unwrap_err();
    assert!(
        matches!(error, GateError::Refusal { refusal: Refusal::Expired { .. }, .. }),
        "{error}"
    );
}

/// A process that owns the session until it is killed, and the session's name.
fn hold_elsewhere(project: &Path, state: &Path) -> (Child, String) {
    let mut child = Process::new(std::env::current_exe().unwrap())
        .args(["--exact", "sessions::holder", "--nocapture", "--test-threads=1"])
        .env(HOLDER, project)
        .env("EXACTA_TEST_HOLDER_STATE", state)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for line in lines {
        if let Some((_, name)) = line.unwrap().split_once(HELD) {
            return (child, name.into());
        }
    }
    panic!("the owner of the session died: {:?}", child.wait());
}

/// Not a test of its own: a process that owns a session until its input ends.
#[test]
fn holder() {
    let Some(project) = std::env::var_os(HOLDER) else { return };
    let state = std::env::var_os("EXACTA_TEST_HOLDER_STATE").unwrap();
    let server = started(Path::new(&project), Path::new(&state)).unwrap();
    let session = server.own_session().unwrap();
    println!("{HELD}{}", session.name());
    std::io::stdout().flush().unwrap();
    let _ = std::io::stdin().lines().count();
    drop(session);
}
