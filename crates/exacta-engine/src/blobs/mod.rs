//! Bytes by their hash: file images, plans, results.
//!
//! Input: bytes. Output: the same bytes, for whoever knows their hash. Errors: `PortError`
//! when they cannot be kept, `ImageError` when they are not there or not what they were.
//! [`Blobs`] is the trait, [`FileBlobs`] keeps them in the project's own folder; one suite
//! (`exacta_testkit::blobs`) says what every implementation promises.

mod file;
mod port;

pub use file::FileBlobs;
pub use port::Blobs;
