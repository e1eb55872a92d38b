//! Where the bytes of after images come from.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;

use exacta_core::model::digest::{Blob, Digest};
use exacta_core::model::path::RelPath;

use crate::workspace::{PortError, Spot};

/// Why an image could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// It is not stored.
    #[error("the image {0} is not stored")]
    Missing(Digest),
    /// What is stored under its name has other bytes.
    #[error("what is stored as the image {0} has other bytes")]
    Changed(Digest),
    /// It cannot be read.
    #[error(transparent)]
    Port(#[from] PortError),
}

/// A store of images, asked for one at a time so that no more than a few small ones are in
/// memory.
pub trait Images {
    /// The image with this name.
    ///
    /// # Errors
    /// When it is missing or its bytes do not have this name.
    fn image(&self, digest: &Digest) -> Result<Blob, ImageError>;

    /// Where it lies, if it is a file of the project: then its size is known without its
    /// bytes.
    fn lies_at(&self, digest: &Digest) -> Option<Spot> {
        let _ = digest;
        None
    }

    /// Where an earlier file of this path lies, whose owner and attributes a file made
    /// anew takes over.
    fn origin(&self, path: &RelPath) -> Option<Spot> {
        let _ = path;
        None
    }
}

impl<S: BuildHasher> Images for HashMap<Digest, Blob, S> {
    fn image(&self, digest: &Digest) -> Result<Blob, ImageError> {
        self.get(digest).cloned().ok_or(ImageError::Missing(*digest))
    }
}

impl Images for BTreeMap<Digest, Blob> {
    fn image(&self, digest: &Digest) -> Result<Blob, ImageError> {
        self.get(digest).cloned().ok_or(ImageError::Missing(*digest))
    }
}
