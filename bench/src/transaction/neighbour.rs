//! Somebody else on the same disk who writes all the time and never syncs.

use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// Written from the start again once it is as large.
const SIZE: usize = 512 << 20;
const CHUNK: usize = 1 << 20;
/// So many bytes are unwritten once it has been at work for some time.
pub(super) const GATHERED: u64 = 384 << 20;

pub(super) struct Neighbour {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Neighbour {
    pub(super) fn start(folder: &Path) -> Result<Self, String> {
        let mut file = File::create(folder.join("neighbour")).map_err(|error| error.to_string())?;
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let chunk = vec![7_u8; CHUNK];
            let mut written = 0;
            while !told.load(Ordering::Relaxed) {
                if file.write_all(&chunk).is_err() {
                    return;
                }
                written += CHUNK;
                if written >= SIZE {
                    written = 0;
                    let _ = file.rewind();
                }
                // About a quarter of a gigabyte a second: busy, not starving.
                thread::sleep(std::time::Duration::from_millis(4));
            }
        });
        // Long enough for unwritten bytes to gather.
        thread::sleep(std::time::Duration::from_secs(1));
        Ok(Self { stop, thread })
    }

    pub(super) fn stop(self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.join();
    }
}
