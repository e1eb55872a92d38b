//! How a folder stands to what is known about it outside.

use super::identity::Identity;

/// What a folder is to this user's gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FolderTrust {
    /// Nothing is known here or there.
    New,
    /// The project it says it is, where it was.
    Known(Identity),
    /// The project it says it is, at another place; the old one is gone.
    Moved(Identity),
    /// It says it is a project that is still at its old place.
    Copied(Identity),
    /// It says it is a project this user's gate has never seen.
    Foreign {
        /// The name it carries.
        project: String,
    },
    /// Another folder was put where a known project was.
    Replaced(Identity),
    /// A known project whose record is gone.
    Removed(Identity),
}

impl FolderTrust {
    /// One word for it.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Known(_) => "known",
            Self::Moved(_) => "moved",
            Self::Copied(_) => "copied",
            Self::Foreign { .. } => "no_checkpoint_here",
            Self::Replaced(_) => "replaced",
            Self::Removed(_) => "missing",
        }
    }

    /// What that means.
    #[must_use]
    pub fn explain(&self) -> String {
        let at = |identity: &Identity| identity.root.path.clone();
        match self {
            Self::New => "this project has no record yet".into(),
            Self::Known(_) => "the record is where it was".into(),
            Self::Moved(identity) => format!("the project was moved here from `{}`", at(identity)),
            Self::Copied(identity) => {
                format!("this is a copy of the project at `{}`", at(identity))
            }
            Self::Foreign { project } => format!(
                "the record of the project {project} came with these files; no checkpoint of it \
                 is kept here"
            ),
            Self::Replaced(identity) => {
                format!("another folder was put in the place of the project `{}`", at(identity))
            }
            Self::Removed(identity) => {
                format!(
                    "the record of the project `{}` is missing; `git clean -x` takes it, and so \
                     does whoever deletes the folder and makes it anew",
                    at(identity)
                )
            }
        }
    }
}
