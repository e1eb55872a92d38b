//! Where secrets come from. They are never in a plan, a record, an error or a log.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::process::Stdio;
use std::time::Duration;

use async_trait::async_trait;
use exacta_core::judge::policy::Secret;
use secrecy::SecretString;
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;
use tokio::time::timeout;

use crate::error::ToolError;

/// The longest secret.
const MOST: u64 = 64 * 1024;

/// Finds secrets by the names that operator policy gives them.
#[async_trait]
pub trait Secrets: Send + Sync {
    /// The secret of this name.
    ///
    /// # Errors
    /// When policy names no such secret or its source does not give it; the message names
    /// the source, never the value.
    async fn get(&self, name: &str) -> Result<SecretString, ToolError>;
}

/// The secrets that policy names.
pub struct PolicySecrets {
    sources: BTreeMap<String, Secret>,
}

impl PolicySecrets {
    /// Secrets from these sources.
    pub const fn new(sources: BTreeMap<String, Secret>) -> Self {
        Self { sources }
    }
}

#[async_trait]
impl Secrets for PolicySecrets {
    async fn get(&self, name: &str) -> Result<SecretString, ToolError> {
        let missing = |why: String| {
            ToolError::new("SECRET_MISSING", format!("the secret `{name}` is missing: {why}"))
        };
        let Some(source) = self.sources.get(name) else {
            return Err(missing("policy names no such secret".into()));
        };
        let text = match source {
            Secret::Env(variable) => std::env::var(variable)
                .map_err(|_| missing(format!("the variable `{variable}` is not set")))?,
            Secret::File(path) => read(path).map_err(missing)?,
            Secret::Command { argv, timeout_seconds } => {
                printed(argv, Duration::from_secs(*timeout_seconds)).await.map_err(missing)?
            }
        };
        let text = text.strip_suffix('\n').unwrap_or(&text);
        let text = text.strip_suffix('\r').unwrap_or(text);
        if text.is_empty() {
            return Err(missing("its source is empty".into()));
        }
        Ok(text.to_owned().into())
    }
}

/// The text of a file that only its owner, who is us, can read.
fn read(path: &str) -> Result<String, String> {
    use std::io::Read as _;
    let file = std::fs::File::open(path).map_err(|fault| format!("`{path}`: {fault}"))?;
    let about = file.metadata().map_err(|fault| format!("`{path}`: {fault}"))?;
    if !about.is_file() {
        return Err(format!("`{path}` is not a regular file"));
    }
    if about.mode() & 0o077 != 0 {
        return Err(format!("others can read `{path}`; run `chmod 600` on it"));
    }
    if about.uid() != rustix::process::geteuid().as_raw() {
        return Err(format!("`{path}` belongs to another user"));
    }
    let mut text = String::new();
    let read = file.take(MOST).read_to_string(&mut text);
    read.map_err(|_| format!("`{path}` cannot be read as text"))?;
    Ok(text)
}

/// What a command prints. What it says on its error output is dropped: it may repeat the
/// secret.
async fn printed(argv: &[String], patience: Duration) -> Result<String, String> {
    let Some((program, arguments)) = argv.split_first() else {
        return Err("its command is empty".into());
    };
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn();
    let mut child = child.map_err(|fault| format!("`{program}` cannot be started: {fault}"))?;
    let work = async {
        let mut text = String::new();
        if let Some(out) = child.stdout.take() {
            out.take(MOST).read_to_string(&mut text).await.map_err(|_| "it is not text")?;
        }
        let status = child.wait().await.map_err(|_| "it was lost")?;
        if status.success() { Ok(text) } else { Err("it failed") }
    };
    match timeout(patience, work).await {
        Ok(Ok(text)) => Ok(text),
        Ok(Err(why)) => Err(format!("`{program}`: {why}")),
        Err(_) => Err(format!("`{program}` took longer than {} s", patience.as_secs())),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use secrecy::ExposeSecret as _;

    use super::*;

    #[tokio::test]
    async fn each_source_gives_its_secret_and_a_fault_never_shows_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        fs::write(&path, "hunter2\n").unwrap();
        let name = path.to_str().unwrap().to_owned();
        let command = |script: &str| Secret::Command {
            argv: ["sh", "-c", script].map(Into::into).to_vec(),
            timeout_seconds: 1,
        };
        let secrets = PolicySecrets::new(BTreeMap::from([
            ("file".into(), Secret::File(name)),
            ("path".into(), Secret::Env("PATH".into())),
            ("none".into(), Secret::Env("EXACTA_NO_SUCH_VARIABLE".into())),
            ("said".into(), command("echo hunter2")),
            ("fails".into(), command("echo hunter2; echo hunter2 >&2; exit 3")),
            ("slow".into(), command("echo hunter2; sleep 30")),
            ("empty".into(), command("true")),
            ("folder".into(), Secret::File(folder.path().to_str().unwrap().into())),
        ]));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let refused = secrets.get("file").await.unwrap_err();
        assert!(refused.message.contains("chmod 600"), "{refused}");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        for good in ["file", "said"] {
            assert_eq!(secrets.get(good).await.unwrap().expose_secret(), "hunter2", "{good}");
        }
        assert!(secrets.get("path").await.is_ok());
        for bad in ["none", "fails", "slow", "empty", "folder", "unheard"] {
            let fault = secrets.get(bad).await.unwrap_err();
            assert_eq!(fault.code, "SECRET_MISSING", "{bad}");
            assert!(!format!("{fault:?}").contains("hunter2"), "{fault:?}");
        }
    }
}
