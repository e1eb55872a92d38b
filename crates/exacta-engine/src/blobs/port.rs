//! What every store of blobs does, whatever it keeps them in.

use std::collections::BTreeSet;
use std::sync::Arc;

use exacta_core::model::digest::{Blob, Digest};

use crate::run::{ImageError, Images};
use crate::workspace::{PortError, Scope, Spot};

/// The blobs of one project.
///
/// A name promises the bytes, so it does not matter who put a blob, or how often. Many
/// threads and processes may use the same blobs at once.
pub trait Blobs: Send + Sync {
    /// Keeps blobs; they last from here on.
    ///
    /// # Errors
    /// When one cannot be kept; the others may have been.
    fn put(&self, blobs: &[Blob]) -> Result<(), PortError>;

    /// The same for blobs that may become durable with the next barrier of a run; it covers
    /// what is returned.
    ///
    /// # Errors
    /// As [`Blobs::put`].
    fn write(&self, blobs: &[Blob]) -> Result<Scope, PortError> {
        self.put(blobs).map(|()| Scope::default())
    }

    /// The blob with this name: these very bytes, or an error.
    ///
    /// # Errors
    /// When it is not there, or what is there has other bytes.
    fn get(&self, digest: &Digest) -> Result<Blob, ImageError>;

    /// Whether all of these are there. A collection may have taken those that were put and
    /// that nothing on the record needs yet; in a turn of one's own there is none.
    ///
    /// # Errors
    /// When that cannot be told.
    fn hold(&self, digests: &[Digest]) -> Result<bool, PortError>;

    /// Deletes every blob that is not in `keep`, and what a dead process left of one;
    /// returns how many went. The caller has the turn to write the record.
    ///
    /// # Errors
    /// When one cannot be deleted.
    fn collect(&self, keep: &BTreeSet<Digest>) -> Result<usize, PortError>;

    /// Where a blob lies, if it is a file of the project.
    fn lies_at(&self, digest: &Digest) -> Option<Spot> {
        let _ = digest;
        None
    }
}

impl Images for Arc<dyn Blobs> {
    fn image(&self, digest: &Digest) -> Result<Blob, ImageError> {
        self.get(digest)
    }

    fn lies_at(&self, digest: &Digest) -> Option<Spot> {
        self.as_ref().lies_at(digest)
    }
}
