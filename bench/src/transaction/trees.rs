//! The trees the sides work on: the same files, one copy for each.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use exacta_core::model::change::FileMode;
use exacta_core::model::digest::{Blob, Digest};
use exacta_engine::blobs::FileBlobs;
use exacta_engine::workspace::{
    FolderSeen, Lock, Metadata, PortError, Root, Scope, Sight, Space, Spot, Stamp, Workspace,
};
use exacta_testkit::forward_to;
use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};
use tempfile::TempDir;

use super::neighbour;

/// The file beside the trees that lists what changes.
pub(super) const LIST: &str = "changes";
/// Lines a file.
const LINES: usize = 200;

/// The folder of every tree in which its files lie.
pub(super) const SOURCES: &str = "src";

/// The name of a file in every tree.
pub(super) fn file_name(number: usize) -> String {
    format!("{SOURCES}/module_{}/file_{number}.rs", number % 37)
}

/// A source file before and after; every file is different, eight lines change.
fn text(number: usize, after: bool) -> String {
    let mut text = String::new();
    for line in 0..LINES {
        let word = if after && line % 25 == 12 { "changed" } else { "value" };
        let _ = writeln!(text, "    let {word}_{line} = compute(\"{number}\", {line});");
    }
    text
}

/// The patch, seen from a tree of git's.
pub(super) const PATCH: &str = "../change.patch";
/// Where the raw protocol stages, in its tree.
pub(super) const STAGED: &str = "staged";

/// Where all trees lie until everything is measured: beside the program, because a
/// temporary folder may lie in memory.
pub(super) fn ground() -> Result<TempDir, String> {
    let say = |error: std::io::Error| error.to_string();
    let here = std::env::current_exe().map_err(say)?;
    let ground = tempfile::tempdir_in(here.parent().ok_or("no folder")?).map_err(say)?;
    // Each tree in a region of the disk of its own, where the file system can: what
    // others delete meanwhile then costs nobody (see the module above).
    let handle = fs::File::open(ground.path()).map_err(say)?;
    if let Ok(flags) = ioctl_getflags(&handle) {
        let _ = ioctl_setflags(&handle, flags | IFlags::TOPDIR);
    }
    Ok(ground)
}

pub(super) struct Trees {
    folder: PathBuf,
}

impl Trees {
    /// Trees for as many rounds. Git deletes what it replaces, so each of its turns gets
    /// a tree of its own; the other sides go forth and back in theirs.
    pub(super) fn new(ground: &Path, files: usize, rounds: usize) -> Result<Self, String> {
        let say = |error: std::io::Error| error.to_string();
        let folder = tempfile::tempdir_in(ground).map_err(say)?.keep();
        let trees = Self { folder };
        let at = |name: &str| trees.folder.join(name);
        let mut list = String::new();
        let mut blobs = Vec::new();
        for number in 0..files {
            let name = file_name(number);
            let (before, after) = (text(number, false), text(number, true));
            for (tree, text) in [
                ("ours", &before),
                ("git", &before),
                ("raw", &before),
                ("a", &before),
                ("b", &after),
            ] {
                let path = at(tree).join(&name);
                fs::create_dir_all(path.parent().ok_or("no folder")?).map_err(say)?;
                fs::write(path, text).map_err(say)?;
            }
            let digest = |text: &str| Digest::of(text.as_bytes());
            let _ = writeln!(list, "{name} {} {}", digest(&before), digest(&after));
            blobs.push(Blob::new(after.into_bytes()));
        }
        fs::write(at(LIST), list).map_err(say)?;
        let root = Root::open(at("ours")).map_err(|error| error.to_string())?;
        FileBlobs::new(&root).put(&blobs).map_err(|error| error.to_string())?;
        trees.git(&at("git"), &["init", "--quiet"])?;
        trees.git(&at("git"), &["add", "--all"])?;
        trees.git(&at("git"), &["commit", "--quiet", "--message", "before"])?;
        trees.git(&at("git"), &["repack", "-a", "-d", "--quiet"])?;
        for round in 0..rounds {
            for tree in [trees.to_apply(round), trees.to_commit(round)] {
                copy(&at("git"), &tree).map_err(say)?;
                // A copy has other times than the index remembers.
                trees.git(&tree, &["update-index", "--refresh", "-q"])?;
            }
        }
        let diff = Command::new("git")
            .args(["diff", "--no-index", "--no-prefix", "a", "b"])
            .current_dir(&trees.folder)
            .output()
            .map_err(say)?;
        // The names in the patch are those of the two folders, which is what -p1 strips.
        fs::write(at("change.patch"), diff.stdout).map_err(say)?;
        // A project's files are on the disk when work on them begins; deleting a file that
        // never got there would be cheaper.
        trees.settle(false)?;
        Ok(trees)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn ours(&self) -> PathBuf {
        self.folder.join("ours")
    }

    pub(super) fn raw(&self) -> PathBuf {
        self.folder.join("raw")
    }

    /// What the raw protocol swapped out in a round.
    pub(super) fn put_raw_aside(&self, round: usize) -> Result<(), String> {
        let aside = self.folder.join(format!("raw-{round}"));
        fs::rename(self.raw().join(STAGED), aside).map_err(|error| error.to_string())
    }

    pub(super) fn to_apply(&self, round: usize) -> PathBuf {
        self.folder.join(format!("apply-{round}"))
    }

    pub(super) fn to_commit(&self, round: usize) -> PathBuf {
        self.folder.join(format!("commit-{round}"))
    }

    /// Runs git in a tree, without anybody's settings.
    pub(super) fn git(&self, tree: &Path, words: &[&str]) -> Result<(), String> {
        let done = Command::new("git")
            .args(["-c", "user.name=bench", "-c", "user.email=bench@localhost"])
            .args(["-c", "gc.auto=0"])
            .args(words)
            .current_dir(tree)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("HOME", &self.folder)
            .stdout(Stdio::null())
            .status()
            .map_err(|error| error.to_string())?;
        if done.success() { Ok(()) } else { Err(format!("git {words:?} failed")) }
    }

    /// Writes out what the sides left unwritten; beside a busy neighbour, whose bytes
    /// have no end, only what the file system noted of names and sizes. Whoever syncs
    /// everything leaves the next side a quiet disk, so there it also waits until the
    /// neighbour has gathered as many bytes again.
    pub(super) fn settle(&self, busy: bool) -> Result<(), String> {
        let say = |error: std::io::Error| error.to_string();
        if busy {
            let start = Instant::now();
            while unwritten()? < neighbour::GATHERED && start.elapsed() < LONGEST_WAIT {
                std::thread::sleep(Duration::from_millis(5));
            }
            let mark = fs::File::create(self.folder.join("mark")).map_err(say)?;
            return mark.sync_all().map_err(say);
        }
        let folder = fs::File::open(&self.folder).map_err(say)?;
        rustix::fs::syncfs(folder).map_err(|error| error.to_string())
    }
}

/// How long the neighbour is given.
const LONGEST_WAIT: Duration = Duration::from_secs(4);

/// Bytes on this machine that no disk has yet.
fn unwritten() -> Result<u64, String> {
    let text = fs::read_to_string("/proc/meminfo").map_err(|error| error.to_string())?;
    let kibibytes = |name: &str| {
        let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
        rest.trim().split(' ').next()?.parse::<u64>().ok()
    };
    let dirty = kibibytes("Dirty:").zip(kibibytes("Writeback:"));
    dirty.map(|(dirty, under_way)| (dirty + under_way) << 10).ok_or("no count of bytes".into())
}

/// Makes the files of a tree durable, one by one.
pub(super) fn write_out(tree: &Path) -> Result<(), String> {
    let say = |error: std::io::Error| error.to_string();
    for entry in fs::read_dir(tree).map_err(say)? {
        let entry = entry.map_err(say)?;
        if entry.file_type().map_err(say)?.is_dir() {
            write_out(&entry.path())?;
        } else {
            fs::File::open(entry.path()).and_then(|file| file.sync_all()).map_err(say)?;
        }
    }
    Ok(())
}

/// Copies a tree of plain files and folders.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let into = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &into)?;
        } else {
            fs::copy(entry.path(), into)?;
        }
    }
    Ok(())
}

/// The project without barriers: what a run costs beside the disk.
pub(super) struct Unsynced<'a>(pub(super) &'a Root);

impl Workspace for Unsynced<'_> {
    fn barrier(&self, _: &Scope) -> Result<(), PortError> {
        Ok(())
    }

    forward_to!(0: lock turn see see_all stamp read look_folder inherited_from list stage
        stage_folder make_private swap place append remove remove_folder view space);
}
