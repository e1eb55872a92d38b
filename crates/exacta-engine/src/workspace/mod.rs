//! The project's files as the engine may touch them.
//!
//! Input: a folder a person named. Output: [`Root`], a handle below which every later
//! path is resolved without following a link or leaving the file system. It answers the
//! dry run ([`Tree`](exacta_core::model::tree::Tree)) and carries out the operations of the
//! port ([`Workspace`]). Errors: [`RootError`] when the folder cannot be opened,
//! `TreeFault` for what lies at a path, [`PortError`] for an operation that did not
//! happen. Next stage: [`run`](crate::run), which acts through the port alone.

mod beneath;
mod gate_file;
mod index;
mod linux;
mod lock;
mod look;
mod port;
mod readers;
mod replace;
mod root;
mod spot;
mod surroundings;

pub use gate_file::GateFile;
pub use lock::Lock;
pub(crate) use look::read_whole;
pub use port::{
    FolderSeen, Image, Metadata, PortError, Scope, Seen, Sight, Space, Stamp, Workspace,
};
pub(crate) use replace::{UNFINISHED, replace};
pub use root::{DEFAULT_SIZE_LIMIT, Options, Resolver, Root, RootError};
pub use spot::{STATE_FOLDER, Spot};
