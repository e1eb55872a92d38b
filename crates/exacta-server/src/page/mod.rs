//! The review room: pages for people, painted from the review model that the terminal uses.
//!
//! Input: what the gate shows. Output: whole pages that need no script; the one script only
//! makes easier what links and forms do. Everything a page loads is part of the program, and
//! nothing in it is inline. `routes` finds out what is asked, `view` looks it up, one file a
//! page paints it: [`plan`], [`inbox`], [`run`], [`record`], [`policy`], [`door`]; `forms`
//! and `acts` turn what was sent back into commands. [`looks`] is what the program around adds.

mod acts;
mod assets;
mod changes;
mod decide;
mod decisions;
mod difference;
mod door;
mod early;
mod editor;
mod forms;
mod frame;
mod graph;
mod inbox;
mod looks;
mod marks;
mod notes;
mod passkeys;
mod plan;
mod policy;
mod reasons;
mod record;
mod routes;
mod row;
mod run;
mod signing;
mod since;
mod tree;
mod view;
mod way;

pub(crate) use door::said;
pub use door::{not_signed_in, sign_in};
pub(crate) use forms::Fields;
pub use looks::{Layers, Looks, Words};
pub use passkeys::qr_text;
pub(crate) use routes::router;
pub(crate) use signing::{ToSign, to_sign};
