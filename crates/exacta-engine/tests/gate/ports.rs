//! What every store and every store of blobs promises, for the implementations there are;
//! and that the suites notice whatever one of them could do wrong.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use exacta_core::model::digest::Digest;
use exacta_engine::blobs::{Blobs, FileBlobs};
use exacta_engine::gate::Secrets;
use exacta_engine::log::Vouchers;
use exacta_engine::store::{FileStore, Store};
use exacta_engine::workspace::{Root, Workspace};
use exacta_testkit::{MemoryWorkspace, Rng, blobs, store};

use crate::tamper::Nothing;
use crate::world::{Heads, PROJECT, TestMachine, secrets};

/// A promise of a port, whatever its subject is.
type Promise<S> = (&'static str, fn(&S));

/// Each promise on a subject of its own.
fn keeps<S: ?Sized>(promises: &[Promise<S>], subject: impl Fn() -> Box<S>) {
    for (_, promise) in promises {
        promise(subject().as_ref());
    }
}

/// The promises that a subject breaks.
fn broken<S: ?Sized>(promises: &[Promise<S>], subject: impl Fn() -> Box<S>) -> Vec<&'static str> {
    let breaks =
        |promise: fn(&S)| catch_unwind(AssertUnwindSafe(|| promise(subject().as_ref()))).is_err();
    promises.iter().filter(|(_, promise)| breaks(*promise)).map(|(name, _)| *name).collect()
}

fn vouchers(vouched: &Secrets) -> Vouchers {
    Vouchers {
        project: vouched.project.to_string(),
        signer: vouched.signer.clone(),
        key: vouched.key.clone(),
        checkpoints: Arc::clone(&vouched.checkpoints),
    }
}

fn file_store(
    port: Arc<dyn Workspace + Send + Sync>,
    vouched: &Secrets,
    machine: &Arc<TestMachine>,
) -> Arc<dyn Store> {
    let nothing = Arc::new(Nothing);
    Arc::new(FileStore::new(port, vouchers(vouched), machine.clone(), nothing))
}

/// Where a blob lies.
fn object(digest: &Digest) -> String {
    let text = digest.to_string();
    let (bucket, name) = text.split_at(2);
    format!(".exacta/objects/{bucket}/{name}")
}

/// A record in a folder of the real file system, opened anew by everybody.
struct OnDisk {
    home: tempfile::TempDir,
    vouched: Secrets,
    machine: Arc<TestMachine>,
}

impl OnDisk {
    fn new() -> Self {
        let home = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let vouched = secrets(&Heads::default());
        Self { home, vouched, machine: Arc::new(TestMachine::new()) }
    }

    fn root(&self) -> Root {
        Root::open(self.home.path()).unwrap()
    }
}

impl store::Subject for OnDisk {
    fn open(&self) -> Arc<dyn Store> {
        file_store(Arc::new(self.root()), &self.vouched, &self.machine)
    }

    fn beginning(&self) -> (String, String) {
        (PROJECT.into(), self.vouched.signer.public())
    }
}

impl blobs::Subject for OnDisk {
    fn open(&self) -> Arc<dyn Blobs> {
        Arc::new(FileBlobs::new(Arc::new(self.root())))
    }

    fn tamper(&self, digest: &Digest, bytes: &[u8]) -> bool {
        std::fs::write(self.home.path().join(object(digest)), bytes).unwrap();
        true
    }
}

/// The same on a disk that forgets what was not synced. One thread at a time: it has no
/// locks.
struct OnAModel {
    disk: Arc<MemoryWorkspace>,
    heads: Heads,
    vouched: Secrets,
    machine: Arc<TestMachine>,
    random: Mutex<Rng>,
}

impl OnAModel {
    fn new(seed: u64) -> Self {
        let heads = Heads::default();
        Self {
            disk: Arc::new(MemoryWorkspace::new(&[])),
            vouched: secrets(&heads),
            heads,
            machine: Arc::new(TestMachine::new()),
            random: Mutex::new(Rng::new(seed)),
        }
    }

    fn lost(&self) -> Arc<MemoryWorkspace> {
        Arc::new(self.disk.power_loss(&mut self.random.lock().unwrap()).lasting())
    }
}

impl store::Subject for OnAModel {
    fn open(&self) -> Arc<dyn Store> {
        file_store(self.disk.clone(), &self.vouched, &self.machine)
    }

    fn after_power_loss(&self) -> Option<Arc<dyn Store>> {
        // What was noted outside is another disk's.
        let heads = Heads::default();
        heads.0.borrow_mut().clone_from(&self.heads.0.borrow());
        Some(file_store(self.lost(), &secrets(&heads), &self.machine))
    }

    fn beginning(&self) -> (String, String) {
        (PROJECT.into(), self.vouched.signer.public())
    }
}

impl blobs::Subject for OnAModel {
    fn open(&self) -> Arc<dyn Blobs> {
        Arc::new(FileBlobs::new(self.disk.clone()))
    }

    fn tamper(&self, digest: &Digest, bytes: &[u8]) -> bool {
        self.disk.tamper(&object(digest), Some(bytes));
        true
    }

    fn after_power_loss(&self) -> Option<Arc<dyn Blobs>> {
        Some(Arc::new(FileBlobs::new(self.lost())))
    }
}

#[test]
fn a_record_in_memory_keeps_every_promise() {
    keeps(store::PROMISES, || Box::new(store::MemoryStore::new()) as Box<dyn store::Subject>);
}

#[test]
fn a_record_in_files_keeps_every_promise() {
    keeps(store::PROMISES, || Box::new(OnDisk::new()) as Box<dyn store::Subject>);
}

#[test]
fn a_record_in_files_outlives_a_power_loss() {
    let lasting: Vec<store::Promise> =
        store::PROMISES.iter().copied().filter(|(name, _)| name.contains("lasts")).collect();
    assert_eq!(lasting.len(), 1);
    for seed in 1..40 {
        keeps(&lasting, || Box::new(OnAModel::new(seed)) as Box<dyn store::Subject>);
    }
}

#[test]
fn every_fault_of_a_store_is_noticed() {
    quietly(|| {
        for fault in store::Fault::ALL {
            let broken = broken(store::PROMISES, || {
                Box::new(store::Faulty::new(fault)) as Box<dyn store::Subject>
            });
            println!("{fault:?}: {broken:?}");
            assert!(!broken.is_empty(), "{fault:?} was not noticed");
        }
    });
}

#[test]
fn blobs_in_memory_keep_every_promise() {
    keeps(blobs::PROMISES, || Box::new(blobs::MemoryBlobs::new()) as Box<dyn blobs::Subject>);
}

#[test]
fn blobs_in_files_keep_every_promise() {
    keeps(blobs::PROMISES, || Box::new(OnDisk::new()) as Box<dyn blobs::Subject>);
}

#[test]
fn blobs_in_files_outlive_a_power_loss() {
    let alone: Vec<blobs::Promise> =
        blobs::PROMISES.iter().copied().filter(|(name, _)| !name.contains("many")).collect();
    for seed in 1..20 {
        keeps(&alone, || Box::new(OnAModel::new(seed)) as Box<dyn blobs::Subject>);
    }
}

#[test]
fn every_fault_of_blobs_is_noticed() {
    quietly(|| {
        for fault in blobs::Fault::ALL {
            let broken = broken(blobs::PROMISES, || {
                Box::new(blobs::Faulty::new(fault)) as Box<dyn blobs::Subject>
            });
            println!("{fault:?}: {broken:?}");
            assert!(!broken.is_empty(), "{fault:?} was not noticed");
        }
    });
}

/// Broken promises are expected here, so that nobody has to read of each.
fn quietly(act: impl FnOnce()) {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let done: Result<(), Box<dyn Any + Send>> = catch_unwind(AssertUnwindSafe(act));
    std::panic::set_hook(hook);
    if let Err(panic) = done {
        let said = panic.downcast_ref::<String>().cloned();
        panic!("{}", said.unwrap_or_else(|| "something was not noticed".into()));
    }
}
