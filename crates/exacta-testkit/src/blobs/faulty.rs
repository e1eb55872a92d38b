//! Blobs that break one promise each, so that the suite is known to notice.

use std::collections::BTreeSet;
use std::sync::Arc;

use exacta_core::model::digest::{Blob, Digest};
use exacta_engine::blobs::Blobs;
use exacta_engine::run::ImageError;
use exacta_engine::workspace::PortError;

use super::memory::MemoryBlobs;
use super::promises::Subject;

/// What a store of blobs does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Other bytes are given out than were put.
    ReturnsOtherBytes,
    /// Bytes that somebody changed are given out.
    TrustsWhatIsThere,
    /// A blob that somebody changed is not replaced.
    NeverReplaces,
    /// A blob is put and gone.
    LosesABlob,
    /// A collection takes what is to be kept.
    CollectsWhatIsKept,
    /// A collection takes nothing.
    CollectsNothing,
    /// A collection says another number than went.
    CountsWrong,
    /// Blobs are said to be there that are not.
    SaysItHolds,
    /// Blobs that are there are said not to be.
    SaysItHoldsNot,
    /// What nobody put is there, empty.
    MakesUp,
    /// A blob is put before it would outlive a power loss.
    AcknowledgesEarly,
    /// Everybody has blobs of their own.
    SharesNothing,
}

impl Fault {
    /// Every one of them.
    pub const ALL: [Self; 12] = [
        Self::ReturnsOtherBytes,
        Self::TrustsWhatIsThere,
        Self::NeverReplaces,
        Self::LosesABlob,
        Self::CollectsWhatIsKept,
        Self::CollectsNothing,
        Self::CountsWrong,
        Self::SaysItHolds,
        Self::SaysItHoldsNot,
        Self::MakesUp,
        Self::AcknowledgesEarly,
        Self::SharesNothing,
    ];
}

/// Blobs in memory with a fault.
#[derive(Clone, Debug)]
pub struct Faulty {
    blobs: MemoryBlobs,
    fault: Fault,
    /// What a power loss leaves.
    durable: MemoryBlobs,
}

impl Faulty {
    /// None yet.
    #[must_use]
    pub fn new(fault: Fault) -> Self {
        Self { blobs: MemoryBlobs::new(), fault, durable: MemoryBlobs::new() }
    }
}

impl Subject for Faulty {
    fn open(&self) -> Arc<dyn Blobs> {
        match self.fault {
            Fault::SharesNothing => Arc::new(Self::new(self.fault)),
            _ => Arc::new(self.clone()),
        }
    }

    fn tamper(&self, digest: &Digest, bytes: &[u8]) -> bool {
        self.blobs.tamper(digest, bytes)
    }

    fn after_power_loss(&self) -> Option<Arc<dyn Blobs>> {
        self.durable.after_power_loss()
    }
}

impl Subject for MemoryBlobs {
    fn open(&self) -> Arc<dyn Blobs> {
        Arc::new(self.clone())
    }

    fn tamper(&self, digest: &Digest, bytes: &[u8]) -> bool {
        self.kept().insert(*digest, Blob::new(bytes.to_vec()));
        true
    }

    fn after_power_loss(&self) -> Option<Arc<dyn Blobs>> {
        let left = Self::new();
        left.kept().clone_from(&self.kept());
        Some(Arc::new(left))
    }
}

impl Blobs for Faulty {
    fn put(&self, blobs: &[Blob]) -> Result<(), PortError> {
        let mut wanted = blobs.to_vec();
        match self.fault {
            Fault::NeverReplaces => {
                let kept = self.blobs.kept();
                wanted.retain(|blob| !kept.contains_key(&blob.digest()));
            }
            Fault::LosesABlob => {
                wanted.pop();
            }
            Fault::AcknowledgesEarly => {
                self.durable.kept().clone_from(&self.blobs.kept());
            }
            _ => {}
        }
        self.blobs.put(&wanted)?;
        if self.fault != Fault::AcknowledgesEarly {
            self.durable.kept().clone_from(&self.blobs.kept());
        }
        Ok(())
    }

    fn get(&self, digest: &Digest) -> Result<Blob, ImageError> {
        match (self.fault, self.blobs.get(digest)) {
            (Fault::ReturnsOtherBytes, Ok(blob)) => {
                let mut bytes = blob.bytes().to_vec();
                bytes.push(b'!');
                Ok(Blob::new(bytes))
            }
            (Fault::MakesUp, Err(ImageError::Missing(_))) => Ok(Blob::new(Vec::new())),
            (Fault::TrustsWhatIsThere, Err(ImageError::Changed(digest))) => {
                self.blobs.kept().get(&digest).cloned().ok_or(ImageError::Missing(digest))
            }
            (_, got) => got,
        }
    }

    fn hold(&self, digests: &[Digest]) -> Result<bool, PortError> {
        match self.fault {
            Fault::SaysItHolds => Ok(true),
            Fault::SaysItHoldsNot => Ok(false),
            _ => self.blobs.hold(digests),
        }
    }

    fn collect(&self, keep: &BTreeSet<Digest>) -> Result<usize, PortError> {
        let mut keep = keep.clone();
        match self.fault {
            Fault::CollectsWhatIsKept => {
                keep.pop_first();
            }
            Fault::CollectsNothing => return Ok(0),
            _ => {}
        }
        let gone = self.blobs.collect(&keep)?;
        Ok(if self.fault == Fault::CountsWrong { gone + 1 } else { gone })
    }
}
