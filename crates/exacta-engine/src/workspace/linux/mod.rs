//! The port on Linux: thin, each operation a few system calls below the root handle.

mod attributes;
mod barrier;
mod folders;
mod moves;
mod side_by_side;
mod sight;
mod view;
mod workspace;
mod write;

pub(super) use folders::Folders;
