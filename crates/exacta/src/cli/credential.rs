//! The credential: a passphrase or key file that shows the right to decide.
//!
//! Only a salted, slow hash of it is kept, outside every project.

use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use exacta_engine::proof::{Proof, hash_credential, verify_credential};

use super::{CliError, door};

/// The longest credential that is read.
const LIMIT: usize = 64 << 10;
/// A shorter one could be guessed.
const FEWEST: usize = 12;

/// Whether the file holds the credential.
pub(crate) fn proof(file: &Path) -> Result<Proof, CliError> {
    let secret = read(file)?;
    let Some(hash) = door::outer()?.credential()? else {
        return Err(CliError::Usage {
            message: "no credential was set".into(),
            help: "`exacta policy credential FILE` sets it, at a terminal".into(),
        });
    };
    if let Ok(proof) = verify_credential(&secret, &hash) {
        return Ok(proof);
    }
    Err(CliError::Undecided {
        message: format!("`{}` does not hold the credential that was set", file.display()),
        help: "name the file that was given to `exacta policy credential`; nothing was done".into(),
    })
}

/// Whether there is a credential.
pub(crate) fn is_set() -> Result<bool, CliError> {
    Ok(door::outer()?.credential()?.is_some())
}

/// Whether the file can be a credential.
pub(crate) fn fit(file: &Path) -> Result<Vec<u8>, CliError> {
    let secret = read(file)?;
    if secret.len() >= FEWEST {
        return Ok(secret);
    }
    Err(CliError::Usage {
        message: format!("the credential has fewer than {FEWEST} bytes"),
        help: "use a long passphrase, or random bytes in a file".into(),
    })
}

/// Keeps what verifies the credential.
pub(crate) fn set(secret: &[u8]) -> Result<(), CliError> {
    let hash = hash_credential(secret)
        .map_err(|error| CliError::Write(std::io::Error::other(error.to_string())))?;
    Ok(door::outer()?.keep_credential(&hash)?)
}

fn read(file: &Path) -> Result<Vec<u8>, CliError> {
    let failed = |source| CliError::Read { path: file.into(), source };
    let mut secret = if file == Path::new("-") {
        super::input::Source::Stdin.read(LIMIT)?
    } else {
        let opened = File::open(file).map_err(failed)?;
        let meta = opened.metadata().map_err(failed)?;
        // Whoever can read it can decide, and whoever can write it can take that away.
        if meta.is_file() && meta.mode() & 0o077 != 0 {
            return Err(CliError::Refused {
                message: format!("others may read or write the credential `{}`", file.display()),
                help: format!("`chmod 600 {0}`; nothing was done", file.display()),
            });
        }
        super::input::read_capped(opened, LIMIT).map_err(failed)?
    };
    // A text editor's last newline is not part of a passphrase.
    while matches!(secret.last(), Some(b'\n' | b'\r')) {
        secret.pop();
    }
    Ok(secret)
}
