//! Promises about making files and folders.

use exacta_core::model::change::FileMode;
use exacta_engine::workspace::{Metadata, PortError, Spot};

use super::ground::{Ground, Planted, spot};
use super::promises::{assert_absent, assert_file, assert_refused, file, stage};

fn noted(text: &str) -> Metadata {
    Metadata { owner: None, attributes: vec![(b"user.note".to_vec(), text.into())] }
}

pub(super) fn staged_exactly(ground: &dyn Ground) {
    let port = ground.port();
    ground.plant("original", Planted::File("old", 0o640, Some("mine")));
    let original = file(port, "original");
    for mode in [0o644, 0o755, 0o600, 0o4755, 0o777, 0o444] {
        let (path, text) = (format!("m{mode:o}"), "new\r\n\0bytes".repeat(1000));
        let metadata = &original.metadata;
        let wanted = FileMode::from_raw(mode);
        let inode = port.stage(&spot(&path), text.as_bytes(), wanted, metadata).unwrap();
        assert_file(ground, &path, &text, mode);
        let seen = file(port, &path);
        assert_eq!((seen.inode, &seen.metadata), (inode, metadata), "{path}");
    }
    // Without an owner it is ours, and it has the attributes that it was given.
    port.stage(&spot("ours"), b"", FileMode::REGULAR, &noted("x")).unwrap();
    assert_eq!(file(port, "ours").metadata.attributes, noted("x").attributes);
}

pub(super) fn staging_never_replaces(ground: &dyn Ground) {
    let port = ground.port();
    ground.plant("file", Planted::File("theirs", 0o644, None));
    ground.plant("secret", Planted::File("theirs", 0o644, None));
    ground.plant("link", Planted::Link("secret"));
    ground.plant("dangling", Planted::Link("nowhere"));
    ground.plant("folder", Planted::Folder);
    for path in ["file", "link", "dangling", "folder"] {
        let (at, none) = (spot(path), Metadata::default());
        let staged = port.stage(&at, b"ours", FileMode::REGULAR, &none);
        assert_eq!(staged, Err(PortError::Taken(at.clone())));
        assert_eq!(port.stage_folder(&at, &none), Err(PortError::Taken(at)));
    }
    assert_file(ground, "file", "theirs", 0o644);
    assert_file(ground, "secret", "theirs", 0o644);
    assert_absent(ground, "nowhere");
}

pub(super) fn staging_needs_its_folder(ground: &dyn Ground) {
    let (port, none) = (ground.port(), Metadata::default());
    let stage = |path: &str| port.stage(&spot(path), b"", FileMode::REGULAR, &none);
    assert_eq!(stage("no/a"), Err(PortError::Gone(spot("no"))));
    assert_eq!(port.stage_folder(&spot("no/a"), &none), Err(PortError::Gone(spot("no"))));
    ground.plant("real", Planted::Folder);
    ground.plant("way", Planted::Link("real"));
    ground.plant("file", Planted::File("", 0o644, None));
    for folder in ["way", "file"] {
        let at = format!("{folder}/a");
        assert_refused(&stage(&at));
        assert_refused(&port.stage_folder(&spot(&at), &none));
        assert_refused(&port.make_private(&spot(&at)));
        assert_refused(&port.append(&spot(&at), b"x"));
    }
    assert_eq!(port.list(&spot("real")), Ok(vec![]));
}

pub(super) fn folders_hand_down(ground: &dyn Ground) {
    let port = ground.port();
    let inode = port.stage_folder(&spot("plain"), &Metadata::default()).unwrap();
    let seen = port.look_folder(&spot("plain")).unwrap().unwrap();
    assert_eq!((seen.inode, seen.empty), (inode, true));
    assert_eq!(port.inherited_from(&spot("plain")), Ok(Metadata::default()));
    // A folder with a group of its own hands it down.
    let owner = stage(port, "plain/a", "x").metadata.owner;
    let shared = Metadata { owner, attributes: Vec::new() };
    port.stage_folder(&spot("shared"), &shared).unwrap();
    assert_eq!(port.inherited_from(&spot("shared")), Ok(shared));
}

pub(super) fn private_folders(ground: &dyn Ground) {
    let port = ground.port();
    assert_eq!(port.make_private(&Spot::state()), Ok(()));
    assert_eq!(port.make_private(&spot("p")), Ok(()));
    stage(port, "p/a", "kept");
    let inode = port.look_folder(&spot("p")).unwrap().unwrap().inode;
    assert_eq!(port.make_private(&spot("p")), Ok(()));
    assert_eq!(port.look_folder(&spot("p")).unwrap().unwrap().inode, inode);
    assert_file(ground, "p/a", "kept", 0o644);
    assert_refused(&port.make_private(&spot("p/a")));
    ground.plant("way", Planted::Link("p"));
    assert_refused(&port.make_private(&spot("way")));
    assert_eq!(port.make_private(&spot("no/p")), Err(PortError::Gone(spot("no"))));
}

pub(super) fn appending_adds(ground: &dyn Ground) {
    let (port, at) = (ground.port(), spot("log"));
    port.append(&at, b"one\n").unwrap();
    assert_file(ground, "log", "one\n", 0o600);
    let inode = file(port, "log").inode;
    ground.other().append(&at, b"two\n").unwrap();
    port.append(&at, b"").unwrap();
    port.append(&at, b"3").unwrap();
    assert_file(ground, "log", "one\ntwo\n3", 0o600);
    assert_eq!(file(port, "log").inode, inode);
}

pub(super) fn appending_reaches_no_other(ground: &dyn Ground) {
    let port = ground.port();
    ground.plant("secret", Planted::File("theirs", 0o644, None));
    ground.plant("link", Planted::Link("secret"));
    ground.plant("dangling", Planted::Link("nowhere"));
    ground.plant("fifo", Planted::Fifo);
    ground.plant("folder", Planted::Folder);
    for path in ["link", "dangling", "fifo", "folder"] {
        assert!(port.append(&spot(path), b"ours").is_err(), "{path}");
    }
    assert_file(ground, "secret", "theirs", 0o644);
    assert_absent(ground, "nowhere");
}
