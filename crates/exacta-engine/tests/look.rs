//! What may be a target and what may not, with both ways of resolving a path.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may stop where it fails")]

mod rights;

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use exacta_core::model::path::RelPath;
use exacta_core::model::tree::{Tree, TreeFault, TreeFile};
use exacta_engine::workspace::{Options, Resolver, Root};
use rights::bound_by_permissions;
use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};

const RESOLVERS: [Resolver; 2] = [Resolver::Kernel, Resolver::Walk];

fn open(dir: &Path, resolver: Resolver) -> Root {
    Root::open_with(dir, Options { resolver: Some(resolver), size_limit: 1000 }).unwrap()
}

fn look(root: &Root, path: &str) -> Result<Option<TreeFile>, TreeFault> {
    root.look(&RelPath::parse(path).unwrap())
}

/// Bytes and mode of a file that must be there.
fn found(root: &Root, path: &str) -> (Vec<u8>, u32) {
    let file = look(root, path).unwrap().unwrap_or_else(|| panic!("{path} is absent"));
    (file.blob.bytes().to_vec(), file.mode.bits())
}

#[test]
fn every_kind_of_thing_at_a_path() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir_all(at("sub/deep")).unwrap();
    fs::write(at("plain"), "hello").unwrap();
    fs::write(at("empty"), "").unwrap();
    fs::write(at("sub/deep/tool"), "#!").unwrap();
    fs::set_permissions(at("sub/deep/tool"), Permissions::from_mode(0o751)).unwrap();
    fs::write(at("full"), vec![b'x'; 1000]).unwrap();
    fs::write(at("large"), vec![b'x'; 1001]).unwrap();
    fs::write(at("once"), "1").unwrap();
    fs::hard_link(at("once"), at("twice")).unwrap();
    symlink("plain", at("link")).unwrap();
    symlink("nowhere", at("dangling")).unwrap();
    symlink("sub", at("linked")).unwrap();
    symlink("/etc", at("sub/etc")).unwrap();
    symlink("loop", at("loop")).unwrap();
    mknodat(CWD, at("fifo"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let _socket = UnixListener::bind(at("socket")).unwrap();
    let symlinked = |name: &str| Err(TreeFault::Symlink(name.into()));
    let no_folder = |name: &str| Err(TreeFault::NotAFolder(name.into()));

    for resolver in RESOLVERS {
        let root = open(dir.path(), resolver);
        assert_eq!(root.resolver(), resolver);
        assert_eq!(found(&root, "plain").0, b"hello");
        assert_eq!(found(&root, "empty").0, b"");
        assert_eq!(found(&root, "sub/deep/tool"), (b"#!".to_vec(), 0o751));
        assert_eq!(found(&root, "full").0.len(), 1000);
        for (path, wanted) in [
            ("absent", Ok(None)),
            ("absent/folder/file", Ok(None)),
            ("sub/absent", Ok(None)),
            ("sub/absent/x", Ok(None)),
            ("sub", Err(TreeFault::Folder)),
            ("sub/deep", Err(TreeFault::Folder)),
            ("plain/x", no_folder("plain")),
            ("sub/deep/tool/x/y", no_folder("sub/deep/tool")),
            ("fifo/x", no_folder("fifo")),
            ("link", symlinked("link")),
            ("link/x", symlinked("link")),
            ("dangling", symlinked("dangling")),
            ("loop", symlinked("loop")),
            ("linked/deep/tool", symlinked("linked")),
            ("linked/absent", symlinked("linked")),
            ("sub/etc/passwd", symlinked("sub/etc")),
            ("fifo", Err(TreeFault::Special("FIFO"))),
            ("socket", Err(TreeFault::Special("socket"))),
            ("once", Err(TreeFault::HardLinked(2))),
            ("twice", Err(TreeFault::HardLinked(2))),
            ("large", Err(TreeFault::TooLarge { size: 1001, limit: 1000 })),
        ] {
            assert_eq!(look(&root, path), wanted, "{path} by {resolver:?}");
        }
    }
}

#[test]
fn devices_are_named_and_never_read() {
    let dir = tempfile::tempdir().unwrap();
    let mut made = Vec::new();
    for (name, kind, number) in [
        ("null", FileType::CharacterDevice, makedev(1, 3)),
        // A number without a driver: opening it fails, and it must still be named.
        ("block", FileType::BlockDevice, makedev(240, 250)),
    ] {
        if mknodat(CWD, dir.path().join(name), kind, Mode::RUSR, number).is_ok() {
            made.push(name);
        }
    }
    for resolver in RESOLVERS {
        let root = open(dir.path(), resolver);
        for name in &made {
            let kind = if *name == "null" { "character device" } else { "block device" };
            assert_eq!(look(&root, name), Err(TreeFault::Special(kind)), "{resolver:?}");
        }
        // Without the right to make devices this still shows that /dev is out of reach.
        let devices = open(Path::new("/"), resolver);
        assert_eq!(look(&devices, "dev/null"), Err(TreeFault::OtherDevice), "{resolver:?}");
    }
}

#[test]
fn a_root_that_is_a_link_is_followed_once() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    for (folder, text) in [("one", "first"), ("two", "second")] {
        fs::create_dir(at(folder)).unwrap();
        fs::write(at(folder).join("f"), text).unwrap();
    }
    symlink("one", at("project")).unwrap();
    for resolver in RESOLVERS {
        let root = open(&at("project"), resolver);
        fs::remove_file(at("project")).unwrap();
        symlink("two", at("project")).unwrap();
        assert_eq!(found(&root, "f").0, b"first");
        fs::rename(at("one"), at("moved")).unwrap();
        assert_eq!(found(&root, "f").0, b"first");
        fs::rename(at("moved"), at("one")).unwrap();
        fs::remove_file(at("project")).unwrap();
        symlink("one", at("project")).unwrap();
    }
}

#[test]
fn a_root_must_be_a_folder() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("f"), "").unwrap();
    assert!(Root::open(dir.path().join("f")).is_err());
    let message = Root::open(dir.path().join("none")).unwrap_err().to_string();
    assert!(message.contains("none"), "{message}");
}

#[test]
fn neighbours_with_odd_names_do_not_matter() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(std::ffi::OsStr::from_bytes(b"\xff\xfe")), "x").unwrap();
    fs::write(dir.path().join("f"), "text").unwrap();
    for resolver in RESOLVERS {
        assert_eq!(found(&open(dir.path(), resolver), "f").0, b"text");
    }
}

#[test]
fn an_unreadable_file_is_a_fault_not_an_absence() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("f"), "text").unwrap();
    fs::set_permissions(dir.path().join("f"), Permissions::from_mode(0o0)).unwrap();
    for resolver in RESOLVERS {
        let looked = bound_by_permissions(|| look(&open(dir.path(), resolver), "f"));
        assert!(matches!(looked, Err(TreeFault::Unreadable(_))), "{looked:?}");
    }
}

/// A writer that rewrites one file all the time: a look sees one whole version.
#[test]
fn a_file_that_changes_while_it_is_read_is_never_seen_torn() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    fs::write(&path, "").unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut version = 0_u8;
            while !stop.load(Ordering::Relaxed) {
                version = version.wrapping_add(1);
                let staged = dir.path().join("f.new");
                fs::write(&staged, vec![version; 100 + usize::from(version)]).unwrap();
                fs::rename(&staged, &path).unwrap();
                if version.is_multiple_of(16) {
                    fs::remove_file(&path).unwrap();
                    fs::write(&path, "").unwrap();
                }
            }
        });
        for resolver in RESOLVERS {
            let root = open(dir.path(), resolver);
            // The writer may be held up right after it removed the file, so what counts is
            // how often the file was seen, not how often it was looked for.
            let (mut seen, mut looks) = (0, 0);
            while seen < 2000 && looks < 50_000_000 {
                looks += 1;
                let Ok(Some(file)) = look(&root, "f") else { continue };
                let bytes = file.blob.bytes();
                assert!(bytes.windows(2).all(|pair| pair[0] == pair[1]));
                assert!(bytes.first().is_none_or(|b| bytes.len() == 100 + usize::from(*b)));
                seen += 1;
            }
            if seen < 2000 {
                stop.store(true, Ordering::Relaxed);
                panic!("seen {seen} times in {looks} looks");
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
}
