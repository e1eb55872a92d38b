//! Reads the members of one JSON object against a closed list of fields.
//!
//! Collects a finding for each member that is unknown, repeated under another spelling
//! or of the wrong type, and goes on, so that a planner learns of everything at once.

use alloc::string::String;
use alloc::vec::Vec;

use super::json::Json;
use crate::model::code::Code;
use crate::model::diagnostic::{Issue, MAX_FINDINGS};
use crate::text::pointer::Pointer;

/// The longest free text (goal, title, description …), in bytes.
const MAX_TEXT: usize = 64 * 1024;

/// The most unknown members of one object that are named; the rest are counted.
const MAX_UNKNOWN: usize = 100;

/// A field of the draft format: its name and the other spellings it goes by.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The normalised name.
    pub name: &'static str,
    /// Other spellings; a closed list.
    pub aliases: &'static [&'static str],
}

/// Shorthand for the field tables.
pub(super) const fn field(name: &'static str, aliases: &'static [&'static str]) -> Field {
    Field { name, aliases }
}

/// The members of an object that are still to be read.
pub(super) struct Object {
    members: Vec<Member>,
    pointer: Pointer,
    step: Option<String>,
}

struct Member {
    name: &'static str,
    key: String,
    value: Json,
}

/// A value taken out of an object, with the name it stood under.
pub(super) struct Taken {
    pub(super) value: Json,
    pub(super) key: String,
}

impl Object {
    /// Sorts the members of `value` by the table. `None`, with a finding, when the value
    /// is not an object.
    pub(super) fn read(
        value: Json,
        pointer: Pointer,
        fields: &[Field],
        what: &str,
        issues: &mut Vec<Issue>,
    ) -> Option<Self> {
        let Json::Obj(members) = value else {
            issues.push(wrong_type(&pointer, what, "an object", &value));
            return None;
        };
        let mut object = Self { members: Vec::with_capacity(fields.len()), pointer, step: None };
        let mut unknown_members = 0;
        for (key, value) in members {
            let known = fields
                .iter()
                .find(|field| field.name == key || field.aliases.contains(&key.as_str()));
            match known {
                None => {
                    unknown_members += 1;
                    if unknown_members <= MAX_UNKNOWN {
                        issues.push(unknown(&key, object.pointer.key(&key), fields, what));
                    }
                }
                Some(field) if object.members.iter().any(|m| m.name == field.name) => issues.push(
                    schema(
                        "duplicate_key",
                        format!("`{key}` and another spelling of `{}` are both given", field.name),
                    )
                    .at(object.pointer.key(&key))
                    .help(format!("keep one of them; the name is `{}`", field.name)),
                ),
                Some(field) => object.members.push(Member { name: field.name, key, value }),
            }
        }
        if unknown_members > MAX_UNKNOWN {
            let more = unknown_members - MAX_UNKNOWN;
            issues.push(
                object
                    .finding("unknown_field", format!("{what} has {more} more unknown fields"))
                    .help("keep to the fields of the format"),
            );
        }
        Some(object)
    }

    /// Names the step in every later finding.
    pub(super) fn in_step(&mut self, step_id: &str) {
        self.step = Some(step_id.into());
    }

    pub(super) fn pointer(&self) -> &Pointer {
        &self.pointer
    }

    /// Where a value stood.
    pub(super) fn pointer_of(&self, taken: &Taken) -> Pointer {
        self.pointer.key(&taken.key)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.members.iter().any(|member| member.name == name)
    }

    pub(super) fn take(&mut self, name: &str) -> Option<Taken> {
        let at = self.members.iter().position(|member| member.name == name)?;
        let Member { key, value, .. } = self.members.swap_remove(at);
        Some(Taken { value, key })
    }

    /// A finding about this object, in its step.
    pub(super) fn finding(&self, rule: &'static str, message: impl Into<String>) -> Issue {
        self.placed(schema(rule, message).at(self.pointer.clone()))
    }

    fn placed(&self, issue: Issue) -> Issue {
        match &self.step {
            Some(step) => issue.step(step.clone()),
            None => issue,
        }
    }

    fn wrong(&self, taken: &Taken, name: &str, expected: &str) -> Issue {
        self.placed(wrong_type(
            &self.pointer_of(taken),
            &format!("`{name}`"),
            expected,
            &taken.value,
        ))
    }

    /// A text of any content, length-capped.
    pub(super) fn text(&mut self, name: &str, issues: &mut Vec<Issue>) -> Option<String> {
        let taken = self.take(name)?;
        match taken.value {
            Json::Str(text) if text.len() <= MAX_TEXT => Some(text),
            Json::Str(text) => {
                issues.push(
                    self.placed(
                        Issue::error(
                            Code::PlanTooLarge,
                            "text_size",
                            format!("`{name}` has {} bytes; {MAX_TEXT} is the most", text.len()),
                        )
                        .at(self.pointer.key(&taken.key))
                        .help("shorten the text"),
                    ),
                );
                None
            }
            _ => {
                issues.push(self.wrong(&taken, name, "a string"));
                None
            }
        }
    }

    /// Text without a length cap of its own (file content, diffs).
    pub(super) fn body(&mut self, name: &str, issues: &mut Vec<Issue>) -> Option<String> {
        let taken = self.take(name)?;
        if let Json::Str(text) = taken.value {
            return Some(text);
        }
        issues.push(self.wrong(&taken, name, "a string"));
        None
    }

    pub(super) fn boolean(&mut self, name: &str, issues: &mut Vec<Issue>) -> Option<bool> {
        let taken = self.take(name)?;
        if let Json::Bool(value) = taken.value {
            return Some(value);
        }
        issues.push(self.wrong(&taken, name, "a boolean"));
        None
    }

    /// A whole number of at least `least`, in integer spelling.
    pub(super) fn count(&mut self, name: &str, least: i64, issues: &mut Vec<Issue>) -> Option<u64> {
        let taken = self.take(name)?;
        if let Json::Int(value) = taken.value
            && value >= least
        {
            return u64::try_from(value).ok();
        }
        let expected = format!("an integer of at least {least}");
        let mut issue = self.wrong(&taken, name, &expected);
        if let Json::Int(value) = taken.value {
            issue.message = format!("`{name}` must be {expected}, not {value}");
        }
        issues.push(issue);
        None
    }

    pub(super) fn strings(&mut self, name: &str, issues: &mut Vec<Issue>) -> Option<Vec<String>> {
        let taken = self.take(name)?;
        let Json::Arr(elements) = taken.value else {
            issues.push(self.wrong(&taken, name, "an array of strings"));
            return None;
        };
        let mut texts = Vec::with_capacity(elements.len());
        for (index, element) in elements.into_iter().enumerate() {
            if issues.len() > MAX_FINDINGS {
                break;
            }
            match element {
                Json::Str(text) => texts.push(text),
                other => {
                    let at = self.pointer.key(&taken.key).index(index);
                    let what = format!("`{name}[{index}]`");
                    issues.push(self.placed(wrong_type(&at, &what, "a string", &other)));
                }
            }
        }
        Some(texts)
    }

    /// One of a closed list of words.
    pub(super) fn word<T: Copy>(
        &mut self,
        name: &str,
        words: &[(&str, T)],
        issues: &mut Vec<Issue>,
    ) -> Option<T> {
        let taken = self.take(name)?;
        if let Some(text) = taken.value.as_str() {
            if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
                return Some(*value);
            }
            issues.push(
                self.placed(
                    schema("value", format!("`{name}` has the unknown value `{text}`"))
                        .at(self.pointer.key(&taken.key))
                        .help(nearest(text, words.iter().map(|(word, _)| *word))),
                ),
            );
        } else {
            issues.push(self.wrong(&taken, name, "a string"));
        }
        None
    }
}

/// A schema finding.
pub(super) fn schema(rule: &'static str, message: impl Into<String>) -> Issue {
    Issue::error(Code::PlanSchemaInvalid, rule, message)
}

fn wrong_type(pointer: &Pointer, what: &str, expected: &str, value: &Json) -> Issue {
    schema("type", format!("{what} must be {expected}, not {}", value.kind()))
        .at(pointer.clone())
        .help(format!("write {expected}"))
}

fn unknown(key: &str, at: Pointer, fields: &[Field], what: &str) -> Issue {
    schema("unknown_field", format!("{what} has the unknown field `{key}`"))
        .at(at)
        .help(nearest(key, fields.iter().map(|field| field.name)))
}

/// A longer text is no misspelt word, and comparing it would cost too much.
const MAX_MISSPELT: usize = 64;
/// The most words that advice lists.
const MAX_LISTED: usize = 24;

/// Advice that names the most similar allowed word, or the allowed ones.
pub(crate) fn nearest<'a>(text: &str, allowed: impl Iterator<Item = &'a str> + Clone) -> String {
    let lower = text.to_lowercase();
    let length = lower.chars().count();
    let best = allowed
        .clone()
        // At most two characters differ, so the lengths do too.
        .filter(|word| length <= MAX_MISSPELT && word.chars().count().abs_diff(length) <= 2)
        .map(|word| (strsim::osa_distance(&lower, &word.to_lowercase()), word))
        .min_by_key(|(distance, _)| *distance);
    match best {
        // In a short word two other letters make another word.
        Some((distance, word)) if distance <= 2 && distance * 3 <= word.chars().count() => {
            format!("did you mean `{word}`?")
        }
        _ => {
            let listed: Vec<_> =
                allowed.clone().take(MAX_LISTED).map(|word| format!("`{word}`")).collect();
            let more = allowed.skip(MAX_LISTED).count();
            let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("allowed here: {}{rest}", listed.join(", "))
        }
    }
}
