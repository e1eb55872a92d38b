//! The project's repository as files: what of it git may see.
//!
//! Nothing is run here. Whatever leads out of the repository (links, borrowed objects, a
//! `.git` file that its target does not know) is refused, so that a folder that somebody
//! hands over cannot make us read another repository.

use std::fs;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::error::IntakeError;

/// The largest of the small files of a repository that are read.
const SMALL: u64 = 1 << 20;

/// Where a repository keeps what is needed of it.
pub(crate) struct Repository {
    /// HEAD of this working tree.
    pub(super) head: Vec<u8>,
    /// Objects, names and configuration of all working trees.
    pub(super) common: PathBuf,
    /// Where history was cut off, if it was.
    pub(super) shallow: Option<Vec<u8>>,
    /// Attributes that are no part of any commit.
    pub(super) attributes: Option<Vec<u8>>,
    /// Whether names are kept in tables.
    pub(super) tables: bool,
}

impl Repository {
    /// Finds the repository whose top folder `project` is.
    pub(super) fn find(project: &Path) -> Result<Self, IntakeError> {
        let at = project.join(".git");
        let seen = fs::symlink_metadata(&at).map_err(|_| {
            if is_bare(project) {
                return IntakeError::Bare;
            }
            IntakeError::NoRepository("there is no `.git`".into())
        })?;
        let (folder, common) = if seen.is_dir() {
            (at.clone(), at)
        } else if seen.is_file() {
            working_tree(project, &at)?
        } else {
            return Err(IntakeError::NoRepository("`.git` is a link".into()));
        };
        let refuse = |why: &str| Err(IntakeError::Repository(why.into()));
        for (name, needed) in [("objects", true), ("refs", true), ("packed-refs", false)] {
            match fs::symlink_metadata(common.join(name)) {
                Ok(seen) if seen.is_symlink() => {
                    return refuse(&format!("`{name}` in it is a link"));
                }
                Err(_) if needed => return refuse(&format!("it has no `{name}`")),
                _ => {}
            }
        }
        Self::borrows_nothing(&common)?;
        let tables = fs::symlink_metadata(common.join("reftable")).is_ok_and(|seen| seen.is_dir());
        if tables && folder != common {
            return refuse("its names are in tables of a linked working tree");
        }
        let head = small(&folder.join("HEAD"))?;
        Ok(Self {
            head: head.ok_or_else(|| IntakeError::Repository("it has no `HEAD`".into()))?,
            shallow: small(&common.join("shallow"))?,
            attributes: small(&common.join("info/attributes"))?,
            common,
            tables,
        })
    }

    /// Whether all objects are its own.
    pub(crate) fn borrows_nothing(common: &Path) -> Result<(), IntakeError> {
        for name in ["objects/info/alternates", "objects/info/http-alternates"] {
            if small(&common.join(name))?.is_some_and(|text| !text.trim_ascii().is_empty()) {
                return Err(IntakeError::Repository(
                    "it borrows objects of another one (`git repack -a -d`, then delete \
                     `.git/objects/info/alternates`, makes it whole)"
                        .into(),
                ));
            }
        }
        Ok(())
    }

    /// What git is shown of it, to read only.
    pub(super) fn shown(&self) -> impl Iterator<Item = PathBuf> {
        let tables = self.tables.then_some("reftable");
        let names = ["objects", "refs", "packed-refs", "config"].into_iter().chain(tables);
        names.map(|name| self.common.join(name))
    }
}

/// Whether a folder is itself what `.git` is elsewhere.
#[must_use]
pub fn is_bare(folder: &Path) -> bool {
    !folder.join(".git").exists()
        && folder.join("HEAD").is_file()
        && ["objects", "refs"].iter().all(|name| folder.join(name).is_dir())
}

/// The folders that a `.git` file leads to: those of a linked working tree that knows this one.
pub(crate) fn working_tree(project: &Path, at: &Path) -> Result<(PathBuf, PathBuf), IntakeError> {
    let refuse = |why: &str| IntakeError::Repository(why.into());
    let text = small(at)?.unwrap_or_default();
    let named = text.strip_prefix(b"gitdir: ").and_then(line);
    let folder = project.join(named.ok_or_else(|| refuse("its `.git` file cannot be read"))?);
    let folder = folder.canonicalize()?;
    let unknown = || refuse("its `.git` file leads to a repository that does not know this folder");
    let back = small(&folder.join("gitdir"))?.as_deref().and_then(line);
    let known = back.and_then(|back| folder.join(back).canonicalize().ok());
    if known.as_deref() != Some(at.canonicalize()?.as_path()) {
        return Err(unknown());
    }
    let common = small(&folder.join("commondir"))?.as_deref().and_then(line);
    let common = common.ok_or_else(|| refuse("its `.git` file leads nowhere"))?;
    let common = folder.join(common).canonicalize()?;
    // Only what lies in the repository itself is the repository's own word.
    if folder.parent() != Some(common.join("worktrees").as_path()) {
        return Err(unknown());
    }
    Ok((folder, common))
}

/// The one line of a small file.
pub(crate) fn line(text: &[u8]) -> Option<PathBuf> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    std::str::from_utf8(text).ok().filter(|text| !text.contains('\n')).map(PathBuf::from)
}

/// A small regular file; `None` when it is not there.
pub(crate) fn small(at: &Path) -> Result<Option<Vec<u8>>, IntakeError> {
    let refuse = |why: &str| {
        let name = at.file_name().unwrap_or_default().to_string_lossy().into_owned();
        IntakeError::Repository(format!("`{name}` in it {why}"))
    };
    let flags = (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits();
    let opened = fs::OpenOptions::new().read(true).custom_flags(flags.cast_signed()).open(at);
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(refuse(&format!("cannot be read: {error}"))),
    };
    if !file.metadata()?.is_file() {
        return Err(refuse("is not a file"));
    }
    let mut bytes = Vec::new();
    file.take(SMALL + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > SMALL { Err(refuse("is too large")) } else { Ok(Some(bytes)) }
}
