//! The kinds of words in the images of a plan, asked of a confined child.

use std::collections::BTreeMap;

use exacta_core::digest::{Blob, Digest};
use exacta_core::path::RelPath;
use exacta_inspect::{Token, TokenKind};

use crate::inspector;
use crate::review::ReviewPlan;

/// The most bytes of images that are coloured.
const MOST_BYTES: usize = 8 << 20;

/// The words of each image that has a grammar, under its name.
#[derive(Default)]
pub(in crate::review) struct Colours {
    words: BTreeMap<Digest, Vec<Token>>,
    /// What to tell the reader when there are no colours where there should be.
    pub(in crate::review) note: Option<&'static str>,
}

impl Colours {
    /// Asks the child.
    pub(in crate::review) fn ask(plan: &ReviewPlan<'_>) -> Self {
        Self::read(plan, inspector::words)
    }

    /// The words of all images that `reader` can tell.
    pub(in crate::review) fn read(
        plan: &ReviewPlan<'_>,
        reader: impl Fn(&[(&RelPath, &[u8])]) -> Option<Vec<Option<Vec<Token>>>>,
    ) -> Self {
        let mut images: BTreeMap<Digest, (&RelPath, Blob)> = BTreeMap::new();
        for change in plan.changes {
            for digest in [change.before, change.after].into_iter().flatten() {
                if let Some(blob) = plan.blob(&digest) {
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

/// The child reads hostile bytes, so its answer is looked at like anybody's.
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
