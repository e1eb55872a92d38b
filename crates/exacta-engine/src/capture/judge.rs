//! One touched path after the other: what a plan can say of it, or why it cannot.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use exacta_core::judge::facts::is_built_or_cached;
use exacta_core::model::digest::{Digest, Hashing};
use exacta_core::model::path::{RelPath, reserved_in};
use rustix::fs::{Mode, OFlags};

use super::before::{Before, changed_since};
use super::caches::Caches;
use super::effect::{Effect, LeftOut, Made, Unfit};
use super::errand::{CaptureError, Errand, Follow};
use super::ignored::Ignored;

/// Nobody keeps files deeper than this; a command that made them is told.
pub(super) const DEEPEST: usize = 128;
const READ: usize = 64 << 10;
/// The permissions that are proposed as they are.
const ORDINARY: [u32; 4] = [0o644, 0o664, 0o755, 0o775];

/// Everything that was found.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    pub(super) made: Vec<Made>,
    pub(super) seen: BTreeMap<RelPath, Option<Digest>>,
    pub(super) unfit: Vec<Unfit>,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) conflicts: Vec<String>,
}

/// Compares what the command left with the project.
pub(super) struct Judge<'j> {
    project: &'j Path,
    /// What the command left.
    tree: &'j Path,
    /// Files of the project that were changed since then are not what the command saw.
    since: (i64, i64),
    /// Nor are names that stand for something else.
    before: Before,
    /// What an earlier turn offered: where the project holds it now, it was approved and is
    /// nobody else's work.
    own: BTreeMap<PathBuf, Digest>,
    errand: &'j Errand,
    follow: &'j dyn Follow,
    sorted: Sorted,
    counts: BTreeMap<(String, &'static str), usize>,
    seen: BTreeSet<PathBuf>,
    caches: Caches,
    ignored: Ignored,
    bytes: usize,
}

impl<'j> Judge<'j> {
    pub(super) fn new(
        project: &'j Path,
        tree: &'j Path,
        (since, before): ((i64, i64), Before),
        errand: &'j Errand,
        follow: &'j dyn Follow,
    ) -> Self {
        let sorted = Sorted::default();
        let (counts, seen, caches, ignored, bytes) = Default::default();
        let own = BTreeMap::new();
        Self {
            project,
            tree,
            since,
            before,
            own,
            errand,
            follow,
            sorted,
            counts,
            seen,
            caches,
            ignored,
            bytes,
        }
    }

    /// The same, knowing what was offered before.
    pub(super) fn knowing(self, own: BTreeMap<PathBuf, Digest>) -> Self {
        Self { own, ..self }
    }

    pub(super) fn end(mut self) -> Sorted {
        self.sorted.made.sort_by(|a, b| a.path.cmp(&b.path));
        let left_out = self.counts.into_iter();
        self.sorted.left_out =
            left_out.map(|((path, why), count)| LeftOut { path, why, count }).collect();
        self.sorted
    }

    /// Where a path lies in the project.
    pub(super) fn live(&self, path: &Path) -> PathBuf {
        self.project.join(path)
    }

    pub(super) fn unfit(&mut self, path: &Path, why: impl Into<String>) {
        let path = path.to_string_lossy().into_owned();
        self.sorted.unfit.push(Unfit { path, why: why.into() });
    }

    pub(super) fn left_out(&mut self, path: String, why: &'static str) {
        *self.counts.entry((path, why)).or_default() += 1;
    }

    /// The command left this at `path`; it lies at `at`.
    pub(super) fn present(
        &mut self,
        path: &Path,
        at: &Path,
        now: &Metadata,
    ) -> Result<(), CaptureError> {
        if !self.wanted(path)? {
            return Ok(());
        }
        if self.behind_a_link(path) {
            self.unfit(path, "it lies in a folder in the place of a link");
            return Ok(());
        }
        self.compare_names(path)?;
        let live = self.live(path);
        let before = fs::symlink_metadata(&live).ok();
        if before.is_none()
            && !self.errand.builds
            && let Some(pattern) = self.ignored.by(path, self.project)
        {
            self.left_out(pattern, "`.gitignore` names it; `--builds` includes it");
            return Ok(());
        }
        if now.is_symlink() {
            let target = |path: &Path| fs::read_link(path).ok();
            if before.is_none_or(|b| !b.is_symlink()) || target(at) != target(&live) {
                self.unfit(path, "a symbolic link");
            }
            return Ok(());
        }
        if !now.is_file() {
            self.unfit(path, special(now));
            return Ok(());
        }
        match before {
            Some(before) if before.is_file() => self.modified(path, at, now, &live, &before),
            Some(before) if before.is_dir() => {
                self.unfit(path, "a file in the place of a folder");
                Ok(())
            }
            Some(_) => {
                self.unfit(path, "it takes the place of a link or special file");
                Ok(())
            }
            None => self.created(path, at, now),
        }
    }

    /// Whether the project has a link on the way to `path`: what lies behind it is not the
    /// project's, and is not looked at.
    fn behind_a_link(&self, path: &Path) -> bool {
        let mut above = path.ancestors().skip(1);
        above.any(|folder| {
            folder != Path::new("")
                && fs::symlink_metadata(self.live(folder)).is_ok_and(|seen| seen.is_symlink())
        })
    }

    /// The command removed whatever lay at `path`.
    pub(super) fn gone(&mut self, path: &Path) -> Result<(), CaptureError> {
        if self.behind_a_link(path) {
            return Ok(());
        }
        let Ok(before) = fs::symlink_metadata(self.live(path)) else { return Ok(()) };
        if before.is_dir() {
            return self.gone_below(path);
        }
        if !self.wanted(path)? {
            return Ok(());
        }
        if !before.is_file() {
            self.unfit(path, "a link or special file was removed");
            return Ok(());
        }
        let Some(target) = self.target(path) else { return Ok(()) };
        self.compare_names(path)?;
        let held = self.held(path)?;
        self.push(target, Some(held), Effect::Delete);
        Ok(())
    }

    /// Everything below a folder of the project is gone.
    pub(super) fn gone_below(&mut self, folder: &Path) -> Result<(), CaptureError> {
        if folder.components().count() > DEEPEST {
            self.unfit(folder, "it lies too deep");
            return Ok(());
        }
        for name in names(&self.live(folder))? {
            self.gone(&folder.join(name))?;
        }
        Ok(())
    }

    fn created(&mut self, path: &Path, at: &Path, now: &Metadata) -> Result<(), CaptureError> {
        let Some(target) = self.target(path) else { return Ok(()) };
        let mut above = path.ancestors().skip(1);
        if above.any(|folder| fs::symlink_metadata(self.live(folder)).is_ok_and(|f| !f.is_dir())) {
            self.unfit(path, "it lies in a folder in the place of a file");
            return Ok(());
        }
        if now.nlink() > 1 {
            self.unfit(path, "a hard link: another name for a file");
            return Ok(());
        }
        if !ORDINARY.contains(&bits(now)) {
            self.left_out(shown(path), "its permissions; 0644 or 0755 is proposed");
        }
        let effect = Effect::Create { bytes: self.read(path, at)?, executable: executable(now) };
        self.push(target, None, effect);
        Ok(())
    }

    fn modified(
        &mut self,
        path: &Path,
        at: &Path,
        now: &Metadata,
        live: &Path,
        before: &Metadata,
    ) -> Result<(), CaptureError> {
        let chmod = (executable(now) != executable(before)).then(|| executable(now));
        match chmod {
            // A plan can say two modes and no other; a private file must not become open to all.
            Some(_) if bits(now) > 0o777 || !ORDINARY.contains(&bits(before)) => {
                self.unfit(path, "a change of permissions that a plan cannot say");
                return Ok(());
            }
            Some(_) if !ORDINARY.contains(&bits(now)) => {
                self.left_out(shown(path), "its permissions; 0644 or 0755 is proposed");
            }
            None if bits(now) != bits(before) => {
                self.left_out(
                    shown(path),
                    "its permissions; only the right to execute is proposed",
                );
            }
            _ => {}
        }
        let same = now.len() == before.len()
            && same_bytes(at, live).map_err(|source| unreadable(path, source))?;
        if same && chmod.is_none() {
            return Ok(());
        }
        let Some(target) = self.target(path) else { return Ok(()) };
        if now.nlink() > 1 {
            self.unfit(path, "a hard link: another name for a file");
            return Ok(());
        }
        let held = self.held(path)?;
        let effect = Effect::Modify { bytes: self.read(path, at)?, executable: chmod };
        self.push(target, Some(held), effect);
        Ok(())
    }

    /// Whether the path is looked at: not twice, not in a repository's own folder, and
    /// not what builds write.
    fn wanted(&mut self, path: &Path) -> Result<bool, CaptureError> {
        if self.follow.cancelled() {
            return Err(CaptureError::Cancelled);
        }
        if !self.seen.insert(path.into()) {
            return Ok(false);
        }
        self.follow.compared(self.seen.len());
        let Some(text) = path.to_str() else { return Ok(true) };
        if let Some(folder) = reserved_in(text) {
            self.left_out(folder.into(), "no plan may touch it");
            return Ok(false);
        }
        if self.errand.builds {
            return Ok(true);
        }
        if is_built_or_cached(text) {
            self.left_out(
                built_in(text).into(),
                "written by builds and caches; `--builds` includes it",
            );
            return Ok(false);
        }
        if let Some(cache) = self.caches.around(path, self.project, self.tree) {
            self.left_out(shown(&cache), "it says that it is a cache; `--builds` includes it");
            return Ok(false);
        }
        Ok(true)
    }

    fn push(&mut self, path: RelPath, held: Option<Digest>, effect: Effect) {
        self.sorted.seen.insert(path.clone(), held);
        self.sorted.made.push(Made { path, effect });
    }

    fn target(&mut self, path: &Path) -> Option<RelPath> {
        let parsed = path.to_str().map(RelPath::parse);
        match parsed {
            Some(Ok(target)) => return Some(target),
            Some(Err(fault)) => self.unfit(path, fault.to_string()),
            None => self.unfit(path, "its name is not UTF-8"),
        }
        None
    }

    /// A name that stands for something else than when the command started is a conflict.
    fn compare_names(&mut self, path: &Path) -> Result<(), CaptureError> {
        let holds = self.before.holds(path).map_err(|source| unreadable(path, source))?;
        if !holds && !self.is_own(path)? {
            self.conflict(path);
        }
        Ok(())
    }

    /// Whether the project holds just what was offered before.
    fn is_own(&self, path: &Path) -> Result<bool, CaptureError> {
        let Some(offered) = self.own.get(path) else { return Ok(false) };
        match fs::symlink_metadata(self.live(path)) {
            Ok(seen) if seen.is_file() => Ok(self.contents(path)?.0 == *offered),
            _ => Ok(false),
        }
    }

    fn conflict(&mut self, path: &Path) {
        let path = shown(path);
        if !self.sorted.conflicts.contains(&path) {
            self.sorted.conflicts.push(path);
        }
    }

    /// What a file of the project holds. A conflict unless it held that when the command
    /// started, or was offered by it; the time is looked at last, so that it speaks for
    /// everything that was read.
    fn held(&mut self, path: &Path) -> Result<Digest, CaptureError> {
        let (digest, seen) = self.contents(path)?;
        if changed_since(&seen, self.since) && self.own.get(path) != Some(&digest) {
            self.conflict(path);
        }
        Ok(digest)
    }

    fn contents(&self, path: &Path) -> Result<(Digest, Metadata), CaptureError> {
        let unread = |source| unreadable(path, source);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let opened = rustix::fs::open(self.live(path), flags, Mode::empty());
        let mut file = File::from(opened.map_err(|errno| unread(errno.into()))?);
        let mut hashing = Hashing::default();
        let mut buffer = vec![0; READ];
        loop {
            let got = file.read(&mut buffer).map_err(unread)?;
            let Some(part) = buffer.get(..got).filter(|part| !part.is_empty()) else { break };
            hashing.add(part);
        }
        let seen = file.metadata().map_err(unread)?;
        Ok((hashing.digest(), seen))
    }

    fn read(&mut self, path: &Path, at: &Path) -> Result<Vec<u8>, CaptureError> {
        let left = self.errand.byte_limit.saturating_sub(self.bytes);
        let mut bytes = Vec::new();
        File::open(at)
            .and_then(|file| file.take(left as u64 + 1).read_to_end(&mut bytes))
            .map_err(|source| unreadable(path, source))?;
        if bytes.len() > left {
            return Err(CaptureError::TooMuch(self.errand.byte_limit));
        }
        self.bytes += bytes.len();
        Ok(bytes)
    }
}

/// Whether nothing below a folder is ever proposed, so that its names do not matter.
pub(super) fn left_out(folder: &Path, builds: bool) -> bool {
    let Some(text) = folder.to_str() else { return false };
    reserved_in(text).is_some() || (!builds && is_built_or_cached(&format!("{text}/file")))
}

/// The folder that makes a path one that builds and caches write.
fn built_in(path: &str) -> &str {
    let mut folders = path.match_indices('/').filter_map(|(end, _)| path.get(..end));
    folders.find(|folder| is_built_or_cached(&format!("{folder}/file"))).unwrap_or(path)
}

/// The names in a folder, sorted; empty when it is no folder.
pub(super) fn names(folder: &Path) -> Result<Vec<std::ffi::OsString>, CaptureError> {
    let unread = |source| unreadable(folder, source);
    let mut names = Vec::new();
    match fs::read_dir(folder) {
        Ok(entries) => {
            for entry in entries {
                names.push(entry.map_err(unread)?.file_name());
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(unread(error)),
    }
    names.sort_unstable();
    Ok(names)
}

pub(super) fn unreadable(path: &Path, source: io::Error) -> CaptureError {
    CaptureError::Read { path: shown(path), source }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn bits(file: &Metadata) -> u32 {
    file.mode() & 0o7777
}

/// What counts is the owner's right; the rest follows from it.
fn executable(file: &Metadata) -> bool {
    file.mode() & 0o100 != 0
}

fn special(what: &Metadata) -> &'static str {
    let kind = what.file_type();
    if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

/// Compares two files of one size without holding them.
fn same_bytes(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
    let (mut left, mut right) = (vec![0; READ], vec![0; READ]);
    loop {
        let got = one.read(&mut left)?;
        let Some(part) = right.get_mut(..got) else { return Ok(false) };
        match other.read_exact(part) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(error),
        }
        if left.get(..got) != Some(&*part) {
            return Ok(false);
        }
        if got == 0 {
            return Ok(true);
        }
    }
}
