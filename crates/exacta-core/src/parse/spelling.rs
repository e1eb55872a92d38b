//! Where a normalised pointer leads in the text as the planner spelled it.
//!
//! Rules speak of normalised names (`step_id`, `tool.args`, `inputs.web_source_url`);
//! the text may say `id`, `args` or `web_source_url`. Findings point at the text.

use alloc::string::String;
use alloc::vec::Vec;

use super::draft::PLAN_FIELDS;
use super::json::Json;
use super::object::Field;
use super::step::STEP_FIELDS;
use crate::pointer::Pointer;

/// The pointer that leads to the same thing in `document`. Tokens that lead nowhere are
/// kept as they are.
pub(super) fn as_spelled(document: &Json, pointer: &Pointer) -> Pointer {
    let mut tokens: Vec<String> = pointer.tokens().map(alloc::borrow::Cow::into_owned).collect();
    if let [first, name, ..] = tokens.as_slice()
        && first == "inputs"
        && document.get("inputs").is_none_or(|inputs| inputs.get(name).is_none())
        && document.get(name).is_some()
    {
        tokens.remove(0);
    }
    let mut here = Some(document);
    let mut spelled = Pointer::root();
    for (depth, token) in tokens.iter().enumerate() {
        let fields: &[Field] = match (depth, tokens.first().map(String::as_str)) {
            (0, _) => PLAN_FIELDS,
            (2, Some("steps")) => STEP_FIELDS,
            _ => &[],
        };
        // Arguments beside a tool that is only a name.
        if depth == 3 && token == "args" && matches!(here, Some(Json::Str(_))) {
            spelled = Pointer::root();
            for outer in tokens.iter().take(2) {
                spelled = spelled.key(outer);
            }
            here = steps_entry(document, tokens.get(1));
        }
        match here {
            Some(Json::Arr(elements)) => {
                here = token.parse().ok().and_then(|index: usize| elements.get(index));
                spelled = spelled.key(token);
            }
            Some(object) => {
                let name = written_name(object, token, fields);
                spelled = spelled.key(name);
                here = object.get(name);
            }
            None => spelled = spelled.key(token),
        }
    }
    spelled
}

fn steps_entry<'a>(document: &'a Json, index: Option<&String>) -> Option<&'a Json> {
    let Json::Arr(steps) = document.get("steps")? else { return None };
    steps.get(index?.parse::<usize>().ok()?)
}

/// The spelling of a field that the object uses.
fn written_name<'a>(object: &Json, name: &'a str, fields: &[Field]) -> &'a str {
    if object.get(name).is_some() {
        return name;
    }
    let field = fields.iter().find(|field| field.name == name);
    field
        .and_then(|field| field.aliases.iter().find(|alias| object.get(alias).is_some()))
        .map_or(name, |alias| alias)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::json::read;

    #[test]
    fn pointers_lead_to_what_was_written() {
        let text = r#"{"version":1,"web_source_url":"u","steps":[
            {"id":"a","primitive":"ReadWeb","args":{"url":"x"}},
            {"step_id":"b","tool":{"name":"n","args":{"url":"y"}}}]}"#;
        let document = read(text).unwrap();
        let step = |k: usize| Pointer::root().key("steps").index(k);
        for (normal, written) in [
            (step(0).key("step_id"), "/steps/0/id"),
            (step(0).key("tool"), "/steps/0/primitive"),
            (step(0).key("tool").key("args").key("url"), "/steps/0/args/url"),
            (step(1).key("tool").key("args").key("url"), "/steps/1/tool/args/url"),
            (step(1).key("target"), "/steps/1/target"),
            (Pointer::root().key("plan_version"), "/version"),
            (Pointer::root().key("inputs").key("web_source_url"), "/web_source_url"),
            (Pointer::root().key("inputs").key("other"), "/inputs/other"),
        ] {
            assert_eq!(as_spelled(&document, &normal).as_str(), written);
        }
    }
}
