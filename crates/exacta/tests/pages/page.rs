//! A page, and what it should say instead.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::block::{Block, blocks};

/// A page of the documentation.
pub(crate) struct Page {
    path: PathBuf,
    pub(crate) text: String,
    pub(crate) blocks: Vec<Block>,
    real: Vec<(Range<usize>, String)>,
}

impl Page {
    /// Reads a page; `name` is relative to the repository.
    pub(crate) fn read(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
        let blocks = blocks(&text);
        Self { path, text, blocks, real: Vec::new() }
    }

    /// The text of a block.
    pub(crate) fn of(&self, block: &Block) -> &str {
        &self.text[block.text.clone()]
    }

    /// Says what really belongs into a block.
    pub(crate) fn is_really(&mut self, block: &Block, output: String) {
        self.real.push((block.text.clone(), output));
    }

    /// Compares the page with what is real, or writes it.
    pub(crate) fn settle(self) {
        let mut real = self.text.clone();
        for (range, output) in self.real.into_iter().rev() {
            real.replace_range(range, &output);
        }
        if std::env::var_os("EXACTA_BLESS").is_some() {
            fs::write(&self.path, &real).unwrap();
        } else if real != self.text {
            let differs = self.text.lines().zip(real.lines()).find(|(page, real)| page != real);
            panic!(
                "{} shows what the program no longer prints; run with EXACTA_BLESS=1\n{differs:#?}",
                self.path.display()
            );
        }
    }
}
