//! Whatever is changed in the record is found, the first bad entry is named, and what
//! was done to it is told apart.

use std::sync::Arc;

use exacta_core::life::ledger::Ledger;
use exacta_core::model::digest::Digest;
use exacta_core::record::{self, Entry, Event};
use exacta_engine::gate::{Secrets, check_record};
use exacta_engine::log::{Log, LogError, Problem, ProblemKind, Projector, Vouchers, Wanted};
use exacta_engine::store::FileStore;
use exacta_engine::trust::{Checkpoint, Signer};
use exacta_engine::workspace::PortError;
use exacta_testkit::{Budget, MemoryWorkspace, Rng, Shared};

use crate::any::{Proof, What};
use crate::world::{
    Heads, LOG, PROJECT, TestMachine, World, asks, passes, person, reject, secrets,
};

/// A project whose record has exactly twenty entries, of many kinds.
pub(crate) fn twenty() -> World {
    let world = World::new(&[("a.txt", "one\n"), ("b.txt", "two\n"), ("c.txt", "three\n")]);
    let plan = world.propose(&asks("a.txt", "four\n")).unwrap();
    world.approve(&plan.plan_id).unwrap();
    let run = world.run(&plan.plan_id).unwrap();
    world.propose(&passes("b.txt", "five\n")).unwrap();
    world.undo(&run.run_id).unwrap();
    let plan = world.propose(&asks("b.txt", "six\n")).unwrap();
    world.handle(reject(&plan.plan_id)).unwrap();
    let plan = world.propose(&asks("c.txt", "seven\n")).unwrap();
    world.handle(What::Pause { plan_id: plan.plan_id.clone() }).unwrap();
    let request = "eight".into();
    let proof = Proof::Terminal;
    world.handle(What::Changes { plan_id: plan.plan_id, request, proof }).unwrap();
    let report = world.verify();
    assert_eq!((report.entries, report.problems), (20, vec![]));
    world
}

/// Lines with their newline.
fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect()
}

fn newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

fn first(problems: &[Problem]) -> Option<(ProblemKind, u64)> {
    problems.first().map(|problem| (problem.kind, problem.entry.unwrap_or(0)))
}

/// What a check finds when the record is these bytes.
fn found(world: &World, bytes: &[u8]) -> Option<(ProblemKind, u64)> {
    world.disk.tamper(LOG, Some(bytes));
    first(&world.check().problems)
}

/// The same project, of which nothing is known outside.
/// Nothing but the beginning was noted outside.
fn beginning_noted() -> Heads {
    let head = Digest::parse(record::NOTHING_BEFORE).unwrap();
    Heads(Arc::new(Shared::new(Some(Checkpoint::settled(0, head)))))
}

fn unaware() -> World {
    World { heads: beginning_noted(), secrets: secrets(&beginning_noted()), ..twenty() }
}

#[test]
fn a_record_without_any_note_outside_is_not_trusted() {
    let world = World { heads: Heads::default(), secrets: secrets(&Heads::default()), ..twenty() };
    assert!(world.gate(|_| ()).is_err());
    let report = check_record(world.disk.as_ref(), &world.secrets, &[]).unwrap();
    assert_eq!(first(&report.problems), Some((ProblemKind::NoCheckpointHere, 0)));
}

#[test]
fn every_byte_of_a_record_of_twenty_entries() {
    let (world, unaware) = (twenty(), unaware());
    let good = world.disk.bytes(LOG).unwrap();
    let mut entry = 1;
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= if at % 2 == 0 { 0x01 } else { 0x20 };
        let last = at + 1 == good.len();
        let kind = if last { ProblemKind::Cut } else { ProblemKind::Edited };
        let shown = String::from_utf8_lossy(&good[at.saturating_sub(20)..=at]).into_owned();
        assert_eq!(found(&world, &bad), Some((kind, entry)), "byte {at}, after `{shown}`");
        // Without the head outside all but the very last byte is found as well: without
        // that one the last entry looks like an append that a dying process left.
        let told = found(&unaware, &bad).map(|(_, entry)| entry);
        assert_eq!(told, (!last).then_some(entry), "byte {at} alone, after `{shown}`");
        entry += u64::from(good[at] == b'\n');
    }
    assert_eq!(found(&world, &good), None);
    assert_eq!(found(&unaware, &good), None);
    println!("tampering: every one of {} bytes of 20 entries found and named", good.len());
}

#[test]
fn lines_swapped_removed_and_repeated() {
    let (world, unaware) = (twenty(), unaware());
    let good = lines(&world.disk.bytes(LOG).unwrap());
    let mut cases = 0;
    let mut expect = |bad: &[Vec<u8>], kind: ProblemKind, entry: usize, what: &str| {
        let told = found(&world, &bad.concat());
        assert_eq!(told, Some((kind, entry as u64)), "{what}");
        assert_eq!(found(&unaware, &bad.concat()), told, "{what}, without the head outside");
        cases += 1;
    };
    for one in 0..20 {
        for other in one + 1..20 {
            let mut bad = good.clone();
            bad.swap(one, other);
            let what = format!("{} and {} swapped", one + 1, other + 1);
            expect(&bad, ProblemKind::Misplaced, one + 1, &what);
            let mut bad = good.clone();
            bad.drain(one..other);
            let what = format!("{} to {other} removed", one + 1);
            expect(&bad, ProblemKind::Missing, one + 1, &what);
        }
        for place in 0..=20 {
            let mut bad = good.clone();
            bad.insert(place, good[one].clone());
            // A line right before itself is the same text as right after itself.
            let entry = if place == one { place + 2 } else { place + 1 };
            let what = format!("{} repeated at {}", one + 1, place + 1);
            expect(&bad, ProblemKind::Misplaced, entry, &what);
        }
    }
    println!("tampering: {cases} swaps, removals and repeats found and named");
}

/// A cut tail is found by the head outside, and by nothing else.
#[test]
fn cut_tails_are_found_by_the_checkpoint_alone() {
    let world = twenty();
    let good = world.disk.bytes(LOG).unwrap();
    let unaware = unaware();
    let noted = world.heads.0.borrow().clone().unwrap();
    let (mut cuts, mut boundaries) = (0, 0);
    let near_an_end = |length: usize| good[..length].iter().rev().take(3).any(|b| *b == b'\n');
    for length in 0..good.len() {
        if !(exacta_testkit::budget::is_full() || length % 17 == 0 || near_an_end(length)) {
            continue;
        }
        let cut = &good[..length];
        let whole = newlines(cut);
        let (kind, entry) = found(&world, cut).unwrap();
        assert_eq!(kind, ProblemKind::Cut, "at byte {length}");
        assert!(entry <= whole + 1, "at byte {length}: entry {entry}");
        // Where an append ended, or was interrupted, nothing shows without the head.
        assert_eq!(found(&unaware, cut), None, "at byte {length}");
        unaware.disk.tamper(LOG, Some(cut));
        let opened = unaware.gate(|gate| gate.log().ledger().entries()).unwrap();
        if cut.ends_with(b"\n") && opened == whole {
            boundaries += 1;
            // A head that somebody kept elsewhere finds it too.
            let kept = std::slice::from_ref(&noted);
            let report = check_record(unaware.disk.as_ref(), &unaware.secrets, kept).unwrap();
            assert_eq!(first(&report.problems), Some((ProblemKind::Cut, whole + 1)));
        }
        cuts += 1;
    }
    world.disk.tamper(LOG, None);
    assert_eq!(first(&world.check().problems), Some((ProblemKind::Cut, 1)));
    assert!(world.gate(|_| ()).is_err(), "a record that is gone is not a new one");
    println!("tampering: {cuts} cut tails, {boundaries} of them at the end of an append");
    assert!(boundaries >= 10);
}

/// Signs entries from `from` on with another key, chained anew.
fn signed_anew(bytes: &[u8], from: usize, signer: &Signer) -> Vec<u8> {
    let good = lines(bytes);
    let mut forged = good[..from].concat();
    let mut head = good[..from].last().map(|line| record::link(line.trim_ascii_end()));
    for line in &good[from..] {
        let mut entry: Entry = record::read(line.trim_ascii_end()).unwrap();
        if let Some(head) = head {
            entry.prev = head;
        }
        let ends_an_append = entry.sig.take().is_some();
        let mut text = record::written(&entry).unwrap();
        if ends_an_append {
            let signature = signer.sign(&record::to_sign(PROJECT, &text));
            text = record::with_signature(text, &signature);
        }
        head = Some(record::link(text.as_bytes()));
        forged.extend_from_slice(text.as_bytes());
        forged.push(b'\n');
    }
    forged
}

#[test]
fn a_foreign_key_is_told_from_an_edit() {
    let world = twenty();
    let good = world.disk.bytes(LOG).unwrap();
    let other = Signer::new(&[9; 32]);
    for from in 0..20 {
        let forged = signed_anew(&good, from, &other);
        let (kind, entry) = found(&world, &forged).unwrap();
        // The very last entry is the one that was noted outside, so it was changed.
        let expected = if from == 19 { ProblemKind::Edited } else { ProblemKind::ForeignKey };
        assert_eq!(kind, expected, "signed anew from {}", from + 1);
        let next_signature =
            (from..20).find(|at| lines(&good)[*at].ends_with(b"\"}\n") && has_sig(&good, *at));
        assert_eq!(entry, next_signature.unwrap() as u64 + 1, "from {}", from + 1);
        assert!(world.gate(|_| ()).is_err(), "from {}", from + 1);
    }
    // Signed with our own key it would pass but for the head outside.
    let own = signed_anew(&good, 19, &Signer::new(&[7; 32]));
    assert_eq!(own, good, "signatures are deterministic");
}

fn has_sig(bytes: &[u8], at: usize) -> bool {
    record::read(lines(bytes)[at].trim_ascii_end()).unwrap().sig.is_some()
}

#[test]
fn another_history_of_our_own_is_replaced() {
    let world = World::new(&[("a.txt", "one\n")]);
    let plan = world.propose(&asks("a.txt", "two\n")).unwrap();
    let other = world.fork();
    world.approve(&plan.plan_id).unwrap();
    other.handle(reject(&plan.plan_id)).unwrap();
    let theirs = other.disk.bytes(LOG).unwrap();
    assert_eq!(found(&world, &theirs), Some((ProblemKind::Replaced, 4)));
    assert!(world.gate(|_| ()).is_err());
    // Also when it went on.
    other.propose(&asks("a.txt", "three\n")).unwrap();
    let theirs = other.disk.bytes(LOG).unwrap();
    assert_eq!(found(&world, &theirs), Some((ProblemKind::Replaced, 4)));
    assert!(world.gate(|_| ()).is_err());
}

/// Projects nothing.
pub(crate) struct Nothing;

impl Projector for Nothing {
    fn project(&self, _: &Ledger, _: &[Entry]) -> Result<(), PortError> {
        Ok(())
    }

    fn restore(&self, _: &Ledger, _: &[Entry], _: &str) -> Result<(), PortError> {
        Ok(())
    }
}

/// The record on a disk; nothing is derived from it.
pub(crate) fn log_of(
    disk: &Arc<MemoryWorkspace>,
    vouched: &Secrets,
    machine: &Arc<TestMachine>,
) -> Result<Log, LogError> {
    let vouchers = Vouchers {
        project: vouched.project.to_string(),
        signer: vouched.signer.clone(),
        key: vouched.key.clone(),
        checkpoints: Arc::clone(&vouched.checkpoints),
    };
    let store = FileStore::new(disk.clone(), vouchers, machine.clone(), Arc::new(Nothing));
    Log::open(Arc::new(store))
}

/// A record of about a thousand entries in several files.
fn thousand() -> (Arc<MemoryWorkspace>, Secrets, Vec<u64>) {
    let disk = Arc::new(MemoryWorkspace::new(&[]).lasting());
    let vouched = secrets(&Heads::default());
    let machine = Arc::new(TestMachine::new());
    let mut rng = Rng::new(1);
    {
        let log = log_of(&disk, &vouched, &machine).unwrap();
        let begun = Event::RecordBegun {
            beginning: record::Beginning::Started,
            key: vouched.signer.public(),
            project: exacta_core::model::id::ProjectId::parse(PROJECT).unwrap(),
            version: record::VERSION,
        };
        let wanted = |events| Wanted { actor: person(), key: None, expects: vec![], events };
        log.begin(&wanted(vec![begun])).unwrap();
        let mut count = 1;
        while count < 1000 {
            let size = (1 + rng.below(6)).min(1000 - count);
            let events = (0..size)
                .map(|number| Event::Refused {
                    codes: vec!["PLAN_SCHEMA_INVALID".into(); 1 + rng.below(30)],
                    correlation_id: format!("{count}-{number}").parse().unwrap(),
                    text: Digest::of(&rng.bits().to_be_bytes()),
                })
                .collect();
            log.append(&wanted(events)).unwrap();
            machine.pass(10);
            count += size;
        }
    }
    // How many entries come before each file.
    let mut before = vec![0];
    for number in 1.. {
        let Some(bytes) = disk.bytes(&segment(number)) else { break };
        before.push(before.last().unwrap() + lines(&bytes).len() as u64);
    }
    assert_eq!(before.last(), Some(&1000));
    assert!(before.len() > 3, "more than two files: {before:?}");
    (disk, vouched, before)
}

fn segment(number: usize) -> String {
    format!(".exacta/log/{number:04}.jsonl")
}

/// One random change of the files; the entry that must be named, where that is certain.
fn edit(
    rng: &mut Rng,
    files: &mut [Option<Vec<u8>>],
    before: &[u64],
) -> (&'static str, Option<u64>) {
    let which = rng.below(files.len());
    let is_last = which + 1 == files.len();
    let bytes = files[which].as_mut().unwrap();
    let at = rng.below(bytes.len());
    let entry_at = |bytes: &[u8], at: usize| before[which] + newlines(&bytes[..at]) + 1;
    let entry = Some(entry_at(bytes, at));
    match rng.below(9) {
        0 => {
            let other = u8::try_from(1 + rng.below(255)).unwrap();
            bytes[at] ^= other;
            ("byte changed", entry)
        }
        1 => {
            // One more of the same at the same place would be the same text.
            let byte = loop {
                let byte = u8::try_from(rng.below(256)).unwrap();
                if byte != bytes[at] {
                    break byte;
                }
            };
            bytes.insert(at, byte);
            ("byte inserted", entry)
        }
        2 => {
            bytes.remove(at);
            ("byte removed", None)
        }
        3 => {
            let end = (at + 1 + rng.below(2000)).min(bytes.len());
            let old = lines(bytes);
            bytes.drain(at..end);
            // Two ends of line look alike, and two halves may make an entry that only the
            // missing next one could tell from the old; then that one is named.
            let index = usize::try_from(newlines(&old.concat()[..at]) + 1).unwrap() - 1;
            let left = lines(bytes);
            let reads = |line: &Vec<u8>| record::read(line.trim_ascii_end()).is_ok();
            let certain = end < old.concat().len() && !left.get(index).is_some_and(reads);
            ("bytes removed", entry.filter(|_| certain))
        }
        4 => {
            let end = (at + 1 + rng.below(300)).min(bytes.len());
            let repeated = bytes[at..end].to_vec();
            let place = rng.below(bytes.len());
            bytes.splice(place..place, repeated);
            ("bytes repeated", None)
        }
        5 => {
            let mut all = lines(bytes);
            let (one, other) = (rng.below(all.len()), rng.below(all.len()));
            all.swap(one, other);
            *bytes = all.concat();
            let named = before[which] + one.min(other) as u64 + 1;
            ("lines swapped", Some(named).filter(|_| one != other))
        }
        6 => {
            let mut all = lines(bytes);
            let one = rng.below(all.len());
            let end = (one + 1 + rng.below(20)).min(all.len());
            all.drain(one..end);
            *bytes = all.concat();
            ("lines removed", Some(before[which] + one as u64 + 1).filter(|_| !is_last))
        }
        7 => {
            let mut all = lines(bytes);
            let (one, place) = (rng.below(all.len()), rng.below(all.len()));
            all.insert(place, all[one].clone());
            *bytes = all.concat();
            let named = before[which] + place as u64 + 1;
            ("line repeated", Some(named + u64::from(one == place)))
        }
        _ => {
            files[which] = None;
            ("file removed", Some(before[which] + 1).filter(|_| !is_last))
        }
    }
}

/// Whether nothing but the end of the record is gone: then only the head outside tells.
fn is_cut(files: &[Option<Vec<u8>>], good: &[Vec<u8>]) -> bool {
    let (last, above) = files.split_last().unwrap();
    let (good_last, good_above) = good.split_last().unwrap();
    if above.iter().zip(good_above).any(|(file, good)| file.as_ref() != Some(good)) {
        return false;
    }
    let Some(bytes) = last else { return true };
    // What is left is whole lines of the record, and perhaps half a line.
    let same = bytes.iter().zip(good_last).take_while(|(a, b)| a == b).count();
    let whole = memchr::memrchr(b'\n', &bytes[..same]).map_or(0, |at| at + 1);
    !bytes[whole..].contains(&b'\n')
}

#[test]
fn random_edits_of_a_record_of_a_thousand_entries() {
    let (disk, vouched, before) = thousand();
    let unaware = secrets(&beginning_noted());
    let mut cuts = 0;
    let good: Vec<Vec<u8>> =
        (1..before.len()).map(|number| disk.bytes(&segment(number)).unwrap()).collect();
    let budget = Budget::of_processor("random edits of 1,000 entries", 10_000, 120, 100_000);
    let mut done = 0;
    while budget.allows(done) {
        let mut rng = Rng::new(done);
        let mut files: Vec<Option<Vec<u8>>> = good.iter().cloned().map(Some).collect();
        let (what, entry) = edit(&mut rng, &mut files, &before);
        if files.iter().zip(&good).all(|(file, good)| file.as_ref() == Some(good)) {
            done += 1;
            continue;
        }
        for (number, file) in files.iter().enumerate() {
            if file.as_ref() != Some(&good[number]) {
                disk.tamper(&segment(number + 1), file.as_deref());
            }
        }
        let report = check_record(disk.as_ref(), &vouched, &[]).unwrap();
        let told = first(&report.problems);
        assert!(told.is_some(), "seed {done}: {what} was not found");
        if let Some(entry) = entry {
            assert_eq!(told.map(|(_, entry)| entry), Some(entry), "seed {done}: {what} {told:?}");
        }
        // Without the head outside everything but a cut tail is found, and named alike.
        let alone = first(&check_record(disk.as_ref(), &unaware, &[]).unwrap().problems);
        if is_cut(&files, &good) {
            assert_eq!(told.map(|(kind, _)| kind), Some(ProblemKind::Cut), "seed {done}: {what}");
            assert_eq!(alone, None, "seed {done}: {what}");
            cuts += 1;
        } else {
            let entry = |told: Option<(ProblemKind, u64)>| told.map(|(_, entry)| entry);
            assert_eq!(entry(alone), entry(told), "seed {done}: {what}");
        }
        for (number, good) in good.iter().enumerate() {
            if files[number].as_ref() != Some(good) {
                disk.tamper(&segment(number + 1), Some(good));
            }
        }
        done += 1;
    }
    budget.report(done);
    println!("tampering: {done} random edits, {cuts} of them cut tails");
    assert_eq!(check_record(disk.as_ref(), &vouched, &[]).unwrap().problems, []);
}

/// A line of somebody else's at the end stops every command, as `verify` says; what a dying
/// process or a power loss left of an append does not.
#[test]
fn a_foreign_last_line_is_never_taken_for_an_unfinished_append() {
    let world = twenty();
    let good = world.disk.bytes(".exacta/log/0001.jsonl").unwrap();
    let first_line = lines(&good).swap_remove(0);
    for (tail, stops) in [
        (b"x\n".to_vec(), true),
        (b"\n".to_vec(), true),
        (first_line.clone(), true),
        (b"x".to_vec(), true),
        (b" ".to_vec(), true),
        (first_line[..first_line.len() - 1].to_vec(), true),
        (b"foreign\0text\n".to_vec(), true),
        (b"{\"prev\"".to_vec(), false),
        (b"{\"prev\0\0\0\n".to_vec(), false),
        (b"\0\0\0".to_vec(), false),
    ] {
        world.disk.tamper(".exacta/log/0001.jsonl", Some(&[good.clone(), tail.clone()].concat()));
        let shown = String::from_utf8_lossy(&tail).into_owned();
        assert_eq!(world.gate(|_| ()).is_err(), stops, "{shown:?}");
        // A whole line with bytes that a power loss took is cut off by the next command; one
        // that was acknowledged could look like this, so a check tells of it.
        let expected = (stops || tail.ends_with(b"\n")).then_some(21);
        assert_eq!(first(&world.check().problems).map(|(_, entry)| entry), expected, "{shown:?}");
    }
}

#[test]
fn a_foreign_file_in_the_folder_of_the_record_is_told() {
    let world = twenty();
    for (name, told) in [("notes.txt", true), ("0001.jsonl.bak", true), ("new-0002.jsonl", false)] {
        let world = world.fork();
        world.disk.tamper(&format!(".exacta/log/{name}"), Some(b"x"));
        let files: Vec<String> = world.verify().problems.into_iter().map(|one| one.file).collect();
        assert_eq!(files, [format!(".exacta/log/{name}")][..usize::from(told)], "{name}");
    }
}

/// A name that leaves millions of files missing is answered at once.
#[test]
fn a_file_with_a_huge_number_does_not_make_the_check_hang() {
    let world = twenty();
    world.disk.tamper(".exacta/log/4294967295.jsonl", Some(b"x\n"));
    let report = world.check();
    assert_eq!(first(&report.problems), Some((ProblemKind::Missing, 21)), "{report:?}");
    assert!(world.gate(|_| ()).is_err());
}

/// Snapshots of the state are ours or are not used.
#[test]
fn an_edited_snapshot_changes_nothing() {
    let (disk, vouched, before) = thousand();
    let newest = before.len() - 1;
    let path = format!(".exacta/index/{newest:04}.json");
    let good = disk.bytes(&path).unwrap();
    let machine = Arc::new(TestMachine::new());
    let open = || {
        let log = log_of(&disk, &vouched, &machine).unwrap();
        let state = log.ledger().to_lines().unwrap();
        (log.head(), state)
    };
    let expected = open();
    let mut rng = Rng::new(3);
    for _ in 0..50 {
        let mut bad = good.clone();
        let at = rng.below(bad.len());
        bad[at] ^= 1 << rng.below(8);
        disk.tamper(&path, Some(&bad));
        assert_eq!(open(), expected, "byte {at}");
    }
    disk.tamper(&path, None);
    assert_eq!(open(), expected);
}

/// Nobody is told what a closed segment says unless it leads to the newest entry.
#[test]
fn a_changed_closed_segment_is_not_told() {
    let (disk, vouched, _) = thousand();
    let machine = Arc::new(TestMachine::new());
    let told = || log_of(&disk, &vouched, &machine).unwrap().entries().map(|all| all.len());
    assert_eq!(told().unwrap(), 1_000);
    let good = [disk.bytes(&segment(1)).unwrap(), disk.bytes(&segment(2)).unwrap()];
    let mut short = lines(&good[0]);
    short.remove(3);
    let mut twice = lines(&good[0]);
    twice.insert(3, twice[2].clone());
    let edited = String::from_utf8(good[0].clone()).unwrap().replacen("person", "system", 1);
    for bad in [short.concat(), twice.concat(), edited.into_bytes(), good[1].clone()] {
        assert_ne!(bad, good[0]);
        disk.tamper(&segment(1), Some(&bad));
        assert!(matches!(told(), Err(LogError::Broken { .. })));
    }
    disk.tamper(&segment(1), None);
    assert!(matches!(told(), Err(LogError::Broken { .. })));
    disk.tamper(&segment(1), Some(&good[0]));
    assert_eq!(told().unwrap(), 1_000);
}

/// The head that was noted counts, whichever entry the record has there now.
#[test]
fn a_kept_head_of_another_record_is_noticed() {
    let world = twenty();
    let kept = Checkpoint::settled(7, Digest::of(b"another"));
    let report = check_record(world.disk.as_ref(), &world.secrets, &[kept]).unwrap();
    assert_eq!(first(&report.problems), Some((ProblemKind::Replaced, 7)));
    assert_eq!(report.entries, 20);
}
