//! Checking the whole record: every link, every signature, the head noted outside.
//!
//! Nothing is trusted here, no snapshot and no index. The first bad entry is named, and
//! what kind of change it was, as far as that can be told.

use super::entry::Owner;
use super::place;
use super::segment::lines;
use super::walk::Walk;
use crate::store::{Depth, LogError, Problem, ProblemKind, Report};
use crate::trust::Checkpoint;
use crate::workspace::{PortError, Workspace};

/// No more problems than this are listed.
pub(super) const MOST: usize = 100;

/// Checks the record of `project` that the key `public` signs against the head that was
/// noted outside and those that somebody kept.
///
/// # Errors
/// When a file cannot be read at all.
pub(crate) fn check(
    port: &dyn Workspace,
    project: &str,
    public: &str,
    noted: Option<Checkpoint>,
    kept: &[Checkpoint],
    depth: Depth,
) -> Result<Report, LogError> {
    let is_noted = noted.is_some();
    let heads: Vec<Checkpoint> = kept.iter().cloned().chain(noted).collect();
    let names = port.list(&place::folder())?;
    let mut numbers: Vec<u32> = names.iter().filter_map(|name| place::number_of(name)).collect();
    numbers.sort_unstable();
    let owner = Owner::new(project, public);
    let mut report = chained(port, &numbers, Walk::new(owner, &heads, depth))?;
    for name in names.iter().filter(|name| place::is_stray(name)).take(MOST) {
        report.problems.push(Problem {
            kind: ProblemKind::Misplaced,
            entry: None,
            file: place::folder().within(name).to_string(),
            message: "the record knows no such file; move it elsewhere".into(),
        });
    }
    if report.problems.is_empty() && !is_noted && report.entries > 1 {
        let unnoted = LogError::Unnoted { entries: report.entries };
        report.problems.push(Problem {
            kind: ProblemKind::NoCheckpointHere,
            entry: None,
            file: place::folder().to_string(),
            message: format!("{unnoted}; its end may have been cut"),
        });
    }
    if depth == Depth::WHOLE && report.problems.is_empty() {
        report.problems = one_by_one(port, &numbers, owner)?;
    }
    Ok(report)
}

/// Walks the chain.
fn chained(port: &dyn Workspace, numbers: &[u32], mut walk: Walk<'_>) -> Result<Report, LogError> {
    let mut expected = 1;
    let mut numbers = numbers.iter().copied().peekable();
    // The first line of the next file vouches for the last one of this.
    let mut ahead = None;
    while let Some(number) = numbers.next() {
        if number != expected {
            walk.gone(&place::segment(expected), number - expected);
        }
        expected = number.saturating_add(1);
        let now = match ahead.take() {
            Some(read) => read,
            None => contents(port, number)?,
        };
        if let Some(next) = numbers.peek().filter(|next| **next == expected) {
            ahead = Some(contents(port, *next)?);
        }
        walk.enter(&place::segment(number));
        match now {
            Ok(bytes) => match &ahead {
                Some(Ok(next)) => walk.segment(&bytes, next, false),
                Some(Err(_)) => walk.segment(&bytes, &[], false),
                None => walk.segment(&bytes, &[], numbers.peek().is_none()),
            },
            Err(message) => walk.unreadable(message),
        }
    }
    Ok(walk.end())
}

/// Judges every entry by itself. The chain and its newest signature have vouched for all
/// of them, so what is found here the gate itself did wrong.
fn one_by_one(
    port: &dyn Workspace,
    numbers: &[u32],
    owner: Owner<'_>,
) -> Result<Vec<Problem>, LogError> {
    let mut problems = Vec::new();
    let mut number = 0;
    for segment in numbers {
        let at = place::segment(*segment);
        let bytes = port.read(&at)?;
        for line in lines(&bytes) {
            number += 1;
            if let Err(fault) = owner.judge(line, number, Depth::WHOLE)
                && problems.len() < MOST
            {
                let kind =
                    if fault.changed { ProblemKind::Edited } else { ProblemKind::ForeignKey };
                let (entry, file) = (Some(number), at.to_string());
                problems.push(Problem { kind, entry, file, message: fault.message });
            }
        }
    }
    Ok(problems)
}

/// The bytes of a segment, or why it cannot be one.
fn contents(port: &dyn Workspace, number: u32) -> Result<Result<Vec<u8>, String>, LogError> {
    match port.read(&place::segment(number)) {
        Ok(bytes) => Ok(Ok(bytes)),
        Err(PortError::Gone(_)) => Ok(Err("the file is missing".into())),
        Err(PortError::Refused { fault, .. }) => {
            Ok(Err(format!("the file cannot be part of a record: {fault}")))
        }
        Err(error) => Err(error.into()),
    }
}
