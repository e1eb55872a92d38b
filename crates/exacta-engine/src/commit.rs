//! A commit of exactly what a run put in place: plumbing on a private index, never the working
//! tree, no filter, and no hook unless a person asks for it. Nothing is pushed.
//!
//! The repository may be hostile. So whatever writes to it is done inside the walls of the
//! checks, where only the repository is, under our configuration; and only in a repository
//! that is this folder's. Outside, git is asked whose repository it is and who commits, which
//! starts no program.
//!
//! Input: the repository, the files of a receipt with their images, a message. Output: the
//! name of the commit. Error: [`NotCommitted`]; the repository is as it was, and so are files.

mod place;
mod walls;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use exacta_core::model::digest::{Blob, Digest};
use exacta_core::model::path::RelPath;

use self::place::{Place, refuse};
use self::walls::{Call, INDEX, Walls, Word};
use crate::checks::Room;
use crate::intake::IntakeError;

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
    /// The repository is not one that can be written to safely, or the walls cannot be had.
    #[error("{0}")]
    Closed(IntakeError),
    /// It could not be asked.
    #[error("git cannot be run: {0}")]
    Io(#[from] std::io::Error),
}

/// Settings for what is asked outside the walls, which nothing in the repository can change.
const SETTINGS: [&str; 4] =
    ["core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false", "core.hooksPath=/dev/null"];
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

impl From<IntakeError> for NotCommitted {
    fn from(error: IntakeError) -> Self {
        match error {
            IntakeError::Git(why) => Self::Git(why),
            IntakeError::Io(error) => Self::Io(error),
            other => Self::Closed(other),
        }
    }
}

/// Commits these files on top of HEAD.
///
/// # Errors
/// [`NotCommitted`], with nothing changed.
pub fn commit(
    room: &Room,
    folder: &Path,
    files: &[Committed],
    message: &str,
    hooks: bool,
) -> Result<String, NotCommitted> {
    let git = Git::find(folder, hooks)?;
    for (name, what) in UNDER_WAY {
        if git.private(name).exists() {
            return Err(NotCommitted::UnderWay(what));
        }
    }
    let who = git.who().map_err(|error| {
        // Somebody who has not said who they are has most likely not committed either.
        let head = git.call(&["rev-parse", "--quiet", "--verify", "HEAD^{commit}"], None, None);
        if head.is_err() { NotCommitted::NoCommit } else { error }
    })?;
    let walls = Walls::prepare(room, &git.place, folder, who)?;
    let head = ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"];
    let head = walls.ask(&[Call::of(&head)]).map_err(|error| match error {
        IntakeError::Git(_) => NotCommitted::NoCommit,
        other => other.into(),
    })?;
    let head = said(&head, 0);
    let paths: Vec<String> = files.iter().map(|file| git.path(&file.path)).collect();
    let names: Vec<String> = paths.iter().map(|path| format!("{head}:{path}\n")).collect();
    let names = names.concat();
    let calls = [
        Call::of(&["cat-file", "--batch"]).reading(names.as_bytes()),
        Call::of(&["ls-files", "-s", "-z"]),
    ];
    let answers = walls.ask(&calls)?;
    let listed = answers.first().map(Vec::as_slice).unwrap_or_default();
    let there = blobs(listed, files.len()).ok_or_else(|| unclear("cat-file"))?;
    let staged = staged(answers.get(1).map(Vec::as_slice).unwrap_or_default());
    for (file, there) in files.iter().zip(&there) {
        if there.as_ref().map(|(_, bytes)| Digest::of(bytes)) != file.before {
            return Err(NotCommitted::NotHead(file.path.clone()));
        }
    }
    let made = write(&walls, files)?;
    let mut made = made.iter();
    let (mut entries, mut stale) = (Vec::new(), Vec::new());
    for ((file, path), there) in files.iter().zip(&paths).zip(&there) {
        let line = match &file.after {
            None => format!("0 {}\t{path}\0", "0".repeat(head.len())),
            Some((_, executable)) => {
                let id = made.next().ok_or_else(|| unclear("hash-object"))?;
                let kind = if *executable { "100755" } else { "100644" };
                format!("{kind} {id} 0\t{path}\0")
            }
        };
        // What somebody staged there is theirs; what is as HEAD has it follows HEAD.
        let there = there.as_ref().map(|(id, _)| format!("{id} 0"));
        if staged.get(path.as_str()) == there.as_ref() {
            stale.push(line.clone());
        }
        entries.push(line);
    }
    let (entries, stale) = (entries.concat(), stale.concat());
    let update = ["update-index", "-z", "--index-info"];
    let tree = walls.ask(&[
        Call::of(&["read-tree", &head]).aside(),
        Call::of(&update).reading(entries.as_bytes()).aside(),
        // What a partial clone does not have is as HEAD has it.
        Call::of(&["write-tree", "--missing-ok"]).aside(),
    ])?;
    let tree = said(&tree, 2);
    if hooks {
        let index = walls.aside(INDEX);
        let hook = ["hook", "run", "--ignore-missing", "pre-commit"];
        git.call(&hook, Some(index.as_os_str()), None).map_err(|error| match error {
            NotCommitted::Git(why) => NotCommitted::Hook(why),
            other => other,
        })?;
    }
    let made = ["commit-tree", tree.as_str(), "-p", head.as_str(), "-F", "-"].map(Word::Plain);
    let moved = ["update-ref", "-m", "exacta: commit of a run", "HEAD"].map(Word::Plain);
    let moved = [&moved[..], &[Word::Said(0), Word::Plain(&head)]].concat();
    let made = walls.ask(&[Call::with(&made).reading(message.as_bytes()), Call::with(&moved)])?;
    // The commit is there; an index that cannot follow only shows more than has changed.
    let index = git.private("index");
    if let Some(time) = fs::symlink_metadata(&index).ok().and_then(|seen| seen.modified().ok()) {
        let _ = walls.ask(&[Call::of(&update).reading(stale.as_bytes())]);
        let _ = set_back(&index, time);
    }
    Ok(said(&made, 0))
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

/// Gives the index the time that it had. Git tells by it which files may have changed without
/// notice; it could not look at them.
fn set_back(index: &Path, time: SystemTime) -> std::io::Result<()> {
    let flags = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(index)?;
    file.set_modified(time)
}

/// Writes the images as objects; their names, in order.
fn write(walls: &Walls<'_>, files: &[Committed]) -> Result<Vec<String>, NotCommitted> {
    let mut list = String::new();
    for (at, (blob, _)) in files.iter().filter_map(|file| file.after.as_ref()).enumerate() {
        let name = format!("image{at}");
        fs::write(walls.aside(&name), blob.bytes())?;
        list.push_str(&name);
        list.push('\n');
    }
    if list.is_empty() {
        return Ok(Vec::new());
    }
    let call = ["hash-object", "-w", "--no-filters", "-t", "blob", "--stdin-paths"];
    let made = walls.ask(&[Call::of(&call).reading(list.as_bytes())])?;
    Ok(said(&made, 0).lines().map(Into::into).collect())
}

/// What a call said, without the end of the line.
fn said(answers: &[Vec<u8>], at: usize) -> String {
    let bytes = answers.get(at).map(Vec::as_slice).unwrap_or_default();
    String::from_utf8_lossy(bytes).trim_end_matches('\n').into()
}

fn unclear(what: &str) -> NotCommitted {
    NotCommitted::Git(format!("the answer of `{what}` cannot be read"))
}

/// Name and bytes of a file, if it is there.
type Found = Option<(String, Vec<u8>)>;

/// Files as `cat-file --batch` writes them.
fn blobs(mut text: &[u8], count: usize) -> Option<Vec<Found>> {
    let mut blobs = Vec::new();
    while blobs.len() < count {
        let end = text.iter().position(|byte| *byte == b'\n')?;
        let line = String::from_utf8_lossy(text.get(..end)?).into_owned();
        text = text.get(end + 1..)?;
        if line.ends_with(" missing") {
            blobs.push(None);
            continue;
        }
        let (name, size) = line.rsplit_once(' ')?;
        let size = size.parse().ok()?;
        let bytes = text.get(..size)?.to_vec();
        text = text.get(size..)?.strip_prefix(b"\n")?;
        // A folder or another repository is not there as a file, and is not as it was.
        let id = name.strip_suffix(" blob").unwrap_or_default();
        blobs.push(Some((id.into(), bytes)));
    }
    Some(blobs)
}

/// Object and stage of each file that is in the index.
fn staged(listed: &[u8]) -> BTreeMap<&str, String> {
    let entries = listed.split(|byte| *byte == 0).filter_map(|entry| {
        let (words, path) = std::str::from_utf8(entry).ok()?.split_once('\t')?;
        Some((path, words.split_once(' ')?.1.to_owned()))
    });
    entries.collect()
}

/// A repository and the way into it.
struct Git {
    place: Place,
    top: PathBuf,
    /// Where the project lies in it, with a slash at the end.
    prefix: String,
    hooks: bool,
}

impl Git {
    fn find(folder: &Path, hooks: bool) -> Result<Self, NotCommitted> {
        let place = Place::find(folder)?.ok_or(NotCommitted::NoRepository)?;
        let below = folder.strip_prefix(&place.top).ok().and_then(Path::to_str);
        let below = below.ok_or_else(|| refuse("its path is not UTF-8"))?;
        let prefix = if below.is_empty() { String::new() } else { format!("{below}/") };
        let git = Self { top: place.top.clone(), place, prefix, hooks };
        // Git looks whose it is, and at what the user says of that.
        let found = git.call(&["rev-parse", "--absolute-git-dir"], None, None)?;
        let found = String::from_utf8_lossy(&found).trim_end_matches('\n').to_owned();
        let same = Path::new(&found).canonicalize().ok() == git.place.folder.canonicalize().ok();
        if same { Ok(git) } else { Err(refuse("git finds another one here").into()) }
    }

    fn path(&self, path: &RelPath) -> String {
        format!("{}{}", self.prefix, path.as_str())
    }

    /// A file of this working tree's own.
    fn private(&self, name: &str) -> PathBuf {
        self.place.folder.join(name)
    }

    /// Who commits, and when, as the environment says it to git.
    fn who(&self) -> Result<Vec<(String, String)>, NotCommitted> {
        let mut all = Vec::new();
        for role in ["AUTHOR", "COMMITTER"] {
            let said = self.call(&["var", &format!("GIT_{role}_IDENT")], None, None)?;
            let said = String::from_utf8_lossy(&said);
            let words = said.trim_end().rsplit_once("> ").and_then(|(who, date)| {
                let (name, mail) = who.split_once('<')?;
                Some([("NAME", name.trim_end()), ("EMAIL", mail), ("DATE", date)])
            });
            let words = words.ok_or_else(|| unclear("var"))?;
            all.extend(words.map(|(what, is)| (format!("GIT_{role}_{what}"), is.to_owned())));
        }
        Ok(all)
    }

    /// Asks git outside the walls; only what starts no program, and the hook that a person
    /// wants.
    fn call(
        &self,
        arguments: &[&str],
        index: Option<&OsStr>,
        input: Option<&[u8]>,
    ) -> Result<Vec<u8>, NotCommitted> {
        let mut git = Command::new("git");
        let kept = if self.hooks { SETTINGS.len() - 1 } else { SETTINGS.len() };
        for setting in SETTINGS.iter().take(kept) {
            git.arg("-c").arg(setting);
        }
        git.args(["--no-pager", "--literal-pathspecs", "-C"]).arg(&self.top).args(arguments);
        for name in
            ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"]
        {
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
