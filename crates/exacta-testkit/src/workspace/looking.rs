//! Promises about looking: what is there is named, and nothing unfit is read.

use std::thread::sleep;
use std::time::Duration;

use exacta_core::model::tree::TreeFault;
use exacta_engine::workspace::{PortError, Sight, Spot};

use super::ground::{Ground, Planted, spot};
use super::promises::{assert_absent, assert_file, assert_refused, file, stage};

/// Longer than the clock of any file system stands still.
const A_TICK: Duration = Duration::from_millis(30);

pub(super) fn names_everything(ground: &dyn Ground) {
    ground.plant("d/a", Planted::File("one\n", 0o640, Some("x")));
    ground.plant("d/b", Planted::File("", 0o755, None));
    assert_file(ground, "d/a", "one\n", 0o640);
    assert_file(ground, "d/b", "", 0o755);
    let port = ground.port();
    assert_eq!(port.read(&spot("d/a")), Ok(b"one\n".to_vec()));
    let (a, b) = (file(port, "d/a"), file(port, "d/b"));
    assert_ne!(a.inode, b.inode);
    assert_eq!(a.stamp.inode, a.inode);
    assert_eq!(a.metadata.attributes, [(b"user.note".to_vec(), b"x".to_vec())]);
    assert_eq!(b.metadata.attributes, []);
    assert!(a.metadata.owner.is_some());
    assert_eq!(ground.other().see(&spot("d/a")), Ok(Sight::File(a)));
}

pub(super) fn nothing_is_absent(ground: &dyn Ground) {
    assert_absent(ground, "a");
    assert_absent(ground, "no/such/folder");
    let (port, at) = (ground.port(), spot("no/a"));
    assert_eq!(port.read(&at), Err(PortError::Gone(at.clone())));
    assert_eq!(port.stamp(&at), Ok(None));
    assert_eq!(port.look_folder(&at), Ok(None));
    assert_eq!(port.list(&at), Ok(vec![]));
    assert!(matches!(port.inherited_from(&at), Err(PortError::Gone(_))));
}

pub(super) fn many_are_as_each(ground: &dyn Ground) {
    let mut spots = Vec::new();
    for number in 0..100 {
        let path = format!("f{number:02}");
        if number % 7 == 0 {
            ground.plant(&path, Planted::Folder);
        } else if number % 5 > 0 {
            ground.plant(&path, Planted::File(&path, 0o644, None));
        }
        spots.push(spot(&path));
    }
    let each: Vec<_> = spots.iter().map(|at| ground.port().see(at)).collect();
    assert_eq!(ground.port().see_all(&spots), each);
    assert_eq!(ground.port().see_all(&[]), []);
}

/// What each unfit thing is called; the file that a link leads to is a secret.
fn unfit(ground: &dyn Ground) -> [(&'static str, TreeFault); 4] {
    ground.plant("secret", Planted::File("hidden", 0o600, None));
    ground.plant("link", Planted::Link("secret"));
    ground.plant("dangling", Planted::Link("nowhere"));
    ground.plant("fifo", Planted::Fifo);
    ground.plant("folder", Planted::Folder);
    [
        ("link", TreeFault::Symlink("link".into())),
        ("dangling", TreeFault::Symlink("dangling".into())),
        ("fifo", TreeFault::Special("FIFO")),
        ("folder", TreeFault::Folder),
    ]
}

pub(super) fn unfit_is_refused(ground: &dyn Ground) {
    let port = ground.port();
    for (path, fault) in unfit(ground) {
        let at = spot(path);
        assert_eq!(port.see(&at), Ok(Sight::Unfit(fault.clone())), "{path}");
        assert_eq!(port.read(&at), Err(PortError::Refused { at, fault }), "{path}");
    }
    // Nor is it a folder.
    for path in ["link", "dangling", "fifo", "secret"] {
        assert_eq!(port.look_folder(&spot(path)), Ok(None), "{path}");
        assert_refused(&port.list(&spot(path)));
    }
}

pub(super) fn no_link_on_the_way(ground: &dyn Ground) {
    let port = ground.port();
    ground.plant("real/a", Planted::File("hidden", 0o644, None));
    ground.plant("way", Planted::Link("real"));
    let linked = TreeFault::Symlink("way".into());
    assert_eq!(port.see(&spot("way/a")), Ok(Sight::Unfit(linked)));
    assert_refused(&port.read(&spot("way/a")));
    assert_refused(&port.stamp(&spot("way/a")));
    assert_refused(&port.list(&spot("way")));
    assert_refused(&port.inherited_from(&spot("way")));
    assert_eq!(port.look_folder(&spot("way")), Ok(None));
    ground.plant("file", Planted::File("", 0o644, None));
    let below = TreeFault::NotAFolder("file".into());
    assert_eq!(port.see(&spot("file/a")), Ok(Sight::Unfit(below)));
}

pub(super) fn hard_links_are_refused(ground: &dyn Ground) {
    ground.plant("a", Planted::File("both", 0o644, None));
    assert_file(ground, "a", "both", 0o644);
    ground.plant("b", Planted::HardLink("a"));
    let port = ground.port();
    for path in ["a", "b"] {
        let fault = TreeFault::HardLinked(2);
        assert_eq!(port.see(&spot(path)), Ok(Sight::Unfit(fault)), "{path}");
        assert_refused(&port.read(&spot(path)));
        assert_refused(&port.append(&spot(path), b"more"));
    }
    // A name can be taken away, and then the other is a plain file again.
    assert_eq!(port.remove(&spot("b")), Ok(()));
    assert_file(ground, "a", "both", 0o644);
}

pub(super) fn other_file_systems_are_refused(ground: &dyn Ground) {
    if !ground.plant("mount", Planted::Mount) {
        return;
    }
    let port = ground.port();
    for path in ["mount", "mount/a"] {
        assert_eq!(port.see(&spot(path)), Ok(Sight::Unfit(TreeFault::OtherDevice)), "{path}");
        assert_refused(&port.read(&spot(path)));
    }
    assert_refused(&port.list(&spot("mount")));
    assert_eq!(port.look_folder(&spot("mount")), Ok(None));
}

pub(super) fn folders_are_known(ground: &dyn Ground) {
    ground.plant("empty", Planted::Folder);
    ground.plant("full/a", Planted::File("", 0o644, None));
    let port = ground.port();
    let look = |path: &str| port.look_folder(&spot(path)).unwrap().unwrap();
    assert!(look("empty").empty);
    assert!(!look("full").empty);
    assert_ne!(look("empty").inode, look("full").inode);
    assert!(port.look_folder(&Spot::root()).unwrap().is_some());
    port.place(&spot("empty"), &spot("moved")).unwrap();
    port.place(&spot("full/a"), &spot("a")).unwrap();
    assert!(look("moved").empty && look("full").empty);
}

pub(super) fn names_are_sorted(ground: &dyn Ground) {
    for name in ["c", "a", "b/x", "ä", "B"] {
        ground.plant(name, Planted::File("", 0o644, None));
    }
    let port = ground.port();
    assert_eq!(port.list(&Spot::root()).unwrap(), ["B", "a", "b", "c", "ä"]);
    assert_eq!(port.list(&spot("b")).unwrap(), ["x"]);
}

pub(super) fn stamps_follow_bytes(ground: &dyn Ground) {
    let (port, at) = (ground.port(), spot("a"));
    let seen = stage(port, "a", "one\n");
    let first = port.stamp(&at).unwrap().unwrap();
    assert_eq!((first, first.size), (seen.stamp, 4));
    assert_eq!(port.stamp(&at), Ok(Some(first)));
    sleep(A_TICK);
    port.append(&at, b"two\n").unwrap();
    let longer = port.stamp(&at).unwrap().unwrap();
    assert!(!longer.has_bytes_of(&first));
    // Another file of the same size is not the same.
    stage(port, "b", "one\ntwo\n");
    assert!(!port.stamp(&spot("b")).unwrap().unwrap().has_bytes_of(&longer));
    sleep(A_TICK);
    port.swap(&at, &spot("b")).unwrap();
    assert!(port.stamp(&spot("b")).unwrap().unwrap().has_bytes_of(&longer));
}

pub(super) fn room_is_named(ground: &dyn Ground) {
    let space = ground.port().space().unwrap();
    assert!(space.bytes > 0);
    assert_ne!(space.files, Some(0));
}
