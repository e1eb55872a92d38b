//! The key that signs approvals and the heads of records.

use data_encoding::HEXLOWER;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};

/// Signs in the name of this user's gate.
#[derive(Clone)]
pub struct Signer(SigningKey);

impl Signer {
    /// The key of a 256-bit secret.
    #[must_use]
    pub fn new(secret: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(secret))
    }

    /// The public half, as records name it.
    #[must_use]
    pub fn public(&self) -> String {
        HEXLOWER.encode(self.0.verifying_key().as_bytes())
    }

    /// A signature, as records carry it.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> String {
        HEXLOWER.encode(&self.0.sign(message).to_bytes())
    }
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Signer(hidden)")
    }
}

/// The public half of a key, ready to verify with.
#[derive(Clone, Copy, Debug)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// The key that records name so; `None` when it is none.
    #[must_use]
    pub fn parse(written: &str) -> Option<Self> {
        let key = <[u8; 32]>::try_from(HEXLOWER.decode(written.as_bytes()).ok()?).ok()?;
        VerifyingKey::from_bytes(&key).ok().map(Self)
    }

    /// Whether `signature` over `message` was made with this key.
    #[must_use]
    pub fn verifies(&self, message: &[u8], signature: &str) -> bool {
        HEXLOWER
            .decode(signature.as_bytes())
            .ok()
            .and_then(|signature| <[u8; 64]>::try_from(signature).ok())
            .map(|signature| Signature::from_bytes(&signature))
            .is_some_and(|signature| self.0.verify_strict(message, &signature).is_ok())
    }
}

/// Whether `signature` over `message` was made with the key whose public half is `public`.
#[must_use]
pub fn verifies(public: &str, message: &[u8], signature: &str) -> bool {
    PublicKey::parse(public).is_some_and(|key| key.verifies(message, signature))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_good_for_its_key_and_message_only() {
        let (one, two) = (Signer::new(&[1; 32]), Signer::new(&[2; 32]));
        let signature = one.sign(b"message");
        assert!(verifies(&one.public(), b"message", &signature));
        assert!(!verifies(&one.public(), b"massage", &signature));
        assert!(!verifies(&two.public(), b"message", &signature));
        assert!(!verifies(&one.public(), b"message", &signature.to_uppercase()));
        assert!(!verifies(&one.public(), b"message", ""));
        assert!(!verifies("", b"message", &signature));
        assert!(!format!("{one:?}").contains(&one.public()));
    }
}
