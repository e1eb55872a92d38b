//! Changed lines of files that are not read as code: settings, statements of databases,
//! scripts of languages without a grammar, documents.
//!
//! Input: the two images as lines, and which lines differ. Output: [`Told`] facts. Errors:
//! none. Next: the inspection adds them to the facts of the step.

mod gutted;
mod look;
mod lookup;
mod opaque;
mod protecting;
mod served;
mod stored;
#[cfg(test)]
mod tests;
mod unread;

pub(crate) use look::{Look, look};
