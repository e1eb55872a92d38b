//! Eight threads of one process and eight processes beside it work on one project: one
//! winner where one must win, no needless loser, and a record that verifies.

use std::fs::{self, File};
use std::thread;

use exacta_core::life::lifecycle::State;
use exacta_engine::gate::Decided;
use exacta_engine::project::Project;
use exacta_testkit::Budget;

use crate::any::{Proof, What, handle as any_handle};
use crate::crew::{Crew, Told, told_of};
use crate::ground::started;
use crate::race::{Place, count, file};
use crate::world::{asks, command, propose};

const THREADS: usize = 8;
const PROCESSES: usize = 8;
const ALL: usize = THREADS + PROCESSES;
/// After so many rounds the project is made anew, so that its record stays short.
const ROUNDS_A_PROJECT: u64 = 10;

/// All at the same moment: the first ones by processes of their own, the others by threads
/// of this one.
fn at_once(
    place: &Place,
    project: &Project,
    crew: &mut Crew,
    what: impl Fn(usize) -> What,
) -> Vec<Told> {
    let signal = File::open(&place.signal).unwrap();
    signal.lock().unwrap();
    let acts: Vec<What> = (0..PROCESSES).map(&what).collect();
    crew.order(&place.project, &place.state, &place.signal, &acts);
    thread::scope(|scope| {
        let threads: Vec<_> = (PROCESSES..ALL)
            .map(|number| {
                let what = what(number);
                scope.spawn(move || {
                    // Opened by each: a lock belongs to who opened the file.
                    File::open(&place.signal).unwrap().lock_shared().unwrap();
                    told_of(project.gate().and_then(|gate| any_handle(&gate, command(what, None))))
                })
            })
            .collect();
        signal.unlock().unwrap();
        let mut told = crew.answers(PROCESSES);
        told.extend(threads.into_iter().map(|thread| thread.join().unwrap()));
        told
    })
}

/// Exactly one was told `won`, and all others what `lost` says of losers.
fn one_won(told: &[Told], won: &Told, lost: impl Fn(&Told) -> bool, what: &str) -> usize {
    let winners: Vec<usize> = (0..told.len()).filter(|at| told[*at] == *won).collect();
    assert_eq!(winners.len(), 1, "{what}: {told:?}");
    assert!(told.iter().all(|told| told == won || lost(told)), "{what}: {told:?}");
    winners[0]
}

fn refused(told: &Told, why: &str) -> bool {
    matches!(told, Told::Refused(kind) if kind == why)
}

/// One round; how many of its three contests a thread has won.
fn round(place: &Place, project: &Project, crew: &mut Crew, number: u64) -> usize {
    let what = |act: &str| format!("round {number}, {act}");
    let before = place.read(0);
    let content = |at: usize| format!("round {number}, text {at}\n");
    let told = at_once(place, project, crew, |at| propose(&asks(&file(0), &content(at))));
    assert!(told.iter().all(|told| *told == Told::Done), "{}: {told:?}", what("propose"));
    let (ledger, _) = place.ledger();
    let pending: Vec<Decided> = ledger
        .plans()
        .filter(|plan| plan.state() == State::Pending)
        .map(|plan| Decided {
            plan_id: plan.created.plan_id.clone(),
            plan_hash: plan.created.plan_hash,
            state: plan.state(),
            original_plan_id: None,
            recovered: Vec::new(),
        })
        .collect();
    assert_eq!(pending.len(), ALL, "{}", what("propose"));
    let (plan, others) = pending.split_first().unwrap();
    let (plan_id, hash) = (plan.plan_id.clone(), Some(plan.plan_hash));
    let mut by_threads = 0;

    let told = at_once(place, project, crew, |_| {
        let (plan_id, proof) = (plan_id.clone(), Proof::None);
        What::Approve { plan_id, hash, steps: None, proof }
    });
    let lost = |told: &Told| refused(told, "already approved");
    by_threads += usize::from(one_won(&told, &Told::Done, lost, &what("approve")) >= PROCESSES);

    let told = at_once(place, project, crew, |_| What::Run { plan_id: plan_id.clone(), hash });
    let won = Told::Ran("completed".into());
    let lost = |told: &Told| refused(told, "used");
    by_threads += usize::from(one_won(&told, &won, lost, &what("run")) >= PROCESSES);
    assert_ne!(place.read(0), before, "{}", what("run"));

    let run_id = place.ledger().0.plan(&plan_id).unwrap().run_id().cloned().unwrap();
    let told = at_once(place, project, crew, |_| What::Undo {
        run_id: run_id.clone(),
        hash,
        proof: Proof::None,
    });
    let lost = |told: &Told| matches!(told, Told::Failed(why) if why.contains("already undone"));
    by_threads += usize::from(one_won(&told, &Told::Done, lost, &what("undo")) >= PROCESSES);
    assert_eq!(place.read(0), before, "{}", what("undo"));

    fs::write(place.project.join(file(0)), format!("edit {number}\n")).unwrap();
    let told = at_once(place, project, crew, |_| What::Sweep { plan_id: None });
    assert!(told.iter().all(|told| *told == Told::Done), "{}: {told:?}", what("sweep"));
    let (ledger, entries) = place.ledger();
    for other in others {
        assert_eq!(ledger.plan(&other.plan_id).unwrap().state(), State::Expired);
        assert_eq!(count(&entries, &other.plan_id, "plan_expired"), 1, "{}", what("sweep"));
    }
    for (name, times) in [("plan_approved", 1), ("plan_executed", 1), ("plan_expired", 0)] {
        assert_eq!(count(&entries, &plan_id, name), times, "{}", what(name));
    }
    by_threads
}

#[test]
fn eight_threads_and_eight_processes_on_one_project() {
    let budget = Budget::new("threads beside processes", 8, 12, 500);
    let mut crew = Crew::hire(PROCESSES);
    let (mut done, mut by_threads) = (0, 0);
    while budget.allows(done) {
        let place = Place::new(1);
        // Shared for all rounds, as a server holds it.
        let project = started(&place.project, &place.state).unwrap();
        let end = done + ROUNDS_A_PROJECT;
        while done < end && budget.allows(done) {
            by_threads += round(&place, &project, &mut crew, done);
            done += 1;
        }
        place.is_clean();
        let report = project.gate().unwrap().verify(&[]).unwrap();
        assert_eq!(report.problems, []);
    }
    budget.report(done);
    println!("threads won {by_threads} of {} contests against processes", 3 * done);
    assert!(done > 0);
}

/// A server hands the project to any thread.
#[test]
fn a_project_belongs_to_no_thread() {
    fn shared<T: Send + Sync>() {}
    shared::<Project>();
}
