//! How those who run tests see a file.

use alloc::string::String;

use super::is_test;
use crate::model::path::RelPath;

/// Folders of data, which tools that run tests leave out whatever lies there.
const DATA: [&str; 3] = ["testdata", "fixtures", "__fixtures__"];

/// What runners of tests go by: a path's ending, its folders and its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Runner {
    ending: String,
    /// Whether the path is one of tests,
    test: bool,
    /// and its name alone says so.
    named: bool,
}

impl Runner {
    /// How the path is seen.
    #[must_use]
    pub fn of(path: &RelPath) -> Self {
        let named = RelPath::parse(path.name()).is_ok_and(|name| is_test(&name));
        let left_out = path.components().any(|part| DATA.contains(&part));
        Self { ending: ending(path), test: is_test(path) && !left_out, named: named && !left_out }
    }

    /// The paths at which a test of this one runs as well.
    pub fn as_good_as(&self) -> impl Iterator<Item = Self> {
        let same = Self { test: true, named: true, ..self.clone() };
        let folder_will_do = (!self.named).then(|| Self { named: false, ..same.clone() });
        [same].into_iter().chain(folder_will_do)
    }

    /// Whether a test at the path can run at all. Some languages have tests anywhere.
    #[must_use]
    pub fn may_run(&self) -> bool {
        match self.ending.as_str() {
            "py" | "go" => self.named,
            "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" => self.test,
            _ => true,
        }
    }

    /// Whether a file that was seen like this one is found as well under the other name,
    /// and is none of tests if it was none.
    pub(super) fn goes_on_as(&self, other: &Self) -> bool {
        if self.test {
            self.as_good_as().any(|good| good == *other)
        } else {
            (&self.ending, other.test) == (&other.ending, false)
        }
    }
}

/// What stands behind the last dot of a name, in small letters.
pub(super) fn ending(path: &RelPath) -> String {
    path.name().rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default()
}
