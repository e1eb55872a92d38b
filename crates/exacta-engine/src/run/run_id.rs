//! The name of a run, safe to be part of a file name.

use std::fmt;

use serde::{Serialize, Serializer};

/// A run's name: 1 to 64 lower-case letters, digits and hyphens, such as a UUID.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(String);

/// The text cannot name a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a run is named by 1 to 64 lower-case letters, digits and hyphens")]
pub struct NotARunId;

impl RunId {
    /// Checks the spelling.
    ///
    /// # Errors
    /// When it is anything but 1 to 64 lower-case letters, digits and hyphens.
    pub fn parse(text: &str) -> Result<Self, NotARunId> {
        let sound = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        if text.is_empty() || text.len() > 64 || !text.bytes().all(sound) {
            return Err(NotARunId);
        }
        Ok(Self(text.into()))
    }

    /// The name as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for RunId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_safe_word_of_bounded_length() {
        let longest = "a".repeat(64);
        for good in ["a", "0", "01a1e584-dd6e-73a5", longest.as_str()] {
            assert_eq!(format!("{:?}", RunId::parse(good).unwrap()), good);
        }
        let too_long = "a".repeat(65);
        for bad in ["", "A", "a b", "a/b", "..", "a.b", "a_b", "\u{e9}", too_long.as_str()] {
            assert_eq!(RunId::parse(bad), Err(NotARunId), "{bad}");
        }
    }
}
