//! Bytes to facts.
//!
//! This crate reads what plans would write, byte by byte, and tells facts about it:
//! dependencies, syntax, secrets, dangers, placeholders, disguises. The bytes are
//! hostile and the grammars are C code, so the gate runs it in a child process:
//! [`child::serve`] behind [`confine::confine`]. The facts themselves are types of
//! `exacta-core`, where scoring reads them.

mod changed_lines;
pub mod child;
mod class;
pub mod colours;
pub mod confine;
mod detect;
mod diff;
mod excerpt;
mod fold;
mod guards;
mod image;
mod inspect;
mod lock;
mod lock_content;
mod manifest;
mod reference;
mod request;
mod settings;
mod step;
mod syntax;
mod unfinished;
pub mod wire;

pub use detect::mask_secrets;
pub use inspect::inspect;
pub use request::{Limits, Request, StepInput};
pub use syntax::tokens;
