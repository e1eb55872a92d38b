//! JSON Pointers (RFC 6901): where in a draft a finding belongs.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt::{self, Write as _};

use serde::{Serialize, Serializer};

/// A place in a JSON document. The empty pointer is the whole document.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pointer(String);

impl Pointer {
    /// The whole document.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// The member `name` of the object at this place.
    #[must_use]
    pub fn key(&self, name: &str) -> Self {
        let mut text = self.0.clone();
        text.push('/');
        for c in name.chars() {
            match c {
                '~' => text.push_str("~0"),
                '/' => text.push_str("~1"),
                other => text.push(other),
            }
        }
        Self(text)
    }

    /// The element `index` of the array at this place.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        let mut text = self.0.clone();
        // Writing to a string cannot fail.
        let _ = write!(text, "/{index}");
        Self(text)
    }

    /// The written form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The reference tokens, unescaped, outermost first.
    pub fn tokens(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.0.split('/').skip(1).map(|token| {
            if token.contains('~') {
                Cow::Owned(token.replace("~1", "/").replace("~0", "~"))
            } else {
                Cow::Borrowed(token)
            }
        })
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Pointer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn tokens_survive_escaping() {
        let pointer = Pointer::root().key("a/b").key("~1").index(3).key("");
        assert_eq!(pointer.as_str(), "/a~1b/~01/3/");
        assert_eq!(pointer.tokens().collect::<Vec<_>>(), ["a/b", "~1", "3", ""]);
        assert_eq!(Pointer::root().tokens().count(), 0);
    }
}
