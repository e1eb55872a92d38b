//! A branch for a server of the user's own: `propose --server`, and `verify --approved --server`.
//!
//! What a merge would do is found out here and sent as a draft with whole files, which names the
//! commit that it starts from and the tree that it ends in. Both are part of what is hashed, so
//! an approval there is for exactly this merge: another base, or one more push, has another hash.

use std::fs;
use std::path::{Path, PathBuf};

use exacta_core::judge::examine::{Context, examine};
use exacta_core::model::change::FileMode;
use exacta_core::model::digest::Digest;
use exacta_core::read::parse::{self, Limits};
use exacta_core::text::shown::visible;
use exacta_engine::capture::{Effect, Made, draft};
use exacta_engine::intake::{self, Ask, MergeProposal};
use exacta_tools::remote::{Remote, RemoteError, Reply};
use secrecy::SecretString;
use serde_json::{Value, json};

use super::door::{self, Door};
use super::propose::Handing;
use super::{CliError, in_force};
use crate::exit::Exit;
use crate::inspector::Confined;
use crate::render::Printer;

/// The variable that holds the token where no file is named.
const TOKEN: &str = "EXACTA_TOKEN";
/// So many plans of a page.
const PAGE: usize = 200;
/// So many pages are looked at.
const PAGES: usize = 50;

/// Which server, and the right to hand in plans there.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct Server {
    /// A server of your own, such as `https://gate.example`: there, and not here.
    #[arg(long, value_name = "URL")]
    pub(super) server: Option<String>,

    /// The file that holds an agent's token of that server; else `EXACTA_TOKEN` does.
    #[arg(long, value_name = "FILE", requires = "server")]
    token_file: Option<PathBuf>,
}

impl Server {
    fn open(&self) -> Result<Remote, CliError> {
        let url = self.server.as_deref().unwrap_or_default();
        let token = match &self.token_file {
            Some(file) => read(file)?,
            None => std::env::var(TOKEN).map_err(|_| CliError::Usage {
                message: "there is no token for the server".into(),
                help: format!("name its file with `--token-file`, or set `{TOKEN}`"),
            })?,
        };
        Remote::new(url, SecretString::from(token.trim().to_owned())).map_err(|e| not_asked(&e))
    }
}

fn read(file: &Path) -> Result<String, CliError> {
    fs::read_to_string(file).map_err(|source| CliError::Read { path: file.into(), source })
}

/// Hands in what a merge would do at a server.
pub(super) fn propose(
    ask: &Ask,
    server: &Server,
    handing: &Handing,
    printer: &mut Printer,
) -> Result<Exit, CliError> {
    let remote = server.open()?;
    let (merge, text) = merged(ask, printer)?;
    let mut body = json!({ "draft": text, "constraints": handing.constraints });
    if let (Some(fields), Some(intent)) = (body.as_object_mut(), &handing.intent) {
        fields.insert("intent".into(), intent.clone().into());
    }
    // The same push, sent twice, is one plan.
    let key = format!("merge:{}", Digest::of(body.to_string().as_bytes()));
    let reply = send(&remote, "POST", "/api/v1/plans/draft", Some(&key), Some(&body))?;
    let plan = match reply.status {
        200 | 201 => reply.body,
        _ => return Err(refused(&reply)),
    };
    let word = |name: &str| plan.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let exit = match word("status").as_str() {
        "approved" => Exit::Done,
        "validated" => Exit::Waits,
        "expired" => Exit::Stale,
        _ => Exit::Refused,
    };
    if handing.json {
        printer.json(&json!({ "plan_id": word("plan_id"), "plan_hash": word("plan_hash"),
            "state": word("state"), "exit_code": exit.code(), "base": merge.head,
            "tree": merge.tree, "server": remote.url().as_str() }))?;
        return Ok(exit);
    }
    printer.line(&format!("plan {}: {}", shown(&word("plan_id")), shown(&word("state"))))?;
    printer.line(&format!("  at {}", shown(remote.url().as_str())))?;
    printer.line(&format!("  from commit {} to tree {}", merge.head, merge.tree))?;
    if exit == Exit::Waits {
        printer.line("  a person decides there; `exacta verify --approved` asks whether")?;
    }
    Ok(exit)
}

/// Whether somebody approved at a server what merging a revision would do.
pub(super) fn approved(
    revision: &str,
    server: &Server,
    as_json: bool,
    printer: &mut Printer,
) -> Result<Exit, CliError> {
    let remote = server.open()?;
    let (merge, text) = merged(&Ask::Branch(revision.into()), printer)?;
    let checked =
        send(&remote, "POST", "/api/v1/plans/check", None, Some(&json!({ "draft": text })))?;
    if checked.status != 200 {
        return Err(refused(&checked));
    }
    let wanted = checked.body.get("plan_hash").and_then(Value::as_str).unwrap_or_default();
    let found = if wanted.is_empty() { None } else { find(&remote, wanted)? };
    if as_json {
        printer.json(&json!({ "ok": found.is_some(), "revision": revision, "plan_id": found,
            "plan_hash": wanted, "base": merge.head, "tree": merge.tree }))?;
    } else if let Some(plan_id) = &found {
        let name = visible(revision.as_bytes());
        printer.line(&format!("merging `{name}` does what plan {} allows", shown(plan_id)))?;
        printer.line(&format!("  hash {}", shown(wanted)))?;
    } else {
        let name = visible(revision.as_bytes());
        printer.line(&format!("nobody approved there what merging `{name}` would do"))?;
    }
    Ok(if found.is_some() { Exit::Done } else { Exit::Unverified })
}

/// The approved plan with this hash that was not run.
fn find(remote: &Remote, wanted: &str) -> Result<Option<String>, CliError> {
    let mut cursor = String::new();
    for _ in 0..PAGES {
        let path = format!("/api/v1/plans?status=approved&limit={PAGE}{cursor}");
        let reply = send(remote, "GET", &path, None, None)?;
        if reply.status != 200 {
            return Err(refused(&reply));
        }
        let items = reply.body.get("items").and_then(Value::as_array).cloned().unwrap_or_default();
        for id in items.iter().filter_map(|row| row.get("plan_id")?.as_str()) {
            if !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
                return Err(not_asked(&RemoteError::Form));
            }
            let plan = send(remote, "GET", &format!("/api/v1/plans/{id}"), None, None)?.body;
            let is =
                |name: &str, value: &str| plan.get(name).and_then(Value::as_str) == Some(value);
            let unused = plan.get("run_id").is_none_or(Value::is_null);
            let live = plan.get("expires_in_sec").is_some_and(Value::is_u64);
            if is("plan_hash", wanted) && is("status", "approved") && unused && live {
                return Ok(Some(id.to_owned()));
            }
        }
        match reply.body.get("next_cursor").and_then(Value::as_str) {
            Some(next) if next.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') => {
                cursor = format!("&cursor={next}");
            }
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// What a merge would do, as a draft with whole files that names both of its ends.
fn merged(ask: &Ask, printer: &mut Printer) -> Result<(MergeProposal, Value), CliError> {
    let door = Door::open(printer)?;
    let merge = intake::merge(&door.root, ask, &door::room()?);
    let merge = merge.map_err(|error| CliError::NotProposed {
        exit: Exit::Refused,
        message: error.to_string(),
        help: error.help(),
    })?;
    let unreadable = |_| CliError::Usage {
        message: "git's patch of the merge cannot be read".into(),
        help: "`exacta propose --branch` shows what is wrong with it".into(),
    };
    let patch = parse::patch(&merge.text, Limits::default()).map_err(unreadable)?;
    let policy = in_force::policy(&door.root)?.merged.policy;
    let examined = examine(patch, door.root.as_ref(), &Confined, &policy, &Context::default())?;
    let lost = || CliError::Usage {
        message: "a file of the merge cannot be read".into(),
        help: "`exacta propose --branch` shows what is wrong with it".into(),
    };
    let mut made = Vec::new();
    for change in examined.changes() {
        let bytes = match &change.after {
            Some(digest) => Some(examined.image(digest).ok_or_else(lost)?.bytes().to_vec()),
            None => None,
        };
        let executable = change.mode_after.is_some_and(FileMode::is_executable);
        let effect = match (change.before.is_some(), bytes) {
            (_, None) => Effect::Delete,
            (false, Some(bytes)) => Effect::Create { bytes, executable },
            (true, Some(bytes)) => {
                let changed = change.mode_before != change.mode_after;
                Effect::Modify { bytes, executable: changed.then_some(executable) }
            }
        };
        made.push(Made { path: change.path.clone(), effect });
    }
    let goal = format!("Merge what ends in tree {}", merge.tree);
    let mut text: Value = serde_json::from_slice(&draft(Some(&goal), &made))?;
    if let Some(fields) = text.as_object_mut() {
        let ends = json!({ "git_base": merge.head, "git_tree": merge.tree });
        fields.insert("inputs".into(), ends);
    }
    Ok((merge, text))
}

fn send(
    remote: &Remote,
    method: &str,
    path: &str,
    key: Option<&str>,
    body: Option<&Value>,
) -> Result<Reply, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(remote.send(method, path, key, body)).map_err(|error| not_asked(&error))
}

fn not_asked(error: &RemoteError) -> CliError {
    let help = "nothing was handed in";
    CliError::NotProposed { exit: Exit::Failure, message: error.to_string(), help: help.into() }
}

/// What the server said against it.
fn refused(reply: &Reply) -> CliError {
    let said = |name: &str| reply.body.get(name).and_then(Value::as_str).unwrap_or_default();
    let detail = shown(said("detail"));
    let exit = match reply.status {
        401 | 403 | 500.. => Exit::Failure,
        410 => Exit::Stale,
        _ => Exit::Refused,
    };
    let message = format!("the server answered {}: {detail}", reply.status);
    CliError::NotProposed { exit, message, help: "nothing was handed in".into() }
}

/// Words of a server, without anything that a terminal would obey.
fn shown(text: &str) -> String {
    visible(text.as_bytes()).chars().take(500).collect()
}
