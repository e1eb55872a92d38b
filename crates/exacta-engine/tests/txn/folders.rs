//! Folders that stay open between operations: whatever happens to them, no operation
//! acts on what it was not meant for; and looking at many files at once.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use exacta_core::model::change::FileMode;
use exacta_core::model::path::RelPath;
use exacta_engine::workspace::{
    Metadata, Options, PortError, Root, Scope, Sight, Spot, Workspace as _,
};

use crate::tree::scratch;

fn spot(path: &str) -> Spot {
    Spot::target(&RelPath::parse(path).unwrap())
}

/// A folder with two files of these texts.
fn pair(at: &std::path::Path, one: &str, other: &str) {
    fs::create_dir(at).unwrap();
    fs::write(at.join("x"), one).unwrap();
    fs::write(at.join("y"), other).unwrap();
}

fn text(at: &std::path::Path) -> String {
    fs::read_to_string(at).unwrap()
}

#[test]
fn a_folder_that_moved_is_not_acted_in_by_its_old_name() {
    let dir = scratch();
    let root = Root::open(dir.path()).unwrap();
    pair(&dir.path().join("d"), "1", "2");
    root.swap(&spot("d/x"), &spot("d/y")).unwrap();
    root.place(&spot("d"), &spot("e")).unwrap();
    let gone = root.swap(&spot("d/x"), &spot("d/y"));
    assert!(matches!(gone, Err(PortError::Gone(_))), "{gone:?}");
    root.swap(&spot("e/x"), &spot("e/y")).unwrap();
    assert_eq!(text(&dir.path().join("e/x")), "1");
    fs::create_dir(dir.path().join("above")).unwrap();
    root.place(&spot("e"), &spot("above/e")).unwrap();
    root.swap(&spot("above/e/x"), &spot("above/e/y")).unwrap();
    root.place(&spot("above"), &spot("over")).unwrap();
    let gone = root.remove(&spot("above/e/x"));
    assert_eq!(gone, Ok(()));
    assert_eq!(text(&dir.path().join("over/e/x")), "2");
}

#[test]
fn a_folder_that_was_deleted_and_made_again_is_found() {
    let dir = scratch();
    let root = Root::open(dir.path()).unwrap();
    let d = dir.path().join("d");
    for (one, other) in [("1", "2"), ("3", "4"), ("5", "6")] {
        pair(&d, one, other);
        root.swap(&spot("d/x"), &spot("d/y")).unwrap();
        assert_eq!((text(&d.join("x")).as_str(), text(&d.join("y")).as_str()), (other, one));
        fs::remove_dir_all(&d).unwrap();
        assert_eq!(root.stamp(&spot("d/x")), Ok(None));
        pair(&d, one, other);
        assert!(root.stamp(&spot("d/x")).unwrap().is_some());
        root.remove(&spot("d/x")).unwrap();
        assert!(!d.join("x").exists());
        fs::remove_dir_all(&d).unwrap();
    }
}

#[test]
fn a_link_in_the_place_of_an_open_folder_is_never_followed() {
    let (dir, outside) = (scratch(), scratch());
    let root = Root::open(dir.path()).unwrap();
    let (d, moved) = (dir.path().join("d"), dir.path().join("moved"));
    pair(&d, "1", "2");
    pair(&outside.path().join("d"), "canary", "bird");
    root.swap(&spot("d/x"), &spot("d/y")).unwrap();
    fs::rename(&d, &moved).unwrap();
    symlink(outside.path().join("d"), &d).unwrap();
    // Through the handle that is still open, or not at all.
    let swapped = root.swap(&spot("d/x"), &spot("d/y"));
    let both = (text(&moved.join("x")), text(&moved.join("y")));
    match swapped {
        Ok(()) => assert_eq!(both, ("1".into(), "2".into())),
        Err(_) => assert_eq!(both, ("2".into(), "1".into())),
    }
    // A barrier, and time, make it look again.
    root.barrier(&Scope::default()).unwrap();
    for _ in 0..2 {
        let refused = root.swap(&spot("d/x"), &spot("d/y"));
        assert!(matches!(refused, Err(PortError::Refused { .. })), "{refused:?}");
        fs::remove_file(&d).unwrap();
        fs::rename(&moved, &d).unwrap();
        root.swap(&spot("d/x"), &spot("d/y")).unwrap();
        fs::rename(&d, &moved).unwrap();
        symlink(outside.path().join("d"), &d).unwrap();
        std::thread::sleep(Duration::from_millis(120));
    }
    assert_eq!(text(&outside.path().join("d/x")), "canary");
    assert_eq!(text(&outside.path().join("d/y")), "bird");
}

#[test]
fn many_looks_say_what_single_looks_say() {
    let dir = scratch();
    let root = Root::open(dir.path()).unwrap();
    let mut spots = Vec::new();
    for number in 0..300 {
        let name = format!("f{number}");
        let path = dir.path().join(&name);
        match number % 5 {
            0 => {}
            1 => symlink("f2", path).unwrap(),
            2 => fs::create_dir(path).unwrap(),
            _ => fs::write(path, format!("text {number}")).unwrap(),
        }
        spots.push(spot(&name));
    }
    let singly: Vec<_> = spots.iter().map(|at| root.see(at)).collect();
    assert_eq!(root.see_all(&spots), singly);
    let files = singly.iter().filter(|sight| matches!(sight, Ok(Sight::File(_)))).count();
    assert_eq!(files, 120);
}

#[test]
fn looking_leaves_the_time_of_access_alone() {
    let dir = scratch();
    let root = Root::open(dir.path()).unwrap();
    let path = dir.path().join("f");
    fs::write(&path, "text").unwrap();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_times(fs::FileTimes::new().set_accessed(long_ago)).unwrap();
    assert!(matches!(root.see(&spot("f")), Ok(Sight::File(_))));
    assert_eq!(root.read(&spot("f")).unwrap(), b"text");
    assert_eq!(fs::metadata(&path).unwrap().accessed().unwrap(), long_ago);
}

#[test]
fn the_largest_file_is_written_and_no_larger_one() {
    let dir = scratch();
    let options = Options { size_limit: 10, ..Options::default() };
    let root = Root::open_with(dir.path(), options).unwrap();
    let stage = |name: &str, size: usize| {
        root.stage(&spot(name), &vec![b'x'; size], FileMode::REGULAR, &Metadata::default())
    };
    assert!(stage("a", 10).is_ok());
    assert!(matches!(stage("b", 11), Err(PortError::Refused { .. })));
    assert!(!dir.path().join("b").exists());
}
