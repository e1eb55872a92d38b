//! What a page says: bytes of a server → text, selections, feeds, and whether it changed.
//!
//! Everything here is a function of its input. Nothing that a page asks for (a refresh, a
//! script, a frame) is followed.

mod compare;
mod feed;
mod select;
mod text;

pub use compare::{Change, Watched, compare, lines_of, looks_blocked, threshold};
pub use feed::{Item, feed};
pub use select::{Selector, SelectorFault};
pub use text::{Page, decoded, page, plain_text, selected};
