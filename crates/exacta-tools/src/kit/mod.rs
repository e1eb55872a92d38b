//! For tests and benches: tools that do what a script says, a record that can break off,
//! people who answer from a list, and a world without a network.

mod journal;
mod plan;
mod scripted;
mod world;

pub use journal::{Tape, known};
pub use plan::{graph, ports, step, taken_up, with};
pub use scripted::{Act, Scripted};
pub use world::{Answers, NoNetwork, NoSecrets, context, world};
