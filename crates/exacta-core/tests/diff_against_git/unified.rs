//! Unified hunks of two texts, made with the `similar` crate.

use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

const MARKER: &[u8] = b"\n\\ No newline at end of file\n";

/// The hunks between two texts with the given lines of context.
pub(crate) fn hunks(old: &[Vec<u8>], new: &[Vec<u8>], context: usize) -> Vec<u8> {
    let ops = capture_diff_slices(Algorithm::Myers, old, new);
    let mut out = Vec::new();
    for group in group_diff_ops(ops, context) {
        let group: Vec<_> = group.into_iter().filter(|op| !is_empty(op)).collect();
        if group.iter().all(|op| matches!(op, DiffOp::Equal { .. })) {
            continue;
        }
        let (first, last) = (group.first().unwrap(), group.last().unwrap());
        let old_range = first.old_range().start..last.old_range().end;
        let new_range = first.new_range().start..last.new_range().end;
        let header = format!("@@ -{} +{} @@\n", side(&old_range), side(&new_range));
        out.extend(header.bytes());
        for op in &group {
            if let DiffOp::Equal { .. } = op {
                write(&mut out, b' ', &old[op.old_range()]);
            } else {
                write(&mut out, b'-', &old[op.old_range()]);
                write(&mut out, b'+', &new[op.new_range()]);
            }
        }
    }
    out
}

fn is_empty(op: &DiffOp) -> bool {
    op.old_range().is_empty() && op.new_range().is_empty()
}

fn side(range: &std::ops::Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        count => format!("{},{count}", range.start + 1),
    }
}

fn write(out: &mut Vec<u8>, sign: u8, lines: &[Vec<u8>]) {
    for line in lines {
        out.push(sign);
        out.extend(line);
        if !line.ends_with(b"\n") {
            out.extend(MARKER);
        }
    }
}
