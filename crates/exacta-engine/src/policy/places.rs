//! Where policy files lie outside the project, and what the environment adds to them. The
//! environment is handed in, so that nothing else can steer it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::trust::TrustStore;

/// The machine's own folder.
const SYSTEM: &str = "/etc/exacta";
/// The name of our folder below the user's configuration.
const FOLDER: &str = "exacta";

/// How the variables begin that lower caps: `EXACTA_MAX_FILES` is the cap `max_files`.
const CAP: &str = "EXACTA_MAX_";

/// The folders of the two layers outside the project, and the environment's own layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The machine's floor.
    pub system: PathBuf,
    /// The operator's folder.
    pub operator: PathBuf,
    /// Who may own them.
    pub owners: Owners,
    /// The caps of the environment, as a policy file would say them.
    pub environment: Option<String>,
    /// Where the operator's policy is noted; nowhere, and whatever is there counts.
    pub noted: Option<TrustStore>,
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
            environment: None,
            noted: None,
        })
    }

    /// The same with what is noted of the operator's policy.
    #[must_use]
    pub fn noted_in(self, store: TrustStore) -> Self {
        Self { noted: Some(store), ..self }
    }

    /// The same with the caps that variables such as `EXACTA_MAX_FILES` name.
    #[must_use]
    pub fn capped_by(self, variables: impl Iterator<Item = (OsString, OsString)>) -> Self {
        let caps: BTreeMap<String, String> = variables
            .filter_map(|(name, value)| {
                let name = name.to_string_lossy();
                let cap = name.strip_prefix(CAP)?;
                // One spelling only: of two that mean the same cap, the looser could win.
                let known = cap.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
                let key = if known { format!("max_{}", cap.to_lowercase()) } else { name.into() };
                Some((key, value.to_string_lossy().trim().to_owned()))
            })
            .collect();
        if caps.is_empty() {
            return self;
        }
        let mut text = String::from("[caps]\n");
        for (key, value) in caps {
            // What is no number stays a text, and the reader says so.
            let number =
                !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit() || b == b'.');
            let value = if number { value } else { format!("{value:?}") };
            let _ = writeln!(text, "{key:?} = {value}");
        }
        Self { environment: Some(text), ..self }
    }
}
