//! Edits that an agent wants, as effects on the project's files as they are now.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use exacta_core::model::digest::Digest;
use exacta_core::model::path::RelPath;
use exacta_core::model::tree::Tree;
use exacta_engine::capture::{Effect, Made};
use exacta_engine::workspace::Root;

use super::call::Edit;
use super::patch::{self, Section};

/// What each changed file held before, and what it shall hold.
pub(super) struct Effects {
    pub(super) made: Vec<Made>,
    pub(super) seen: BTreeMap<RelPath, Option<Digest>>,
}

/// A file as it is now, and as it shall be.
struct File {
    before: Option<Vec<u8>>,
    digest: Option<Digest>,
    after: Option<Vec<u8>>,
}

/// Files that edits were applied to, in the order of their paths.
struct Desk<'r> {
    root: &'r Root,
    /// Where the agent works.
    folder: &'r Path,
    files: BTreeMap<RelPath, File>,
}

/// What edits do, on top of what is already wanted of some files. An error says what does not
/// fit; nothing was changed.
pub(super) fn effects(
    root: &Root,
    folder: &Path,
    edits: &[Edit],
    wanted: &BTreeMap<RelPath, Option<Vec<u8>>>,
) -> Result<Effects, String> {
    let mut desk = Desk { root, folder, files: BTreeMap::new() };
    for (path, after) in wanted {
        desk.at(path)?.after.clone_from(after);
    }
    for edit in edits {
        desk.edit(edit)?;
    }
    let (mut made, mut seen) = (Vec::new(), BTreeMap::new());
    for (path, file) in desk.files {
        let effect = match (&file.before, file.after) {
            (None, None) => continue,
            (Some(before), Some(after)) if *before == after => continue,
            (None, Some(bytes)) => Effect::Create { bytes, executable: false },
            (Some(_), Some(bytes)) => Effect::Modify { bytes, executable: None },
            (Some(_), None) => Effect::Delete,
        };
        seen.insert(path.clone(), file.digest);
        made.push(Made { path, effect });
    }
    Ok(Effects { made, seen })
}

impl Desk<'_> {
    fn edit(&mut self, edit: &Edit) -> Result<(), String> {
        match edit {
            Edit::Write { path, content } => {
                self.file(path)?.after = Some(content.clone().into_bytes());
                Ok(())
            }
            Edit::Delete { path } => self.delete(path),
            Edit::Replace { path, parts } => parts
                .iter()
                .try_for_each(|(old, new, everywhere)| self.exchange(path, old, new, *everywhere)),
            Edit::Insert { path, after, text } => {
                let (file, before) = self.text(path)?;
                let mut lines: Vec<&str> = before.split_inclusive('\n').collect();
                if *after > lines.len() {
                    return Err(format!("`{path}` has only {} lines", lines.len()));
                }
                let ended = if text.ends_with('\n') { text.clone() } else { format!("{text}\n") };
                lines.insert(*after, &ended);
                file.after = Some(lines.concat().into_bytes());
                Ok(())
            }
            Edit::Blocks { path, blocks } => patch::blocks(blocks)?
                .iter()
                .try_for_each(|(old, new)| self.exchange(path, old, new, false)),
            Edit::Patch(text) => {
                patch::read(text)?.into_iter().try_for_each(|section| self.section(section))
            }
        }
    }

    fn section(&mut self, section: Section) -> Result<(), String> {
        match section {
            Section::Add { path, content } => {
                let file = self.file(&path)?;
                if file.after.is_some() {
                    return Err(format!("`{path}` is there already"));
                }
                file.after = Some(content.into_bytes());
                Ok(())
            }
            Section::Delete { path } => self.delete(&path),
            Section::Update { path, to, chunks } => {
                let (file, before) = self.text(&path)?;
                let after = patch::apply(&before, &chunks)
                    .map_err(|why| format!("`{path}` does not fit the patch: {why}"))?;
                let Some(to) = to else {
                    file.after = Some(after.into_bytes());
                    return Ok(());
                };
                file.after = None;
                self.file(&to)?.after = Some(after.into_bytes());
                Ok(())
            }
        }
    }

    fn delete(&mut self, path: &str) -> Result<(), String> {
        let file = self.file(path)?;
        if file.after.take().is_none() {
            return Err(format!("`{path}` is not there"));
        }
        Ok(())
    }

    fn exchange(&mut self, path: &str, old: &str, new: &str, all: bool) -> Result<(), String> {
        // Nothing exchanged for something is how a file is made.
        if old.is_empty() {
            let file = self.file(path)?;
            if file.after.as_ref().is_some_and(|bytes| !bytes.is_empty()) {
                return Err(format!("`{path}` is not empty, and the old text is"));
            }
            file.after = Some(new.to_owned().into_bytes());
            return Ok(());
        }
        let (file, before) = self.text(path)?;
        let count = before.matches(old).count();
        let after = match (count, all) {
            (0, _) => {
                return Err(format!("the old text does not occur in `{path}`; read it again"));
            }
            (1, _) | (_, true) => before.replace(old, new),
            (more, false) => {
                return Err(format!(
                    "the old text occurs {more} times in `{path}`; give more of its surroundings"
                ));
            }
        };
        file.after = Some(after.into_bytes());
        Ok(())
    }

    fn text(&mut self, path: &str) -> Result<(&mut File, String), String> {
        let file = self.file(path)?;
        let bytes = file.after.clone().ok_or_else(|| format!("`{path}` is not there"))?;
        let text = String::from_utf8(bytes).map_err(|_| format!("`{path}` is not text"))?;
        Ok((file, text))
    }

    fn file(&mut self, path: &str) -> Result<&mut File, String> {
        let target = self.target(path)?;
        self.at(&target)
    }

    fn at(&mut self, target: &RelPath) -> Result<&mut File, String> {
        if !self.files.contains_key(target) {
            let found = self.root.look(target).map_err(|fault| format!("`{target}`: {fault}"))?;
            let bytes = found.as_ref().map(|found| found.blob.bytes().to_vec());
            let digest = found.map(|found| found.blob.digest());
            let file = File { before: bytes.clone(), digest, after: bytes };
            self.files.insert(target.clone(), file);
        }
        self.files.get_mut(target).ok_or_else(|| "a file was lost".into())
    }

    /// The path below the project.
    fn target(&self, path: &str) -> Result<RelPath, String> {
        let root = PathBuf::from(self.root.id().path);
        let whole = plain(&self.folder.join(path));
        let below = match whole.strip_prefix(&root) {
            Ok(below) => below.to_path_buf(),
            // The same folder may have another name.
            Err(_) => real(&whole)
                .and_then(|real| real.strip_prefix(&root).ok().map(Path::to_path_buf))
                .ok_or_else(|| {
                    format!(
                        "`{path}` lies outside the project `{}`; Exacta changes nothing there",
                        root.display()
                    )
                })?,
        };
        let below = below.to_str().ok_or_else(|| format!("`{path}` is not UTF-8"))?;
        RelPath::parse(below).map_err(|fault| format!("`{path}` cannot be a target: {fault}"))
    }
}

/// The path without `.` and `..`, by its words alone.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// The path with every link on the way to its last existing folder followed.
fn real(path: &Path) -> Option<PathBuf> {
    path.ancestors().skip(1).find_map(|above| {
        let rest = path.strip_prefix(above).ok()?;
        Some(above.canonicalize().ok()?.join(rest))
    })
}
