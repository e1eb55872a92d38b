//! Reads each file once: a command asks for its policy more than once, a server for days.
//!
//! Reading is a function of layer and bytes, so what was read before is as good as new.

use std::sync::{Arc, Mutex};

use exacta_core::judge::policy::{Arbiter as _, LayerName};
use exacta_core::model::diagnostic::Issue;
use exacta_core::model::digest::Digest;

use super::file::CedarFile;
use super::read;
use super::stack::on_known_stack;

/// What is said when Cedar could not read a file at all.
const GAVE_UP: &str = "Cedar gave up while it read the file";

/// The last file of each layer.
static KEPT: Mutex<[Option<Arc<CedarFile>>; 3]> = Mutex::new([None, None, None]);

/// What [`read::read`] gives, read again only when the bytes are others.
///
/// # Errors
/// As [`read::read`].
pub(in crate::policy) fn read_kept(
    layer: LayerName,
    bytes: &[u8],
) -> Result<Arc<CedarFile>, Vec<Issue>> {
    let digest = Digest::of(bytes);
    // A poisoned lock holds whole files all the same.
    let mut kept = KEPT.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let known = kept.iter().flatten().find(|file| (file.layer, file.digest) == (layer, digest));
    if let Some(file) = known {
        return Ok(Arc::clone(file));
    }
    let read = on_known_stack(|| read::read(layer, bytes));
    let file = Arc::new(read.unwrap_or_else(|| Err(vec![read::internal(GAVE_UP)]))?);
    let place = LayerName::ALL.iter().position(|name| *name == file.code().layer);
    if let Some(slot) = place.and_then(|at| kept.get_mut(at)) {
        *slot = Some(Arc::clone(&file));
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_bytes_of_a_layer_are_read_once() {
        let read = |layer, text: &str| read_kept(layer, text.as_bytes()).unwrap();
        let (mine, one) = (LayerName::Project, "// one");
        let first = read(mine, one);
        assert!(Arc::ptr_eq(&first, &read(mine, one)));
        assert!(!Arc::ptr_eq(&first, &read(LayerName::Operator, one)));
        assert!(Arc::ptr_eq(&first, &read(mine, one)), "each layer has its own place");
        assert_ne!(read(mine, "// two").code(), first.code());
        assert_eq!(read(mine, one).code(), first.code());
        assert!(read_kept(mine, b"permit").is_err());
        assert!(read_kept(mine, b"permit").is_err(), "a mistake is told every time");
    }
}
