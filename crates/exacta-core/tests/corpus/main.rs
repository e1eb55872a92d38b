//! The corpora of `corpus/`, each through the stage that it is about.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code reports by panicking"
)]

mod awkward_strings;
mod hostile;
mod json_test_suite;
mod literals;
mod rfc8785;
