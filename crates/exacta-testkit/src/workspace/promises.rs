//! The suite: what every implementation of the port promises.
//!
//! Each promise starts on an empty project and panics where it is broken.

use std::fmt::Debug;

use exacta_core::model::change::FileMode;
use exacta_core::model::digest::Digest;
use exacta_engine::workspace::{Metadata, PortError, Seen, Sight, Workspace};

use super::ground::{Ground, spot};
use super::{locking, looking, making, moving};

/// A promise in words, and the test of it.
pub type Promise = (&'static str, fn(&dyn Ground));

/// Every promise of the port.
pub const PROMISES: [Promise; 29] = [
    ("a look names bytes, mode, size and metadata", looking::names_everything),
    ("nothing is seen where nothing is", looking::nothing_is_absent),
    ("a look at many is a look at each", looking::many_are_as_each),
    ("what is not a plain file is unfit, and not read", looking::unfit_is_refused),
    ("no link is followed on the way", looking::no_link_on_the_way),
    ("a second name of a file is refused", looking::hard_links_are_refused),
    ("another file system is refused", looking::other_file_systems_are_refused),
    ("a folder is known by its number, and whether it is empty", looking::folders_are_known),
    ("names are listed, sorted", looking::names_are_sorted),
    ("a stamp changes with the bytes and stays with the name", looking::stamps_follow_bytes),
    ("there is room, and it is named", looking::room_is_named),
    ("a staged file is exactly as asked for", making::staged_exactly),
    ("staging never replaces", making::staging_never_replaces),
    ("staging needs its folder", making::staging_needs_its_folder),
    ("a staged folder hands down what it was given", making::folders_hand_down),
    ("a private folder is made once, and never in place of a file", making::private_folders),
    ("appending adds at the end", making::appending_adds),
    ("appending reaches no other file", making::appending_reaches_no_other),
    ("a swap exchanges both, with mode and metadata", moving::swap_exchanges),
    ("a swap needs both", moving::swap_needs_both),
    ("placing moves and never replaces", moving::place_never_replaces),
    ("placing moves folders with what is in them", moving::place_moves_folders),
    ("removing takes one file and nothing else", moving::remove_takes_one),
    ("a folder that is not empty is not removed", moving::full_folders_stay),
    ("nothing moves through a link", moving::no_move_through_a_link),
    ("a barrier over anything returns", moving::barriers_return),
    ("one holder at a time has the project", locking::one_holder),
    ("a turn is waited for", locking::turns_wait),
    ("many threads act on one workspace", locking::many_threads),
];

/// A file at a spot, as it is seen.
pub(super) fn file(port: &dyn Workspace, path: &str) -> Seen {
    match port.see(&spot(path)) {
        Ok(Sight::File(seen)) => seen,
        other => panic!("`{path}` is not a file: {other:?}"),
    }
}

/// The file at `path` has these bytes and this mode.
pub(super) fn assert_file(ground: &dyn Ground, path: &str, text: &str, mode: u32) {
    let seen = file(ground.port(), path);
    assert_eq!(seen.image.digest, Digest::of(text.as_bytes()), "the hash of `{path}`");
    assert_eq!(seen.image.mode, FileMode::from_raw(mode), "the mode of `{path}`");
    assert_eq!(seen.size, text.len() as u64, "the size of `{path}`");
    assert_eq!(ground.bytes(path).as_deref(), Some(text.as_bytes()), "the bytes of `{path}`");
}

/// Nothing is at `path`.
pub(super) fn assert_absent(ground: &dyn Ground, path: &str) {
    assert_eq!(ground.port().see(&spot(path)), Ok(Sight::Absent), "`{path}`");
    assert_eq!(ground.bytes(path), None, "`{path}`");
}

/// The operation was refused because of what is there.
pub(super) fn assert_refused<T: Debug>(result: &Result<T, PortError>) {
    assert!(matches!(result, Err(PortError::Refused { .. })), "{result:?}");
}

/// Writes a file through the port.
pub(super) fn stage(port: &dyn Workspace, path: &str, text: &str) -> Seen {
    let (mode, metadata) = (FileMode::REGULAR, Metadata::default());
    let inode = port.stage(&spot(path), text.as_bytes(), mode, &metadata).expect("staged");
    let seen = file(port, path);
    assert_eq!(seen.inode, inode, "the number of `{path}`");
    seen
}
