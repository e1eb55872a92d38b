//! What every manifest comes down to.

use std::collections::BTreeMap;

/// One requirement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Dependency {
    /// The version, as written; empty for any.
    pub(super) version: String,
    /// Where it comes from when that is not the usual registry.
    pub(super) source: String,
    /// What else is asked of it: features, extras, hashes.
    pub(super) detail: String,
    /// The line from 0.
    pub(super) line: Option<usize>,
}

/// A command that runs at install or build time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Script {
    pub(super) command: String,
    pub(super) line: Option<usize>,
}

/// Requirements of one package beyond this many are not kept.
const REPETITIONS: usize = 32;

/// A manifest as far as it matters.
#[derive(Debug, Default)]
pub(super) struct Manifest {
    /// Requirements by package; a package may be required more than once.
    pub(super) dependencies: BTreeMap<String, Vec<Dependency>>,
    /// Commands by name.
    pub(super) scripts: BTreeMap<String, Script>,
    /// Registries and mirrors by what they serve.
    pub(super) registries: BTreeMap<String, Script>,
    /// What users of the package get, by the name under which they ask for it.
    pub(super) entries: BTreeMap<String, Script>,
}

impl Manifest {
    pub(super) fn require(&mut self, name: &str, dependency: Dependency) {
        let list = self.dependencies.entry(name.to_owned()).or_default();
        if list.len() < REPETITIONS {
            list.push(dependency);
        }
    }

    pub(super) fn run(&mut self, name: &str, command: impl Into<String>, line: Option<usize>) {
        let command = given(command.into());
        self.scripts.insert(name.to_owned(), Script { command, line });
    }

    pub(super) fn offer(&mut self, name: &str, target: impl Into<String>, line: Option<usize>) {
        self.entries.insert(name.to_owned(), Script { command: target.into(), line });
    }

    pub(super) fn fetch_from(
        &mut self,
        name: &str,
        address: impl Into<String>,
        line: Option<usize>,
    ) {
        let command = given(address.into());
        self.registries.insert(name.to_owned(), Script { command, line });
    }
}

/// An empty text would stand for what is not there.
fn given(text: String) -> String {
    if text.is_empty() { "(nothing more is said)".into() } else { text }
}

/// Where the lines of a text start.
pub(super) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub(super) fn new(text: &str) -> Self {
        Self { starts: text.match_indices('\n').map(|(at, _)| at).collect() }
    }

    /// The line from 0 that a byte is on.
    pub(super) fn at(&self, byte: usize) -> usize {
        self.starts.partition_point(|end| *end < byte)
    }
}
