//! What the inspector found out about a plan, kept with the plan.
//!
//! Facts are a function of the question. A plan's record is named by its hash on the
//! signed log, so facts read from it are the facts that were found; asking the same
//! question again could only cost time. Another question is asked anew.

use std::cell::RefCell;

use exacta_core::judge::facts::{Fact, Inspected, Inspector, question};
use exacta_core::model::digest::{Blob, Digest};
use serde::{Deserialize, Serialize};

/// The facts of a plan, and the question that they answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Findings {
    pub(super) question: Digest,
    pub(super) facts: Vec<Fact>,
}

/// An inspector that notes what it was asked and what was found.
pub(super) struct Noting<'a> {
    inspector: &'a dyn Inspector,
    noted: RefCell<Vec<Findings>>,
}

impl<'a> Noting<'a> {
    pub(super) fn of(inspector: &'a dyn Inspector) -> Self {
        Self { inspector, noted: RefCell::default() }
    }

    /// What was found, question by question.
    pub(super) fn end(self) -> Vec<Findings> {
        self.noted.into_inner()
    }
}

impl Inspector for Noting<'_> {
    fn inspect(&self, changes: &[Inspected<'_>], manifests: &[Blob]) -> Vec<Fact> {
        let facts = self.inspector.inspect(changes, manifests);
        if let Ok(question) = question(changes, manifests) {
            self.noted.borrow_mut().push(Findings { question, facts: facts.clone() });
        }
        facts
    }
}

/// An inspector with some answers at hand.
pub(super) struct CachedFacts<'a> {
    pub(super) inspector: &'a dyn Inspector,
    pub(super) findings: &'a [Findings],
}

impl Inspector for CachedFacts<'_> {
    fn inspect(&self, changes: &[Inspected<'_>], manifests: &[Blob]) -> Vec<Fact> {
        let asked = question(changes, manifests).ok();
        let known = self.findings.iter().find(|known| Some(known.question) == asked);
        match known {
            Some(known) => known.facts.clone(),
            None => self.inspector.inspect(changes, manifests),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use exacta_core::judge::facts::{FactKind, Reason, not_analysed};
    use exacta_core::model::change::{Change, FileMode};
    use exacta_core::model::path::RelPath;
    use std::cell::Cell;

    /// Counts how often it is asked.
    #[derive(Default)]
    struct Counting(Cell<u32>);

    impl Inspector for Counting {
        fn inspect(&self, changes: &[Inspected<'_>], _: &[Blob]) -> Vec<Fact> {
            self.0.set(self.0.get() + 1);
            not_analysed(changes, Reason::TooLarge)
        }
    }

    fn change(before: &Blob, after: &Blob) -> Change {
        Change {
            path: RelPath::parse("src/a.rs").unwrap(),
            before: Some(before.digest()),
            after: Some(after.digest()),
            mode_before: Some(FileMode::REGULAR),
            mode_after: Some(FileMode::REGULAR),
            step: "step_1".into(),
            renamed_from: None,
        }
    }

    fn asked<'a>(change: &'a Change, before: &'a Blob, after: &'a Blob) -> [Inspected<'a>; 1] {
        [Inspected { change, before: Some(before), after: Some(after) }]
    }

    #[test]
    fn the_same_question_is_not_asked_twice_and_any_other_is() {
        let (one, two, three) =
            (Blob::new(b"1".to_vec()), Blob::new(b"2".to_vec()), Blob::new(b"3".to_vec()));
        let (known, other) = (change(&one, &two), change(&one, &three));
        let counting = Counting::default();
        let noting = Noting::of(&counting);
        let facts = noting.inspect(&asked(&known, &one, &two), &[]);
        assert!(matches!(facts[0].kind, FactKind::NotAnalysed { .. }));
        let findings = noting.end();
        let again = CachedFacts { inspector: &counting, findings: &findings };
        assert_eq!(again.inspect(&asked(&known, &one, &two), &[]), facts);
        assert_eq!(counting.0.get(), 1);
        again.inspect(&asked(&other, &one, &three), &[]);
        again.inspect(&asked(&known, &three, &two), &[]);
        again.inspect(&asked(&known, &one, &two), std::slice::from_ref(&three));
        assert_eq!(counting.0.get(), 4);
        let none = CachedFacts { inspector: &counting, findings: &[] };
        none.inspect(&asked(&known, &one, &two), &[]);
        assert_eq!(counting.0.get(), 5);
    }
}
