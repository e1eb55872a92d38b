//! Functions and files of which most was replaced or emptied.

use exacta_core::judge::facts::FactKind;
use hashbrown::HashSet;

use super::look::{Look, Told};
use crate::excerpt::excerpt;

/// So many lines at least,
const LINES: usize = 20;
/// and so many of a hundred.
const SHARE: usize = 60;

pub(super) fn detect(look: &Look<'_>, out: &mut Vec<Told>) {
    if !look.existed || look.deleted || look.subject.prose {
        return;
    }
    // How many lines of code there are, and how many of them went, up to each line.
    let (mut all, mut gone) = (vec![0_usize], vec![0_usize]);
    let mut removed = look.diff.removed.iter().copied().peekable();
    let (mut so_far, mut went) = (0, 0);
    for line in 0..look.before.lines.len() {
        let code = !look.before.is_comment(line);
        let is_gone = removed.next_if_eq(&line).is_some();
        so_far += usize::from(code);
        went += usize::from(code && is_gone);
        all.push(so_far);
        gone.push(went);
    }
    if most(went, so_far) {
        out.push(Told::whole(fact("", went, so_far)));
        return;
    }
    let Some(reading) = look.readings.0 else { return };
    let starts: Vec<usize> = std::iter::once(0).chain(look.before.line_ends()).collect();
    let after = look.readings.1.map(|after| after.functions.as_slice()).unwrap_or_default();
    let names: HashSet<&str> = after.iter().map(|function| function.name.as_str()).collect();
    for function in &reading.functions {
        let last = starts.partition_point(|start| *start < function.bytes.1);
        let within = |sums: &[usize]| {
            let from = sums.get(function.line).copied().unwrap_or_default();
            sums.get(last).copied().unwrap_or(from).saturating_sub(from)
        };
        let (total, emptied) = (within(&all), within(&gone));
        if most(emptied, total) && names.contains(function.name.as_str()) {
            out.push(Told::at(function.line, true, fact(&function.name, emptied, total)));
            return;
        }
    }
}

fn most(gone: usize, all: usize) -> bool {
    gone >= LINES && gone * 100 >= all * SHARE
}

fn fact(name: &str, removed: usize, total: usize) -> FactKind {
    FactKind::Gutted {
        name: excerpt(name),
        removed: u32::try_from(removed).unwrap_or(u32::MAX),
        total: u32::try_from(total).unwrap_or(u32::MAX),
    }
}
