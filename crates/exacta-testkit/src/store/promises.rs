//! The suite: what a store promises, each promise by itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use exacta_core::life::ledger::Stream;
use exacta_core::life::lifecycle::{Cause, Deadline, Moment};
use exacta_core::model::digest::Digest;
use exacta_core::model::id::PlanId;
use exacta_core::record::{
    self, Actor, ActorKind, Beginning, CommandKey, Entry, Event, Head, PlanCreated, VERSION,
};
use exacta_engine::store::{AppendError, Depth, Replica, Store, Terms, Wanted};
use exacta_engine::trust::Checkpoint;

/// A store to be judged: a record without entries, which may be opened any number of times.
pub trait Subject: Send + Sync {
    /// The record, as another process would open it.
    fn open(&self) -> Arc<dyn Store>;

    /// The record as it may be found after a power loss now; `None` where nothing that a
    /// power loss could take is modelled.
    fn after_power_loss(&self) -> Option<Arc<dyn Store>> {
        None
    }

    /// How its record names the project and the key that signs.
    fn beginning(&self) -> (String, String) {
        ("memory".into(), "none".into())
    }
}

/// One promise: its name, and what fails (by panicking) when it is broken.
pub type Promise = (&'static str, fn(&dyn Subject));

/// Everything that a store promises.
pub const PROMISES: &[Promise] = &[
    ("an empty record has no entries", an_empty_record),
    ("what is added is there for everybody, in order", what_is_added),
    ("number, time and link are the store's", sealed_by_the_store),
    ("an append is one: all events or none", all_or_none),
    ("a stale version is refused", stale_versions),
    ("a command is carried out once", idempotency),
    ("a record begins once", begins_once),
    ("what must hold is asked in our turn", holds),
    ("reading begins anywhere", reading_from),
    ("a head vouches for what is read", only_what_leads_to_the_head),
    ("a record only grows", only_grows),
    ("waiting ends with an entry or its time", waiting),
    ("a verification goes through kept heads", verification),
    ("of many who decide the same, one wins", one_winner),
    ("nobody loses without a rival", no_needless_loser),
    ("what was acknowledged lasts", lasts),
];

fn person() -> Actor {
    Actor { kind: ActorKind::Person, name: "uid 1000".into() }
}

fn wanted(events: Vec<Event>) -> Wanted {
    Wanted { actor: person(), key: None, expects: Vec::new(), events }
}

fn begin(subject: &dyn Subject) -> (Arc<dyn Store>, Replica) {
    let (store, mut replica) = (subject.open(), Replica::default());
    let events = vec![begun(subject)];
    store.append(&mut replica, &wanted(events), Terms::plain()).expect("a record begins");
    (store, replica)
}

fn begun(subject: &dyn Subject) -> Event {
    let (project, key) = subject.beginning();
    let project = project.parse().expect("a project's id");
    Event::RecordBegun { beginning: Beginning::Started, key, project, version: VERSION }
}

fn id(text: &str) -> PlanId {
    PlanId::parse(text).expect("an id")
}

fn created(plan_id: &str) -> Event {
    let nothing = Digest::of(b"");
    let deadline = Deadline::after(&Moment { boot: "b".into(), boottime_ms: 1, wall_ms: 1 }, 1);
    Event::PlanCreated(Box::new(PlanCreated {
        binding: nothing,
        correlation_id: "c".parse().expect("an id"),
        deadline,
        derived_from: None,
        goal: "g".into(),
        parent: None,
        plan_hash: nothing,
        plan_id: id(plan_id),
        proposer: None,
        record: nothing,
        session: "s".into(),
        undoes: None,
    }))
}

fn paused(plan_id: &str) -> Event {
    Event::PlanPaused { plan_id: id(plan_id) }
}

fn expired(plan_id: &str) -> Event {
    Event::PlanExpired { cause: Cause::SessionEnded, plan_id: id(plan_id) }
}

fn plan(plan_id: &str) -> Stream {
    Stream::Plan(id(plan_id))
}

fn add(store: &dyn Store, replica: &mut Replica, events: Vec<Event>) -> Vec<Entry> {
    store.append(replica, &wanted(events), Terms::plain()).expect("it can be added").entries
}

/// What somebody finds who has read nothing yet.
fn found(store: &dyn Store) -> (Replica, Vec<Entry>) {
    let mut replica = Replica::default();
    store.catch_up(&mut replica).expect("the record can be read");
    let entries = store.read(&replica, 1).expect("every entry can be read");
    (replica, entries)
}

/// Every entry names the one before it, as its own line says.
fn hangs_together(entries: &[Entry], head: Head) {
    let mut link = Head::BEGINNING.link;
    for (entry, number) in entries.iter().zip(1..) {
        assert_eq!((entry.seq, entry.prev), (number, link), "entry {number}");
        let mut unsigned = entry.clone();
        let signature = unsigned.sig.take();
        let mut text = record::written(&unsigned).expect("an entry can be written");
        if let Some(signature) = signature {
            text = record::with_signature(text, &signature);
        }
        link = record::link(text.as_bytes());
    }
    assert_eq!((head.entries, head.link), (entries.len() as u64, link), "the end");
}

fn an_empty_record(subject: &dyn Subject) {
    let store = subject.open();
    let (replica, entries) = found(store.as_ref());
    assert_eq!((replica.head(), entries.len()), (Head::BEGINNING, 0));
    assert_eq!(store.head().expect("it has an end"), Head::BEGINNING);
}

fn what_is_added(subject: &dyn Subject) {
    let (one, mut replica) = begin(subject);
    let (other, mut behind) = (subject.open(), Replica::default());
    other.catch_up(&mut behind).expect("the record can be read");
    let mut added = found(one.as_ref()).1;
    for number in 0..40 {
        let id = format!("p{number}");
        let events = vec![created(&id), paused(&id)];
        // In turn, by two who know nothing of each other.
        let (store, replica) =
            if number % 3 == 0 { (&other, &mut behind) } else { (&one, &mut replica) };
        added.extend(add(store.as_ref(), replica, events));
        assert_eq!(replica.head().entries, added.len() as u64);
    }
    for store in [one, other, subject.open()] {
        let (replica, entries) = found(store.as_ref());
        assert_eq!(entries, added);
        hangs_together(&entries, replica.head());
        assert_eq!(store.head().expect("it has an end"), replica.head());
        assert_eq!(replica.ledger().plans().count(), 40);
    }
}

fn sealed_by_the_store(subject: &dyn Subject) {
    let (store, mut replica) = begin(subject);
    let key = Some(CommandKey { key: "k".into(), command: Digest::of(b"said") });
    let events = vec![created("p"), paused("p")];
    let wanted = Wanted { actor: person(), key: key.clone(), expects: Vec::new(), events };
    let before = replica.head();
    let added = store.append(&mut replica, &wanted, Terms::plain()).expect("it can be added");
    let [first, second] = added.entries.as_slice() else { panic!("two entries") };
    assert_eq!((first.seq, first.prev), (before.entries + 1, before.link));
    assert_eq!(second.seq, first.seq + 1);
    assert_ne!(second.prev, first.prev);
    for (entry, event) in added.entries.iter().zip(&wanted.events) {
        assert_eq!((&entry.event, &entry.actor), (event, &wanted.actor));
        let said = entry.key.clone().zip(entry.command);
        assert_eq!(said, key.clone().map(|key| (key.key, key.command)));
        assert!(!entry.time.is_empty());
    }
    let (read, entries) = found(store.as_ref());
    assert_eq!(entries.get(1..), Some(added.entries.as_slice()));
    assert_eq!(read.head(), replica.head());
    hangs_together(&entries, read.head());
}

fn all_or_none(subject: &dyn Subject) {
    let (store, mut replica) = begin(subject);
    add(store.as_ref(), &mut replica, vec![created("p")]);
    let before = found(store.as_ref()).1;
    let events = vec![created("q"), paused("q"), expired("p")];
    let mut refused = wanted(events.clone());
    refused.expects = vec![(plan("q"), 0), (plan("p"), 7)];
    let told = store.append(&mut replica, &refused, Terms::plain());
    assert!(matches!(told, Err(AppendError::Moved)), "{told:?}");
    assert_eq!(found(store.as_ref()).1, before);
    refused.expects = vec![(plan("q"), 0), (plan("p"), 1)];
    store.append(&mut replica, &refused, Terms::plain()).expect("it can be added");
    let after = found(store.as_ref()).1;
    let fresh: Vec<Event> = after.iter().skip(before.len()).map(|e| e.event.clone()).collect();
    assert_eq!(fresh, events);
}

fn stale_versions(subject: &dyn Subject) {
    let (one, mut replica) = begin(subject);
    add(one.as_ref(), &mut replica, vec![created("p"), created("q")]);
    let (other, mut behind) = (subject.open(), Replica::default());
    other.catch_up(&mut behind).expect("the record can be read");
    let decided = Wanted { expects: vec![(plan("p"), 1)], ..wanted(vec![paused("p")]) };
    one.append(&mut replica, &decided, Terms::plain()).expect("nothing has moved yet");
    // Both decided on what they had seen; the second has not looked since.
    let told = other.append(&mut behind, &decided, Terms::plain());
    assert!(matches!(told, Err(AppendError::Moved)), "a stale version was accepted: {told:?}");
    // It knows now what it has missed.
    assert_eq!(behind.ledger().version(&plan("p")), 2);
    assert_eq!(behind.head(), replica.head());
    for version in [0, 1, 3] {
        let stale = Wanted { expects: vec![(plan("p"), version)], ..decided.clone() };
        let told = other.append(&mut behind, &stale, Terms::plain());
        assert!(matches!(told, Err(AppendError::Moved)), "version {version}: {told:?}");
    }
    let fresh = Wanted { expects: vec![(plan("p"), 2)], ..decided };
    other.append(&mut behind, &fresh, Terms::plain()).expect("the version is right");
    assert_eq!(found(one.as_ref()).1.len(), 5);
}

fn idempotency(subject: &dyn Subject) {
    let (one, mut replica) = begin(subject);
    let (other, mut behind) = (subject.open(), Replica::default());
    other.catch_up(&mut behind).expect("the record can be read");
    let key = Some(CommandKey { key: "once".into(), command: Digest::of(b"said") });
    let command = Wanted { key, ..wanted(vec![created("p")]) };
    one.append(&mut replica, &command, Terms::plain()).expect("it is the first");
    for (store, replica) in [(&one, &mut replica), (&other, &mut behind)] {
        let told = store.append(replica, &command, Terms::plain());
        assert!(
            matches!(&told, Err(AppendError::Done { made }) if made == "p"),
            "a command was carried out twice: {told:?}"
        );
    }
    assert_eq!(found(one.as_ref()).1.len(), 2);
}

fn begins_once(subject: &dyn Subject) {
    let stores: Vec<_> = (0..6).map(|_| subject.open()).collect();
    let events = vec![begun(subject)];
    let begin = |store: Arc<dyn Store>| {
        let wanted = wanted(events.clone());
        match store.append(&mut Replica::default(), &wanted, Terms::plain()) {
            Ok(_) => 1,
            Err(AppendError::Moved) => 0,
            Err(error) => panic!("{error}"),
        }
    };
    let won: usize = thread::scope(|scope| {
        let begin = &begin;
        let threads: Vec<_> =
            stores.into_iter().map(|store| scope.spawn(move || begin(store))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a thread ended well")).sum()
    });
    assert_eq!((won, found(subject.open().as_ref()).1.len()), (1, 1));
}

fn holds(subject: &dyn Subject) {
    let (store, mut replica) = begin(subject);
    let asked = AtomicU64::new(0);
    for answer in [false, true] {
        let holds = || {
            asked.fetch_add(1, Ordering::Relaxed);
            Ok(answer)
        };
        let terms = Terms { holds: &holds, ..Terms::plain() };
        let told = store.append(&mut replica, &wanted(vec![created("p")]), terms);
        match told {
            Err(AppendError::Moved) => assert!(!answer),
            Ok(_) => assert!(answer),
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(asked.load(Ordering::Relaxed), 2);
    assert_eq!(found(store.as_ref()).1.len(), 2);
}

fn reading_from(subject: &dyn Subject) {
    let (store, mut replica) = begin(subject);
    for number in 0..30 {
        add(store.as_ref(), &mut replica, vec![created(&format!("p{number}"))]);
    }
    let all = found(store.as_ref()).1;
    for from in 0..40_u64 {
        let read = store.read(&replica, from).expect("it can be read");
        let skipped = usize::try_from(from.max(1) - 1).unwrap_or(usize::MAX);
        assert_eq!(read.as_slice(), all.get(skipped..).unwrap_or_default(), "from {from}");
    }
}

fn only_what_leads_to_the_head(subject: &dyn Subject) {
    let (store, mut replica) = begin(subject);
    add(store.as_ref(), &mut replica, vec![created("p"), paused("p")]);
    let earlier = replica.clone();
    add(store.as_ref(), &mut replica, vec![expired("p")]);
    // Up to where the reader stands, and no further.
    assert_eq!(store.read(&earlier, 1).expect("it can be read").len(), 3);
    assert_eq!(store.read(&replica, 1).expect("it can be read").len(), 4);
    let (_, entries) = found(store.as_ref());
    hangs_together(&entries, replica.head());
}

fn only_grows(subject: &dyn Subject) {
    let (store, mut replica) = begin(subject);
    let mut known = found(store.as_ref()).1;
    for number in 0..25 {
        add(store.as_ref(), &mut replica, vec![created(&format!("p{number}"))]);
        let (_, now) = found(subject.open().as_ref());
        assert_eq!(now.get(..known.len()), Some(known.as_slice()), "the past changed");
        assert_eq!(now.len(), known.len() + 1);
        known = now;
    }
}

fn waiting(subject: &dyn Subject) {
    const SOON: Duration = Duration::from_millis(60);
    const LONG: Duration = Duration::from_secs(20);
    let (store, mut replica) = begin(subject);
    let (other, mut behind) = (subject.open(), Replica::default());
    other.catch_up(&mut behind).expect("the record can be read");
    let start = Instant::now();
    assert!(!other.wait(&mut behind, SOON).expect("it can wait"), "nothing was added");
    assert!(start.elapsed() >= SOON);
    let more = thread::scope(|scope| {
        let waits = scope.spawn(|| {
            let start = Instant::now();
            let more = other.wait(&mut behind, LONG).expect("it can wait");
            (more, start.elapsed())
        });
        thread::sleep(SOON);
        add(store.as_ref(), &mut replica, vec![created("p")]);
        waits.join().expect("a thread ended well")
    });
    assert!(more.0 && more.1 < LONG, "{more:?}");
    assert_eq!(behind.head(), replica.head());
}

fn verification(subject: &dyn Subject) {
    let (store, mut replica) = begin(subject);
    let mut kept = Vec::new();
    for number in 0..10 {
        add(store.as_ref(), &mut replica, vec![created(&format!("p{number}"))]);
        kept.push(Checkpoint::settled(replica.head().entries, replica.head().link));
    }
    let report = store.verify(&kept, Depth::WHOLE).expect("it can be verified");
    assert_eq!(report.problems, []);
    assert_eq!((report.entries, report.head), (replica.head().entries, replica.head().link));
    let bad = |checkpoint: Checkpoint| {
        let report = store.verify(&[checkpoint], Depth::WHOLE).expect("it can be verified");
        assert!(!report.problems.is_empty());
    };
    bad(Checkpoint::settled(5, Digest::of(b"another record")));
    bad(Checkpoint::settled(replica.head().entries + 1, Digest::of(b"one more")));
}

fn one_winner(subject: &dyn Subject) {
    const RIVALS: usize = 6;
    let (store, mut replica) = begin(subject);
    for round in 0..10 {
        let id = format!("p{round}");
        add(store.as_ref(), &mut replica, vec![created(&id)]);
        let rivals: Vec<_> = (0..RIVALS).map(|_| subject.open()).collect();
        let won: usize = thread::scope(|scope| {
            let threads: Vec<_> = rivals
                .into_iter()
                .map(|store| {
                    let decided =
                        Wanted { expects: vec![(plan(&id), 1)], ..wanted(vec![expired(&id)]) };
                    scope.spawn(move || {
                        let mut replica = Replica::default();
                        store.catch_up(&mut replica).expect("the record can be read");
                        usize::from(store.append(&mut replica, &decided, Terms::plain()).is_ok())
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("a thread ended well")).sum()
        });
        assert_eq!(won, 1, "round {round}");
    }
    let (replica, entries) = found(store.as_ref());
    assert_eq!(entries.len(), 21);
    hangs_together(&entries, replica.head());
}

fn no_needless_loser(subject: &dyn Subject) {
    const CALLERS: usize = 6;
    let (store, _) = begin(subject);
    // Of one handle and of several, as threads and processes are.
    thread::scope(|scope| {
        for number in 0..CALLERS {
            let store = if number % 2 == 0 { Arc::clone(&store) } else { subject.open() };
            scope.spawn(move || {
                let mut replica = Replica::default();
                for round in 0..10 {
                    let id = format!("p{number}-{round}");
                    add(store.as_ref(), &mut replica, vec![created(&id)]);
                    let decided =
                        Wanted { expects: vec![(plan(&id), 1)], ..wanted(vec![paused(&id)]) };
                    let told = store.append(&mut replica, &decided, Terms::plain());
                    assert!(told.is_ok(), "{told:?}");
                }
            });
        }
    });
    let (replica, entries) = found(store.as_ref());
    assert_eq!(entries.len(), 1 + 20 * CALLERS);
    hangs_together(&entries, replica.head());
    assert_eq!(store.verify(&[], Depth::WHOLE).expect("it can be verified").problems, []);
}

fn lasts(subject: &dyn Subject) {
    let (store, mut replica) = begin(subject);
    for number in 0..12 {
        add(store.as_ref(), &mut replica, vec![created(&format!("p{number}"))]);
        let Some(lost) = subject.after_power_loss() else { continue };
        let (found, entries) = found(lost.as_ref());
        assert_eq!(found.head(), replica.head(), "an acknowledged entry was lost");
        hangs_together(&entries, found.head());
    }
}
