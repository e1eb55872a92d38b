//! Runs a part of a test as somebody whom file permissions stop.

use rustix::thread::{CapabilitySet, capabilities, set_capabilities};

/// Runs `test` without the right to read and write what permissions forbid, which root
/// has. Rights belong to a thread, so only this one gives them up.
pub(crate) fn bound_by_permissions<T: Send>(test: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let bound = scope.spawn(|| {
            let mut rights = capabilities(None).unwrap();
            rights.effective -= CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
            set_capabilities(None, rights).unwrap();
            test()
        });
        bound.join().unwrap()
    })
}
