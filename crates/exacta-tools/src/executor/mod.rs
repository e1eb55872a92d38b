//! Walks the graph of a run: [`Executor`] is the engine's tool runner.
//!
//! In: a graph of steps with what the record says of them. Out: an outcome for each step.
//! [`walk`] knows which step may start, `drive` starts them and writes the record, `call`
//! runs one tool once or more, `rollback` takes back what an atomic run that failed had
//! done. `writer` is the one thread that writes the record.
//!
//! What makes a run safe to take up again: the end of a step is on the record before
//! anything that depends on it starts, and its start before its effect; durably, unless all
//! it does is read, which can be done again (`pending`). A step that is *guarded*
//! (it acts outside, or a second call would do it twice) is on the record only from right
//! before its first byte; found there without an end, its outcome is unknown and it is
//! never repeated. Any other step that was interrupted is simply run again.

mod call;
mod drive;
mod effect_point;
mod keys;
mod pending;
mod prepare;
mod rollback;
mod runner;
mod walk;
mod writer;

#[cfg(test)]
mod tests;

pub use effect_point::EffectPoint;
pub use runner::{Executor, ExecutorFault};
