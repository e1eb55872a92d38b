//! What a server keeps outside every project: the tokens of agents, and where it listens.
//!
//! A token is a file of mode 0600, one for each proposer and project. Whoever deletes it takes
//! the right back at once: a server reads it again whenever it is shown.

use std::fs::File;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use data_encoding::BASE64URL_NOPAD;
use exacta_core::model::digest::Digest;
use exacta_core::model::id::ProjectId;

use serde::{Deserialize, Serialize};

use super::disk;
use super::place::{TrustError, TrustStore};
use crate::proof::Passkey;

/// The name under which agents work that policy does not register.
pub const ANY_AGENT: &str = "agent";
/// What tokens begin with, so that scanners for secrets recognise them.
const PREFIX: &str = "exacta_agent_";
/// Random bytes of a token.
const RANDOM: usize = 32;

/// Where passkeys are kept, and in which form.
const PASSKEYS: &str = "passkeys.json";
const PASSKEYS_VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptPasskeys {
    version: u32,
    passkeys: Vec<Passkey>,
}

/// The right of one proposer to hand in plans in one project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentToken {
    /// The file.
    pub file: PathBuf,
    /// The proposer, as policy registers them; `None` for agents that it does not register.
    pub proposer: Option<String>,
    /// The hash of the token itself.
    pub digest: Digest,
}

impl AgentToken {
    /// Whether the file still holds the token.
    #[must_use]
    pub fn holds(&self) -> bool {
        matches!(disk::read(&self.file), Ok(Some(text)) if digest(&text) == self.digest)
    }
}

impl TrustStore {
    /// The token of a proposer in a project, made unless there is one.
    ///
    /// # Errors
    /// When it cannot be made or read.
    pub fn agent_token(
        &self,
        project: &ProjectId,
        proposer: Option<&str>,
    ) -> Result<AgentToken, TrustError> {
        let folder = self.folder().join("tokens").join(project.as_str());
        disk::private_folder(&folder)?;
        let file = folder.join(file_name(proposer));
        let text = if let Some(text) = disk::read(&file)? {
            text
        } else {
            disk::write_new(&file, format!("{}\n", fresh(&file)?).as_bytes())?;
            disk::read(&file)?.unwrap_or_default()
        };
        if text.len() < PREFIX.len() + RANDOM {
            return Err(TrustError::Damaged { path: file });
        }
        Ok(AgentToken { digest: digest(&text), file, proposer: proposer.map(Into::into) })
    }

    /// Says where the server of a project listens, as a JSON text.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep_room(&self, project: &ProjectId, text: &str) -> Result<(), TrustError> {
        let folder = self.folder().join("rooms");
        disk::private_folder(&folder)?;
        disk::write(&folder.join(project.as_str()), text.as_bytes())
    }

    /// The passkeys of this user.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn passkeys(&self) -> Result<Vec<Passkey>, TrustError> {
        let path = self.folder().join(PASSKEYS);
        let Some(bytes) = disk::read(&path)? else { return Ok(Vec::new()) };
        let kept: KeptPasskeys = serde_json::from_slice(&bytes)
            .map_err(|_| TrustError::Damaged { path: path.clone() })?;
        if kept.version != PASSKEYS_VERSION {
            return Err(TrustError::Damaged { path });
        }
        Ok(kept.passkeys)
    }

    /// Changes the passkeys of this user, one process after the other; they stay as they are
    /// where `change` fails.
    ///
    /// # Errors
    /// When they cannot be read or written, or what `change` says.
    pub fn change_passkeys<T, E: From<TrustError>>(
        &self,
        change: impl FnOnce(&mut Vec<Passkey>) -> Result<T, E>,
    ) -> Result<T, E> {
        let path = self.folder().join(PASSKEYS);
        let turn = path.with_extension("lock");
        let io = |source| TrustError::Io { path: turn.clone(), source };
        let lock = File::options().write(true).create(true).truncate(false).mode(0o600).open(&turn);
        let lock = lock.map_err(io)?;
        lock.lock().map_err(io)?;
        let mut passkeys = self.passkeys()?;
        let made = change(&mut passkeys)?;
        let kept = KeptPasskeys { version: PASSKEYS_VERSION, passkeys };
        let text = serde_json::to_vec_pretty(&kept)
            .map_err(|_| TrustError::Damaged { path: path.clone() })?;
        disk::write(&path, &text)?;
        drop(lock);
        Ok(made)
    }

    /// Where the server of a project said that it listens; whether it still does is another
    /// matter.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn room(&self, project: &ProjectId) -> Result<Option<String>, TrustError> {
        let bytes = disk::read(&self.folder().join("rooms").join(project.as_str()))?;
        Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
    }
}

fn digest(text: &[u8]) -> Digest {
    Digest::of(text.trim_ascii())
}

/// A proposer's name is the operator's own; what does not fit into a file name is hashed.
fn file_name(proposer: Option<&str>) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    match proposer {
        None => ANY_AGENT.into(),
        Some(name) if name.len() <= 64 && !name.is_empty() && name.chars().all(plain) => {
            format!("proposer.{name}")
        }
        Some(name) => format!("proposer.{}", Digest::of(name.as_bytes())),
    }
}

fn fresh(path: &Path) -> Result<String, TrustError> {
    let mut random = [0_u8; RANDOM];
    getrandom::fill(&mut random).map_err(|error| TrustError::Io {
        path: path.into(),
        source: std::io::Error::other(error.to_string()),
    })?;
    Ok(format!("{PREFIX}{}", BASE64URL_NOPAD.encode(&random)))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_token_is_private_lasts_and_ends_with_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let store = TrustStore::new(Some(folder.path().as_os_str()), None).unwrap();
        let project = ProjectId::parse("01930000-0000-7000-8000-000000000001").unwrap();
        let one = store.agent_token(&project, None).unwrap();
        assert_eq!(one, store.agent_token(&project, None).unwrap());
        let other = store.agent_token(&project, Some("../agent")).unwrap();
        assert_ne!(one.digest, other.digest);
        assert_eq!(one.file.parent(), other.file.parent());
        assert_eq!(std::fs::metadata(&one.file).unwrap().permissions().mode() & 0o777, 0o600);
        let text = std::fs::read_to_string(&one.file).unwrap();
        assert_eq!(Digest::of(text.trim().as_bytes()), one.digest);
        assert!(one.holds());
        std::fs::remove_file(&one.file).unwrap();
        assert!(!one.holds());
    }
}
