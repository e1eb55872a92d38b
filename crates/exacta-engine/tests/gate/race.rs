//! Many at once: one winner where one must win, no needless loser, and the record agrees
//! with what everybody was told.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::sync::Barrier;
use std::thread;

use exacta_core::ledger::{Ledger, RunStage};
use exacta_core::lifecycle::{Refusal, State};
use exacta_core::record::{Entry, Event};
use exacta_engine::gate::{GateError, Outcome, PlanOutcome, Proof, RunState, What};
use exacta_testkit::Budget;

use crate::ground::{handle, look};
use crate::tree::scratch;
use crate::world::{asks, command, propose, proposed};

/// A project folder and what is kept outside it.
struct Place {
    _home: tempfile::TempDir,
    project: PathBuf,
    state: PathBuf,
}

impl Place {
    fn new(files: usize) -> Self {
        let home = scratch();
        let (project, state) = (home.path().join("project"), home.path().join("state"));
        fs::create_dir(&project).unwrap();
        for number in 0..files {
            fs::write(project.join(file(number)), "one\n").unwrap();
        }
        Self { _home: home, project, state }
    }

    fn act(&self, what: What) -> Result<Outcome, GateError> {
        handle(&self.project, &self.state, command(what, None))
    }

    fn propose(&self, number: usize, content: &str) -> PlanOutcome {
        proposed(self.act(propose(&asks(&file(number), content))).unwrap())
    }

    fn approved(&self, number: usize, content: &str) -> PlanOutcome {
        let plan = self.propose(number, content);
        self.act(approve(&plan)).unwrap();
        plan
    }

    fn ledger(&self) -> (Ledger, Vec<Entry>) {
        look(&self.project, &self.state, |gate| {
            let ledger = gate.log().ledger().clone();
            (ledger, gate.log().entries().unwrap())
        })
    }

    fn read(&self, number: usize) -> String {
        fs::read_to_string(self.project.join(file(number))).unwrap()
    }

    fn is_clean(&self) {
        let report = look(&self.project, &self.state, |gate| gate.verify(&[]).unwrap());
        assert_eq!(report.problems, []);
    }
}

fn file(number: usize) -> String {
    format!("f{number}.txt")
}

fn approve(plan: &PlanOutcome) -> What {
    let (plan_id, hash) = (plan.plan_id.clone(), Some(plan.plan_hash));
    What::Approve { plan_id, hash, steps: None, proof: Proof::None }
}

fn run(plan: &PlanOutcome) -> What {
    What::Run { plan_id: plan.plan_id.clone(), hash: Some(plan.plan_hash) }
}

/// All at the same moment, each with a gate of its own.
fn at_once(place: &Place, acts: Vec<What>) -> Vec<Result<Outcome, GateError>> {
    let start = Barrier::new(acts.len());
    thread::scope(|scope| {
        let workers: Vec<_> = acts
            .into_iter()
            .map(|what| {
                scope.spawn(|| {
                    start.wait();
                    place.act(what)
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    })
}

/// Runs rounds on projects that are made anew from time to time, so that records stay short.
fn rounds(name: &'static str, files: usize, seconds: u64, mut round: impl FnMut(&Place, u64)) {
    const ROUNDS_A_PROJECT: u64 = 20;
    let budget = Budget::new(name, 500, seconds, 10_000);
    let mut place = Place::new(files);
    let mut done = 0;
    while budget.allows(done) {
        if done % ROUNDS_A_PROJECT == ROUNDS_A_PROJECT - 1 {
            place.is_clean();
            place = Place::new(files);
        }
        round(&place, done);
        done += 1;
    }
    place.is_clean();
    budget.report(done);
    assert!(done > 0);
}

fn count(entries: &[Entry], plan_id: &str, name: &str) -> usize {
    entries.iter().filter(|e| e.event.plan_id() == Some(plan_id) && e.event.name() == name).count()
}

#[test]
fn approve_against_reject() {
    rounds("approve against reject", 1, 15, |place, number| {
        let plan = place.propose(0, &format!("{number}\n"));
        let reject =
            What::Reject { plan_id: plan.plan_id.clone(), reason: "no".into(), proof: Proof::None };
        let told = at_once(place, vec![approve(&plan), reject]);
        let won: Vec<bool> = told.iter().map(Result::is_ok).collect();
        let (ledger, entries) = place.ledger();
        let state = ledger.plan(&plan.plan_id).unwrap().state;
        match won.as_slice() {
            [true, false] => assert_eq!(state, State::UserApproved),
            [false, true] => assert_eq!(state, State::Rejected),
            _ => panic!("round {number}: {told:?}"),
        }
        let decisions = count(&entries, &plan.plan_id, "plan_approved")
            + count(&entries, &plan.plan_id, "plan_rejected");
        assert_eq!(decisions, 1, "round {number}");
    });
}

#[test]
fn approve_against_expire() {
    rounds("approve against expire", 1, 15, |place, number| {
        let plan = place.propose(0, &format!("plan {number}\n"));
        let start = Barrier::new(2);
        let told = thread::scope(|scope| {
            let approver = scope.spawn(|| {
                start.wait();
                place.act(approve(&plan))
            });
            start.wait();
            fs::write(place.project.join(file(0)), format!("edit {number}\n")).unwrap();
            place.act(What::Sweep).unwrap();
            approver.join().unwrap()
        });
        let (ledger, entries) = place.ledger();
        assert_eq!(ledger.plan(&plan.plan_id).unwrap().state, State::Expired, "round {number}");
        let approvals = count(&entries, &plan.plan_id, "plan_approved");
        match told {
            Ok(_) => assert_eq!(approvals, 1, "round {number}"),
            Err(GateError::Refusal(Refusal::Expired { .. })) => assert_eq!(approvals, 0),
            Err(error) => panic!("round {number}: {error}"),
        }
        assert_eq!(count(&entries, &plan.plan_id, "plan_expired"), 1, "round {number}");
        // Expired is expired: nothing runs after it.
        assert!(place.act(run(&plan)).is_err(), "round {number}");
        assert_eq!(place.read(0), format!("edit {number}\n"));
    });
}

fn one_run(place: &Place, plan: &PlanOutcome, won: usize, content: &str) {
    assert_eq!(won, 1, "exactly one runs");
    let (ledger, entries) = place.ledger();
    let started = entries.iter().filter(|entry| {
        matches!(&entry.event, Event::RunStarted { plan_id, .. } if *plan_id == plan.plan_id)
    });
    assert_eq!(started.count(), 1);
    assert_eq!(count(&entries, &plan.plan_id, "plan_executed"), 1);
    let run_id = ledger.plan(&plan.plan_id).unwrap().run_id.clone().unwrap();
    assert_eq!(ledger.run(&run_id).unwrap().stage, RunStage::Completed);
    assert_eq!(place.read(0), content);
}

#[test]
fn thirty_two_run_one_approval() {
    rounds("32 run one approval", 1, 25, |place, number| {
        let content = format!("{number}\n");
        let plan = place.approved(0, &content);
        let told = at_once(place, vec![run(&plan); 32]);
        let mut won = 0;
        for outcome in told {
            match outcome {
                Ok(Outcome::Ran(run)) => {
                    assert_eq!(run.state, RunState::Completed, "{run:?}");
                    won += 1;
                }
                Err(GateError::Refusal(Refusal::Used { .. })) => {}
                other => panic!("round {number}: {other:?}"),
            }
        }
        one_run(place, &plan, won, &content);
    });
}

#[test]
fn two_plans_on_one_file() {
    rounds("two plans on one file", 1, 15, |place, number| {
        let texts = [format!("one {number}\n"), format!("two {number}\n")];
        let plans: Vec<_> = texts.iter().map(|text| place.approved(0, text)).collect();
        let told = at_once(place, plans.iter().map(run).collect());
        let (ledger, _) = place.ledger();
        let mut won = Vec::new();
        for (index, outcome) in told.iter().enumerate() {
            let entry = ledger.plan(&plans[index].plan_id).unwrap();
            match outcome {
                Ok(Outcome::Ran(run)) if run.state == RunState::Completed => {
                    assert!(entry.run_id.is_some());
                    won.push(index);
                }
                Err(GateError::Refusal(Refusal::Expired { .. })) => {
                    assert_eq!(entry.state, State::Expired, "round {number}");
                    assert_eq!(entry.run_id, None);
                }
                other => panic!("round {number}: {other:?}"),
            }
        }
        assert_eq!(won.len(), 1, "round {number}");
        assert_eq!(place.read(0), texts[won[0]]);
    });
}

#[test]
fn thirty_two_approvals_of_different_plans() {
    rounds("32 approvals of different plans", 32, 25, |place, number| {
        let plans: Vec<_> =
            (0..32).map(|at| place.propose(at, &format!("{number} {at}\n"))).collect();
        let told = at_once(place, plans.iter().map(approve).collect());
        for outcome in &told {
            assert!(outcome.is_ok(), "round {number}: a needless loser: {outcome:?}");
        }
        let (ledger, _) = place.ledger();
        for plan in &plans {
            assert_eq!(ledger.plan(&plan.plan_id).unwrap().state, State::UserApproved);
        }
        // Out of the way of the next round.
        for plan in plans {
            let request = "done".into();
            place
                .act(What::Changes { plan_id: plan.plan_id, request, proof: Proof::None })
                .unwrap();
        }
    });
}

/// Not a test of its own: one command in a process of its own.
#[test]
fn child() {
    let Ok(order) = std::env::var("EXACTA_TEST_CHILD") else { return };
    let words: Vec<&str> = order.split('|').collect();
    let what: What = serde_json::from_str(words[2]).unwrap();
    let told = handle(Path::new(words[0]), Path::new(words[1]), command(what, None));
    let word = match told {
        Ok(Outcome::Ran(run)) => run.state.as_str().into(),
        Ok(_) => "done".into(),
        Err(error) => error.to_string(),
    };
    println!("told={word}");
}

/// All of them in processes of their own.
fn in_processes(place: &Place, acts: &[What]) -> Vec<String> {
    let children: Vec<_> = acts
        .iter()
        .map(|what| {
            let text = serde_json::to_string(what).unwrap();
            let order = format!("{}|{}|{text}", place.project.display(), place.state.display());
            Process::new(std::env::current_exe().unwrap())
                .args(["--exact", "race::child", "--nocapture", "--test-threads=1"])
                .env("EXACTA_TEST_CHILD", order)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let told = children.into_iter().map(|child| {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        let (_, word) = text.split_once("told=").unwrap_or_else(|| panic!("{text}{complaint}"));
        word.lines().next().unwrap().to_owned()
    });
    told.collect()
}

#[test]
fn thirty_two_processes_run_one_approval() {
    let budget = Budget::new("32 processes run one approval", 20, 15, 500);
    let mut done = 0;
    while budget.allows(done) {
        let place = Place::new(1);
        let plan = place.approved(0, "two\n");
        let told = in_processes(&place, &vec![run(&plan); 32]);
        let won = told.iter().filter(|word| *word == "completed").count();
        for word in told.iter().filter(|word| *word != "completed") {
            assert!(word.contains("was spent on the run"), "{word}");
        }
        one_run(&place, &plan, won, "two\n");
        place.is_clean();
        done += 1;
    }
    budget.report(done);
}

#[test]
fn thirty_two_processes_approve_different_plans() {
    let budget = Budget::new("32 processes approve different plans", 10, 15, 300);
    let mut done = 0;
    while budget.allows(done) {
        let place = Place::new(32);
        let plans: Vec<_> = (0..32).map(|at| place.propose(at, "two\n")).collect();
        let acts: Vec<What> = plans.iter().map(approve).collect();
        let told = in_processes(&place, &acts);
        assert!(told.iter().all(|word| word == "done"), "{told:?}");
        let (ledger, _) = place.ledger();
        let approved = |plan: &PlanOutcome| ledger.plan(&plan.plan_id).unwrap().state;
        assert!(plans.iter().all(|plan| approved(plan) == State::UserApproved));
        place.is_clean();
        done += 1;
    }
    budget.report(done);
}

/// A new project, and 16 processes that are the first at the same time.
#[test]
fn sixteen_processes_begin_one_record() {
    let budget = Budget::new("16 processes begin one record", 20, 10, 500);
    let mut done = 0;
    while budget.allows(done) {
        let place = Place::new(16);
        let acts: Vec<What> = (0..16).map(|at| propose(&asks(&file(at), "two\n"))).collect();
        let told = in_processes(&place, &acts);
        assert!(told.iter().all(|word| word == "done"), "{told:?}");
        let (ledger, entries) = place.ledger();
        assert_eq!(ledger.plans().count(), 16);
        let begun = |entry: &&Entry| matches!(entry.event, Event::RecordBegun { .. });
        assert_eq!(entries.iter().filter(begun).count(), 1);
        place.is_clean();
        done += 1;
    }
    budget.report(done);
}
