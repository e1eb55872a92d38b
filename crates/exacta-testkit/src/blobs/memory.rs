//! Blobs in memory. Clones share them, as processes share those on disk.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use exacta_core::model::digest::{Blob, Digest};
use exacta_engine::blobs::Blobs;
use exacta_engine::run::ImageError;
use exacta_engine::workspace::PortError;

/// Blobs in memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryBlobs(Arc<Mutex<BTreeMap<Digest, Blob>>>);

impl MemoryBlobs {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What is kept, under the name it is kept by.
    pub fn kept(&self) -> MutexGuard<'_, BTreeMap<Digest, Blob>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Blobs for MemoryBlobs {
    fn put(&self, blobs: &[Blob]) -> Result<(), PortError> {
        self.kept().extend(blobs.iter().map(|blob| (blob.digest(), blob.clone())));
        Ok(())
    }

    fn get(&self, digest: &Digest) -> Result<Blob, ImageError> {
        let blob = self.kept().get(digest).cloned().ok_or(ImageError::Missing(*digest))?;
        if blob.digest() == *digest { Ok(blob) } else { Err(ImageError::Changed(*digest)) }
    }

    fn hold(&self, digests: &[Digest]) -> Result<bool, PortError> {
        let kept = self.kept();
        Ok(digests.iter().all(|digest| kept.contains_key(digest)))
    }

    fn collect(&self, keep: &BTreeSet<Digest>) -> Result<usize, PortError> {
        let mut kept = self.kept();
        let before = kept.len();
        kept.retain(|digest, _| keep.contains(digest));
        Ok(before - kept.len())
    }
}
