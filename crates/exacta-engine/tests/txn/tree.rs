//! A folder of files as a value, so that two states of a project can be compared.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

pub(crate) use exacta_testkit::workspace::FileSpec as Spec;
use rustix::fs::XattrFlags;

/// One file or folder, with everything a run must not lose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The bytes; `None` for a folder, the target for a link.
    pub(crate) bytes: Option<Vec<u8>>,
    pub(crate) mode: u32,
    pub(crate) owner: (u32, u32),
    pub(crate) attributes: BTreeMap<Vec<u8>, Vec<u8>>,
}

pub(crate) type Snapshot = BTreeMap<String, Entry>;

/// Everything below `dir` except the gate's own folder.
pub(crate) fn snapshot(dir: &Path) -> Snapshot {
    let mut found = Snapshot::new();
    visit(dir, dir, &mut found);
    found
}

fn visit(root: &Path, dir: &Path, found: &mut Snapshot) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
        if name == ".exacta" {
            continue;
        }
        let data = fs::symlink_metadata(&path).unwrap();
        let bytes = if data.is_symlink() {
            Some(fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec())
        } else if data.is_file() {
            Some(fs::read(&path).unwrap())
        } else {
            None
        };
        let attributes = attributes(&path);
        let (mode, owner) = (data.mode(), (data.uid(), data.gid()));
        found.insert(name, Entry { bytes, mode, owner, attributes });
        if data.is_dir() {
            visit(root, &path, found);
        }
    }
}

fn attributes(path: &Path) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut list = vec![0_u8; 4096];
    let Ok(size) = rustix::fs::llistxattr(path, &mut list[..]) else { return BTreeMap::new() };
    list.truncate(size);
    let names = list.split(|b| *b == 0).filter(|name| !name.is_empty());
    names
        .map(|name| {
            let mut value = vec![0_u8; 4096];
            let size = rustix::fs::lgetxattr(path, name, &mut value[..]).unwrap();
            value.truncate(size);
            (name.to_vec(), value)
        })
        .collect()
}

/// Writes files below `dir`, with the folders they need.
pub(crate) fn build(dir: &Path, files: &[Spec]) {
    for file in files {
        let path = dir.join(&file.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &file.bytes).unwrap();
        if let Some(value) = file.attribute {
            let flags = XattrFlags::empty();
            rustix::fs::setxattr(&path, "user.note", value.as_bytes(), flags).unwrap();
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(file.mode)).unwrap();
    }
}

/// A scratch folder in memory where there is one: kills need no disk.
pub(crate) fn scratch() -> tempfile::TempDir {
    let memory = PathBuf::from("/dev/shm");
    let usable = memory.is_dir() && tempfile::tempdir_in(&memory).is_ok_and(|dir| can_tag(&dir));
    if usable { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}

/// Older kernels keep no user attributes in memory file systems.
fn can_tag(dir: &tempfile::TempDir) -> bool {
    let path = dir.path().join("probe");
    fs::write(&path, "").is_ok()
        && rustix::fs::setxattr(&path, "user.note", b"x", XattrFlags::empty()).is_ok()
}
