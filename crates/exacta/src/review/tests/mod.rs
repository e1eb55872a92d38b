//! What the review promises, across its parts.

mod anchors;
mod at_terminal;
mod bounds;
mod hostile;
mod patch;
mod pty;
mod sample;
mod whole;
