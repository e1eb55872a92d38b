//! Recipes: what a user wants every day, as a plan.
//!
//! Input: a recipe, an intent in the user's words, and their overlay. Output: the text of a
//! draft, which goes the way of every other draft. An [`Overlay`] holds five numbers and
//! spans of the day: by type it cannot add a primitive, relax an approval or widen a list.

mod overlay;
mod preset;

pub use overlay::{Overlay, OverlayFault, ReplyLength, SETTINGS, Setting};
pub use preset::{Extras, PRESETS, Preset, RecipeFault, draft, preset};
