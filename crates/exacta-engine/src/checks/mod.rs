//! Checks: commands of the operator that judge a staged run before it is committed.
//!
//! Input: a [`Staged`](crate::run::Staged) run, [`Check`]s that operator policy names
//! and a [`Room`] to run them in. Output: the same run with the outcome of each check.
//! Error: [`Unchecked`], and then the run has been thrown away and no target was touched.
//! Next stage: [`Staged::commit`](crate::run::Staged::commit).
//!
//! A check sees a private view of the project as it would be after the run, never the
//! live tree. It has no network but a loopback of its own, cannot reach the project, the gate's state or its
//! configuration, and everything it started dies with it. Where such a view or such
//! walls cannot be had, nothing runs and the run is refused. Each check has a view of
//! its own, so that none judges what another one changed. See `docs/design/checks.md`.

mod check;
pub mod child;
pub(crate) mod conduct;
pub(crate) mod line;
mod room;
mod run;
mod trial;
pub(crate) mod view;
pub(crate) mod wire;

pub use check::{Check, NotRun, Outcome, Unchecked, Verdict, Why};
pub use line::{NetworkReach, PROXY_PORT, Proxy};
pub use room::{Launcher, Room, ViewKind};
pub use run::run;
pub use trial::try_out;
