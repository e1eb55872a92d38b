//! `ReadVaultFile`: reads one text file of the folder that policy names, and no other.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use exacta_core::model::path::RelPath;
use exacta_core::model::registry::Effect;
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};
use serde_json::{Value, json};

use super::args::{object, some_text, str_of};
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::primitive::{Output, Primitive};

/// The longest file.
const MOST: u64 = 1024 * 1024;

/// Reads one file of the vault.
pub(super) struct ReadVaultFile;

#[async_trait]
impl Primitive for ReadVaultFile {
    fn name(&self) -> &'static str {
        "ReadVaultFile"
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn idempotent(&self) -> bool {
        true
    }

    fn args_schema(&self) -> Value {
        object(&[("path", some_text(1024))], &["path"])
    }

    async fn run(&self, ctx: &ToolContext, args: &Value) -> Result<Output, ToolError> {
        let Some(vault) = ctx.world.vault.clone() else {
            return Err(ToolError::new("VAULT_MISSING", "policy names no `tools.vault`"));
        };
        let path = str_of(args, "path").unwrap_or_default().to_owned();
        let read = tokio::task::spawn_blocking(move || read(&vault, &path)).await;
        let text = read.map_err(|_| ToolError::new("VAULT_FAILED", "the file was lost"))??;
        Ok(Output::new(json!({"bytes": text.len(), "text": text})))
    }
}

/// Reads a file below the folder: no link, no way out, nothing but a regular file.
fn read(vault: &PathBuf, path: &str) -> Result<String, ToolError> {
    let failed =
        |why: String| ToolError::new("VAULT_FAILED", format!("`{}`: {why}", path.escape_debug()));
    let path_ = RelPath::parse(path).map_err(|fault| failed(fault.to_string()))?;
    let folder =
        openat(CWD, vault, OFlags::DIRECTORY | OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
            .map_err(|fault| failed(format!("the vault cannot be opened: {fault}")))?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let within = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let file = openat2(folder, Path::new(path_.as_str()), flags, Mode::empty(), within)
        .map_err(|fault| failed(fault.to_string()))?;
    let file = File::from(file);
    let about = file.metadata().map_err(|fault| failed(fault.to_string()))?;
    if !about.is_file() {
        return Err(failed("it is not a regular file".into()));
    }
    if about.len() > MOST {
        return Err(failed("it is longer than 1 MiB".into()));
    }
    let mut text = String::new();
    let read = file.take(MOST).read_to_string(&mut text);
    read.map_err(|_| failed("it is not text".into()))?;
    Ok(text)
}
