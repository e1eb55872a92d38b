//! What a merge would do: git says which tree it ends in, we say it as a patch.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use exacta_core::model::digest::Digest;
use exacta_core::model::path::RelPath;
use exacta_core::model::tree::Tree as _;
use exacta_core::read::parse::Limits;
use exacta_core::text::shown::{shown, visible};

use super::attributes;
use super::confined::{Call, Git, two};
use super::error::{IntakeError, Unfit};
use super::raw::{self, Entry};
use super::repository::Repository;
use crate::checks::Room;
use crate::workspace::Root;

/// What to merge into HEAD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// A branch, or anything that names a commit: all that it has and HEAD has not.
    Branch(String),
    /// `A..B` or `A...B`: what B has and A has not, from where they parted; what A did since is
    /// not taken back. A single commit: what it changed.
    Range(String),
}

/// What a merge would do, ready to be handed in.
#[derive(Clone, Debug)]
pub struct MergeProposal {
    /// A patch with a message.
    pub text: Vec<u8>,
    /// Every file that it touches, as it was looked at.
    pub seen: BTreeMap<RelPath, Option<Digest>>,
    /// The commit that HEAD was.
    pub head: String,
    /// The tree that git ends in.
    pub tree: String,
}

/// The commits of a three-way merge.
struct Commits {
    head: String,
    theirs: String,
    /// Where to start from; `None` where git finds it by itself.
    base: Option<String>,
}

/// Finds out what a merge would do. Nothing is changed, in the project or its repository.
///
/// # Errors
/// [`IntakeError`], with what to do about it.
pub fn merge(root: &Root, ask: &Ask, walls: &Room) -> Result<MergeProposal, IntakeError> {
    let id = root.id();
    let project = Path::new(&id.path);
    let repository = Repository::find(project)?;
    let git = Git::prepare(project, &repository, walls)?;
    let shallow = repository.shallow.is_some();
    let commits = commits(&git, ask, shallow)?;
    let words = match ask {
        Ask::Branch(name) | Ask::Range(name) => shown(name.as_bytes()),
    };
    if matches!(ask, Ask::Branch(_)) && commits.theirs == commits.head {
        return Err(IntakeError::Here(words));
    }
    let tree = merged_tree(&git, &commits, &words, shallow)?;
    let (entries, patch) = difference(&git, &commits.head, &tree)?;
    if entries.is_empty() {
        return Err(IntakeError::Nothing(words));
    }
    let links = entries.iter().filter_map(kind_obstacle);
    refuse_if(links.collect(), IntakeError::Unfit)?;
    let objects: BTreeSet<&str> = entries.iter().flat_map(Entry::objects).collect();
    let list: String = objects.iter().flat_map(|object| [*object, "\n"]).collect();
    let batch = Call { arguments: vec!["cat-file", "--batch"], input: Some(list.as_bytes()) };
    let batch = git.ask_one(batch)?.sound()?;
    let contents = raw::contents(&batch)?;
    let trees = [commits.head.as_str(), tree.as_str()];
    refuse_if(
        attribute_obstacles(&git, &repository, &entries, &contents, trees)?,
        IntakeError::Unfit,
    )?;
    let seen = held_against(root, &entries, &contents)?;
    let what = subject(&git, ask, &commits, &words)?;
    let text = with_message(&what, &commits.theirs, &patch)?;
    Ok(MergeProposal { text, seen, head: commits.head, tree })
}

fn refuse_if(
    files: Vec<Unfit>,
    error: impl FnOnce(Vec<Unfit>) -> IntakeError,
) -> Result<(), IntakeError> {
    if files.is_empty() { Ok(()) } else { Err(error(files)) }
}

/// Finds the commits that the words name.
fn commits(git: &Git<'_>, ask: &Ask, shallow: bool) -> Result<Commits, IntakeError> {
    let resolve = |name: &str| -> Result<String, IntakeError> {
        let found = commit(git, name)?;
        found.map_or_else(|| Err(unknown(git, name)), Ok)
    };
    let head = commit(git, "HEAD")?.ok_or(IntakeError::NoCommit)?;
    match ask {
        Ask::Branch(name) => Ok(Commits { head, theirs: resolve(name)?, base: None }),
        Ask::Range(range) => {
            let bad = || IntakeError::Range(shown(range.as_bytes()));
            let end =
                |name: &str| if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() };
            let ends = range.split_once("...").or_else(|| range.split_once(".."));
            let (base, theirs) = if let Some((from, to)) = ends {
                let (from, to) = (resolve(&end(from))?, resolve(&end(to))?);
                let answer = git.ask_one(Call::of(&["merge-base", &from, &to]))?;
                let base = String::from_utf8_lossy(&answer.output).trim().to_owned();
                if answer.code == 1 && base.is_empty() {
                    return Err(IntakeError::Unrelated { name: shown(range.as_bytes()), shallow });
                }
                if answer.code != 0 || base.contains('\n') {
                    return Err(bad());
                }
                (base, to)
            } else {
                let theirs = resolve(range)?;
                let call = Call::of(&["rev-list", "--no-walk", "--parents", &theirs]);
                let line = git.ask_one(call)?.sound()?;
                let line = String::from_utf8_lossy(&line).trim().to_owned();
                let mut names = line.split(' ').skip(1);
                match (names.next(), names.next()) {
                    (Some(parent), None) => (parent.to_owned(), theirs),
                    (Some(_), Some(_)) => {
                        return Err(IntakeError::MergeCommit(shown(range.as_bytes())));
                    }
                    _ => return Err(bad()),
                }
            };
            Ok(Commits { head, theirs, base: Some(base) })
        }
    }
}

/// The commit that a name stands for, if there is one.
fn commit(git: &Git<'_>, name: &str) -> Result<Option<String>, IntakeError> {
    let commit = format!("{name}^{{commit}}");
    let call = Call::of(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]);
    let answer = git.look_up(call)?;
    let text = String::from_utf8_lossy(&answer.output).trim().to_owned();
    let hex = matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit());
    Ok((answer.code == 0 && hex).then_some(text))
}

/// A name that stands for no commit; a clone often has the branch under its remote's name.
fn unknown(git: &Git<'_>, name: &str) -> IntakeError {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    let remote = Some(format!("origin/{name}"))
        .filter(|_| name.chars().all(plain))
        .filter(|remote| matches!(commit(git, &format!("refs/remotes/{remote}")), Ok(Some(_))));
    IntakeError::Unknown { name: shown(name.as_bytes()), remote }
}

/// The tree that the merge ends in.
fn merged_tree(
    git: &Git<'_>,
    commits: &Commits,
    words: &str,
    shallow: bool,
) -> Result<String, IntakeError> {
    if commits.base.is_none() {
        let answer = git.ask_one(Call::of(&["merge-base", &commits.head, &commits.theirs]))?;
        // 1 says that there is none; anything else is told by the merge itself.
        if answer.code == 1 && answer.output.is_empty() {
            return Err(IntakeError::Unrelated { name: words.into(), shallow });
        }
    }
    let base = commits.base.as_ref().map(|base| format!("--merge-base={base}"));
    let mut arguments = vec!["merge-tree", "--write-tree", "-z", "--messages"];
    arguments.extend(base.as_deref());
    arguments.extend(["--end-of-options", &commits.head, &commits.theirs]);
    let answer = git.ask_one(Call { arguments, input: None })?;
    match answer.code {
        0 => Ok(raw::merged(&answer.output)?.0),
        1 if !answer.output.is_empty() => {
            Err(IntakeError::Conflicts(raw::merged(&answer.output)?.1))
        }
        _ => Err(answer.failed()),
    }
}

/// What leads from HEAD to the tree: as a list, and as a patch.
fn difference(git: &Git<'_>, head: &str, tree: &str) -> Result<(Vec<Entry>, Vec<u8>), IntakeError> {
    let list = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", head, tree];
    let patch = [
        "diff-tree",
        "-r",
        "-p",
        "-M",
        "--binary",
        "--full-index",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        "--no-relative",
        "--default-prefix",
        "--submodule=short",
        head,
        tree,
    ];
    let [list, patch] = two(git.ask(&[Call::of(&list), Call::of(&patch)])?)?;
    Ok((raw::entries(&list.sound()?)?, patch.sound()?))
}

/// Kinds of entries and names that no plan can have.
fn kind_obstacle(entry: &Entry) -> Option<Unfit> {
    let unfit = |why: String| Some(Unfit { path: visible(&entry.path), why });
    let has = |mode: &str| entry.old_mode == mode || entry.new_mode == mode;
    if has("120000") {
        return unfit("it is a symbolic link".into());
    }
    if has("160000") {
        return unfit("it is a submodule".into());
    }
    match std::str::from_utf8(&entry.path) {
        Err(_) => unfit("its name is not UTF-8".into()),
        Ok(path) => RelPath::parse(path).err().and_then(|fault| unfit(fault.to_string())),
    }
}

/// Files that git would write other than they are in the trees.
fn attribute_obstacles(
    git: &Git<'_>,
    repository: &Repository,
    entries: &[Entry],
    contents: &BTreeMap<String, &[u8]>,
    trees: [&str; 2],
) -> Result<Vec<Unfit>, IntakeError> {
    if let Some(own) = &repository.attributes {
        git.attributes(own)?;
    }
    let mut names = Vec::new();
    for entry in entries {
        names.extend_from_slice(&entry.path);
        names.push(0);
    }
    let sources = trees.map(|tree| format!("--source={tree}"));
    let calls: Vec<Call<'_>> = sources
        .iter()
        .map(|source| {
            let mut arguments = vec!["check-attr", source.as_str(), "-z", "--stdin"];
            arguments.extend(attributes::ASKED);
            Call { arguments, input: Some(&names) }
        })
        .collect();
    let mut found: BTreeMap<Vec<u8>, String> = BTreeMap::new();
    let crlf: BTreeMap<&[u8], bool> = entries
        .iter()
        .map(|entry| {
            let bytes = entry.objects().filter_map(|object| contents.get(object));
            let mut bytes = bytes.map(|bytes| memchr::memmem::find(bytes, b"\r\n").is_some());
            (entry.path.as_slice(), bytes.any(|found| found))
        })
        .collect();
    for answer in git.ask(&calls)? {
        let text = answer.sound()?;
        for (path, name, value) in raw::attributes(&text)? {
            let crlf = crlf.get(path).copied().unwrap_or(true);
            if let Some(why) = attributes::obstacle(name, value, crlf) {
                found.entry(path.to_vec()).or_insert(why);
            }
        }
    }
    Ok(found.into_iter().map(|(path, why)| Unfit { path: visible(&path), why }).collect())
}

/// Holds every file that is touched against HEAD.
fn held_against(
    root: &Root,
    entries: &[Entry],
    contents: &BTreeMap<String, &[u8]>,
) -> Result<BTreeMap<RelPath, Option<Digest>>, IntakeError> {
    let mut seen = BTreeMap::new();
    let mut changed = Vec::new();
    for entry in entries {
        let Some(path) = std::str::from_utf8(&entry.path).ok().and_then(|p| RelPath::parse(p).ok())
        else {
            continue;
        };
        let mut differs = |why: String| changed.push(Unfit { path: visible(&entry.path), why });
        let here = match root.look(&path) {
            Ok(here) => here,
            Err(fault) => {
                differs(fault.to_string());
                continue;
            }
        };
        let committed = contents.get(&entry.old).filter(|_| entry.was_there());
        match (&here, committed) {
            (None, None) => {}
            (None, Some(_)) => differs("it is not there; HEAD has it".into()),
            (Some(_), None) => differs("it is in the way; HEAD does not have it".into()),
            (Some(file), Some(committed)) => {
                if file.blob.bytes() != *committed {
                    differs("its content is not that of HEAD".into());
                } else if file.mode.is_executable() != (entry.old_mode == "100755") {
                    differs("its permission to be executed is not that of HEAD".into());
                }
            }
        }
        seen.insert(path, here.map(|file| file.blob.digest()));
    }
    if changed.is_empty() { Ok(seen) } else { Err(IntakeError::Changed(changed)) }
}

/// What the commits are about, in one line: the words of the only one, or how many there are.
/// A merge of git's own has two parents, and what comes of this has one, so it is not called so.
fn subject(
    git: &Git<'_>,
    ask: &Ask,
    commits: &Commits,
    words: &str,
) -> Result<String, IntakeError> {
    let base = commits.base.as_ref().unwrap_or(&commits.head);
    let range = format!("{base}..{}", commits.theirs);
    let count = git.ask_one(Call::of(&["rev-list", "--count", "--no-merges", &range]))?.sound()?;
    let count = String::from_utf8_lossy(&count).trim().to_owned();
    if count == "1" {
        let call = Call::of(&["log", "--no-merges", "--max-count=1", "--format=%s", &range]);
        let line = git.ask_one(call)?.sound()?;
        let line = shown(line.trim_ascii());
        if !line.is_empty() {
            return Ok(line);
        }
    }
    Ok(match ask {
        Ask::Branch(_) | Ask::Range(_) if count != "1" => format!("{words}: {count} commits"),
        Ask::Branch(_) => format!("Merge `{words}`"),
        Ask::Range(_) => format!("Merge the changes of `{words}`"),
    })
}

/// The patch as `git show` would write it, with a message that says what it is.
fn with_message(what: &str, commit: &str, patch: &[u8]) -> Result<Vec<u8>, IntakeError> {
    let mut text = format!("commit {commit}\n\n    {what}\n\n").into_bytes();
    text.extend_from_slice(patch);
    let most = Limits::default().raw_bytes;
    if text.len() > most {
        return Err(IntakeError::TooLarge(format!(
            "its patch has {} MiB, {} MiB are the most",
            text.len() >> 20,
            most >> 20
        )));
    }
    Ok(text)
}
