//! Where a commit goes: the repository of the project's own folder, found without git.
//!
//! A `.git` file and `core.worktree` are words of whoever handed over the folder. They are
//! followed only to a repository that names this folder back.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::intake::repository::{line, small, working_tree};
use crate::intake::{IntakeError, Repository};

/// What must not lead anywhere else.
const OWN: [&str; 11] = [
    "HEAD",
    "commondir",
    "config",
    "config.worktree",
    "index",
    "info",
    "logs",
    "objects",
    "packed-refs",
    "refs",
    "reftable",
];

/// A repository, and the folder whose files it holds.
#[derive(Debug)]
pub(super) struct Place {
    /// The top folder of the working tree.
    pub(super) top: PathBuf,
    /// What is this working tree's own: HEAD and the index.
    pub(super) folder: PathBuf,
    /// Objects, names and configuration of all working trees.
    pub(super) common: PathBuf,
}

impl Place {
    /// The repository that `folder` lies in; `None` where there is none.
    pub(super) fn find(folder: &Path) -> Result<Option<Self>, IntakeError> {
        for top in folder.ancestors() {
            let at = top.join(".git");
            let Ok(seen) = fs::symlink_metadata(&at) else { continue };
            let place = if seen.is_dir() {
                if small(&at.join("commondir"))?.is_some() {
                    return Err(refuse("`.git` borrows names and settings from elsewhere"));
                }
                Self { top: top.into(), folder: at.clone(), common: at }
            } else if seen.is_file() {
                let text = small(&at)?.unwrap_or_default();
                let named = text.strip_prefix(b"gitdir: ").and_then(line);
                let named = named.ok_or_else(|| refuse("its `.git` file cannot be read"))?;
                let leads = top.join(named).canonicalize();
                let leads = leads.map_err(|_| refuse("its `.git` file leads nowhere"))?;
                let (folder, common) = if small(&leads.join("commondir"))?.is_some() {
                    working_tree(top, &at)?
                } else {
                    (leads.clone(), leads)
                };
                Self { top: top.into(), folder, common }
            } else {
                return Err(refuse("`.git` is a link"));
            };
            place.is_plain()?;
            return Ok(Some(place));
        }
        Ok(None)
    }

    /// Whether everything that git reads or writes there lies there.
    fn is_plain(&self) -> Result<(), IntakeError> {
        for name in OWN {
            for folder in [&self.folder, &self.common] {
                let seen = fs::symlink_metadata(folder.join(name));
                if seen.is_ok_and(|seen| seen.is_symlink()) {
                    return Err(refuse(&format!("`{name}` in it is a link")));
                }
            }
        }
        Repository::borrows_nothing(&self.common)?;
        for name in ["config", "config.worktree"] {
            small(&self.common.join(name))?;
            small(&self.folder.join(name))?;
        }
        // A log is written where it lies, everything else is put in the place of the old.
        let head = small(&self.folder.join("HEAD"))?.ok_or_else(|| refuse("it has no `HEAD`"))?;
        let branch = head.strip_prefix(b"ref: ").and_then(line);
        let logs = branch.map(|branch| self.common.join("logs").join(branch));
        for log in logs.into_iter().chain([self.folder.join("logs/HEAD")]) {
            let odd = |seen: fs::Metadata| !seen.is_dir() && (!seen.is_file() || seen.nlink() != 1);
            if fs::symlink_metadata(log).is_ok_and(odd) {
                return Err(refuse("its log of changes is not a file of its own"));
            }
        }
        Ok(())
    }

    /// Checks where the configuration says that the files lie: `settings` gives the values of
    /// `core.worktree` in a file that git reads here.
    pub(super) fn leads_back(
        &self,
        mut settings: impl FnMut(&Path) -> Result<Vec<String>, IntakeError>,
    ) -> Result<(), IntakeError> {
        let linked = self.folder != self.common;
        let mut said = Vec::new();
        // A linked working tree has been named back by its repository already.
        if !linked {
            said.extend(settings(&self.common.join("config"))?);
        }
        let own = self.folder.join("config.worktree");
        if own.exists() {
            said.extend(settings(&own)?);
        }
        let here = self.top.canonicalize()?;
        let leads_here =
            |at: &String| self.folder.join(at).canonicalize().is_ok_and(|at| at == here);
        if !said.iter().all(leads_here) {
            return Err(refuse("`core.worktree` in its configuration leads to another folder"));
        }
        let direct = self.folder == self.top.join(".git");
        if !linked && !direct && said.is_empty() {
            return Err(refuse(
                "its `.git` file leads to a repository that does not know this folder",
            ));
        }
        Ok(())
    }
}

pub(super) fn refuse(why: &str) -> IntakeError {
    IntakeError::Repository(why.into())
}
