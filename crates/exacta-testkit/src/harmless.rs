//! An inspector that calls every change harmless, so that small plans can run alone.

use exacta_core::judge::facts::{Fact, FactKind, Inspected, Inspector, Proof};
use exacta_core::model::digest::Blob;

/// Says of every change that only its layout differs, and nothing else.
#[derive(Clone, Copy, Debug, Default)]
pub struct Harmless;

impl Inspector for Harmless {
    fn inspect(&self, changes: &[Inspected<'_>], _: &[Blob]) -> Vec<Fact> {
        let facts = changes.iter().map(|inspected| Fact {
            step: inspected.change.step.clone(),
            path: inspected.change.path.clone(),
            line: None,
            excerpt: String::new(),
            kind: FactKind::Proven { proof: Proof::Layout, lines: 1 },
        });
        facts.collect()
    }
}
