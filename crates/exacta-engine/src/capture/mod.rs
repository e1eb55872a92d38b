//! Capture: any command runs on a private copy of the project; what it changed is data.
//!
//! Input: an [`Errand`] and the [`Room`](crate::checks::Room) it runs in. Output:
//! [`Captured`]: how the command ended, the effects that a plan can have, and by name
//! everything that a plan cannot. Error: [`CaptureError`], and then nothing was made of it.
//! Next stage: [`draft`], whose text is handed in like any other.
//!
//! View and walls are those of checks (`docs/design/checks.md`): the project itself, the
//! gate's state and its configuration cannot be reached, and everything that the command
//! started is dead before anybody looks at what it did. Only the command of a [`Session`] still
//! runs while its turns are looked at; `footing` keeps its links from leading us anywhere. See
//! `docs/design/capture.md`.

mod before;
mod caches;
mod draft;
mod effect;
mod errand;
mod footing;
mod ignored;
mod judge;
mod layer;
mod session;
mod stamps;

pub use draft::draft;
pub use effect::{Captured, Effect, LeftOut, Made, Unfit};
pub use errand::{CaptureError, Errand, Follow, capture};
pub use session::{Pty, Session};
