//! Asks every detector of this folder.

use exacta_core::judge::facts::FactKind;

use super::{gutted, opaque, protecting, served, stored, unread};
use crate::detect::{Side, Subject};
use crate::diff::LineDiff;
use crate::syntax::Reading;

/// A step's change of a file, line by line.
pub(crate) struct Look<'a> {
    pub(crate) subject: &'a Subject<'a>,
    pub(crate) before: &'a Side<'a>,
    pub(crate) after: &'a Side<'a>,
    pub(crate) diff: &'a LineDiff,
    /// Whether there is an image before.
    pub(crate) existed: bool,
    /// Whether there is no image after.
    pub(crate) deleted: bool,
    pub(crate) readings: (Option<&'a Reading>, Option<&'a Reading>),
}

/// A fact, the line that shows it, and whether that is one of the image before.
pub(crate) struct Told {
    pub(crate) line: Option<usize>,
    pub(crate) in_before: bool,
    pub(crate) kind: FactKind,
}

impl Told {
    pub(super) fn whole(kind: FactKind) -> Self {
        Self { line: None, in_before: false, kind }
    }

    pub(super) fn at(line: usize, in_before: bool, kind: FactKind) -> Self {
        Self { line: Some(line), in_before, kind }
    }
}

impl<'a> Look<'a> {
    /// Lines that came and do something.
    pub(super) fn come(&self) -> impl Iterator<Item = (usize, &'a str)> {
        let lines = self.diff.added.iter().filter(|line| !self.after.is_comment(**line));
        lines.filter_map(|line| Some((*line, *self.after.lines.get(*line)?)))
    }

    /// Lines that went and did something.
    pub(super) fn gone(&self) -> impl Iterator<Item = (usize, &'a str)> {
        let lines = self.diff.removed.iter().filter(|line| !self.before.is_comment(**line));
        lines.filter_map(|line| Some((*line, *self.before.lines.get(*line)?)))
    }

    /// Whether more than comments and empty lines differ.
    pub(super) fn acts(&self) -> bool {
        self.come().next().is_some() || self.gone().next().is_some()
    }

    /// The first line that acts, to show.
    pub(super) fn first(&self) -> (Option<usize>, bool) {
        match (self.come().next(), self.gone().next()) {
            (Some((line, _)), _) => (Some(line), false),
            (None, Some((line, _))) => (Some(line), true),
            (None, None) => (None, false),
        }
    }
}

/// Everything that the changed lines tell.
pub(crate) fn look(look: &Look<'_>) -> Vec<Told> {
    let mut out = Vec::new();
    served::detect(look, &mut out);
    protecting::detect(look, &mut out);
    stored::detect(look, &mut out);
    unread::detect(look, &mut out);
    opaque::detect(look, &mut out);
    gutted::detect(look, &mut out);
    out
}
