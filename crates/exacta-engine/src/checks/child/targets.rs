//! Whether every target in the view is what the run would make of it.

use std::collections::BTreeSet;

use exacta_core::model::path::RelPath;

use crate::checks::wire::Request;
use crate::workspace::{Options, Root, Sight, Spot, Workspace as _};

/// Targets that are not; all of them when the view cannot be looked at.
pub(super) fn differing(request: &Request) -> Vec<String> {
    let options = Options { size_limit: u64::MAX, ..Options::default() };
    let Ok(view) = Root::open_with(&request.project, options) else {
        return request.targets.iter().map(|(path, _)| path.clone()).collect();
    };
    // A new file at a place that another one left tells both, and it is the file that counts.
    let made: BTreeSet<_> =
        request.targets.iter().filter(|(_, d)| d.is_some()).map(|(path, _)| path).collect();
    let mut differing = Vec::new();
    for (path, wanted) in &request.targets {
        let Ok(target) = RelPath::parse(path) else { continue };
        let same = match (view.see(&Spot::target(&target)), wanted) {
            (Ok(Sight::File(seen)), Some((digest, bits))) => {
                (seen.image.digest, seen.image.mode.bits()) == (*digest, *bits)
            }
            (Ok(Sight::Absent), None) => true,
            // Its place may have become a folder, or a folder above it a file.
            (Ok(Sight::Unfit(_)), None) => {
                made.iter().any(|new| lies_in(new, path) || lies_in(path, new))
            }
            _ => false,
        };
        if !same {
            differing.push(path.clone());
        }
    }
    differing
}

/// Whether a path is the same as another or leads into it.
fn lies_in(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_begins_alike_is_another() {
        assert!(lies_in("src/a/b", "src/a") && lies_in("src/a", "src/a"));
        assert!(!lies_in("src/ab", "src/a") && !lies_in("src/a", "src/a/b"));
    }
}
