//! Giving a file of the gate's own new bytes in one step.

use exacta_core::model::change::FileMode;

use super::{Metadata, PortError, Sight, Spot, Workspace};

const PRIVATE: u32 = 0o600;
/// What the name of a file that is not in its place yet begins with.
pub(crate) const UNFINISHED: &str = "new-";

/// Replaces or makes the file at `at`; whoever looks sees the old bytes or the new ones.
/// The caller holds the turn, so the name aside is free.
pub(crate) fn replace(port: &dyn Workspace, at: &Spot, bytes: &[u8]) -> Result<(), PortError> {
    let aside = at.folder().within(&format!("{UNFINISHED}{}", at.name()));
    port.remove(&aside)?;
    put(port, &aside, at, bytes).inspect_err(|_| {
        // Half a file helps nobody; where it cannot be taken away, the next try does it.
        let _ = port.remove(&aside);
    })
}

fn put(port: &dyn Workspace, aside: &Spot, at: &Spot, bytes: &[u8]) -> Result<(), PortError> {
    port.stage(aside, bytes, FileMode::from_raw(PRIVATE), &Metadata::default())?;
    match port.see(at)? {
        Sight::Absent => port.place(aside, at),
        Sight::File(_) | Sight::Unfit(_) => {
            port.swap(aside, at)?;
            port.remove(aside)
        }
    }
}
