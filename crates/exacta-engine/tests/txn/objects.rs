//! Blobs: stored once, private, and never trusted by their name alone.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;

use exacta_core::model::digest::Blob;
use exacta_engine::blobs::FileBlobs;
use exacta_engine::run::{ImageError, Images};
use exacta_engine::workspace::{PortError, Root, Workspace as _};
use exacta_testkit::Shared;

use crate::tap::{Op, Tap, Tapped};
use crate::tree::scratch;

fn blob(text: &str) -> Blob {
    Blob::new(text.as_bytes().to_vec())
}

#[test]
fn a_blob_is_stored_once_in_private_and_read_back() {
    struct Count(Shared<u32>);
    impl Tap for Count {
        fn before(&self, op: Op<'_>) -> Result<(), PortError> {
            self.0.set(self.0.get() + u32::from(op.name == "barrier"));
            Ok(())
        }
    }
    let dir = scratch();
    let root = Root::open(dir.path()).unwrap();
    let port = Tapped::new(&root, Count(0.into()));
    let objects = FileBlobs::new(&port);
    let blobs = [blob("one"), blob("two"), blob("one"), blob("")];
    objects.put(&blobs).unwrap();
    assert_eq!(port.tap.0.get(), 1, "one barrier for all");
    objects.put(&blobs).unwrap();
    assert_eq!(port.tap.0.get(), 1, "nothing new, no barrier");
    // Another process cannot know whether the first one came to its barrier.
    FileBlobs::new(&port).put(&blobs).unwrap();
    assert_eq!(port.tap.0.get(), 2);
    for blob in &blobs {
        assert_eq!(objects.image(&blob.digest()).unwrap(), *blob);
        let at = objects.lies_at(&blob.digest()).unwrap();
        assert_eq!(root.stamp(&at).unwrap().unwrap().size, blob.bytes().len() as u64);
    }
    let absent = blob("absent").digest();
    assert_eq!(objects.image(&absent).unwrap_err(), ImageError::Missing(absent));
    let mut files = 0;
    let mut folders = vec![dir.path().join(".exacta")];
    while let Some(folder) = folders.pop() {
        assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o777, 0o700, "{folder:?}");
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files += 1;
                assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600, "{path:?}");
            }
        }
    }
    assert_eq!(files, 3);
}

#[test]
fn a_forged_blob_is_noticed_and_replaced() {
    let dir = scratch();
    let root = Root::open(dir.path()).unwrap();
    let objects = FileBlobs::new(&root);
    let one = blob("one");
    objects.put(std::slice::from_ref(&one)).unwrap();
    let text = one.digest().to_string();
    let (bucket, name) = text.split_at(2);
    let path = dir.path().join(".exacta/objects").join(bucket).join(name);
    fs::write(&path, "forged").unwrap();
    let digest = one.digest();
    assert_eq!(objects.image(&digest).unwrap_err(), ImageError::Changed(digest));
    objects.put(std::slice::from_ref(&one)).unwrap();
    assert_eq!(objects.image(&digest).unwrap(), one);
}

#[test]
fn gc_keeps_what_is_named_and_leaves_what_is_not_ours() {
    let dir = scratch();
    let root = Root::open(dir.path()).unwrap();
    let objects = FileBlobs::new(&root);
    let blobs = [blob("one"), blob("two"), blob("three")];
    objects.put(&blobs).unwrap();
    let folder = dir.path().join(".exacta/objects");
    fs::write(folder.join("new-1-2-half"), "half").unwrap();
    fs::create_dir(folder.join("zz")).unwrap();
    fs::write(folder.join("zz/note"), "not ours").unwrap();
    let keep: BTreeSet<_> = [blobs[1].digest()].into();
    assert_eq!(objects.collect(&keep).unwrap(), 3);
    assert!(objects.image(&blobs[0].digest()).is_err());
    assert_eq!(objects.image(&blobs[1].digest()).unwrap(), blobs[1]);
    assert!(folder.join("zz/note").exists());
}
