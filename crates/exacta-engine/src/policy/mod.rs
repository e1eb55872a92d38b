//! The policy files of this machine → the policy in force.
//!
//! Input: the project's [`Root`](crate::workspace::Root) and the two [`Places`] outside
//! it. Output: [`Loaded`]. Errors: [`PolicyError`], which names the file; a file that is
//! there but cannot be trusted, read or understood blocks everything and is never
//! skipped. Next stage: every stage that judges a plan takes the policy.

mod cedar;
mod folder;
mod load;
mod note;
mod operator;
mod places;
mod refusal;

pub use cedar::{CedarFile, CedarPolicy, SCHEMA as CEDAR_SCHEMA};
pub use load::{
    CEDAR_LIMIT, Content, FILE_LIMIT, Found, LayerFile, Loaded, PolicyError, load, read_cedar,
    survey,
};
pub use note::{NoteStanding, PolicyNote};
pub use operator::OperatorPolicy;
pub use places::{Owners, Places, PlacesError};
pub use refusal::Refusal;
