//! The pure heart of Exacta: what a plan is, whether it is sound, what it would do.
//!
//! Nothing in this crate can reach a disk, a clock, the environment, the network or
//! another process: it is `no_std`, so the compiler refuses the very names. The
//! exceptions are the `std::io::Write` *trait*, which [`model::canonical`], [`model::digest`]
//! and [`record`] use so that canonical JSON streams into SHA-256 without a copy, and
//! `OnceLock`, with which [`life::ledger`] reads a line once for all threads.
//!
//! The tree tells the way of a plan: [`read`] it (text → `Draft` → changes), [`judge`] it
//! ([`judge::examine`] does all of it and makes the [`model::plan::Plan`]), its [`life`], its
//! [`record`], its [`results`], and the [`review`] that people see. [`model`] holds what all of
//! them speak of, [`text`] how text is compared and shown.
#![no_std]

#[macro_use]
extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod judge;
pub mod life;
pub mod model;
pub mod read;
pub mod record;
pub mod results;
pub mod review;
pub mod text;
