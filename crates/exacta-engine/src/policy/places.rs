//! Where policy files lie outside the project. The environment is handed in, so that
//! nothing else can steer it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The machine's own folder.
const SYSTEM: &str = "/etc/exacta";
/// The name of our folder below the user's configuration.
const FOLDER: &str = "exacta";

/// The folders of the two layers outside the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The machine's floor.
    pub system: PathBuf,
    /// The operator's folder.
    pub operator: PathBuf,
    /// Who may own them.
    pub owners: Owners,
}

/// Who may own policy folders and files, by user id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owners {
    /// Owner of the system's; everything of theirs is also accepted from the operator.
    pub system: u32,
    /// The user of the gate.
    pub user: u32,
}

impl Owners {
    /// Root, and the user this process acts for.
    #[must_use]
    pub fn of_this_process() -> Self {
        Self { system: 0, user: rustix::process::geteuid().as_raw() }
    }
}

/// The operator's folder cannot be told from the environment.
#[derive(Debug, thiserror::Error)]
pub enum PlacesError {
    /// `XDG_CONFIG_HOME` is not an absolute path.
    #[error("`XDG_CONFIG_HOME` is `{}`, which is not an absolute path", .0.display())]
    NotAbsolute(PathBuf),
    /// Neither variable is set.
    #[error("neither `XDG_CONFIG_HOME` nor `HOME` says where the operator's policy lies")]
    NoHome,
}

impl Places {
    /// The folders for the given values of `XDG_CONFIG_HOME` and `HOME`.
    ///
    /// # Errors
    /// When they do not say where; guessing could miss the operator's policy.
    pub fn new(xdg_config_home: Option<&OsStr>, home: Option<&OsStr>) -> Result<Self, PlacesError> {
        let set = |value: Option<&OsStr>| value.filter(|v| !v.is_empty()).map(PathBuf::from);
        let config = match (set(xdg_config_home), set(home)) {
            (Some(config), _) if config.is_absolute() => config,
            (Some(config), _) => return Err(PlacesError::NotAbsolute(config)),
            (None, Some(home)) if home.is_absolute() => home.join(".config"),
            (None, _) => return Err(PlacesError::NoHome),
        };
        Ok(Self {
            system: Path::new(SYSTEM).into(),
            operator: config.join(FOLDER),
            owners: Owners::of_this_process(),
        })
    }
}
