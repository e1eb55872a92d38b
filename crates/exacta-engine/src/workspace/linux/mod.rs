//! The port on Linux: thin, each operation a few system calls below the root handle.

mod attributes;
mod barrier;
mod moves;
mod sight;
mod view;
mod workspace;
mod write;
