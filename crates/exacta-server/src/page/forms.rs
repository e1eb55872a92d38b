//! Forms become commands of the gate. They work without scripts: a form is answered with the
//! page that shows what came of it.

use std::collections::{BTreeMap, BTreeSet};

use exacta_core::review::Side;
use exacta_engine::gate::{Comment, CommentPlace, Hint, Parts};

/// The fields of a form in their order; a name may occur more than once.
pub(crate) type Fields = Vec<(String, String)>;

/// The same with one way to end a line: a browser sends another one than its scripts see.
pub(super) fn normal(mut fields: Fields) -> Fields {
    for (_, value) in &mut fields {
        if value.contains('\r') {
            *value = value.replace("\r\n", "\n").replace('\r', "\n");
        }
    }
    fields
}

/// The first value of a field.
pub(super) fn field<'f>(fields: &'f Fields, name: &str) -> Option<&'f str> {
    fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
}

fn every<'f>(fields: &'f Fields, name: &'f str) -> impl Iterator<Item = &'f str> {
    fields.iter().filter(move |(field, _)| field == name).map(|(_, value)| value.as_str())
}

/// What is ticked: whole steps, and hunks of those whose hunks can be chosen.
pub(super) fn parts(fields: &Fields) -> Parts {
    let mut hunks: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    for value in every(fields, "hunk") {
        if let Some((step, number)) = value.rsplit_once(':')
            && let Ok(number) = number.parse()
        {
            hunks.entry(step.to_owned()).or_default().insert(number);
        }
    }
    let hunked: BTreeSet<&str> = every(fields, "hunked").collect();
    let ticked: BTreeSet<String> = every(fields, "step").map(Into::into).collect();
    hunks.retain(|step, _| ticked.contains(step));
    let steps = ticked.into_iter().filter(|step| !hunked.contains(step.as_str())).collect();
    Parts { steps, hunks }
}

/// The comments, each with its place; those without words are left out.
pub(super) fn comments(fields: &Fields) -> Vec<Comment> {
    let mut comments = Vec::new();
    let mut place = None;
    for (name, value) in fields {
        match name.as_str() {
            "place" => place = placed(value),
            "comment" => {
                if let Some(place) = place.take().filter(|_| !value.trim().is_empty()) {
                    comments.push(Comment { place, text: value.trim().to_owned() });
                }
            }
            _ => {}
        }
    }
    comments
}

/// A place as the page writes it: `lines:after:3:5:src/a.rs`, `step:step_1`, `whole`.
fn placed(text: &str) -> Option<CommentPlace> {
    if text == "whole" {
        return Some(CommentPlace::Whole);
    }
    if let Some(step) = text.strip_prefix("step:") {
        return Some(CommentPlace::Step(step.to_owned()));
    }
    let mut fields = text.strip_prefix("lines:")?.splitn(4, ':');
    let side = match fields.next()? {
        "before" => Side::Before,
        "after" => Side::After,
        _ => return None,
    };
    let (from, to) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some(CommentPlace::Lines { path: fields.next()?.to_owned(), side, from, to })
}

/// Everything that was said, as one text.
pub(super) fn request(fields: &Fields) -> String {
    let mut lines: Vec<String> = Vec::new();
    lines.extend(
        field(fields, "request").map(str::trim).filter(|text| !text.is_empty()).map(Into::into),
    );
    lines.extend(comments(fields).iter().map(|one| format!("{}: {}", one.place, one.text)));
    lines.join("\n")
}

/// What helps, in the room's words.
pub(super) fn hint(hint: &Hint) -> Option<String> {
    Some(match hint {
        Hint::Renew { .. } => "Renew makes a fresh plan of the same draft.".into(),
        Hint::SelectAlso { steps } => format!("Take {} as well.", steps.join(", ")),
        Hint::ApproveWhole => "Approve the whole plan, or request changes.".into(),
        Hint::NothingChanged => "Nothing was changed.".into(),
        Hint::TryLater => "Wait until it has finished, then try again.".into(),
        Hint::Verify => "The record's page can verify it.".into(),
        Hint::AtTerminal => "Policy wants this decided at a terminal.".into(),
        Hint::GiveCredential => "Policy wants the credential: sign in with it.".into(),
        Hint::Text { text } => text.clone(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(list: &[(&str, &str)]) -> Fields {
        list.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
    }

    #[test]
    fn what_is_ticked_becomes_steps_and_hunks() {
        let sent = fields(&[
            ("step", "a"),
            ("step", "b"),
            ("hunked", "b"),
            ("hunked", "c"),
            ("hunk", "b:1"),
            ("hunk", "b:3"),
            // Its step is not ticked, so its hunks are not taken.
            ("hunk", "c:1"),
            ("hunk", "nonsense"),
        ]);
        let chosen = parts(&sent);
        assert_eq!(chosen.steps, BTreeSet::from(["a".to_owned()]));
        assert_eq!(chosen.hunks, BTreeMap::from([("b".to_owned(), BTreeSet::from([1, 3]))]));
    }

    #[test]
    fn comments_keep_their_places() {
        let sent = fields(&[
            ("place", "lines:after:3:5:src/a:b.rs"),
            ("comment", "why?"),
            ("place", "step:s"),
            ("comment", "  "),
            ("place", "somewhere"),
            ("comment", "lost"),
            ("request", "again, please"),
        ]);
        let place =
            CommentPlace::Lines { path: "src/a:b.rs".into(), side: Side::After, from: 3, to: 5 };
        assert_eq!(comments(&sent), [Comment { place, text: "why?".into() }]);
        assert_eq!(request(&sent), "again, please\nsrc/a:b.rs:3-5: why?");
    }
}
