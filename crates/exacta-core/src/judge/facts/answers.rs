//! What the project was asked while a plan was judged, and what it answered.
//!
//! A plan is judged by its own images and by a few answers of the project around it. They
//! are part of what its hash names: later the same questions are put again, and the plan
//! stands as long as the answers do, whatever else was saved in between.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fact::Fact;
use super::kind::FactKind;
use super::vocabulary::Whence;

/// Questions and answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Answers {
    /// What the project says that it is about, where that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Names beside those of the plan that they could be taken for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub beside: BTreeMap<String, String>,
    /// Names that code newly uses, and whether the project has them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub defines: BTreeMap<String, bool>,
    /// Files of the plan, and who in the project runs or still names them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub named_by: BTreeMap<String, Option<String>>,
    /// Places that added lines refer to, and whether something is there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub present: BTreeMap<String, bool>,
    /// Whether the project has tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<bool>,
}

impl Answers {
    /// Whether nothing was asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Notes what facts say that came of the project's answers.
    pub(crate) fn note(&mut self, facts: &[Fact]) {
        for fact in facts {
            match &fact.kind {
                FactKind::SecurityCode { word, whence: Whence::Project, .. } => {
                    self.about = Some(word.clone());
                }
                FactKind::LookAlikePath { resembles } => {
                    self.beside.insert(fact.path.to_string(), resembles.clone());
                }
                _ => {}
            }
        }
    }

    /// What is no longer true, a sentence each. A question that was not put before counts
    /// too: it has another answer now than none.
    #[must_use]
    pub fn changes(&self, now: &Self) -> Vec<String> {
        let mut out = Vec::new();
        if self.about != now.about {
            out.push(match &now.about {
                Some(word) => format!("the project's manifest now says that it is about `{word}`"),
                None => "the project's manifest no longer says what the project is about".into(),
            });
        }
        for (path, then, is) in differing(&self.beside, &now.beside) {
            out.push(match (then, is) {
                (_, Some(twin)) => format!("`{path}` could now be taken for `{twin}`"),
                (_, None) => format!("`{path}` can no longer be taken for another name"),
            });
        }
        for (name, _, is) in differing(&self.defines, &now.defines) {
            out.push(match is {
                Some(true) => format!("the project now defines `{name}`"),
                _ => format!("the project no longer defines `{name}`"),
            });
        }
        for (path, _, is) in differing(&self.named_by, &now.named_by) {
            out.push(match is.cloned().flatten() {
                Some(by) => format!("`{path}` is now named by {by}"),
                None => format!("`{path}` is no longer named by other files"),
            });
        }
        for (place, _, is) in differing(&self.present, &now.present) {
            out.push(match is {
                Some(true) => format!("`{place}` is there now"),
                _ => format!("`{place}` is no longer there"),
            });
        }
        if self.tests != now.tests {
            out.push(match now.tests {
                Some(true) => "the project has tests now".into(),
                _ => "the project no longer has tests".into(),
            });
        }
        out
    }
}

/// Keys whose values differ, with both.
fn differing<'a, T: PartialEq>(
    then: &'a BTreeMap<String, T>,
    now: &'a BTreeMap<String, T>,
) -> Vec<(&'a str, Option<&'a T>, Option<&'a T>)> {
    let gone = then.iter().map(|(key, value)| (key.as_str(), Some(value), now.get(key)));
    let come = now.iter().filter(|(key, _)| !then.contains_key(*key));
    let come = come.map(|(key, value)| (key.as_str(), None, Some(value)));
    gone.chain(come).filter(|(_, then, now)| then != now).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_that_differs_is_told() {
        let then = Answers {
            defines: BTreeMap::from([("area".into(), true), ("width".into(), false)]),
            named_by: BTreeMap::from([("a.sh".into(), None), ("b.sh".into(), None)]),
            present: BTreeMap::from([("src/a".into(), true)]),
            tests: Some(false),
            ..Answers::default()
        };
        assert_eq!(then.changes(&then), Vec::<String>::new());
        let now = Answers {
            about: Some("crypto".into()),
            beside: BTreeMap::from([("src/l.rs".into(), "I.rs".into())]),
            defines: BTreeMap::from([("area".into(), false), ("width".into(), false)]),
            named_by: BTreeMap::from([
                ("a.sh".into(), Some("make (`Makefile` names it)".into())),
                ("b.sh".into(), None),
            ]),
            present: BTreeMap::new(),
            tests: Some(true),
        };
        assert_eq!(
            then.changes(&now),
            [
                "the project's manifest now says that it is about `crypto`",
                "`src/l.rs` could now be taken for `I.rs`",
                "the project no longer defines `area`",
                "`a.sh` is now named by make (`Makefile` names it)",
                "`src/a` is no longer there",
                "the project has tests now",
            ]
        );
        assert_eq!(now.changes(&then).len(), 6);
    }
}
