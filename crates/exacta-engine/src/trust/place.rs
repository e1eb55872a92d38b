//! The folder outside every project, and what is found in it.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use exacta_core::model::digest::Digest;
use exacta_core::model::id::ProjectId;

use super::checkpoint::FileCheckpoints;
use super::disk;
use super::identity::{Identity, RootId};
use super::key::Signer;
use super::standing::FolderTrust;
use crate::machine::is_id;
use crate::run::Key;

/// What goes wrong outside the project.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// Neither variable says where the folder is.
    #[error("neither `XDG_STATE_HOME` nor `HOME` says where the gate may keep its key")]
    NoHome,
    /// `XDG_STATE_HOME` is not an absolute path.
    #[error("`XDG_STATE_HOME` is `{}`, which is not an absolute path", .0.display())]
    NotAbsolute(PathBuf),
    /// The folder lies in the project it vouches for.
    #[error("`{}` lies inside the project, so the project could forge it", path.display())]
    InsideProject {
        /// The folder.
        path: PathBuf,
    },
    /// Others may read or write what is ours alone.
    #[error("`{}` does not belong to this user alone", path.display())]
    NotPrivate {
        /// The file or folder.
        path: PathBuf,
    },
    /// Others may put another folder in its place.
    #[error("others may write to `{}`, where Exacta keeps its key", path.display())]
    OpenAbove {
        /// The folder above.
        path: PathBuf,
    },
    /// The key that signed the records of this user is gone.
    #[error("the key `{}` is missing, which the records of this user were signed with", path.display())]
    NoKey {
        /// Where it was.
        path: PathBuf,
    },
    /// What lies there is not ours or is damaged.
    #[error("`{}` is damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The system refused.
    #[error("`{}` cannot be read or written: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
}

/// The folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustStore {
    folder: PathBuf,
}

impl TrustStore {
    /// The folder for the given values of `XDG_STATE_HOME` and `HOME`; nothing is made.
    ///
    /// # Errors
    /// When they do not say where.
    pub fn new(xdg_state_home: Option<&OsStr>, home: Option<&OsStr>) -> Result<Self, TrustError> {
        let set = |value: Option<&OsStr>| value.filter(|v| !v.is_empty()).map(PathBuf::from);
        let state = match (set(xdg_state_home), set(home)) {
            (Some(state), _) if state.is_absolute() => state,
            (Some(state), _) => return Err(TrustError::NotAbsolute(state)),
            (None, Some(home)) if home.is_absolute() => home.join(".local/state"),
            (None, _) => return Err(TrustError::NoHome),
        };
        Ok(Self { folder: state.join("exacta") })
    }

    /// Where it is.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether what is there belongs to this user alone; one that is not there yet does.
    ///
    /// # Errors
    /// When it is a link, others may read or write it, or write to a folder above it.
    pub fn is_private(&self) -> Result<(), TrustError> {
        disk::private_above(&self.folder)?;
        match std::fs::symlink_metadata(&self.folder) {
            Ok(_) => disk::private_folder(&self.folder),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(disk::fault(&self.folder)(error)),
        }
    }

    /// Makes the folder, private, outside the project at `root`.
    ///
    /// # Errors
    /// When it cannot be made so.
    pub fn prepare(&self, root: &Path) -> Result<(), TrustError> {
        self.lies_outside(root)?;
        disk::private_folder(&self.folder)?;
        for name in ["projects", "roots"] {
            disk::private_folder(&self.folder.join(name))?;
        }
        // What was made may lead elsewhere.
        self.lies_outside(root)
    }

    /// Whether the folder is, or would be made, outside the project at `root`.
    ///
    /// # Errors
    /// When it lies inside, or the system does not say.
    pub fn lies_outside(&self, root: &Path) -> Result<(), TrustError> {
        let there = self.folder.ancestors().find(|above| above.exists()).unwrap_or(&self.folder);
        let real = there.canonicalize().map_err(disk::fault(there))?;
        if real.starts_with(root) {
            let rest = self.folder.strip_prefix(there).unwrap_or(Path::new(""));
            return Err(TrustError::InsideProject { path: real.join(rest) });
        }
        Ok(())
    }

    /// This user's key.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn signer(&self) -> Result<Signer, TrustError> {
        let path = self.folder.join("key");
        let Some(text) = disk::read(&path)? else { return Err(TrustError::NoKey { path }) };
        let secret = std::str::from_utf8(&text).ok().and_then(secret_of);
        Ok(Signer::new(&secret.ok_or(TrustError::Damaged { path })?))
    }

    /// Makes this user's key, unless there is one.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn make_key(&self) -> Result<(), TrustError> {
        let path = self.folder.join("key");
        if disk::read(&path)?.is_none() {
            // Of two processes one is first, and both read what it wrote.
            disk::write_new(&path, format!("{}\n", random_hex(&path)?).as_bytes())?;
        }
        Ok(())
    }

    /// Makes the first key of this user. A key that is gone is missed, not replaced: nothing
    /// that it signed would count any more.
    ///
    /// # Errors
    /// When it is gone, or cannot be made.
    pub fn make_first_key(&self) -> Result<(), TrustError> {
        // A project is noted after the key was made, so that one without a key has lost it.
        if self.knows_projects()? { self.signer().map(drop) } else { self.make_key() }
    }

    /// Whether a record of this user is known.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn knows_projects(&self) -> Result<bool, TrustError> {
        let path = self.folder.join("projects");
        match std::fs::read_dir(&path) {
            Ok(mut projects) => Ok(projects.next().is_some()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(disk::fault(&path)(error)),
        }
    }

    /// How the folder at `root` stands to what is known, given the name it carries.
    ///
    /// # Errors
    /// When what is known cannot be read.
    pub fn standing(&self, name: Option<&str>, root: &RootId) -> Result<FolderTrust, TrustError> {
        let here = self.by_root(root)?;
        let known = match name {
            Some(name) if is_id(name) => self.identity(name)?,
            _ => None,
        };
        Ok(match (name, known, here) {
            (None, _, None) => FolderTrust::New,
            (None, _, Some(here)) => FolderTrust::Removed(here),
            (Some(name), None, None) => FolderTrust::Foreign { project: name.into() },
            (Some(_), None, Some(here)) => FolderTrust::Replaced(here),
            (Some(_), Some(known), here) => {
                // Device numbers of some file systems change with each boot.
                let same_folder = known.root.inode == root.inode;
                let same_path = known.root.path == root.path;
                // Another project took its place, by `adopt` or by a later record.
                if let Some(here) = here.filter(|here| here.project != known.project) {
                    return Ok(FolderTrust::Replaced(here));
                }
                match (same_folder, same_path) {
                    (true, true) => FolderTrust::Known(known),
                    (false, true) => FolderTrust::Replaced(known),
                    (same_folder, false) => {
                        if same_folder || !Path::new(&known.root.path).exists() {
                            FolderTrust::Moved(known)
                        } else {
                            FolderTrust::Copied(known)
                        }
                    }
                }
            }
        })
    }

    /// Notes a new project.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn enrol(&self, project: &ProjectId, root: RootId) -> Result<Identity, TrustError> {
        let folder = self.folder.join("projects").join(project.as_str());
        disk::private_folder(&folder)?;
        let path = folder.join("identity.json");
        let secret = random_hex(&path)?;
        let (format, project) = (Identity::FORMAT.into(), project.clone());
        let identity = Identity { format, project, root, secret };
        let text = serde_json::to_vec(&identity)
            .map_err(|error| disk::fault(&path)(io::Error::other(error)))?;
        disk::write(&path, &text)?;
        Ok(identity)
    }

    /// Holds what is known of a project, so that one process at a time binds it to a place; let
    /// go when the file is dropped.
    ///
    /// # Errors
    /// When it is not known, or the system refuses.
    pub fn hold(&self, identity: &Identity) -> Result<std::fs::File, TrustError> {
        let folder = self.folder.join("projects").join(identity.project.as_str());
        let file = std::fs::File::open(&folder).map_err(disk::fault(&folder))?;
        rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive)
            .map_err(|errno| disk::fault(&folder)(errno.into()))?;
        Ok(file)
    }

    /// Binds a project that was moved to its new place; nothing is missed at the old one.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn rebind(&self, identity: &Identity, root: RootId) -> Result<Identity, TrustError> {
        let path =
            self.folder.join("projects").join(identity.project.as_str()).join("identity.json");
        let fresh = Identity { root, ..identity.clone() };
        let text = serde_json::to_vec(&fresh)
            .map_err(|error| disk::fault(&path)(io::Error::other(error)))?;
        disk::write(&path, &text)?;
        self.link(&fresh)?;
        self.unlink(identity)?;
        Ok(fresh)
    }

    /// Notes which project lies at a root, so that a record that is removed is missed.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn link(&self, identity: &Identity) -> Result<(), TrustError> {
        for path in self.root_files(&identity.root) {
            match disk::read(&path)? {
                Some(there) if there == identity.project.as_bytes() => {}
                _ => disk::write(&path, identity.project.as_bytes())?,
            }
        }
        Ok(())
    }

    /// Notes that nothing is missed at the place that a project was moved away from.
    ///
    /// # Errors
    /// When it cannot be noted.
    pub fn unlink(&self, identity: &Identity) -> Result<(), TrustError> {
        for path in self.root_files(&identity.root) {
            if disk::read(&path)?.is_some_and(|there| there == identity.project.as_bytes()) {
                std::fs::remove_file(&path).map_err(disk::fault(&path))?;
            }
        }
        Ok(())
    }

    /// The heads noted of a project, and the secret that vouches for its runs.
    ///
    /// # Errors
    /// When what is known of it is damaged.
    pub fn witness(&self, identity: &Identity) -> Result<(FileCheckpoints, Key), TrustError> {
        let folder = self.folder.join("projects").join(identity.project.as_str());
        let path = folder.join("checkpoint");
        let secret = secret_of(&identity.secret)
            .ok_or_else(|| TrustError::Damaged { path: folder.join("identity.json") })?;
        let key = Key::new(secret);
        Ok((FileCheckpoints::new(path, key.clone(), identity.project.to_string()), key))
    }

    /// What proves the credential; `None` when none was set.
    ///
    /// # Errors
    /// When it cannot be read, or is not this user's alone.
    pub fn credential(&self) -> Result<Option<Vec<u8>>, TrustError> {
        disk::read(&self.credential_file())
    }

    /// Keeps what proves the credential.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep_credential(&self, hash: &[u8]) -> Result<(), TrustError> {
        disk::private_folder(&self.folder)?;
        disk::write(&self.credential_file(), hash)
    }

    /// What is noted of the operator's policy; `None` when it was never met.
    ///
    /// # Errors
    /// When it cannot be read, or is not this user's alone.
    pub(crate) fn policy_note(&self) -> Result<Option<Vec<u8>>, TrustError> {
        disk::read(&self.policy_file())
    }

    /// Notes the operator's policy.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn keep_policy_note(&self, note: &[u8]) -> Result<(), TrustError> {
        disk::private_folder(&self.folder)?;
        disk::write(&self.policy_file(), note)
    }

    /// Where the operator's policy is noted.
    pub(crate) fn policy_file(&self) -> PathBuf {
        self.folder.join("policy.json")
    }

    fn credential_file(&self) -> PathBuf {
        self.folder.join("credential")
    }

    fn identity(&self, project: &str) -> Result<Option<Identity>, TrustError> {
        let path = self.folder.join("projects").join(project).join("identity.json");
        let Some(bytes) = disk::read(&path)? else { return Ok(None) };
        let identity: Identity = serde_json::from_slice(&bytes)
            .map_err(|_| TrustError::Damaged { path: path.clone() })?;
        if identity.format != Identity::FORMAT || *identity.project != *project {
            return Err(TrustError::Damaged { path });
        }
        Ok(Some(identity))
    }

    /// The project that was last seen at this path, whatever folder is there now.
    fn by_root(&self, root: &RootId) -> Result<Option<Identity>, TrustError> {
        for path in self.root_files(root) {
            let Some(bytes) = disk::read(&path)? else { continue };
            let name = std::str::from_utf8(&bytes).ok().filter(|name| is_id(name));
            let name = name.ok_or(TrustError::Damaged { path })?;
            // A folder that took the number of a deleted one is not the deleted one.
            let known = self.identity(name)?.filter(|known| known.root.path == root.path);
            if known.is_some() {
                return Ok(known);
            }
        }
        Ok(None)
    }

    /// The files that name the project at a root, by its path and by its number.
    fn root_files(&self, root: &RootId) -> [PathBuf; 2] {
        let path = format!("path-{}", Digest::of(root.path.as_bytes()));
        let number = format!("{}-{}", root.device, root.inode);
        [path, number].map(|name| self.folder.join("roots").join(name))
    }
}

fn secret_of(text: &str) -> Option<[u8; 32]> {
    HEXLOWER.decode(text.trim_end().as_bytes()).ok()?.try_into().ok()
}

fn random_hex(path: &Path) -> Result<String, TrustError> {
    let mut secret = [0_u8; 32];
    getrandom::fill(&mut secret)
        .map_err(|error| disk::fault(path)(io::Error::other(error.to_string())))?;
    Ok(HEXLOWER.encode(&secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_known_moved_copied_foreign_replaced_or_missing() {
        let state = tempfile::tempdir().unwrap();
        let home = tempfile::tempdir().unwrap();
        let outer = TrustStore::new(Some(state.path().as_os_str()), None).unwrap();
        outer.prepare(Path::new("/nonexistent")).unwrap();
        let root =
            |inode: u64, path: &Path| RootId { device: 1, inode, path: path.display().to_string() };
        let one = crate::machine::id_from(1, &[1; 10]);
        let other = crate::machine::id_from(2, &[2; 10]);
        let at = home.path().join("a");
        std::fs::create_dir(&at).unwrap();
        let gone = Path::new("/nonexistent/b");
        let word = |carries: Option<&str>, place: &RootId| {
            outer.standing(carries, place).unwrap().as_str()
        };
        assert_eq!(word(None, &root(7, &at)), "new");
        assert_eq!(word(Some(&one), &root(7, &at)), "no_checkpoint_here");
        assert_eq!(word(Some("../../key"), &root(7, &at)), "no_checkpoint_here");
        let identity = outer.enrol(&one.parse().unwrap(), root(7, &at)).unwrap();
        outer.link(&identity).unwrap();
        assert_eq!(word(Some(&one), &root(7, &at)), "known");
        assert_eq!(word(None, &root(7, &at)), "missing");
        // Whatever number the folder has that was made in its place.
        assert_eq!(word(None, &root(8, &at)), "missing");
        assert_eq!(word(None, &root(7, &home.path().join("b"))), "new");
        assert_eq!(word(Some(&other), &root(7, &at)), "replaced");
        assert_eq!(word(Some(&one), &root(8, &at)), "replaced");
        assert_eq!(word(Some(&one), &root(7, gone)), "moved");
        assert_eq!(word(Some(&one), &root(8, gone)), "copied");
        std::fs::remove_dir(&at).unwrap();
        assert_eq!(word(Some(&one), &root(8, gone)), "moved");
        outer.unlink(&identity).unwrap();
        assert_eq!(word(None, &root(7, &at)), "new");
        // Another record was begun here since: the one before it does not come back.
        outer.link(&identity).unwrap();
        outer.link(&outer.enrol(&other.parse().unwrap(), root(7, &at)).unwrap()).unwrap();
        assert_eq!(word(Some(&other), &root(7, &at)), "known");
        assert_eq!(word(Some(&one), &root(7, &at)), "replaced");
    }

    #[test]
    fn a_key_that_is_gone_is_missed_and_not_replaced() {
        let state = tempfile::tempdir().unwrap();
        let outer = TrustStore::new(Some(state.path().as_os_str()), None).unwrap();
        outer.prepare(Path::new("/nonexistent")).unwrap();
        assert!(matches!(outer.signer(), Err(TrustError::NoKey { .. })));
        outer.make_first_key().unwrap();
        let first = outer.signer().unwrap().public();
        let root = RootId { device: 1, inode: 7, path: "/nonexistent/a".into() };
        outer.enrol(&crate::machine::id_from(1, &[1; 10]).parse().unwrap(), root).unwrap();
        outer.make_first_key().unwrap();
        assert_eq!(outer.signer().unwrap().public(), first);
        std::fs::remove_file(outer.folder().join("key")).unwrap();
        assert!(matches!(outer.make_first_key(), Err(TrustError::NoKey { .. })));
        assert!(matches!(outer.signer(), Err(TrustError::NoKey { .. })));
        outer.make_key().unwrap();
        assert_ne!(outer.signer().unwrap().public(), first);
    }

    #[test]
    fn what_others_may_touch_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let state = tempfile::tempdir().unwrap();
        let outer = TrustStore::new(Some(state.path().as_os_str()), None).unwrap();
        outer.prepare(Path::new("/nonexistent")).unwrap();
        outer.make_key().unwrap();
        let key = outer.folder().join("key");
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert!(matches!(outer.signer(), Err(TrustError::NotPrivate { .. })));
        let inside = outer.prepare(state.path());
        assert!(matches!(inside, Err(TrustError::InsideProject { .. })));
        std::fs::set_permissions(outer.folder(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let open = outer.prepare(Path::new("/nonexistent"));
        assert!(matches!(open, Err(TrustError::NotPrivate { .. })));
        assert!(matches!(TrustStore::new(None, None), Err(TrustError::NoHome)));
        assert!(matches!(
            TrustStore::new(Some(OsStr::new("x")), None),
            Err(TrustError::NotAbsolute(_))
        ));
    }
}
