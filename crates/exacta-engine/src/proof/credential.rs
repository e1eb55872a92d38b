//! The credential: a passphrase or the bytes of a key file. Only a salted, slow hash of it is
//! kept, outside every project.

use argon2::Argon2;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _, phc::PasswordHash};

use super::{Proof, Shown};

/// Why a credential proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CredentialError {
    /// It is another one.
    #[error("it is not the credential that was set")]
    Different,
    /// It cannot be hashed.
    #[error("the credential cannot be hashed: {0}")]
    Hash(String),
}

/// Compares a secret with the hash that is kept.
///
/// # Errors
/// [`CredentialError::Different`] when it does not fit.
pub fn verify_credential(secret: &[u8], kept: &[u8]) -> Result<Proof, CredentialError> {
    let genuine = std::str::from_utf8(kept).is_ok_and(|hash| {
        PasswordHash::new(hash.trim())
            .is_ok_and(|hash| Argon2::default().verify_password(secret, &hash).is_ok())
    });
    if genuine { Ok(Proof::from(Shown::Credential)) } else { Err(CredentialError::Different) }
}

/// The hash to keep of a secret.
///
/// # Errors
/// When the machine has no salt to offer.
pub fn hash_credential(secret: &[u8]) -> Result<Vec<u8>, CredentialError> {
    Argon2::default()
        .hash_password(secret)
        .map(|hash| hash.to_string().into_bytes())
        .map_err(|error| CredentialError::Hash(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_secret_itself_is_a_proof() {
        let kept = hash_credential(b"a long passphrase").unwrap();
        assert!(verify_credential(b"a long passphrase", &kept).is_ok());
        for wrong in [b"another passphrase".as_slice(), b"", &kept] {
            assert_eq!(verify_credential(wrong, &kept), Err(CredentialError::Different));
        }
        assert!(verify_credential(b"", b"").is_err());
    }
}
