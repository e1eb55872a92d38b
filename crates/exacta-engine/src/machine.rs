//! This machine's clocks and chance, behind a port so that tests can turn back one and
//! repeat the other.

use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use exacta_core::life::lifecycle::Moment;
use rustix::time::{ClockId, clock_gettime};
use uuid::Uuid;

/// Where the system names the boot it is in.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";
const MILLIS: u64 = 1000;
const NANOS_A_MILLI: u64 = 1_000_000;

/// What the gate asks of the machine.
pub trait Machine: Send + Sync {
    /// Now, by both clocks.
    ///
    /// # Errors
    /// When the machine does not say; then nothing may be decided.
    fn now(&self) -> Result<Moment, MachineError>;

    /// A name that nobody used before (UUID, version 7, so names sort by time).
    ///
    /// # Errors
    /// When the machine has no chance to offer.
    fn new_id(&self) -> Result<String, MachineError>;
}

/// The machine did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this machine does not tell {what}: {why}")]
pub struct MachineError {
    what: &'static str,
    why: String,
}

/// The machine this process runs on.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThisMachine;

impl Machine for ThisMachine {
    fn now(&self) -> Result<Moment, MachineError> {
        let boot = boot()?;
        let up = clock_gettime(ClockId::Boottime);
        let seconds = u64::try_from(up.tv_sec).unwrap_or(0);
        let nanos = u64::try_from(up.tv_nsec).unwrap_or(0);
        Ok(Moment {
            boot,
            boottime_ms: seconds.saturating_mul(MILLIS).saturating_add(nanos / NANOS_A_MILLI),
            wall_ms: wall_ms()?,
        })
    }

    fn new_id(&self) -> Result<String, MachineError> {
        let mut random = [0_u8; 10];
        getrandom::fill(&mut random)
            .map_err(|error| MachineError { what: "a random number", why: error.to_string() })?;
        Ok(id_from(wall_ms()?, &random))
    }
}

/// The UUID of a millisecond and ten random bytes.
#[must_use]
pub fn id_from(wall_ms: u64, random: &[u8; 10]) -> String {
    uuid::Builder::from_unix_timestamp_millis(wall_ms, random).into_uuid().to_string()
}

/// Whether a text is written like an id of ours.
#[must_use]
pub fn is_id(text: &str) -> bool {
    Uuid::try_parse(text).is_ok_and(|id| id.to_string() == text)
}

/// A moment of the wall clock for people: RFC 3339 with milliseconds.
#[must_use]
pub fn time_text(wall_ms: u64) -> String {
    let ms = i64::try_from(wall_ms).unwrap_or(i64::MAX);
    jiff::Timestamp::from_millisecond(ms)
        .map_or_else(|_| wall_ms.to_string(), |time| format!("{time:.3}"))
}

/// The boot that this process runs in; no process outlives its boot.
fn boot() -> Result<String, MachineError> {
    static BOOT: OnceLock<String> = OnceLock::new();
    if let Some(boot) = BOOT.get() {
        return Ok(boot.clone());
    }
    let read = std::fs::read_to_string(BOOT_ID)
        .map_err(|error| MachineError { what: "its boot", why: error.to_string() })?;
    Ok(BOOT.get_or_init(|| read.trim().into()).clone())
}

fn wall_ms() -> Result<u64, MachineError> {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map(|since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
        .map_err(|error| MachineError { what: "the time", why: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_time_and_times_read_well() {
        let early = id_from(1_000, &[9; 10]);
        let late = id_from(2_000, &[1; 10]);
        assert!(early < late && is_id(&early), "{early} {late}");
        assert!(!is_id("0192"));
        assert!(!is_id(&early.to_uppercase()) || early == early.to_uppercase());
        assert_eq!(time_text(1_763_275_500_123), "2025-11-16T06:45:00.123Z");
        let one = ThisMachine.now().unwrap();
        let two = ThisMachine.now().unwrap();
        assert!(!two.runs_before(&one));
    }
}
