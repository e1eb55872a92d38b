//! Unfinished work that only moved, and interfaces whose heirs do the work.
//!
//! A step is judged by its own images. What one file loses and another gets in the same
//! words is no more unfinished than it was, and a method that raises because a class built
//! on its own has it is finished. Both take all steps to see.

use std::collections::{BTreeMap, BTreeSet};

use exacta_core::judge::facts::{Fact, FactKind};

use crate::detect::Found;
use crate::request::Request;
use crate::step::StepFacts;
use crate::syntax::Reading;

/// What a step tells the others about unfinished work.
#[derive(Default)]
pub(crate) struct Unfinished {
    /// What went from the file and did not come back in it, and how often.
    gone: BTreeMap<FactKind, usize>,
    /// Methods that raise in place of a body: the line from 1, the class, the name.
    open: Vec<(u32, String, String)>,
    /// Methods with a body: a class that theirs is built on, the name.
    done: BTreeSet<(String, String)>,
}

impl Unfinished {
    /// What follows from the findings that went, those that came and the image after.
    pub(crate) fn of(
        gone: Vec<(FactKind, usize)>,
        come: &[Found],
        reading: Option<&Reading>,
        text: &str,
    ) -> Self {
        let mut told = Self::default();
        for (kind, count) in gone.into_iter().filter(|(kind, _)| moves(kind)) {
            *told.gone.entry(kind).or_default() += count;
        }
        let Some(reading) = reading else { return told };
        let body = |function: &(usize, usize)| text.get(function.0..function.1).unwrap_or_default();
        for found in come.iter().filter(|found| raises(&found.kind)) {
            let inside = reading.functions.iter().filter(|function| {
                let rows = body(&function.bytes).matches('\n').count();
                (function.line..=function.line + rows).contains(&found.index)
            });
            // The innermost begins last.
            let method = inside.max_by_key(|function| function.line);
            let named = method.and_then(|method| method.name.rsplit_once('.'));
            if let (Some((class, name)), Ok(line)) = (named, u32::try_from(found.index + 1)) {
                told.open.push((line, last(class).to_owned(), name.to_owned()));
            }
        }
        told.done = done(reading, &body);
        told
    }
}

/// Methods that do something, by the classes that theirs are built on.
fn done<'t>(
    reading: &Reading,
    body: &dyn Fn(&(usize, usize)) -> &'t str,
) -> BTreeSet<(String, String)> {
    let classes: BTreeMap<&str, &str> = reading
        .items
        .iter()
        .filter(|item| item.sort == "class" && !item.shape.is_empty())
        .map(|item| (item.name.as_str(), item.shape.as_str()))
        .collect();
    let mut done = BTreeSet::new();
    for function in &reading.functions {
        let Some((class, name)) = function.name.rsplit_once('.') else { continue };
        let Some(bases) = classes.get(class) else { continue };
        if body(&function.bytes).contains(RAISED) {
            continue;
        }
        let bases = bases.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        done.extend(
            bases.filter(|base| !base.is_empty()).map(|base| (base.to_owned(), name.to_owned())),
        );
    }
    done
}

/// What stands for a body that heirs write.
const RAISED: &str = "NotImplementedError";

/// Whether the finding is that and nothing else.
fn raises(kind: &FactKind) -> bool {
    let FactKind::PlaceholderAdded { text, .. } = kind else { return false };
    let raised = text.trim().strip_prefix("raise ").map(|what| what.trim_end_matches("()"));
    raised == Some(RAISED)
}

/// Whether the finding says the same wherever it stands.
fn moves(kind: &FactKind) -> bool {
    matches!(kind, FactKind::PlaceholderAdded { .. } | FactKind::TodoNote { .. })
}

fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Takes back what all steps together tell to be as finished as it was.
pub(crate) fn forgive(request: &Request<'_>, results: &mut [StepFacts]) {
    // A renamed file is a deletion and a creation that begins with the same image: what is
    // in it did not go.
    let kept: BTreeSet<&[u8]> =
        request.steps.iter().filter(|step| step.after.is_some()).filter_map(|s| s.before).collect();
    let mut gone: BTreeMap<FactKind, usize> = BTreeMap::new();
    let mut done: BTreeSet<(String, String)> = BTreeSet::new();
    for (step, result) in request.steps.iter().zip(results.iter_mut()) {
        let renamed = step.after.is_none() && step.before.is_some_and(|old| kept.contains(old));
        for (kind, count) in std::mem::take(&mut result.unfinished.gone) {
            if !renamed {
                *gone.entry(kind).or_default() += count;
            }
        }
        done.append(&mut result.unfinished.done);
    }
    for result in results {
        let open = std::mem::take(&mut result.unfinished.open);
        let inherited = |fact: &Fact| {
            raises(&fact.kind)
                && open.iter().any(|(line, class, name)| {
                    fact.line == Some(*line) && done.contains(&(class.clone(), name.clone()))
                })
        };
        result.facts.retain(|fact| {
            if inherited(fact) {
                return false;
            }
            match gone.get_mut(&fact.kind) {
                Some(count) if *count > 0 && moves(&fact.kind) => {
                    *count -= 1;
                    false
                }
                _ => true,
            }
        });
    }
}
