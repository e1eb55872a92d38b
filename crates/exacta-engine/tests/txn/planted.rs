//! Planted faults: a port that drops a sync, lies about a hash or moves in the wrong way
//! must not get through the checks that the suites make.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use exacta_engine::run::{Quiet, StageError};
use exacta_engine::workspace::{PortError, Root, Space, Workspace};
use exacta_testkit::{MemoryWorkspace, Rng, Shared};

use crate::faulty::{FAULTS, Fault, Faulty};
use crate::power::{ACTS, Film, start, wrong};
use crate::project::{apply, engine, expected, laid_out, perform, run_id, undo};
use crate::shapes::{Shape, shapes};
use crate::tap::{Op, Tap, Tapped};
use crate::tree::{build, scratch, snapshot};

fn picked(names: &[&str]) -> Vec<Shape> {
    shapes().into_iter().filter(|shape| names.contains(&shape.name)).collect()
}

/// There and back on a real file system, compared in every byte, mode and attribute.
fn there_and_back(fault: Fault) {
    let names = [
        "modify one",
        "modes only",
        "attributes and odd modes",
        "nested new folders",
        "mixed three",
    ];
    for shape in picked(&names) {
        let (dir, root) = laid_out(&shape.before);
        let (before, after) = expected(&shape);
        let (changes, images) = shape.changes();
        let _ = apply(&Faulty::new(&root, fault), "r1", &changes, &images);
        assert_eq!(snapshot(dir.path()), after);
        let _ = undo(&Faulty::new(&root, fault), "r1", "r2").unwrap();
        assert_eq!(snapshot(dir.path()), before);
    }
}

/// Killed or without power at every operation of the port behind the fault.
fn interrupted(fault: Fault) {
    let mut random = Rng::new(31337);
    for shape in picked(&["mixed three", "nested new folders", "ten files"]) {
        for act in ACTS {
            let model = start(act, &shape);
            let before = model.clone();
            let film = Tapped::new(&model, Film::of(&model));
            perform(&Faulty::new(&film, fault), act, &shape);
            for frame in film.tap.frames.take() {
                let killed = frame.clone();
                assert_eq!(wrong(&killed, &[&before, &model]), None, "killed");
                for _ in 0..16 {
                    let lost = frame.power_loss(&mut random);
                    assert_eq!(wrong(&lost, &[&before, &model]), None, "power loss");
                }
            }
            for _ in 0..60 {
                assert_eq!(wrong(&model.power_loss(&mut random), &[&model]), None, "acknowledged");
            }
        }
    }
}

/// Recovery itself through the faulty port.
fn recovered_by(fault: Fault) {
    for shape in picked(&["mixed three", "nested new folders"]) {
        let (before, after) = expected(&shape);
        let (changes, images) = shape.changes();
        let (dir, root) = laid_out(&shape.before);
        let honest = engine(&root);
        let staged = honest.stage(&run_id("r1"), &changes, &images, &Quiet).unwrap();
        drop(staged.commit(&Quiet).unwrap());
        assert_eq!(snapshot(dir.path()), after);
        let port = Faulty::new(&root, fault);
        let _ = engine(&port).recover().unwrap();
        assert_eq!(snapshot(dir.path()), before);
        assert!(honest.unsettled().unwrap().is_empty());
    }
}

/// Does something at the n-th barrier.
struct At<F: Fn()> {
    barrier: u32,
    act: F,
    count: Shared<u32>,
}

impl<F: Fn() + Send + Sync> Tap for At<F> {
    fn before(&self, op: Op<'_>) -> Result<(), PortError> {
        if op.name == "barrier" && self.count.replace(self.count.get() + 1) == self.barrier {
            (self.act)();
        }
        Ok(())
    }
}

/// A user at work during the run; what they made must be there afterwards.
fn beside_a_user(fault: Fault) {
    type Deed = (&'static str, fn(&Path));
    let deeds: [Deed; 3] = [
        ("m", |dir| fs::write(dir.join("m"), "mine").unwrap()),
        ("c", |dir| fs::write(dir.join("c"), "mine").unwrap()),
        ("m", |dir| fs::set_permissions(dir.join("m"), Permissions::from_mode(0o600)).unwrap()),
    ];
    let shape = &picked(&["mixed three"])[0];
    let (changes, images) = shape.changes();
    for (name, deed) in deeds {
        let (dir, root) = laid_out(&shape.before);
        let made = Shared::new(None);
        let act = || {
            deed(dir.path());
            made.replace(snapshot(dir.path()).remove(name));
        };
        let tapped = Tapped::new(&root, At { barrier: 0, act, count: Shared::new(0) });
        let port = Faulty::new(&tapped, fault);
        let engine = engine(&port);
        let staged = engine.stage(&run_id("r1"), &changes, &images, &Quiet).unwrap();
        let ended = staged.commit(&Quiet).map(|committed| committed.seal().unwrap());
        assert_eq!(snapshot(dir.path()).remove(name), made.take(), "the user's {name} is lost");
        assert!(ended.is_err());
    }
}

/// A user who puts a file, or a folder of their own, where the run made a folder.
fn beside_a_users_folder(fault: Fault) {
    let shape = &picked(&["nested new folders"])[0];
    let (changes, images) = shape.changes();
    for own_folder in [false, true] {
        let (dir, root) = laid_out(&shape.before);
        let port = Faulty::new(&root, fault);
        let engine = engine(&port);
        let staged = engine.stage(&run_id("r1"), &changes, &images, &Quiet).unwrap();
        let committed = staged.commit(&Quiet).unwrap();
        let folder = dir.path().join("n/e/s");
        if own_folder {
            fs::remove_dir_all(&folder).unwrap();
            fs::create_dir(&folder).unwrap();
        } else {
            fs::write(folder.join("mine"), "mine").unwrap();
        }
        let _ = committed.roll_back();
        assert!(folder.is_dir(), "the user's folder is gone");
        assert!(own_folder || folder.join("mine").is_file(), "the user's file is gone");
    }
}

/// A second process, a full disk, a folder with its own group.
fn among_others(fault: Fault) {
    let shape = &picked(&["modify one"])[0];
    let (changes, images) = shape.changes();
    let stage =
        |port: &dyn Workspace| engine(port).stage(&run_id("r1"), &changes, &images, &Quiet).err();
    let dir = scratch();
    build(dir.path(), &shape.before);
    let (one, two) = (Root::open(dir.path()).unwrap(), Root::open(dir.path()).unwrap());
    let held = one.lock().unwrap();
    let refused = stage(&Faulty::new(&two, fault));
    assert_eq!(refused, Some(StageError::Port(PortError::Locked)));
    drop(held);
    let model = MemoryWorkspace::new(&shape.before);
    model.set_space(Space { bytes: 10, files: None, largest: None });
    let refused = stage(&Faulty::new(&model, fault));
    assert!(matches!(refused, Some(StageError::NoSpace { .. })));
    if rustix::process::geteuid().is_root() {
        let shape = &picked(&["create one"])[0];
        let (changes, images) = shape.changes();
        let dir = scratch();
        std::os::unix::fs::chown(dir.path(), None, Some(77)).unwrap();
        fs::set_permissions(dir.path(), Permissions::from_mode(0o2755)).unwrap();
        let root = Root::open(dir.path()).unwrap();
        let _ = apply(&Faulty::new(&root, fault), "r1", &changes, &images);
        assert_eq!(snapshot(dir.path())["a"].owner.1, 77);
    }
}

type Check = (&'static str, fn(Fault));

const CHECKS: [Check; 6] = [
    ("there and back", there_and_back),
    ("recovered by", recovered_by),
    ("beside a user's folder", beside_a_users_folder),
    ("among others", among_others),
    ("interrupted", interrupted),
    ("beside a user", beside_a_user),
];

#[test]
fn an_honest_port_passes_every_check() {
    for (_, check) in CHECKS {
        check(Fault::None);
    }
}

#[test]
fn every_planted_fault_is_caught() {
    // The panics are what we want to see; their words are not.
    std::panic::set_hook(Box::new(|_| {}));
    let mut missed = Vec::new();
    for fault in FAULTS {
        let caught = CHECKS
            .into_iter()
            .find(|(_, check)| catch_unwind(AssertUnwindSafe(|| check(fault))).is_err());
        match caught {
            Some((name, _)) => println!("{fault:?}: caught by `{name}`"),
            None => missed.push(fault),
        }
    }
    let _ = std::panic::take_hook();
    println!("planted faults: {} of {} caught", FAULTS.len() - missed.len(), FAULTS.len());
    assert_eq!(missed, []);
}
