//! Two images side by side: as text for people and as a patch for git.
//!
//! Input: the images of a change. Output: lines of a document ([`shown`]) or a patch that
//! `git apply` takes ([`patch`]). Both rest on the one comparison in [`lines`].

mod colours;
mod hunk;
mod lines;
mod patch;
mod shown;
mod word;

pub(super) use colours::Colours;
pub(super) use lines::counts;
pub(super) use patch::patch;
pub(super) use shown::Brush;
