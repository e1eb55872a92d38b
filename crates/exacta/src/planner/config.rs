//! Which model drafts plans: `[planner]` in the operator's `agents.toml`.
//!
//! Provider, model and class are those of a proposer that policy registers, so that a plan is
//! bound to them. Where and with which key it is asked stands here. A project cannot say any of
//! it.

use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, fs};

use exacta_core::judge::policy::{Locality, Policy};
use exacta_tools::planner::{Endpoint, Format};
use secrecy::SecretString;
use serde::Deserialize;
use url::Url;

use crate::hook::allowed;

/// `[planner]`, as it stands there.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Written {
    /// The proposer that policy registers.
    proposer: String,
    /// `anthropic`, `openai` or `ollama`.
    format: String,
    /// The whole address that is asked.
    url: String,
    /// The environment variable that holds the key.
    #[serde(default)]
    key_env: Option<String>,
    /// The file that holds the key; nobody else may read it.
    #[serde(default)]
    key_file: Option<PathBuf>,
    /// The command that prints the key.
    #[serde(default)]
    key_command: Option<Vec<String>>,
    /// Whether nothing but this machine may be reached.
    #[serde(default)]
    local_only: bool,
    /// How much of the project is sent at most.
    #[serde(default)]
    context_bytes: Option<usize>,
    /// The longest answer.
    #[serde(default)]
    max_tokens: Option<u64>,
    /// How long an answer may take.
    #[serde(default)]
    timeout_seconds: Option<u64>,
}

/// The model that drafts plans.
#[derive(Debug)]
pub(crate) struct Planner {
    /// As policy registers it.
    pub(crate) proposer: String,
    /// Where it is asked.
    pub(crate) endpoint: Endpoint,
    /// How much of the project is sent at most.
    pub(crate) context_bytes: usize,
    /// The longest answer, in tokens.
    pub(crate) max_tokens: u64,
}

const CONTEXT_BYTES: usize = 120_000;
const MAX_TOKENS: u64 = 16_000;
const TIMEOUT: u64 = 300;
/// Forbids everything but this machine, whatever the file says.
const LOCAL_ONLY: &str = "EXACTA_LOCAL_ONLY";

/// The model in force, or what is missing.
pub(crate) fn read(policy: &Policy) -> Result<Planner, String> {
    let written = allowed::read()?.planner.ok_or_else(|| {
        let place =
            allowed::place().map_or_else(|| "agents.toml".into(), |at| at.display().to_string());
        format!("no model is configured; `[planner]` in `{place}` names one")
    })?;
    let known = policy.proposers.get(&written.proposer).ok_or_else(|| {
        format!("policy registers no proposer `{}`; add `[proposers.{0}]`", written.proposer)
    })?;
    let format = match written.format.as_str() {
        "anthropic" => Format::Anthropic,
        "openai" => Format::OpenAi,
        "ollama" => Format::Ollama,
        other => return Err(format!("`{other}` is none of anthropic, openai and ollama")),
    };
    let url = Url::parse(&written.url).map_err(|error| format!("`url`: {error}"))?;
    let forced = env::var_os(LOCAL_ONLY).is_some_and(|value| !value.is_empty() && value != "0");
    let local_only = written.local_only || forced || known.class == Locality::LocalOnly;
    let timeout = Duration::from_secs(written.timeout_seconds.unwrap_or(TIMEOUT).clamp(1, 3600));
    let key = key(&written)?;
    let endpoint = Endpoint { format, url, model: known.model.clone(), key, local_only, timeout };
    Ok(Planner {
        proposer: written.proposer,
        endpoint,
        context_bytes: written.context_bytes.unwrap_or(CONTEXT_BYTES),
        max_tokens: written.max_tokens.unwrap_or(MAX_TOKENS),
    })
}

/// The key, from the one place that is named. What goes wrong is said without it.
fn key(written: &Written) -> Result<Option<SecretString>, String> {
    let text = match (&written.key_env, &written.key_file, &written.key_command) {
        (None, None, None) => return Ok(None),
        (Some(name), None, None) => {
            env::var(name).map_err(|_| format!("the environment variable `{name}` holds no key"))?
        }
        (None, Some(file), None) => from_file(file)?,
        (None, None, Some(words)) => from_command(words)?,
        _ => return Err("name one of `key_env`, `key_file` and `key_command`".into()),
    };
    let text = text.trim();
    let plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic());
    if !plain {
        return Err("what was found is not a key: it is empty or has odd characters".into());
    }
    Ok(Some(SecretString::from(text.to_owned())))
}

fn from_file(file: &Path) -> Result<String, String> {
    let name = file.display();
    let fail = |error: std::io::Error| format!("`{name}` cannot be read: {error}");
    let seen = fs::symlink_metadata(file).map_err(fail)?;
    let user = rustix::process::geteuid().as_raw();
    if !seen.is_file() || seen.uid() != user || seen.mode() & 0o077 != 0 {
        return Err(format!("`{name}` must be a file of yours that nobody else can read (0600)"));
    }
    let mut text = String::new();
    fs::File::open(file).map_err(fail)?.take(4096).read_to_string(&mut text).map_err(fail)?;
    Ok(text)
}

fn from_command(words: &[String]) -> Result<String, String> {
    let Some((program, arguments)) = words.split_first() else {
        return Err("`key_command` is empty".into());
    };
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .map_err(|error| format!("`{program}` cannot be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{program}` gave no key"));
    }
    String::from_utf8(output.stdout).map_err(|_| "what was printed is not a key".into())
}
