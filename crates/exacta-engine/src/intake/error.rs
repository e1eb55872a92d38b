//! Why nothing is proposed, and what to do about it.

use std::borrow::Cow;
use std::io;

use crate::checks::{NotRun, Why};

/// A file that a merge cannot bring to an end by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The file, made visible.
    pub path: String,
    /// What git calls it, such as `CONFLICT (contents)`.
    pub kind: String,
}

impl Conflict {
    /// What a person can do about it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        let has = |word: &str| self.kind.contains(word);
        if has("modify/delete") || has("rename/delete") {
            "one side changed it, the other deleted it: decide on the branch whether it stays"
        } else if has("rename") || has("directory") {
            "both sides moved it to different places: move it to one place on the branch"
        } else if has("binary") {
            "binary files cannot be merged: take one side's on the branch"
        } else if has("add") {
            "both sides added it: make them equal on the branch"
        } else {
            "both sides changed the same lines: merge HEAD into the branch and settle them there"
        }
    }
}

/// A file of the merge that no plan can bring about as git would.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// The file, made visible.
    pub path: String,
    /// Why.
    pub why: String,
}

/// Nothing is proposed, and nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum IntakeError {
    /// The project's folder is not the top of a repository.
    #[error("the project's folder is not the top folder of a git repository: {0}")]
    NoRepository(String),
    /// A repository without files of its own.
    #[error("this is a bare git repository: it has branches, but no files to change")]
    Bare,
    /// A repository that cannot be read safely.
    #[error("the repository cannot be read safely: {0}")]
    Repository(String),
    /// No git that is new enough.
    #[error("git 2.45 or newer is needed; found {0}")]
    NoGit(String),
    /// A repository in which nothing was committed yet.
    #[error("this repository has no commit yet, so there is nothing to merge into")]
    NoCommit,
    /// Words that are no name or range.
    #[error("`{name}` is not a branch or commit of this repository")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The remote branch of that name, where there is one.
        remote: Option<String>,
    },
    /// Two histories that have no commit in common.
    #[error("`{name}` and HEAD have no commit in common{}", if *.shallow { " in this shallow clone" } else { "" })]
    Unrelated {
        /// What was asked for.
        name: String,
        /// Whether the history was cut off.
        shallow: bool,
    },
    /// A range without two ends.
    #[error("`{0}` is not a range such as `main..topic`")]
    Range(String),
    /// A commit with more than one parent.
    #[error("`{0}` is a merge commit, so what it changed depends on the side one looks from")]
    MergeCommit(String),
    /// The merge changes nothing.
    #[error("there is nothing to merge: `{0}` brings nothing that HEAD does not have")]
    Nothing(String),
    /// What is asked for is where the project stands.
    #[error("`{0}` is what is checked out here, so there is nothing to merge")]
    Here(String),
    /// Files that conflict.
    #[error("the merge has conflicts in {} {}", .0.len(), files(.0.len()))]
    Conflicts(Vec<Conflict>),
    /// Files that no plan can bring about.
    #[error("the merge touches {} {} that no plan can bring about", .0.len(), files(.0.len()))]
    Unfit(Vec<Unfit>),
    /// Files of the working tree that are not as HEAD has them.
    #[error(
        "{} {} that the merge touches {} from HEAD",
        .0.len(), files(.0.len()), if .0.len() == 1 { "differs" } else { "differ" }
    )]
    Changed(Vec<Unfit>),
    /// More than a plan can hold.
    #[error("the merge is too large for one plan: {0}")]
    TooLarge(String),
    /// git failed.
    #[error("git failed: {0}")]
    Git(String),
    /// git was not run, or not to its end.
    #[error(transparent)]
    NotRun(#[from] NotRun),
    /// A file or folder of ours could not be used.
    #[error("{0}")]
    Io(#[from] io::Error),
}

fn files(count: usize) -> &'static str {
    if count == 1 { "file" } else { "files" }
}

impl IntakeError {
    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> Cow<'static, str> {
        let help = match self {
            Self::Unknown { remote: Some(remote), .. } => {
                return format!("`{remote}` is there: `exacta propose --branch {remote}`").into();
            }
            Self::MergeCommit(name) => {
                return format!("`--git {name}^1..{name}` is what it brought to its branch").into();
            }
            Self::NoRepository(_) => "run it in the project that the branch belongs to",
            Self::Repository(_) => {
                "hand in a patch instead: `git diff HEAD...BRANCH | exacta propose -`"
            }
            Self::NoGit(_) => {
                "install a newer git, or hand in a patch: `git diff HEAD...BRANCH | exacta propose -`"
            }
            Self::Bare => {
                "run it in a clone or a working tree of this repository: `git worktree add FOLDER`"
            }
            Self::NoCommit => {
                "commit what is there first, or hand in a patch, which needs no commit"
            }
            Self::Unknown { .. } => {
                "`git branch --all` lists the branches; `git fetch` brings new ones"
            }
            Self::Unrelated { shallow: true, .. } => {
                "nothing was changed; `git fetch --unshallow` brings the rest of the history"
            }
            Self::Unrelated { .. } => {
                "nothing was changed; a patch works all the same: `git diff HEAD NAME | exacta \
                 propose -`"
            }
            Self::Range(_) => "write `A..B`, `A...B` or the name of one commit",
            Self::Nothing(_) => {
                "it is merged already, or is older than HEAD; `git log --oneline HEAD..NAME` lists \
                 what a branch has"
            }
            Self::Here(_) => {
                "go to the branch that it should come into (`git switch BRANCH`), and propose it \
                 from there"
            }
            Self::Conflicts(_) => {
                "nothing was changed; settle the conflicts on the branch and propose it again"
            }
            Self::Unfit(_) => {
                "nothing was changed; leave these files out of the branch, or merge with git itself"
            }
            Self::Changed(_) => {
                "nothing was changed; commit, stash or move these files away, then propose again"
            }
            Self::TooLarge(_) => "merge in parts: `--git A..B` for some of the commits",
            Self::Git(_) => {
                "nothing was changed; `git fsck` says whether the repository is sound (a partial \
                 clone needs its missing objects fetched first)"
            }
            Self::NotRun(_) | Self::Io(_) => {
                "nothing was changed; this machine cannot confine git: `exacta doctor` says why"
            }
        };
        help.into()
    }

    /// The files it is about, each with the reason.
    #[must_use]
    pub fn files(&self) -> Vec<(String, String)> {
        match self {
            Self::Conflicts(conflicts) => conflicts
                .iter()
                .map(|c| (c.path.clone(), format!("{}; {}", c.kind, c.help())))
                .collect(),
            Self::Unfit(files) | Self::Changed(files) => {
                files.iter().map(|file| (file.path.clone(), file.why.clone())).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl From<Why> for IntakeError {
    fn from(why: Why) -> Self {
        match why {
            Why::NotRun(why) => Self::NotRun(why),
            other => Self::NotRun(NotRun::NoConfinement(other.to_string())),
        }
    }
}
