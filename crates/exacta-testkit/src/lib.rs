//! What the tests of several crates share.
//!
//! Dev only: nothing here is part of the product. A test that cannot go on panics, so
//! the rule against panics does not hold in this crate.
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "test code reports by panicking"
)]

pub mod blobs;
pub mod budget;
pub mod check;
pub mod corpus;
pub mod harmless;
pub mod memory_tree;
pub mod ordinary;
pub mod processor;
pub mod rng;
pub mod shared;
pub mod spelling;
pub mod store;
pub mod workspace;

pub use budget::Budget;
pub use check::{Check, Finding};
pub use harmless::Harmless;
pub use memory_tree::MemoryTree;
pub use ordinary::{NOBODY, again_as_an_ordinary_user};
pub use processor::processor_time;
pub use rng::Rng;
pub use shared::Shared;
pub use workspace::MemoryWorkspace;
