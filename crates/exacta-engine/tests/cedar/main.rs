//! `policy.cedar`: what it decides, what is wrong with it, and that it only tightens.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may stop where it fails")]

mod decisions;
mod hostile;
mod mistakes;
mod never_looser;
mod world;
