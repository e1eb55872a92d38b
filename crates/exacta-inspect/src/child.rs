//! The inspector as a process of its own.
//!
//! The gate starts itself once more as `exacta __inspect`, writes one request and reads
//! one report. A child that dies, hangs or answers nonsense is the fact `not_analysed`.

use std::io::{Read, Write};

use crate::confine::{Confined, NotConfined, allow_time_for, confine};
use crate::inspect::inspect;
use crate::syntax::may_end_the_process;
use crate::wire::{WireError, read_request, write_report};

/// Why the child gave no report.
#[derive(Debug, thiserror::Error)]
pub enum ChildError {
    /// The system cannot confine a process, so nothing hostile is read.
    #[error(transparent)]
    NotConfined(#[from] NotConfined),
    /// Request or report did not pass.
    #[error(transparent)]
    Wire(#[from] WireError),
}

/// Gives up every right that reading bytes does not need, then answers one request.
///
/// # Errors
/// When the process cannot be confined, or the pipes fail.
pub fn serve(input: &mut impl Read, output: &mut impl Write) -> Result<Confined, ChildError> {
    let confined = confine()?;
    let owned = read_request(input)?;
    allow_time_for(owned.size())?;
    may_end_the_process();
    write_report(&inspect(&owned.request()?), output)?;
    Ok(confined)
}

/// Answers one request without giving up anything; for tests and for callers that are
/// confined already.
///
/// # Errors
/// When the pipes fail.
pub fn answer(input: &mut impl Read, output: &mut impl Write) -> Result<(), WireError> {
    let owned = read_request(input)?;
    let report = inspect(&owned.request()?);
    write_report(&report, output)
}
