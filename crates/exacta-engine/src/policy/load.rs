//! Reads the layers and merges them.

use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use exacta_core::judge::policy::{
    Arbiter, Arbiters, Layer, LayerName, Merged, merge, read, stricter,
};
use exacta_core::model::code::Code;
use exacta_core::model::diagnostic::Issue;
use rustix::fs::Access;
use rustix::io::Errno;

use super::cedar::{self, CedarFile};
use super::folder::Folder;
use super::note::{NoteStanding, PolicyNote};
use super::places::{Owners, Places};
use super::refusal::Refusal;
use crate::workspace::{GateFile, Root};

/// The name of a policy file in the folders outside the project.
pub(super) const FILE: &str = "policy.toml";
/// The name of a file with policies for Cedar.
const CEDAR: &str = GateFile::Cedar.name();
/// What the layer of the environment is called where others have a path.
const ENVIRONMENT: &str = "the variables EXACTA_MAX_…";
/// The largest policy file.
pub const FILE_LIMIT: u64 = 1 << 20;
/// The largest file with policies for Cedar.
pub const CEDAR_LIMIT: u64 = 256 << 10;

/// The policy in force and the files it came from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The policy, where each value came from, and what was ignored.
    pub merged: Merged,
    /// The files that were read, in the order of the layers.
    pub files: Vec<LayerFile>,
    /// The policies for Cedar, in the order of the layers.
    pub cedar: Vec<Arc<CedarFile>>,
    /// How the operator's policy stands to what is noted of it.
    pub standing: NoteStanding,
    /// What would be noted of it now.
    pub note: PolicyNote,
    /// What would be in force once a person has confirmed the operator's policy.
    pub unconfirmed: Option<Merged>,
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

/// One policy file as it was found on this machine.
#[derive(Debug)]
pub struct Found {
    /// Which layer.
    pub name: LayerName,
    /// Where it lies or would lie; the project's relative to the project root.
    pub path: PathBuf,
    /// What the file says, `None` when there is none, or why it blocks.
    pub outcome: Result<Option<Content>, PolicyError>,
    /// Its bytes, where it was read.
    pub bytes: Option<Vec<u8>>,
}

/// What a policy file says.
#[derive(Clone, Debug)]
pub enum Content {
    /// Keys and rules.
    Keys(Box<Layer>),
    /// Policies.
    Cedar(Arc<CedarFile>),
}

/// The bytes of a file, or why it is refused.
type Bytes = Result<Option<Vec<u8>>, Refusal>;

/// Looks at every file by itself, in the order of the layers.
#[must_use]
pub fn survey(project: &Root, places: &Places) -> Vec<Found> {
    let Owners { system, user } = places.owners;
    let outside = |path: &Path, owners: &[u32]| -> [Bytes; 2] {
        match Folder::open(path, owners, project) {
            Ok(Some(folder)) => [folder.read(FILE, FILE_LIMIT), folder.read(CEDAR, CEDAR_LIMIT)],
            Ok(None) => [Ok(None), Ok(None)],
            // One refusal is enough for a folder.
            Err(refusal) => [Err(refusal), Ok(None)],
        }
    };
    let inside = |file, limit| {
        project.read_gate_file(file, limit).map_err(|fault| match closed_folder(project) {
            Some(folder) => Refusal::ProjectFolder(folder),
            None => Refusal::Project(fault),
        })
    };
    let [floor, operator] = [&places.system, &places.operator];
    let [keys, cedar] = [GateFile::Policy, GateFile::Cedar];
    let layers = [
        (LayerName::System, names_in(floor), outside(floor, &[system])),
        (LayerName::Operator, names_in(operator), outside(operator, &[user, system])),
        (
            LayerName::Project,
            [keys, cedar].map(|file| file.path().into()),
            [inside(keys, FILE_LIMIT), inside(cedar, CEDAR_LIMIT)],
        ),
    ];
    layers
        .into_iter()
        .flat_map(|(name, [keys_path, cedar_path], [keys, cedar])| {
            let keys = found(name, keys_path, keys, |bytes| {
                read(name, bytes).map(|layer| Content::Keys(Box::new(layer)))
            });
            let cedar = found(name, cedar_path, cedar, |bytes| {
                cedar::read(name, bytes).map(Content::Cedar)
            });
            [keys, cedar]
        })
        .chain(places.environment.as_ref().map(|caps| {
            let name = LayerName::Environment;
            found(name, ENVIRONMENT.into(), Ok(Some(caps.clone().into_bytes())), |bytes| {
                read(name, bytes).map(|layer| Content::Keys(Box::new(layer)))
            })
        }))
        .collect()
}

/// The folder above a project's policy that this user may not read, if there is one.
fn closed_folder(project: &Root) -> Option<String> {
    let root = PathBuf::from(project.id().path);
    let open = Access::READ_OK | Access::EXEC_OK;
    let closed = |folder: &PathBuf| rustix::fs::access(folder, open) == Err(Errno::ACCESS);
    let state = root.join(".exacta");
    [root, state].into_iter().find(closed).map(|folder| folder.display().to_string())
}

fn names_in(folder: &Path) -> [PathBuf; 2] {
    [FILE, CEDAR].map(|name| folder.join(name))
}

fn found(
    name: LayerName,
    path: PathBuf,
    bytes: Bytes,
    read: impl FnOnce(&[u8]) -> Result<Content, Vec<Issue>>,
) -> Found {
    let kept = bytes.as_ref().ok().cloned().flatten();
    let outcome = match bytes {
        Err(refusal) => Err(PolicyError::Refused { path: path.clone(), refusal }),
        Ok(None) => Ok(None),
        Ok(Some(bytes)) => read(&bytes).map(Some).map_err(|issues| {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            PolicyError::Invalid { path: path.clone(), text, issues }
        }),
    };
    Found { name, path, outcome, bytes: kept }
}

/// Reads the text of a `policy.cedar` as that of a layer.
///
/// # Errors
/// Every mistake in it.
pub fn read_cedar(layer: LayerName, bytes: &[u8]) -> Result<Arc<CedarFile>, Vec<Issue>> {
    cedar::read(layer, bytes)
}

/// Reads the policy in force for a project. Where the operator's lies elsewhere than noted,
/// or is looser, the stricter of both is.
///
/// # Errors
/// The first file that is there but cannot be trusted, read or understood.
pub fn load(project: &Root, places: &Places) -> Result<Loaded, PolicyError> {
    let mut layers = Vec::new();
    let mut cedar: Vec<Arc<CedarFile>> = Vec::new();
    let mut files = Vec::new();
    let mut texts: [Option<Vec<u8>>; 2] = [None, None];
    for Found { name, path, outcome, bytes } in survey(project, places) {
        let outcome = outcome?;
        if name == LayerName::Operator {
            let [keys, policies] = &mut texts;
            *(if path.ends_with(CEDAR) { policies } else { keys }) = bytes;
        }
        match outcome {
            None => continue,
            Some(Content::Keys(layer)) => layers.push(*layer),
            Some(Content::Cedar(file)) => cedar.push(file),
        }
        files.push(LayerFile { layer: name, path });
    }
    let [keys, policies] = &texts;
    let note = PolicyNote::of(&places.operator, keys.as_deref(), policies.as_deref());
    let noted = match &places.noted {
        Some(store) => PolicyNote::known(store, &note)?,
        None => None,
    };
    let mut merged = merge(&layers);
    let mut unconfirmed = None;
    let standing = match noted {
        None => NoteStanding::First,
        Some(noted) if noted == note => NoteStanding::Same,
        Some(noted) => {
            let both = stricter(&layers, noted.layer().as_ref());
            // Policies of another text cannot be compared, and both are asked.
            let heard = match &noted.cedar {
                Some(text) if noted.cedar != note.cedar => Some(text),
                _ => None,
            };
            if let Some(text) = heard {
                let read = cedar::read(LayerName::Operator, text.as_bytes());
                cedar.push(read.map_err(|issues| PolicyError::Invalid {
                    path: places.operator.join(CEDAR),
                    text: text.clone(),
                    issues,
                })?);
            }
            let moved = noted.place != note.place;
            if !moved && heard.is_none() && both.policy.decides_like(&merged.policy) {
                NoteStanding::Tighter
            } else {
                unconfirmed = Some(mem::replace(&mut merged, both));
                NoteStanding::Unconfirmed { noted_place: moved.then_some(noted.place) }
            }
        }
    };
    let arbiters = cedar.iter().map(|file| Arc::clone(file) as Arc<dyn Arbiter>);
    merged.policy.arbiters = Arbiters::new(arbiters.collect());
    Ok(Loaded { merged, files, cedar, standing, note, unconfirmed })
}
