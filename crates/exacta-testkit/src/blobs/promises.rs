//! The suite: what a store of blobs promises, each promise by itself.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;

use exacta_core::model::digest::{Blob, Digest};
use exacta_engine::blobs::Blobs;
use exacta_engine::run::ImageError;

/// Blobs to be judged: none yet, and they may be opened any number of times.
pub trait Subject: Send + Sync {
    /// The blobs, as another process would open them.
    fn open(&self) -> Arc<dyn Blobs>;

    /// Gives a blob that is kept other bytes behind the store's back; `false` where nobody
    /// can.
    fn tamper(&self, digest: &Digest, bytes: &[u8]) -> bool;

    /// The blobs as they may be found after a power loss now; `None` where nothing that a
    /// power loss could take is modelled.
    fn after_power_loss(&self) -> Option<Arc<dyn Blobs>> {
        None
    }
}

/// One promise: its name, and what fails (by panicking) when it is broken.
pub type Promise = (&'static str, fn(&dyn Subject));

/// Everything that a store of blobs promises.
pub const PROMISES: &[Promise] = &[
    ("what was put is there for everybody, to the byte", what_was_put),
    ("what was not put is missing", missing),
    ("putting again changes nothing", putting_again),
    ("changed bytes are never given out, and are replaced", changed_bytes),
    ("what is written for a run is there as well", written),
    ("whether all are there is known", holding),
    ("a collection takes what is not kept, and nothing else", collecting),
    ("many may put and read at once", at_once),
    ("what was put lasts", lasts),
];

fn blobs(count: u32) -> Vec<Blob> {
    let text = |number: u32| format!("blob {number}\n").repeat(number as usize % 7 + 1);
    let mut blobs: Vec<Blob> = (0..count).map(|n| Blob::new(text(n).into_bytes())).collect();
    blobs.push(Blob::new(Vec::new()));
    blobs.push(Blob::new((0..=255).collect()));
    blobs
}

fn names(blobs: &[Blob]) -> Vec<Digest> {
    blobs.iter().map(Blob::digest).collect()
}

fn are_there(store: &dyn Blobs, blobs: &[Blob]) {
    for blob in blobs {
        let got = store.get(&blob.digest()).expect("it was put");
        assert_eq!(got.bytes(), blob.bytes());
        assert_eq!(got.digest(), blob.digest());
    }
}

fn is_missing(store: &dyn Blobs, digest: &Digest) {
    let got = store.get(digest);
    assert!(matches!(&got, Err(ImageError::Missing(named)) if named == digest), "{got:?}");
}

fn what_was_put(subject: &dyn Subject) {
    let (one, all) = (subject.open(), blobs(20));
    one.put(&all).expect("they can be kept");
    for store in [one, subject.open()] {
        are_there(store.as_ref(), &all);
        assert!(store.hold(&names(&all)).expect("it is known"));
    }
}

fn missing(subject: &dyn Subject) {
    let store = subject.open();
    let absent = Digest::of(b"nobody put this");
    is_missing(store.as_ref(), &absent);
    store.put(&blobs(3)).expect("they can be kept");
    is_missing(store.as_ref(), &absent);
    assert!(!store.hold(&[absent]).expect("it is known"));
}

fn putting_again(subject: &dyn Subject) {
    let (store, all) = (subject.open(), blobs(5));
    for _ in 0..3 {
        store.put(&all).expect("they can be kept");
        are_there(store.as_ref(), &all);
    }
    subject.open().put(&all).expect("they can be kept");
    are_there(store.as_ref(), &all);
    let collected = store.collect(&BTreeSet::new()).expect("it can be collected");
    assert_eq!(collected, all.len(), "each is kept once");
}

fn changed_bytes(subject: &dyn Subject) {
    let (store, all) = (subject.open(), blobs(2));
    store.put(&all).expect("they can be kept");
    let victim = all.first().expect("there are some");
    if !subject.tamper(&victim.digest(), b"other bytes") {
        return;
    }
    let got = store.get(&victim.digest());
    assert!(matches!(got, Err(ImageError::Changed(_))), "{got:?}");
    are_there(store.as_ref(), all.get(1..).unwrap_or_default());
    for store in [subject.open(), store] {
        store.put(std::slice::from_ref(victim)).expect("it can be kept");
        are_there(store.as_ref(), &all);
        assert!(subject.tamper(&victim.digest(), b"other bytes"));
    }
}

fn written(subject: &dyn Subject) {
    let (store, all) = (subject.open(), blobs(4));
    store.write(&all).expect("they can be kept");
    are_there(subject.open().as_ref(), &all);
    // Whoever puts them relies on it although they are there already.
    store.put(&all).expect("they can be kept");
    if let Some(lost) = subject.after_power_loss() {
        are_there(lost.as_ref(), &all);
    }
}

fn holding(subject: &dyn Subject) {
    let (store, all) = (subject.open(), blobs(6));
    store.put(all.get(1..).unwrap_or_default()).expect("they can be kept");
    let named = names(&all);
    assert!(store.hold(&[]).expect("it is known"));
    assert!(store.hold(named.get(1..).unwrap_or_default()).expect("it is known"));
    assert!(!store.hold(&named).expect("it is known"), "one of them was never put");
    store.collect(&named.iter().skip(3).copied().collect()).expect("it can be collected");
    assert!(!store.hold(named.get(1..).unwrap_or_default()).expect("it is known"));
    assert!(store.hold(named.get(3..).unwrap_or_default()).expect("it is known"));
}

fn collecting(subject: &dyn Subject) {
    let (store, all) = (subject.open(), blobs(30));
    store.put(&all).expect("they can be kept");
    let (kept, gone): (Vec<_>, Vec<_>) =
        all.iter().cloned().enumerate().partition(|(number, _)| number % 3 == 0);
    let of = |list: Vec<(usize, Blob)>| list.into_iter().map(|(_, blob)| blob).collect::<Vec<_>>();
    let (kept, gone) = (of(kept), of(gone));
    let keep: BTreeSet<Digest> = names(&kept).into_iter().collect();
    assert_eq!(store.collect(&keep).expect("it can be collected"), gone.len());
    are_there(store.as_ref(), &kept);
    for blob in &gone {
        is_missing(store.as_ref(), &blob.digest());
    }
    assert_eq!(store.collect(&keep).expect("it can be collected"), 0);
    // What went can come back, and lasts then like anything else.
    store.put(&gone).expect("they can be kept");
    are_there(subject.open().as_ref(), &all);
    if let Some(lost) = subject.after_power_loss() {
        are_there(lost.as_ref(), &all);
    }
}

fn at_once(subject: &dyn Subject) {
    let (all, shared) = (blobs(12), subject.open());
    thread::scope(|scope| {
        for number in 0..6_usize {
            let store = if number % 2 == 0 { Arc::clone(&shared) } else { subject.open() };
            let mut mine = all.clone();
            mine.rotate_left(number);
            scope.spawn(move || {
                for _ in 0..3 {
                    store.put(&mine).expect("they can be kept");
                    are_there(store.as_ref(), &mine);
                }
            });
        }
    });
    are_there(subject.open().as_ref(), &all);
}

fn lasts(subject: &dyn Subject) {
    let store = subject.open();
    let all = blobs(10);
    for upto in 1..=all.len() {
        let put = all.get(..upto).unwrap_or_default();
        store.put(put).expect("they can be kept");
        let Some(lost) = subject.after_power_loss() else { continue };
        are_there(lost.as_ref(), put);
    }
}
