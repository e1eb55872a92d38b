//! A project in memory.

use std::collections::BTreeMap;

use exacta_core::model::change::FileMode;
use exacta_core::model::digest::Blob;
use exacta_core::model::path::RelPath;
use exacta_core::model::tree::{Tree, TreeFault, TreeFile};

/// Files by path. Folders exist where a file lies below them.
#[derive(Clone, Debug, Default)]
pub struct MemoryTree {
    files: BTreeMap<String, TreeFile>,
}

impl MemoryTree {
    /// A tree of plain files.
    #[must_use]
    pub fn of<P: Into<String>, B: Into<Vec<u8>>>(files: impl IntoIterator<Item = (P, B)>) -> Self {
        let mut tree = Self::default();
        for (path, bytes) in files {
            tree.put(path, bytes, FileMode::REGULAR);
        }
        tree
    }

    /// Writes a file.
    pub fn put(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>, mode: FileMode) {
        self.files.insert(path.into(), TreeFile { blob: Blob::new(bytes.into()), mode });
    }
}

impl Tree for MemoryTree {
    fn look(&self, path: &RelPath) -> Result<Option<TreeFile>, TreeFault> {
        if let Some(file) = self.files.get(path.as_str()) {
            return Ok(Some(file.clone()));
        }
        if let Some(above) = path.ancestors().find(|above| self.files.contains_key(*above)) {
            return Err(TreeFault::NotAFolder(above.into()));
        }
        let below = format!("{path}/");
        let next = self.files.range(below.clone()..).next();
        if next.is_some_and(|(name, _)| name.starts_with(&below)) {
            return Err(TreeFault::Folder);
        }
        Ok(None)
    }
}
