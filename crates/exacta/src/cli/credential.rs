//! The credential: a passphrase or key file that shows the right to decide.
//!
//! Only a salted, slow hash of it is kept, outside every project.

use std::fs;
use std::path::Path;

use argon2::Argon2;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _, phc::PasswordHash};
use exacta_engine::gate::Proof;

use super::{CliError, door};

/// The longest credential that is read.
const LIMIT: usize = 64 << 10;
/// A shorter one could be guessed.
const FEWEST: usize = 12;

/// Whether the file holds the credential.
pub(crate) fn proof(file: &Path) -> Result<Proof, CliError> {
    let secret = read(file)?;
    let kept = door::outer()?.credential_file();
    let Ok(hash) = fs::read_to_string(&kept) else {
        return Err(CliError::Usage {
            message: "no credential was set".into(),
            help: "`exacta policy credential FILE` sets it, at a terminal".into(),
        });
    };
    let genuine = PasswordHash::new(hash.trim())
        .is_ok_and(|hash| Argon2::default().verify_password(&secret, &hash).is_ok());
    Ok(if genuine { Proof::Credential } else { Proof::None })
}

/// Keeps what verifies the credential in the file.
pub(crate) fn set(file: &Path) -> Result<(), CliError> {
    let secret = read(file)?;
    if secret.len() < FEWEST {
        return Err(CliError::Usage {
            message: format!("the credential has fewer than {FEWEST} bytes"),
            help: "use a long passphrase, or random bytes in a file".into(),
        });
    }
    let hash = Argon2::default()
        .hash_password(&secret)
        .map_err(|error| CliError::Write(std::io::Error::other(error.to_string())))?;
    Ok(door::outer()?.keep_credential(hash.to_string().as_bytes())?)
}

fn read(file: &Path) -> Result<Vec<u8>, CliError> {
    let source = super::input::Source::from(file);
    let mut secret = source.read(LIMIT)?;
    // A text editor's last newline is not part of a passphrase.
    while matches!(secret.last(), Some(b'\n' | b'\r')) {
        secret.pop();
    }
    Ok(secret)
}
