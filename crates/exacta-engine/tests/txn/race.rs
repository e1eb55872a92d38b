//! Others at work at the same time: one who swaps folders for links, one who saves.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use exacta_core::model::change::Change;
use exacta_engine::run::{CommitError, Engine, Quiet, Receipt, StageError};
use exacta_engine::workspace::{Options, Resolver, Root};
use exacta_testkit::Rng;

use crate::project::{engine, images, regular, run_id};
use crate::tree::{scratch, snapshot};

/// One attempt: `Ok` with the receipt, or whether recovery is needed.
fn attempt(
    engine: &Engine<'_>,
    run: &str,
    changes: &[Change],
    texts: &[&str],
) -> Result<Receipt, bool> {
    let staged = match engine.stage(&run_id(run), changes, &images(texts), &Quiet) {
        Ok(staged) => staged,
        Err(StageError::RecoveryNeeded(_)) => return Err(true),
        Err(_) => return Err(false),
    };
    staged.commit(&Quiet).and_then(exacta_engine::run::Committed::seal).map_err(|error| match error
    {
        CommitError::RolledBack { .. } => false,
        CommitError::Unsettled { .. } => true,
    })
}

/// Turns folders and files of the project into links to the canary and back.
fn racer(project: &Path, canary: &Path, stop: &AtomicBool, turns: &AtomicU64, gate: &Mutex<()>) {
    let at = |name: &str| project.join(name);
    let mut random = Rng::new(99);
    while !stop.load(Ordering::Relaxed) {
        let turn = gate.lock().unwrap();
        match random.below(4) {
            0 => {
                let _ = fs::rename(at("d"), at("d.real"));
                let _ = symlink(canary, at("d"));
                std::hint::spin_loop();
                let _ = fs::remove_file(at("d"));
                let _ = fs::rename(at("d.real"), at("d"));
            }
            1 => {
                let _ = fs::rename(at("e/g"), at("e/g.real"));
                let _ = symlink(canary.join("g"), at("e/g"));
                let _ = fs::remove_file(at("e/g"));
                let _ = fs::rename(at("e/g.real"), at("e/g"));
            }
            2 => {
                let _ = fs::rename(at("d/f"), at("d/f.real"));
                let _ = fs::hard_link(canary.join("f"), at("d/f"));
                let _ = fs::remove_file(at("d/f"));
                let _ = fs::rename(at("d/f.real"), at("d/f"));
            }
            _ => {
                let _ = symlink(canary, at("fresh"));
                std::hint::spin_loop();
                let _ = fs::remove_file(at("fresh"));
            }
        }
        drop(turn);
        turns.fetch_add(1, Ordering::Relaxed);
        // Now and then the tree rests long enough for a run to go through.
        if random.below(3) == 0 {
            std::thread::sleep(Duration::from_micros(random.bits() % 120));
        }
    }
}

fn race(resolver: Resolver, attempts: u64) {
    let outside = scratch();
    let (project, canary) = (outside.path().join("project"), outside.path().join("canary"));
    for folder in [&project.join("d"), &project.join("e"), &canary.join("n")] {
        fs::create_dir_all(folder).unwrap();
    }
    for name in ["f", "g", "new", "n/new"] {
        fs::write(canary.join(name), "canary").unwrap();
    }
    let untouched = snapshot(&canary);
    let texts = ["one", "two", "made"];
    let reset = || {
        for name in ["d", "e", "fresh", "d.real"] {
            let _ = fs::remove_file(project.join(name));
            let _ = fs::remove_dir_all(project.join(name));
        }
        for name in ["d", "e"] {
            fs::create_dir(project.join(name)).unwrap();
        }
        fs::write(project.join("d/f"), "one").unwrap();
        fs::write(project.join("e/g"), "one").unwrap();
    };
    reset();
    let forward = [
        regular("d/f", Some("one"), Some("two")),
        regular("e/g", Some("one"), Some("two")),
        regular("d/new", None, Some("made")),
        regular("fresh/n/new", None, Some("made")),
    ];
    let backward = [
        regular("d/f", Some("two"), Some("one")),
        regular("e/g", Some("two"), Some("one")),
        regular("d/new", Some("made"), None),
        regular("fresh/n/new", Some("made"), None),
    ];
    let root =
        Root::open_with(&project, Options { resolver: Some(resolver), ..Options::default() });
    let root = root.unwrap();
    let engine = engine(&root);
    let (stop, turns) = (AtomicBool::new(false), AtomicU64::new(0));
    let gate = Mutex::new(());
    let (mut completed, mut refused, mut recovered, mut ahead, mut stuck) = (0, 0, 0, true, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| racer(&project, &canary, &stop, &turns, &gate));
        for number in 0..attempts {
            let changes = if ahead { &forward } else { &backward };
            let run = format!("r{number}");
            // The journal of thousands of runs would be read at each of them.
            if number.is_multiple_of(100) && engine.unsettled().unwrap_or_default().is_empty() {
                let _ = fs::remove_file(project.join(".exacta/journal"));
            }
            match attempt(&engine, &run, changes, &texts) {
                Ok(_) => {
                    completed += 1;
                    ahead = !ahead;
                    let _ = engine.forget(&run_id(&run));
                }
                Err(needed) => {
                    refused += 1;
                    stuck += 1;
                    if needed {
                        recovered += u64::from(engine.recover().is_ok());
                    }
                    // The racer also deletes and moves our files; that is its right, but
                    // then no plan fits any more until the tree is as it was.
                    if stuck % 8 == 0 {
                        let _rest = gate.lock().unwrap();
                        let _ = engine.recover().unwrap();
                        reset();
                        ahead = true;
                    }
                }
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(snapshot(&canary), untouched, "the canary was touched");
    let _ = engine.recover().unwrap();
    assert!(engine.unsettled().unwrap().is_empty());
    println!(
        "racer beside {attempts} attempts by {resolver:?}: {completed} completed, {refused} \
         refused or rolled back, {recovered} recoveries; {} turns of the racer; canary intact",
        turns.load(Ordering::Relaxed)
    );
    assert!(turns.load(Ordering::Relaxed) > attempts / 10);
}

#[test]
fn a_racer_with_links_never_leads_outside() {
    race(Resolver::Kernel, if crate::full() { 20_000 } else { 3_000 });
}

#[test]
fn a_racer_with_links_never_leads_outside_without_openat2() {
    race(Resolver::Walk, if crate::full() { 20_000 } else { 1_000 });
}

/// How an editor saves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Save {
    /// A new file takes the place of the old one.
    Replace,
    /// The old file is emptied and written again.
    InPlace,
    /// The old file is opened, and written only a while later.
    Held,
}

fn spin(times: u64) {
    for _ in 0..times * 40 {
        std::hint::spin_loop();
    }
}

fn save(path: &Path, text: &str, how: Save) {
    match how {
        Save::Replace => {
            let aside = path.with_extension("swp");
            fs::write(&aside, text).unwrap();
            fs::rename(&aside, path).unwrap();
        }
        Save::InPlace => fs::write(path, text).unwrap(),
        Save::Held => {
            let mut file = fs::OpenOptions::new().write(true).open(path).unwrap();
            spin(400);
            file.set_len(0).unwrap();
            file.write_all(text.as_bytes()).unwrap();
        }
    }
}

/// An editor saves into targets while they are applied: the save is found in the target,
/// or, where the editor had the old file open, with the run, which then says so.
#[test]
fn a_save_during_an_apply_is_never_lost() {
    let rounds = if crate::full() { 5_000 } else { 1_200 };
    let dir = scratch();
    let names = ["src/a", "src/b", "lib/c", "lib/d"];
    for folder in ["src", "lib"] {
        fs::create_dir(dir.path().join(folder)).unwrap();
    }
    let root = Root::open(dir.path()).unwrap();
    let engine = engine(&root);
    let changes: Vec<_> =
        names.iter().map(|name| regular(name, Some("base"), Some("planned"))).collect();
    let mut random = Rng::new(4711);
    let (mut completed, mut turned_back, mut late, mut told) = (0, 0, 0, 0);
    for round in 0..rounds {
        for name in names {
            let path = dir.path().join(name);
            let _ = fs::remove_file(&path);
            fs::write(path, "base").unwrap();
        }
        let how = [Save::Replace, Save::InPlace, Save::Held][round % 3];
        let target = dir.path().join(names[random.below(4)]);
        let wait = random.bits() % 1_000;
        let words = format!("edit {round}");
        let run = format!("r{round}");
        let ended = std::thread::scope(|scope| {
            let editor = scope.spawn(|| {
                spin(wait);
                save(&target, &words, how);
            });
            let ended = attempt(&engine, &run, &changes, &["planned"]);
            editor.join().unwrap();
            ended
        });
        if let Err(true) = ended {
            let _ = engine.recover().unwrap();
        }
        let now = fs::read_to_string(&target).unwrap();
        match ended {
            Ok(receipt) if now == "planned" => {
                assert_ne!(how, Save::Replace, "round {round}");
                let kept = find(&dir.path().join(".exacta/kept"), &words);
                assert!(kept, "round {round}: the save is gone; {receipt:?}");
                late += 1;
                told += u64::from(receipt.late_edits.len() == 1);
            }
            Ok(_) => {
                assert_eq!(now, words, "round {round}");
                completed += 1;
            }
            Err(_) => {
                assert_eq!(now, words, "round {round} {how:?}");
                turned_back += 1;
                for name in names {
                    let text = fs::read_to_string(dir.path().join(name)).unwrap();
                    assert!(text == "base" || text == words, "round {round}: {name} has {text}");
                }
            }
        }
        let _ = fs::remove_dir_all(dir.path().join(".exacta/kept"));
    }
    println!(
        "editor beside {rounds} applies: {completed} completed before the save, {turned_back} \
         turned back for it, {late} saved into a file already swapped out (kept; {told} of \
         them named by the receipt); none lost"
    );
    assert!(completed > 0 && turned_back > 0);
}

fn find(dir: &Path, words: &str) -> bool {
    fs::read_dir(dir).is_ok_and(|entries| {
        entries.map(|entry| entry.unwrap().path()).any(|path| {
            if path.is_dir() {
                find(&path, words)
            } else {
                fs::read_to_string(&path).is_ok_and(|text| text == words)
            }
        })
    })
}
