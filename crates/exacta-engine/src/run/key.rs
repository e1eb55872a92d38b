//! The secret that distinguishes our own records from those that came with a clone.
//!
//! It lives outside the project and belongs to one project only; whoever opens the
//! engine hands it in. A record that does not verify is never acted on.

use std::fmt;

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// A 256-bit secret for one project.
#[derive(Clone)]
pub struct Key([u8; 32]);

impl Key {
    /// Takes the secret.
    #[must_use]
    pub fn new(secret: [u8; 32]) -> Self {
        Self(secret)
    }

    /// Vouches for `parts` in one role; the same parts in another role do not verify.
    #[must_use]
    pub fn sign(&self, role: &str, parts: &[&[u8]]) -> String {
        HEXLOWER.encode(&self.mac(role, parts).finalize().into_bytes())
    }

    /// Whether `tag` is what [`Key::sign`] gives, compared in constant time.
    #[must_use]
    pub fn verifies(&self, role: &str, parts: &[&[u8]], tag: &str) -> bool {
        HEXLOWER
            .decode(tag.as_bytes())
            .is_ok_and(|tag| self.mac(role, parts).verify_slice(&tag).is_ok())
    }

    /// Every part is preceded by its length, so that parts cannot flow into each other.
    fn mac(&self, role: &str, parts: &[&[u8]]) -> Hmac<Sha256> {
        // HMAC fills a short key with zeros up to the block size of its hash.
        let mut block = [0_u8; 64];
        block.iter_mut().zip(self.0).for_each(|(to, from)| *to = from);
        let mut mac = Hmac::<Sha256>::new(&block.into());
        for part in std::iter::once(&role.as_bytes()).chain(parts) {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        mac
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_verifies_only_for_its_key_role_and_parts() {
        let key = Key::new([7; 32]);
        let tag = key.sign("a", &[b"x", b"yz"]);
        assert!(key.verifies("a", &[b"x", b"yz"], &tag));
        assert!(!key.verifies("b", &[b"x", b"yz"], &tag));
        assert!(!key.verifies("a", &[b"xy", b"z"], &tag));
        assert!(!key.verifies("a", &[b"x", b"yz"], ""));
        assert!(!key.verifies("a", &[b"x", b"yz"], tag.get(..32).unwrap()));
        assert!(!Key::new([8; 32]).verifies("a", &[b"x", b"yz"], &tag));
        assert!(!format!("{key:?}").contains('7'));
    }
}
