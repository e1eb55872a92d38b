//! How text is walked, matched, compared and shown, hostile text included.

pub mod blank;
pub mod glob;
pub mod lines;
pub mod merge;
pub mod pointer;
pub mod shown;
pub(crate) mod walk;
