//! Many at once: one winner where one must win, no needless loser, and the record agrees
//! with what everybody was told.
//!
//! Everybody is a process of their own. The processes live for many rounds, because
//! starting one costs more than a command; each command opens the gate anew.

use std::fs::{self, File};
use std::path::PathBuf;

use exacta_core::life::ledger::{Ledger, RunStage};
use exacta_core::life::lifecycle::State;
use exacta_core::record::{Entry, Event};
use exacta_engine::gate::{Decided, GateError};
use exacta_testkit::Budget;

use crate::any::{Outcome, Proof, What, handle as any_handle};
use crate::crew::{Crew, Told};
use crate::ground::{look, within};
use crate::world::{asks, command, propose, proposed};

/// A project folder and what is kept outside it.
pub(crate) struct Place {
    _home: tempfile::TempDir,
    pub(crate) project: PathBuf,
    pub(crate) state: PathBuf,
    /// Nobody acts while this file is locked.
    pub(crate) signal: PathBuf,
}

impl Place {
    pub(crate) fn new(files: usize) -> Self {
        let home = in_memory();
        let at = |name: &str| home.path().join(name);
        let (project, state, signal) = (at("project"), at("state"), at("signal"));
        fs::create_dir(&project).unwrap();
        File::create(&signal).unwrap();
        for number in 0..files {
            fs::write(project.join(file(number)), "one\n").unwrap();
        }
        Self { _home: home, project, state, signal }
    }

    fn act(&self, what: What) -> Result<Outcome, GateError> {
        self.act_all([what]).pop().unwrap()
    }

    /// One after the other, by this process.
    fn act_all(&self, all: impl IntoIterator<Item = What>) -> Vec<Result<Outcome, GateError>> {
        within(&self.project, &self.state, |gate| {
            all.into_iter().map(|what| any_handle(gate, command(what, None))).collect()
        })
    }

    fn propose(&self, texts: &[(usize, String)]) -> Vec<Decided> {
        let drafts = texts.iter().map(|(number, text)| propose(&asks(&file(*number), text)));
        self.act_all(drafts).into_iter().map(|outcome| proposed(outcome.unwrap())).collect()
    }

    fn approved(&self, texts: &[(usize, String)]) -> Vec<Decided> {
        let plans = self.propose(texts);
        for outcome in self.act_all(plans.iter().map(approve)) {
            outcome.unwrap();
        }
        plans
    }

    /// All at the same moment, each by a process of its own; `meanwhile` happens as well.
    fn at_once(&self, crew: &mut Crew, acts: &[What], meanwhile: impl FnOnce()) -> Vec<Told> {
        let signal = File::open(&self.signal).unwrap();
        signal.lock().unwrap();
        crew.order(&self.project, &self.state, &self.signal, acts);
        signal.unlock().unwrap();
        meanwhile();
        crew.answers(acts.len())
    }

    pub(crate) fn ledger(&self) -> (Ledger, Vec<Entry>) {
        look(&self.project, &self.state, |gate| {
            let ledger = gate.log().ledger().clone();
            (ledger, gate.log().entries().unwrap())
        })
    }

    pub(crate) fn read(&self, number: usize) -> String {
        fs::read_to_string(self.project.join(file(number))).unwrap()
    }

    pub(crate) fn is_clean(&self) {
        let report = look(&self.project, &self.state, |gate| gate.verify(&[]).unwrap());
        assert_eq!(report.problems, []);
    }
}

/// A race is between processes, not with the disk.
fn in_memory() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

pub(crate) fn file(number: usize) -> String {
    format!("f{number}.txt")
}

fn approve(plan: &Decided) -> What {
    let (plan_id, hash) = (plan.plan_id.clone(), Some(plan.plan_hash));
    What::Approve { plan_id, hash, steps: None, proof: Proof::None }
}

fn run(plan: &Decided) -> What {
    What::Run { plan_id: plan.plan_id.clone(), hash: Some(plan.plan_hash) }
}

/// How many files a race is about, how many act at once, and after how many rounds the
/// project is made anew so that its record stays short.
#[derive(Clone, Copy)]
struct Size {
    files: usize,
    crew: usize,
    rounds_a_project: u64,
}

fn rounds(name: &'static str, size: Size, mut round: impl FnMut(&Place, &mut Crew, u64)) {
    let budget = Budget::new(name, 500, 120, 10_000);
    let mut crew = Crew::hire(size.crew);
    let mut place = Place::new(size.files);
    let mut done = 0;
    while budget.allows(done) {
        if done > 0 && done % size.rounds_a_project == 0 {
            place.is_clean();
            place = Place::new(size.files);
        }
        round(&place, &mut crew, done);
        done += 1;
    }
    place.is_clean();
    budget.report(done);
    assert!(done > 0);
}

pub(crate) fn count(entries: &[Entry], plan_id: &str, name: &str) -> usize {
    entries
        .iter()
        .filter(|e| e.event.plan_id().is_some_and(|of| *of == *plan_id) && e.event.name() == name)
        .count()
}

#[test]
fn approve_against_reject() {
    let size = Size { files: 1, crew: 2, rounds_a_project: 20 };
    let mut winners = [0, 0];
    rounds("approve against reject", size, |place, crew, number| {
        let plan = &place.propose(&[(0, format!("{number}\n"))])[0];
        let reject =
            What::Reject { plan_id: plan.plan_id.clone(), reason: "no".into(), proof: Proof::None };
        let mut acts = vec![approve(plan), reject];
        // Whoever is told first has a start; both must be able to win.
        let turned = number % 2 == 1;
        if turned {
            acts.reverse();
        }
        let mut told = place.at_once(crew, &acts, || ());
        if turned {
            told.reverse();
        }
        let (ledger, entries) = place.ledger();
        let state = ledger.plan(&plan.plan_id).unwrap().state();
        match told.as_slice() {
            [Told::Done, Told::Refused(_)] => {
                assert_eq!(state, State::UserApproved);
                winners[0] += 1;
            }
            [Told::Refused(_), Told::Done] => {
                assert_eq!(state, State::Rejected);
                winners[1] += 1;
            }
            _ => panic!("round {number}: {told:?}"),
        }
        let decisions = count(&entries, &plan.plan_id, "plan_approved")
            + count(&entries, &plan.plan_id, "plan_rejected");
        assert_eq!(decisions, 1, "round {number}");
    });
    println!("approve against reject: {} approvals, {} rejections won", winners[0], winners[1]);
}

#[test]
fn approve_against_expire() {
    let size = Size { files: 1, crew: 1, rounds_a_project: 20 };
    let mut approvals = 0;
    rounds("approve against expire", size, |place, crew, number| {
        let plan = &place.propose(&[(0, format!("plan {number}\n"))])[0];
        let edit = || {
            // Some edits come late enough for an approval to be first.
            std::thread::sleep(std::time::Duration::from_micros(number % 10 * 300));
            fs::write(place.project.join(file(0)), format!("edit {number}\n")).unwrap();
            place.act(What::Sweep { plan_id: None }).unwrap();
        };
        let told = place.at_once(crew, &[approve(plan)], edit);
        let (ledger, entries) = place.ledger();
        assert_eq!(ledger.plan(&plan.plan_id).unwrap().state(), State::Expired, "round {number}");
        let approved = count(&entries, &plan.plan_id, "plan_approved");
        match told.as_slice() {
            [Told::Done] => assert_eq!(approved, 1, "round {number}"),
            [Told::Refused(kind)] if kind == "expired" => {
                assert_eq!(approved, 0, "round {number}");
            }
            other => panic!("round {number}: {other:?}"),
        }
        approvals += approved;
        assert_eq!(count(&entries, &plan.plan_id, "plan_expired"), 1, "round {number}");
        // Expired is expired: nothing runs after it.
        assert!(place.act(run(plan)).is_err(), "round {number}");
        assert_eq!(place.read(0), format!("edit {number}\n"));
    });
    println!("approve against expire: {approvals} approvals were first");
}

#[test]
fn thirty_two_processes_run_one_approval() {
    let size = Size { files: 1, crew: 32, rounds_a_project: 20 };
    rounds("32 processes run one approval", size, |place, crew, number| {
        let content = format!("{number}\n");
        let plan = &place.approved(&[(0, content.clone())])[0];
        let told = place.at_once(crew, &vec![run(plan); 32], || ());
        let won = told.iter().filter(|told| **told == Told::Ran("completed".into())).count();
        for told in &told {
            let fine = matches!(told, Told::Ran(state) if state == "completed")
                || matches!(told, Told::Refused(kind) if kind == "used");
            assert!(fine, "round {number}: {told:?}");
        }
        assert_eq!(won, 1, "round {number}: exactly one runs");
        let (ledger, entries) = place.ledger();
        let started = entries.iter().filter(|entry| {
            matches!(&entry.event, Event::RunStarted { plan_id, .. } if *plan_id == plan.plan_id)
        });
        assert_eq!(started.count(), 1, "round {number}");
        assert_eq!(count(&entries, &plan.plan_id, "plan_executed"), 1, "round {number}");
        let run_id = ledger.plan(&plan.plan_id).unwrap().run_id().cloned().unwrap();
        assert_eq!(ledger.run(&run_id).unwrap().stage, RunStage::Completed);
        assert_eq!(place.read(0), content);
    });
}

#[test]
fn two_plans_on_one_file() {
    let size = Size { files: 1, crew: 2, rounds_a_project: 20 };
    let mut winners = [0, 0];
    rounds("two plans on one file", size, |place, crew, number| {
        let texts = [format!("one {number}\n"), format!("two {number}\n")];
        let plans = place.approved(&texts.clone().map(|text| (0, text)));
        let acts: Vec<What> = plans.iter().map(run).collect();
        let told = place.at_once(crew, &acts, || ());
        let (ledger, _) = place.ledger();
        let mut won = Vec::new();
        for (index, told) in told.iter().enumerate() {
            let entry = ledger.plan(&plans[index].plan_id).unwrap();
            match told {
                Told::Ran(state) if state == "completed" => {
                    assert!(entry.run_id().is_some());
                    won.push(index);
                }
                Told::Refused(kind) if kind == "expired" => {
                    assert_eq!(entry.state(), State::Expired, "round {number}");
                    assert_eq!(entry.run_id(), None);
                }
                other => panic!("round {number}: {other:?}"),
            }
        }
        assert_eq!(won.len(), 1, "round {number}");
        winners[won[0]] += 1;
        assert_eq!(place.read(0), texts[won[0]]);
    });
    println!("two plans on one file: {winners:?} wins");
}

#[test]
fn thirty_two_approvals_of_different_plans() {
    let size = Size { files: 32, crew: 32, rounds_a_project: 2 };
    rounds("32 approvals of different plans", size, |place, crew, number| {
        let texts: Vec<_> = (0..32).map(|at| (at, format!("{number} {at}\n"))).collect();
        let plans = place.propose(&texts);
        let acts: Vec<What> = plans.iter().map(approve).collect();
        for told in place.at_once(crew, &acts, || ()) {
            assert_eq!(told, Told::Done, "round {number}: a needless loser");
        }
        let (ledger, entries) = place.ledger();
        for plan in &plans {
            assert_eq!(ledger.plan(&plan.plan_id).unwrap().state(), State::UserApproved);
            assert_eq!(count(&entries, &plan.plan_id, "plan_approved"), 1, "round {number}");
        }
    });
}

/// A new project, and 16 processes that are the first at the same time.
#[test]
fn sixteen_processes_begin_one_record() {
    let budget = Budget::new("16 processes begin one record", 50, 20, 1_000);
    let mut crew = Crew::hire(16);
    let mut done = 0;
    while budget.allows(done) {
        let place = Place::new(16);
        let acts: Vec<What> = (0..16).map(|at| propose(&asks(&file(at), "two\n"))).collect();
        let told = place.at_once(&mut crew, &acts, || ());
        assert!(told.iter().all(|told| *told == Told::Done), "{told:?}");
        let (ledger, entries) = place.ledger();
        assert_eq!(ledger.plans().count(), 16);
        let begun = |entry: &&Entry| matches!(entry.event, Event::RecordBegun { .. });
        assert_eq!(entries.iter().filter(begun).count(), 1);
        place.is_clean();
        done += 1;
    }
    budget.report(done);
}
