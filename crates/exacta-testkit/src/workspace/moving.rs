//! Promises about moving and removing: names change, bytes do not.

use exacta_engine::workspace::{PortError, Scope, Sight, Spot};

use super::ground::{Ground, Planted, spot};
use super::promises::{assert_absent, assert_file, assert_refused, file, stage};

pub(super) fn swap_exchanges(ground: &dyn Ground) {
    ground.plant("d/a", Planted::File("one", 0o755, Some("x")));
    ground.plant("e/b", Planted::File("two", 0o600, None));
    let port = ground.port();
    let (a, b) = (file(port, "d/a"), file(port, "e/b"));
    port.swap(&spot("d/a"), &spot("e/b")).unwrap();
    assert_file(ground, "d/a", "two", 0o600);
    assert_file(ground, "e/b", "one", 0o755);
    let (now_a, now_b) = (file(port, "d/a"), file(port, "e/b"));
    assert_eq!((now_a.inode, now_b.inode), (b.inode, a.inode));
    assert_eq!((now_a.metadata, now_b.metadata), (b.metadata, a.metadata));
    port.swap(&spot("d/a"), &spot("e/b")).unwrap();
    assert_file(ground, "d/a", "one", 0o755);
}

pub(super) fn swap_needs_both(ground: &dyn Ground) {
    ground.plant("a", Planted::File("one", 0o644, None));
    let port = ground.port();
    for (one, other) in [("a", "b"), ("b", "a"), ("b", "c"), ("a", "no/b")] {
        let swapped = port.swap(&spot(one), &spot(other));
        assert!(matches!(swapped, Err(PortError::Gone(_))), "{one} {other}: {swapped:?}");
    }
    assert_file(ground, "a", "one", 0o644);
    assert_absent(ground, "b");
    assert_eq!(port.list(&Spot::root()), Ok(vec!["a".into()]));
}

pub(super) fn place_never_replaces(ground: &dyn Ground) {
    ground.plant("a", Planted::File("one", 0o750, Some("x")));
    ground.plant("d/taken", Planted::File("two", 0o644, None));
    ground.plant("d/link", Planted::Link("d/taken"));
    let port = ground.port();
    let a = file(port, "a");
    for to in ["d/taken", "d/link", "d"] {
        assert_eq!(port.place(&spot("a"), &spot(to)), Err(PortError::Taken(spot(to))));
    }
    assert_file(ground, "d/taken", "two", 0o644);
    assert_file(ground, "a", "one", 0o750);
    port.place(&spot("a"), &spot("d/b")).unwrap();
    assert_absent(ground, "a");
    assert_file(ground, "d/b", "one", 0o750);
    let moved = file(port, "d/b");
    assert_eq!((moved.inode, moved.metadata), (a.inode, a.metadata));
    assert_eq!(port.place(&spot("a"), &spot("c")), Err(PortError::Gone(spot("a"))));
    let nowhere = port.place(&spot("d/b"), &spot("no/b"));
    assert_eq!(nowhere, Err(PortError::Gone(spot("no"))));
    assert_file(ground, "d/b", "one", 0o750);
}

pub(super) fn place_moves_folders(ground: &dyn Ground) {
    ground.plant("d/e/f", Planted::File("deep", 0o644, None));
    let port = ground.port();
    stage(port, "d/e/g", "staged");
    port.place(&spot("d"), &spot("moved")).unwrap();
    assert_absent(ground, "d/e/f");
    assert_file(ground, "moved/e/f", "deep", 0o644);
    assert_file(ground, "moved/e/g", "staged", 0o644);
    // What is made at the old path is made there, not in the folder that left it.
    ground.plant("d/e", Planted::Folder);
    stage(port, "d/e/h", "new");
    assert_absent(ground, "moved/e/h");
    assert_file(ground, "d/e/h", "new", 0o644);
}

pub(super) fn remove_takes_one(ground: &dyn Ground) {
    let port = ground.port();
    ground.plant("a", Planted::File("one", 0o444, None));
    ground.plant("b", Planted::File("two", 0o644, None));
    ground.plant("link", Planted::Link("b"));
    ground.plant("d/c", Planted::File("three", 0o644, None));
    for path in ["a", "a", "link", "no/a"] {
        assert_eq!(port.remove(&spot(path)), Ok(()), "{path}");
    }
    assert_absent(ground, "a");
    assert_eq!(port.see(&spot("link")), Ok(Sight::Absent));
    assert!(port.remove(&spot("d")).is_err());
    assert_file(ground, "b", "two", 0o644);
    assert_file(ground, "d/c", "three", 0o644);
}

pub(super) fn full_folders_stay(ground: &dyn Ground) {
    let port = ground.port();
    ground.plant("d/c", Planted::File("three", 0o644, None));
    ground.plant("file", Planted::File("", 0o644, None));
    assert!(port.remove_folder(&spot("d")).is_err());
    assert!(port.remove_folder(&spot("file")).is_err());
    assert_file(ground, "d/c", "three", 0o644);
    assert_file(ground, "file", "", 0o644);
    port.remove(&spot("d/c")).unwrap();
    for path in ["d", "d", "no/d"] {
        assert_eq!(port.remove_folder(&spot(path)), Ok(()), "{path}");
    }
    assert_eq!(port.look_folder(&spot("d")), Ok(None));
}

pub(super) fn no_move_through_a_link(ground: &dyn Ground) {
    let port = ground.port();
    ground.plant("real/a", Planted::File("theirs", 0o644, None));
    ground.plant("way", Planted::Link("real"));
    ground.plant("b", Planted::File("ours", 0o644, None));
    assert_refused(&port.swap(&spot("b"), &spot("way/a")));
    assert_refused(&port.place(&spot("b"), &spot("way/b")));
    assert_refused(&port.place(&spot("way/a"), &spot("c")));
    assert_refused(&port.remove(&spot("way/a")));
    assert_refused(&port.remove_folder(&spot("way/a")));
    assert_file(ground, "real/a", "theirs", 0o644);
    assert_file(ground, "b", "ours", 0o644);
}

pub(super) fn barriers_return(ground: &dyn Ground) {
    let port = ground.port();
    ground.plant("d/a", Planted::File("one", 0o644, None));
    assert_eq!(port.barrier(&Scope::default()), Ok(()));
    // What is gone has nothing left to make durable but its folder.
    let files = vec![spot("d/a"), spot("gone"), spot("no/a")];
    let folders = vec![spot("d"), Spot::root(), spot("gone")];
    assert_eq!(port.barrier(&Scope { files, folders }), Ok(()));
    assert_file(ground, "d/a", "one", 0o644);
}
