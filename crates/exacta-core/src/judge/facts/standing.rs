//! What a file is to others, as far as its name tells.

use super::is_test;
use crate::model::path::RelPath;

/// Folders whose content others do not build on.
const INSIDE: [&str; 10] = [
    "internal",
    "_internal",
    "internals",
    "detail",
    "private",
    "bench",
    "benches",
    "benchmarks",
    "fuzz",
    "scripts",
];

/// Signs of a name whose content people copy and fill in.
const FILLED_IN: [&str; 6] = [".example", ".sample", ".template", ".dist", ".tmpl", ".tpl"];

/// Whether people copy the file and fill it in.
#[must_use]
pub fn is_sample(path: &RelPath) -> bool {
    let name = path.name().to_lowercase();
    FILLED_IN.iter().any(|sign| name.contains(sign))
        || path.components().any(|part| part.eq_ignore_ascii_case("examples"))
}

/// Whether people outside the project may build on what the file declares.
#[must_use]
pub fn is_built_on(path: &RelPath) -> bool {
    let inside = |part: &str| INSIDE.iter().any(|name| part.eq_ignore_ascii_case(name));
    let settings = path.name().contains(".config.");
    !is_test(path) && !is_sample(path) && !settings && !path.components().any(inside)
}
