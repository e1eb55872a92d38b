//! The kinds of words in the images of a plan, as a confined reader tells them.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::subject::Subject;
use crate::model::digest::{Blob, Digest};
use crate::model::path::RelPath;

/// The kinds of words that a reader tells apart at a glance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenKind {
    /// `if`, `fn`, `return`.
    Keyword,
    /// Text in quotes.
    Quoted,
    /// A number, `true`, `null`.
    Literal,
    /// A comment.
    Comment,
    /// The name of a type.
    Type,
    /// The name of a function, where it is defined.
    Function,
}

/// One word: its first byte, the byte after its last, its kind.
pub type Token = (u32, u32, TokenKind);

/// The most bytes of images that are coloured.
const MOST_BYTES: usize = 8 << 20;

/// The words of each image that has a grammar, under its name.
#[derive(Clone, Debug, Default)]
pub struct Syntax {
    words: BTreeMap<Digest, Vec<Token>>,
    /// Why there is no syntax where there could be.
    pub(super) note: Option<&'static str>,
}

impl Syntax {
    /// The words of all images that `reader` can tell. The reader meets hostile bytes, so
    /// its answer is looked at like anybody's.
    pub fn read(
        subject: &Subject<'_>,
        reader: impl Fn(&[(&RelPath, &[u8])]) -> Option<Vec<Option<Vec<Token>>>>,
    ) -> Self {
        let mut images: BTreeMap<Digest, (&RelPath, Blob)> = BTreeMap::new();
        for change in subject.changes {
            for digest in [change.before, change.after].into_iter().flatten() {
                if let Some(blob) = subject.blob(&digest) {
                    images.insert(digest, (&change.path, blob));
                }
            }
        }
        if images.values().map(|(_, blob)| blob.bytes().len()).sum::<usize>() > MOST_BYTES {
            return Self::without("no syntax colours: the files are too large");
        }
        let asked: Vec<(&RelPath, &[u8])> =
            images.values().map(|(path, blob)| (*path, blob.bytes())).collect();
        let Some(answers) = reader(&asked).filter(|answers| answers.len() == asked.len()) else {
            return Self::without("no syntax colours: the files could not be read as code");
        };
        let words = images.iter().zip(answers).filter_map(|((digest, (_, blob)), words)| {
            let words = words.filter(|words| are_in_order(words, blob.bytes().len()))?;
            Some((*digest, words))
        });
        Self { words: words.collect(), note: None }
    }

    fn without(note: &'static str) -> Self {
        Self { words: BTreeMap::new(), note: Some(note) }
    }

    /// The words of an image.
    pub(super) fn of(&self, image: &Digest) -> &[Token] {
        self.words.get(image).map_or(&[], Vec::as_slice)
    }
}

/// Whether words follow each other inside their image.
fn are_in_order(words: &[Token], length: usize) -> bool {
    let mut end = 0;
    words.iter().all(|(from, to, _)| {
        let fits = *from >= end && from <= to && *to as usize <= length;
        end = *to;
        fits
    })
}

/// Walks along an image's words; bytes must be asked for in their order.
pub(super) struct Walk<'a> {
    words: &'a [Token],
}

impl<'a> Walk<'a> {
    pub(super) fn new(words: &'a [Token]) -> Self {
        Self { words }
    }

    /// The kind of the word that the byte belongs to.
    pub(super) fn at(&mut self, byte: usize) -> Option<TokenKind> {
        while let Some(((_, to, _), rest)) = self.words.split_first()
            && *to as usize <= byte
        {
            self.words = rest;
        }
        let (from, _, kind) = self.words.first()?;
        (*from as usize <= byte).then_some(*kind)
    }
}
