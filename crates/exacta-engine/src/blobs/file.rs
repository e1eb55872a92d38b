//! Blobs in the state folder: private, stored once, checked when read.
//!
//! One whose bytes do not have its name is as good as missing, and is replaced when it is
//! put again.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use exacta_core::model::change::FileMode;
use exacta_core::model::digest::{Blob, Digest};

use super::port::Blobs;
use crate::run::{ImageError, Images};
use crate::workspace::{Metadata, PortError, Scope, Sight, Spot, UNFINISHED, Workspace};

/// Only this user reads and writes a blob.
const PRIVATE: u32 = 0o600;

/// So many blobs are remembered as durable; whatever was forgotten is merely synced again.
const REMEMBERED: usize = 10_000;

/// The blobs of one project, as files of it.
pub struct FileBlobs<P> {
    port: P,
    folder: Spot,
    /// What is known to have reached the disk, with the number of the file.
    durable: Mutex<BTreeMap<Digest, u64>>,
}

impl<P> FileBlobs<P> {
    /// The blobs of the project behind `port`; nothing is written yet.
    #[must_use]
    pub fn new(port: P) -> Self {
        Self { port, folder: Spot::state().within("objects"), durable: Mutex::default() }
    }

    fn durable(&self) -> MutexGuard<'_, BTreeMap<Digest, u64>> {
        self.durable.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<P> FileBlobs<P>
where
    P: Deref<Target: Workspace>,
{
    /// Stores blobs and makes them durable with one barrier; those that were stored through
    /// this value before cost nothing.
    ///
    /// # Errors
    /// When one cannot be stored; the others may have been.
    pub fn put(&self, blobs: &[Blob]) -> Result<(), PortError> {
        let scope = self.write(blobs)?;
        if scope.files.is_empty() {
            return Ok(());
        }
        self.port.barrier(&scope)?;
        let lasting: Vec<(Digest, u64)> = blobs
            .iter()
            .map(Blob::digest)
            .filter_map(|digest| {
                let stamp = self.port.stamp(&self.spot(&digest)).ok().flatten()?;
                Some((digest, stamp.inode))
            })
            .collect();
        let mut durable = self.durable();
        if durable.len() > REMEMBERED {
            durable.clear();
        }
        durable.extend(lasting);
        Ok(())
    }

    /// Stores blobs; they last from a barrier over the returned scope on.
    ///
    /// # Errors
    /// As [`FileBlobs::put`].
    pub fn write(&self, blobs: &[Blob]) -> Result<Scope, PortError> {
        self.port.make_private(&Spot::state())?;
        self.port.make_private(&self.folder)?;
        let mut scope = Scope::default();
        for blob in blobs {
            if let Some(at) = self.put_one(blob)? {
                scope.folders.push(at.folder());
                scope.files.push(at);
            }
        }
        if !scope.files.is_empty() {
            scope.files.sort_unstable();
            scope.files.dedup();
            scope.folders.sort_unstable();
            scope.folders.dedup();
            scope.folders.extend([self.folder.clone(), Spot::state(), Spot::root()]);
        }
        Ok(scope)
    }

    /// Whether all of these are still there. A collection may have taken those that were
    /// put and are not on the record yet; it happens in a turn of its own.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn hold(&self, digests: &[Digest]) -> Result<bool, PortError> {
        for digest in digests {
            if self.port.stamp(&self.spot(digest))?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Where the blob now is, or `None` when it is known to last already.
    fn put_one(&self, blob: &Blob) -> Result<Option<Spot>, PortError> {
        const TRIES: usize = 3;
        let mut put = self.try_to_put(blob);
        for _ in 1..TRIES {
            match put {
                // A collection took what was not finished for what a dead process left.
                Err(PortError::Gone(_)) => put = self.try_to_put(blob),
                done => return done,
            }
        }
        put
    }

    fn try_to_put(&self, blob: &Blob) -> Result<Option<Spot>, PortError> {
        let digest = blob.digest();
        let at = self.spot(&digest);
        match self.port.see(&at)? {
            Sight::File(seen) if seen.image.digest == digest => {
                // Whoever put it may not have come to its barrier.
                let lasts = self.durable().get(&digest) == Some(&seen.inode);
                return Ok((!lasts).then_some(at));
            }
            Sight::Absent => self.port.make_private(&at.folder())?,
            Sight::File(_) | Sight::Unfit(_) => self.port.remove(&at)?,
        }
        let aside = self.folder.within(&unfinished_name(&digest));
        let mode = FileMode::from_raw(PRIVATE);
        let placed = self
            .port
            .stage(&aside, blob.bytes(), mode, &Metadata::default())
            .and_then(|_| self.port.place(&aside, &at));
        match placed {
            Ok(()) => Ok(Some(at)),
            // Another process was faster; the bytes are the same.
            Err(PortError::Taken(taken)) if taken == at => {
                self.port.remove(&aside)?;
                Ok(Some(at))
            }
            Err(error) => {
                let _ = self.port.remove(&aside);
                Err(error)
            }
        }
    }

    /// Deletes every blob that is not in `keep`, and what a dead process left half
    /// written; returns how many files went. The caller has the turn to write the record.
    ///
    /// # Errors
    /// When one cannot be deleted.
    pub fn collect(&self, keep: &BTreeSet<Digest>) -> Result<usize, PortError> {
        let mut gone = 0;
        for shelf in self.port.list(&self.folder)? {
            let folder = self.folder.within(&shelf);
            if shelf.starts_with(UNFINISHED) {
                self.port.remove(&folder)?;
                gone += 1;
                continue;
            }
            for name in self.port.list(&folder)? {
                // A name that is no hash is not ours to delete.
                let Ok(digest) = Digest::parse(&format!("{shelf}{name}")) else { continue };
                if !keep.contains(&digest) {
                    self.port.remove(&folder.within(&name))?;
                    gone += 1;
                }
            }
        }
        Ok(gone)
    }

    /// Two levels, so that no folder grows beyond what a file system likes.
    fn spot(&self, digest: &Digest) -> Spot {
        let text = digest.to_string();
        let (bucket, name) = text.split_at_checked(2).unwrap_or((&text, "-"));
        self.folder.within(bucket).within(name)
    }
}

/// A name no other process or thread uses at the same time.
fn unfinished_name(digest: &Digest) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{UNFINISHED}{}-{number}-{digest}", std::process::id())
}

impl<P> Images for FileBlobs<P>
where
    P: Deref<Target: Workspace>,
{
    fn image(&self, digest: &Digest) -> Result<Blob, ImageError> {
        let bytes = match self.port.read(&self.spot(digest)) {
            Ok(bytes) => bytes,
            Err(PortError::Gone(_)) => return Err(ImageError::Missing(*digest)),
            Err(error) => return Err(error.into()),
        };
        let blob = Blob::new(bytes);
        if blob.digest() == *digest { Ok(blob) } else { Err(ImageError::Changed(*digest)) }
    }

    fn lies_at(&self, digest: &Digest) -> Option<Spot> {
        Some(self.spot(digest))
    }
}

impl<P> Blobs for FileBlobs<P>
where
    P: Deref<Target: Workspace> + Send + Sync,
{
    fn put(&self, blobs: &[Blob]) -> Result<(), PortError> {
        self.put(blobs)
    }

    fn write(&self, blobs: &[Blob]) -> Result<Scope, PortError> {
        self.write(blobs)
    }

    fn get(&self, digest: &Digest) -> Result<Blob, ImageError> {
        self.image(digest)
    }

    fn hold(&self, digests: &[Digest]) -> Result<bool, PortError> {
        self.hold(digests)
    }

    fn collect(&self, keep: &BTreeSet<Digest>) -> Result<usize, PortError> {
        self.collect(keep)
    }

    fn lies_at(&self, digest: &Digest) -> Option<Spot> {
        Some(self.spot(digest))
    }
}
