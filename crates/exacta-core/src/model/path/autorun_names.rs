//! The names by which [`super::autorun`] knows files that run by themselves.
//!
//! They are kept in `data/autorun.txt`, in folded (lower-case) form, and packed by the build.
//! With a `HEAD` beside two folders any folder is a repository to git, and its settings run
//! programs; where a project keeps git's hooks in a folder that is named for hooks, its setup
//! points git there.

use super::autorun::AutoRun;

include!(concat!(env!("OUT_DIR"), "/autorun.rs"));
