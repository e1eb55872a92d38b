//! Where an operation of the port acts: a path below the project root.
//!
//! A spot is either a target (its spelling passed PV-4) or a place in the gate's own
//! state folder, which no target can spell. Nothing else can be named.

use std::fmt;

use exacta_core::model::path::RelPath;

/// The gate's own folder in a project.
pub const STATE_FOLDER: &str = ".exacta";
const INDEX: &str = "index";

/// A path below the project root that the port may act on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spot(String);

impl Spot {
    /// The project root itself.
    #[must_use]
    pub fn root() -> Self {
        Self(".".into())
    }

    /// A target, or a folder above one.
    #[must_use]
    pub fn target(path: &RelPath) -> Self {
        Self(path.as_str().into())
    }

    /// The gate's state folder.
    #[must_use]
    pub fn state() -> Self {
        Self(STATE_FOLDER.into())
    }

    /// Where the gate keeps what it has put together of its record, to read less of it.
    #[must_use]
    pub(crate) fn index() -> Self {
        Self([STATE_FOLDER, "/", INDEX].concat())
    }

    /// Whether it lies there.
    pub(super) fn is_index(&self) -> bool {
        self.folder() == Self::index()
    }

    /// Something inside this folder. `name` must be one plain component.
    ///
    /// Only the engine makes names, so that a planner's text never becomes one.
    #[must_use]
    pub(crate) fn within(&self, name: &str) -> Self {
        debug_assert!(!name.is_empty() && !name.contains('/') && name != "..", "{name}");
        Self([&self.0, "/", name].concat())
    }

    /// The folder this lies in.
    #[must_use]
    pub fn folder(&self) -> Self {
        self.0.rsplit_once('/').map_or_else(Self::root, |(above, _)| Self(above.into()))
    }

    /// The last component.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The path as the system sees it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}
