//! Time that a busy machine does not stretch.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The processor time that this thread has used.
#[must_use]
pub fn processor_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(now.tv_sec).expect("time runs forward");
    Duration::from_secs(seconds)
        + Duration::from_nanos(u64::try_from(now.tv_nsec).expect("time runs forward"))
}
