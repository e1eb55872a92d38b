//! Ids: text that names one plan, run, step, intent or project, each with a type of its own.
//!
//! A function that takes a [`PlanId`] cannot be handed a run. Ids are written as plain text
//! everywhere; reading one checks that it is a single safe word, because plans and runs name
//! files.

use alloc::borrow::Borrow;
use alloc::string::String;
use core::fmt;
use core::ops::Deref;
use core::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// The longest id.
const LONGEST: usize = 64;

/// The text cannot be an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an id is 1 to 64 lower-case letters, digits and hyphens")]
pub struct BadId;

/// Whether a text is one word that is safe as part of a file name.
fn is_safe(text: &str) -> bool {
    let sound = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    !text.is_empty() && text.len() <= LONGEST && text.bytes().all(sound)
}

/// Text with a type that says what it names.
macro_rules! names {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
        #[serde(transparent)]
        #[schemars(transparent)]
        pub struct $name(String);

        impl $name {
            /// The id as written.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        // An id is text and nothing else; the type only says what it names.
        impl Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.0 == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.0 == *other
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

/// Names that are part of file names, so that reading one checks it.
macro_rules! checked {
    ($($name:ident),*) => {$(
        impl $name {
            /// Checks the spelling.
            ///
            /// # Errors
            /// When it is anything but 1 to 64 lower-case letters, digits and hyphens.
            pub fn parse(text: &str) -> Result<Self, BadId> {
                if is_safe(text) { Ok(Self(text.into())) } else { Err(BadId) }
            }
        }

        impl FromStr for $name {
            type Err = BadId;

            fn from_str(text: &str) -> Result<Self, BadId> {
                Self::parse(text)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                Self::parse(&text).map_err(serde::de::Error::custom)
            }
        }
    )*};
}

names! {
    /// A plan.
    PlanId;
    /// A run.
    RunId;
    /// A step of a plan. The planner chose it; validation holds it against the rules of a plan.
    StepId;
    /// An intent: every plan, run and entry that serves it carries this.
    CorrelationId;
    /// A project.
    ProjectId;
}

checked!(PlanId, RunId, CorrelationId, ProjectId);

impl From<&str> for StepId {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<String> for StepId {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl<'de> Deserialize<'de> for StepId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString as _;

    #[test]
    fn an_id_is_one_safe_word_of_bounded_length() {
        let longest = "a".repeat(LONGEST);
        for good in ["a", "0", "01a1e584-dd6e-73a5", longest.as_str()] {
            assert_eq!(RunId::parse(good).unwrap().to_string(), good);
            let written = serde_json::to_string(good).unwrap();
            assert_eq!(serde_json::from_str::<PlanId>(&written).unwrap().as_str(), good);
        }
        let too_long = "a".repeat(LONGEST + 1);
        for bad in ["", "A", "a b", "a/b", "..", "a.b", "a_b", "\u{e9}", too_long.as_str()] {
            assert_eq!(RunId::parse(bad), Err(BadId), "{bad}");
            let written = serde_json::to_string(bad).unwrap();
            assert!(serde_json::from_str::<PlanId>(&written).is_err(), "{bad}");
        }
    }
}
