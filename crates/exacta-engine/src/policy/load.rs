//! Reads the three layers and merges them.

use std::path::{Path, PathBuf};

use exacta_core::code::Code;
use exacta_core::diagnostic::Issue;
use exacta_core::policy::{Layer, LayerName, Merged, merge, read};

use super::folder::Folder;
use super::places::{Owners, Places};
use super::refusal::Refusal;
use crate::workspace::{GateFile, Root};

/// The name of a policy file in the folders outside the project.
const FILE: &str = "policy.toml";
/// The name of rules for Cedar, which this program cannot ask.
const CEDAR: &str = "policy.cedar";
/// The largest policy file.
pub const FILE_LIMIT: u64 = 1 << 20;

/// The policy in force and the files it came from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The policy, where each value came from, and what was ignored.
    pub merged: Merged,
    /// The files that were read, in the order of the layers.
    pub files: Vec<LayerFile>,
}

/// A policy file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerFile {
    /// Its layer.
    pub layer: LayerName,
    /// Where it lies; the project's relative to the project root.
    pub path: PathBuf,
}

/// A policy file that blocks everything.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// The file or its folder cannot be trusted or read.
    #[error("the policy `{}` is refused: {refusal}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// Why.
        refusal: Refusal,
    },
    /// The file has mistakes.
    #[error("the policy `{}` has {}", path.display(), counted(issues.len()))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Its text, for excerpts.
        text: String,
        /// The mistakes.
        issues: Vec<Issue>,
    },
}

impl PolicyError {
    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Refused { path, .. } | Self::Invalid { path, .. } => path,
        }
    }

    /// The same as findings.
    #[must_use]
    pub fn issues(&self) -> Vec<Issue> {
        match self {
            Self::Invalid { issues, .. } => issues.clone(),
            Self::Refused { refusal, .. } => vec![
                Issue::error(Code::PolicyRefused, "trust", self.to_string()).help(refusal.help()),
            ],
        }
    }
}

fn counted(mistakes: usize) -> String {
    if mistakes == 1 { "a mistake".into() } else { format!("{mistakes} mistakes") }
}

/// One layer as it was found on this machine.
#[derive(Debug)]
pub struct Found {
    /// Which layer.
    pub name: LayerName,
    /// Where its file lies or would lie; the project's relative to the project root.
    pub path: PathBuf,
    /// What the file says, `None` when there is none, or why it blocks.
    pub outcome: Result<Option<Layer>, PolicyError>,
}

/// Looks at every layer by itself, in order.
#[must_use]
pub fn survey(project: &Root, places: &Places) -> [Found; 3] {
    let Owners { system, user } = places.owners;
    let outside = |folder: &Path, owners: &[u32]| {
        let Some(folder) = Folder::open(folder, owners, project)? else { return Ok(None) };
        match folder.read(CEDAR, FILE_LIMIT)? {
            None => folder.read(FILE, FILE_LIMIT),
            Some(_) => Err(Refusal::Cedar),
        }
    };
    let inside = || match project.read_gate_file(GateFile::Cedar, FILE_LIMIT) {
        Ok(None) => project.read_gate_file(GateFile::Policy, FILE_LIMIT).map_err(Refusal::Project),
        Ok(Some(_)) => Err(Refusal::Cedar),
        Err(fault) => Err(Refusal::Project(fault)),
    };
    let [floor, operator] = [&places.system, &places.operator];
    [
        found(LayerName::System, floor.join(FILE), outside(floor, &[system])),
        found(LayerName::Operator, operator.join(FILE), outside(operator, &[user, system])),
        found(LayerName::Project, GateFile::Policy.path().into(), inside()),
    ]
}

fn found(name: LayerName, path: PathBuf, bytes: Result<Option<Vec<u8>>, Refusal>) -> Found {
    let outcome = match bytes {
        Err(refusal) => Err(PolicyError::Refused { path: path.clone(), refusal }),
        Ok(None) => Ok(None),
        Ok(Some(bytes)) => read(name, &bytes).map(Some).map_err(|issues| {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            PolicyError::Invalid { path: path.clone(), text, issues }
        }),
    };
    Found { name, path, outcome }
}

/// Reads the policy in force for a project.
///
/// # Errors
/// The first file that is there but cannot be trusted, read or understood.
pub fn load(project: &Root, places: &Places) -> Result<Loaded, PolicyError> {
    let mut layers = Vec::new();
    let mut files = Vec::new();
    for Found { name, path, outcome } in survey(project, places) {
        if let Some(layer) = outcome? {
            layers.push(layer);
            files.push(LayerFile { layer: name, path });
        }
    }
    Ok(Loaded { merged: merge(&layers), files })
}
