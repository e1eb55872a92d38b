//! The pure heart of Exacta: what a plan is, whether it is sound, what it would do.
//!
//! Nothing in this crate can reach a disk, a clock, the environment, the network or
//! another process: it is `no_std`, so the compiler refuses the very names. The
//! exceptions are the `std::io::Write` *trait*, which [`canonical`], [`digest`] and [`record`]
//! use so that canonical JSON streams into SHA-256 without a copy, and `OnceLock`, with which
//! the [`ledger`] reads a line once for all threads.
//!
//! A plan passes through these modules in this order: [`parse`] (text → `Draft`),
//! [`validate`] (`Draft` → findings), [`dry_run`] (`Draft` on a [`tree::Tree`] →
//! changes), and [`examine`], which does all of it and makes the [`plan::Plan`].
#![no_std]

#[macro_use]
extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod binding;
pub mod blank;
pub mod canonical;
pub mod change;
pub mod code;
pub mod decide;
pub mod diagnostic;
pub mod diff;
pub mod digest;
pub mod dry_run;
pub mod estimate;
pub mod examine;
pub mod facts;
pub mod glob;
pub mod id;
pub mod ledger;
pub mod lifecycle;
pub mod lines;
pub mod parse;
pub mod path;
pub mod plan;
pub mod pointer;
pub mod policy;
pub mod record;
pub mod registry;
pub mod results;
pub mod review;
pub mod score;
pub mod shown;
pub mod tree;
pub mod validate;
mod walk;
pub mod web;
