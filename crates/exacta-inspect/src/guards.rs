//! Security code that a step touches: known by its lines, its path, its file, its project.
//!
//! A changed line rarely says by itself what it guards. So words in the line count, and the
//! name of the function that it is part of, and when both say nothing, what the rest of the
//! file is about and what the project says it is about. Comments, tests, samples, prose and manifests guard nothing.

use std::collections::BTreeMap;

use exacta_core::judge::facts::{Area, FactKind, Whence};
use exacta_core::model::path::auto_run;

use crate::detect::{Line, SecurityWord, Side, Subject, by_path, by_words, where_it_was};
use crate::fold::{fold, words};

/// A file is about security when at least so many lines say so,
const LINES: usize = 4;
/// and at least one of so many.
const ONE_IN: usize = 20;

/// What a pipeline's settings say about its own rights.
const PIPELINE: [&str; 4] = ["permission", "secret", "token", "credential"];

/// Where a fact was found: the line and whether it is one of the image before.
type Spot = Option<(usize, bool)>;

/// Collects what changed lines say.
pub(crate) struct Guards<'s> {
    subject: &'s Subject<'s>,
    /// One line an area is enough; an added line says more than a removed one.
    areas: BTreeMap<Area, (usize, bool, SecurityWord)>,
    touched: bool,
    /// Whether the file tells a machine what to run.
    pipeline: bool,
}

impl<'s> Guards<'s> {
    pub(crate) fn new(subject: &'s Subject<'s>) -> Self {
        let pipeline = auto_run(subject.path).is_some() && subject.ends_in(&["yml", "yaml"]);
        Self { subject, areas: BTreeMap::new(), touched: false, pipeline }
    }

    /// A changed line.
    pub(crate) fn see(&mut self, side: &Side<'_>, line: &Line<'_>) {
        if !self.subject.guards() || line.comment || side.is_test(line.index) {
            return;
        }
        self.touched = true;
        let named = || by_words(&words(&fold(side.function(line.index)?)));
        let was = || where_it_was(&line.words).filter(|_| side.before);
        let Some(word) = by_words(&line.words).or_else(was).or_else(named) else { return };
        // What runs by itself for everyone to see uses such words of its own tools.
        if self.pipeline && !PIPELINE.iter().any(|part| word.word.contains(part)) {
            return;
        }
        let entry = self.areas.entry(word.area).or_insert((line.index, side.before, word));
        if entry.1 && !side.before {
            *entry = (line.index, side.before, word);
        }
    }

    /// Only comments and layout differ, which guard nothing.
    pub(crate) fn forget(&mut self) {
        self.touched = false;
    }

    /// What was touched. `sides` in the order in which they are asked.
    pub(crate) fn facts(
        self,
        sides: &[Side<'_>],
        project: Option<SecurityWord>,
    ) -> Vec<(Spot, FactKind)> {
        if !self.touched {
            return Vec::new();
        }
        let mut found: Vec<(Spot, FactKind)> = Vec::new();
        found.extend(by_path(self.subject.path).map(|word| (None, word.fact(Whence::Path))));
        found.extend(
            self.areas
                .values()
                .map(|(line, before, word)| (Some((*line, *before)), word.fact(Whence::Code))),
        );
        if found.is_empty() && self.subject.language.is_some() {
            let file = sides.iter().find_map(about).map(|word| word.fact(Whence::File));
            let project = project.map(|word| word.fact(Whence::Project));
            found.extend(file.or(project).map(|fact| (None, fact)));
        }
        found
    }
}

/// The first security word of an image that keeps using them.
fn about(side: &Side<'_>) -> Option<SecurityWord> {
    let (mut code, mut uses, mut first) = (0_usize, 0_usize, None);
    for (index, line) in side.lines.iter().enumerate() {
        if side.is_comment(index) || side.is_test(index) {
            continue;
        }
        code += 1;
        if let Some(word) = by_words(&words(&fold(line))) {
            uses += 1;
            first.get_or_insert(word);
        }
    }
    first.filter(|_| uses >= LINES && uses * ONE_IN >= code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use exacta_core::model::path::RelPath;

    fn side<'a>(lines: &'a [&'a str]) -> Side<'a> {
        let path = RelPath::parse("a.kt").unwrap();
        Side::plain(&Subject::new(&path), lines)
    }

    #[test]
    fn a_file_is_about_what_it_keeps_saying() {
        let guarding = vec!["let password = ask();"; 4];
        let mut lines = guarding.clone();
        lines.extend(vec!["let x = 1;"; 76]);
        assert_eq!(about(&side(&lines)).map(|word| word.area), Some(Area::Authentication));
        lines.push("let x = 1;");
        assert!(about(&side(&lines)).is_none(), "one line in more than twenty");
        assert!(about(&side(&guarding[..3])).is_none(), "three lines");
        assert!(about(&side(&["// password"; 9])).is_none(), "comments");
    }
}
