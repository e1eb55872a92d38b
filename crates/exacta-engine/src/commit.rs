//! A commit of exactly what a run put in place: plumbing on a private index, never the working
//! tree, no filter, and no hook unless a person asks for it. Nothing is pushed.
//!
//! Input: the repository, the files of a receipt with their images, a message. Output: the
//! name of the commit. Error: [`NotCommitted`]; the repository is as it was, and so are files.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use exacta_core::model::digest::{Blob, Digest};
use exacta_core::model::path::RelPath;
use tempfile::TempDir;

/// A file as a run left it.
#[derive(Clone, Debug)]
pub struct Committed {
    /// The file.
    pub path: RelPath,
    /// Its bytes before the run.
    pub before: Option<Digest>,
    /// Its bytes after, and whether it is executable.
    pub after: Option<(Blob, bool)>,
}

/// Why there is no commit. The files stay as the run left them.
#[derive(Debug, thiserror::Error)]
pub enum NotCommitted {
    /// Git knows nothing of the folder.
    #[error("the project is not in a git repository")]
    NoRepository,
    /// There is nothing that a commit could come after.
    #[error("the repository has no commit yet")]
    NoCommit,
    /// Something is under way that a commit would disturb.
    #[error("a {0} is under way in the repository")]
    UnderWay(&'static str),
    /// The run started from something else than what is committed.
    #[error("`{0}` was not as the last commit has it when the run began")]
    NotHead(RelPath),
    /// A hook said no.
    #[error("the hook `pre-commit` refused it: {0}")]
    Hook(String),
    /// Git failed.
    #[error("git could not do it: {0}")]
    Git(String),
    /// It could not be asked.
    #[error("git cannot be run: {0}")]
    Io(#[from] std::io::Error),
}

/// Settings that nothing in the repository can change.
const SETTINGS: [(&str, &str); 6] = [
    ("core.fsmonitor", "false"),
    ("core.attributesFile", "/dev/null"),
    ("commit.gpgSign", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("core.hooksPath", "/dev/null"),
];
/// What a repository shows while something is under way.
const UNDER_WAY: [(&str, &str); 6] = [
    // The index could not follow: git would show what was committed as taken back.
    ("index.lock", "git command"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
];

/// Commits these files on top of HEAD.
///
/// # Errors
/// [`NotCommitted`], with nothing changed.
pub fn commit(
    folder: &Path,
    files: &[Committed],
    message: &str,
    hooks: bool,
) -> Result<String, NotCommitted> {
    let git = Git::find(folder, hooks)?;
    for (name, what) in UNDER_WAY {
        if git.private(name)?.exists() {
            return Err(NotCommitted::UnderWay(what));
        }
    }
    let head = git.word(&["rev-parse", "--verify", "HEAD^{commit}"], None)?;
    let aside = TempDir::new()?;
    let index = aside.path().join("index");
    let index = Some(index.as_os_str());
    git.call(&["read-tree", &head], index, None)?;
    let mut entries = Vec::new();
    let mut stale = Vec::new();
    for file in files {
        let path = git.path(&file.path);
        let listed = git.call(&["ls-tree", "-z", "--full-tree", &head, "--", &path], None, None)?;
        let there = entry(&listed);
        let same = match (&there, &file.before) {
            (None, None) => true,
            (Some(id), Some(before)) => {
                Digest::of(&git.call(&["cat-file", "blob", id], None, None)?) == *before
            }
            _ => false,
        };
        if !same {
            return Err(NotCommitted::NotHead(file.path.clone()));
        }
        let mut line = match &file.after {
            None => format!("0 {}\t", "0".repeat(head.len())),
            Some((blob, executable)) => {
                let write = ["hash-object", "-w", "--no-filters", "-t", "blob", "--stdin"];
                let id = git.word(&write, Some(blob.bytes()))?;
                let mode = if *executable { "100755" } else { "100644" };
                format!("{mode} {id} 0\t")
            }
        };
        line.push_str(&path);
        line.push('\0');
        // What somebody staged there is theirs; what is as HEAD has it follows HEAD.
        let staged = git.call(&["ls-files", "-s", "-z", "--", &path], None, None)?;
        if entry(&staged) == there {
            stale.push(line.clone());
        }
        entries.push(line);
    }
    let update = ["update-index", "-z", "--index-info"];
    git.call(&update, index, Some(entries.concat().as_bytes()))?;
    if hooks {
        let hook = ["hook", "run", "--ignore-missing", "pre-commit"];
        git.call(&hook, index, None).map_err(|error| match error {
            NotCommitted::Git(why) => NotCommitted::Hook(why),
            other => other,
        })?;
    }
    let tree = git.text(&git.call(&["write-tree"], index, None)?);
    let made = ["commit-tree", &tree, "-p", &head, "-F", "-"];
    let commit = git.word(&made, Some(message.as_bytes()))?;
    let moved = ["update-ref", "-m", "exacta: commit of a run", "HEAD", &commit, &head];
    git.call(&moved, None, None)?;
    // The commit is there; an index that cannot follow only shows more than has changed.
    let _ = git.call(&update, None, Some(stale.concat().as_bytes()));
    Ok(commit)
}

/// What somebody should know of a commit that was made here, because git would have done it
/// otherwise or it is easily lost.
#[must_use]
pub fn remarks(folder: &Path) -> Vec<&'static str> {
    let mut remarks = Vec::new();
    let Ok(git) = Git::find(folder, false) else { return remarks };
    // Asked without our own settings, which say no.
    let mut asked = Command::new("git");
    asked.arg("-C").arg(&git.top).args(["config", "--type=bool", "--get", "commit.gpgSign"]);
    let signs = asked.stdin(Stdio::null()).stderr(Stdio::null()).output();
    if signs.is_ok_and(|output| output.stdout.trim_ascii() == b"true") {
        remarks.push(
            "it is not signed, although `commit.gpgSign` is set: no program of git's settings is \
             run; `git commit --amend --no-edit -S` signs it",
        );
    }
    if git.call(&["symbolic-ref", "--quiet", "HEAD"], None, None).is_err() {
        remarks.push("HEAD is detached, so no branch has it; `git switch -c NAME` keeps it");
    }
    remarks
}

/// The object of the first entry of a list; of `ls-tree` and of `ls-files -s`.
fn entry(listed: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(listed);
    let words: Vec<&str> = text.split('\t').next()?.split(' ').collect();
    match words.as_slice() {
        [_, "blob", id] | [_, id, "0"] => Some((*id).into()),
        _ => None,
    }
}

/// A repository and the way into it.
struct Git {
    top: PathBuf,
    /// Where the project lies in it, with a slash at the end.
    prefix: String,
    hooks: bool,
}

impl Git {
    fn find(folder: &Path, hooks: bool) -> Result<Self, NotCommitted> {
        let here = Self { top: folder.into(), prefix: String::new(), hooks };
        let none = |_| NotCommitted::NoRepository;
        let top = here.word(&["rev-parse", "--show-toplevel"], None).map_err(none)?;
        let prefix = here.call(&["rev-parse", "--show-prefix"], None, None).map_err(none)?;
        let head = here.word(&["rev-parse", "--verify", "HEAD^{commit}"], None);
        head.map_err(|_| NotCommitted::NoCommit)?;
        Ok(Self { top: top.into(), prefix: here.text(&prefix), hooks })
    }

    fn path(&self, path: &RelPath) -> String {
        format!("{}{}", self.prefix, path.as_str())
    }

    /// A file of the repository's own.
    fn private(&self, name: &str) -> Result<PathBuf, NotCommitted> {
        Ok(self.top.join(self.word(&["rev-parse", "--git-path", name], None)?))
    }

    fn word(&self, arguments: &[&str], input: Option<&[u8]>) -> Result<String, NotCommitted> {
        Ok(self.text(&self.call(arguments, None, input)?))
    }

    #[expect(clippy::unused_self, reason = "said of what this git answers")]
    fn text(&self, bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).trim_end_matches('\n').into()
    }

    fn call(
        &self,
        arguments: &[&str],
        index: Option<&OsStr>,
        input: Option<&[u8]>,
    ) -> Result<Vec<u8>, NotCommitted> {
        let mut git = Command::new("git");
        let kept = if self.hooks { SETTINGS.len() - 1 } else { SETTINGS.len() };
        for (key, value) in SETTINGS.iter().take(kept) {
            git.arg("-c").arg(format!("{key}={value}"));
        }
        git.arg("--literal-pathspecs").arg("-C").arg(&self.top).args(arguments);
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"] {
            git.env_remove(name);
        }
        git.env("GIT_NO_LAZY_FETCH", "1").env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C.UTF-8");
        if let Some(index) = index {
            git.env("GIT_INDEX_FILE", index);
        }
        let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
        let mut child = git.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        if let (Some(bytes), Some(mut pipe)) = (input, child.stdin.take()) {
            // Git may stop reading; what it says then is the error.
            let _ = pipe.write_all(bytes);
        }
        let output = child.wait_with_output()?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let first = said.lines().find(|line| !line.trim().is_empty());
        Err(NotCommitted::Git(first.unwrap_or("it gave no reason").into()))
    }
}
