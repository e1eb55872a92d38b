//! A profile or a ceiling as it was written, known or not.

use alloc::string::String;
use core::fmt;

use crate::judge::policy::Profile;

/// The value of `profile` or `autonomy_ceiling`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// One of the three.
    Known(Profile),
    /// Something else; no plan runs alone under it.
    Unknown(String),
}

impl Setting {
    /// Reads the written form; case matters.
    #[must_use]
    pub fn read(text: &str) -> Self {
        match text {
            "manual" => Self::Known(Profile::Manual),
            "conservative" => Self::Known(Profile::Conservative),
            "balanced" => Self::Known(Profile::Balanced),
            other => Self::Unknown(other.into()),
        }
    }

    /// The profile, if it is one.
    #[must_use]
    pub const fn known(&self) -> Option<Profile> {
        match self {
            Self::Known(profile) => Some(*profile),
            Self::Unknown(_) => None,
        }
    }

    /// The stricter of a profile and the ceiling over it; `None` when either is unknown.
    #[must_use]
    pub fn effective(profile: &Self, ceiling: &Self) -> Option<Profile> {
        Some(profile.known()?.min(ceiling.known()?))
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(profile) => f.write_str(profile.as_str()),
            Self::Unknown(text) => f.write_str(&crate::text::shown::shown(text.as_bytes())),
        }
    }
}
