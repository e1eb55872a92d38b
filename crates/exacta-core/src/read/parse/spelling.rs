//! Where a normalised pointer leads in the text as the planner spelled it.
//!
//! Rules speak of normalised names (`step_id`, `tool.args`, `inputs.web_source_url`);
//! the text may say `id`, `args` or `web_source_url`. Findings point at the text.

use alloc::string::String;
use alloc::vec::Vec;

use hashbrown::HashMap;

use super::draft::PLAN_FIELDS;
use super::json::Json;
use super::object::Field;
use super::step::STEP_FIELDS;
use crate::text::pointer::Pointer;

/// A document and the ways to look members up in it.
pub(super) struct Spelling<'d> {
    document: &'d Json,
    /// The members of large objects by name; made when first asked for.
    large: HashMap<usize, HashMap<&'d str, &'d Json>>,
}

/// Up to this many members a linear look is fast enough.
const SMALL_OBJECT: usize = 32;

impl<'d> Spelling<'d> {
    pub(super) fn of(document: &'d Json) -> Self {
        Self { document, large: HashMap::new() }
    }

    /// The pointer that leads to the same thing in the document. Tokens that lead nowhere
    /// are kept as they are.
    pub(super) fn as_written(&mut self, pointer: &Pointer) -> Pointer {
        let document = self.document;
        let mut tokens: Vec<String> =
            pointer.tokens().map(alloc::borrow::Cow::into_owned).collect();
        if let [first, name, ..] = tokens.as_slice()
            && first == "inputs"
            && self
                .member(document, "inputs")
                .is_none_or(|in_it| self.member(in_it, name).is_none())
            && self.member(document, name).is_some()
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
                here = self.step(tokens.get(1));
            }
            match here {
                Some(Json::Arr(elements)) => {
                    here = token.parse().ok().and_then(|index: usize| elements.get(index));
                    spelled = spelled.key(token);
                }
                Some(object) => {
                    let name = self.written_name(object, token, fields);
                    spelled = spelled.key(name);
                    here = self.member(object, name);
                }
                None => spelled = spelled.key(token),
            }
        }
        spelled
    }

    fn step(&mut self, index: Option<&String>) -> Option<&'d Json> {
        let Json::Arr(steps) = self.member(self.document, "steps")? else { return None };
        steps.get(index?.parse::<usize>().ok()?)
    }

    /// The spelling of a field that the object uses.
    fn written_name<'n>(&mut self, object: &'d Json, name: &'n str, fields: &[Field]) -> &'n str {
        if self.member(object, name).is_some() {
            return name;
        }
        let field = fields.iter().find(|field| field.name == name);
        field
            .and_then(|field| {
                field.aliases.iter().find(|alias| self.member(object, alias).is_some())
            })
            .map_or(name, |alias| alias)
    }

    /// The member `name` of an object, in the same time however large the object is.
    fn member(&mut self, object: &'d Json, name: &str) -> Option<&'d Json> {
        let Json::Obj(members) = object else { return None };
        if members.len() <= SMALL_OBJECT {
            return object.get(name);
        }
        self.large
            .entry(core::ptr::from_ref(object).addr())
            .or_insert_with(|| members.iter().map(|(key, value)| (key.as_str(), value)).collect())
            .get(name)
            .copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::parse::json::read;

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
            assert_eq!(Spelling::of(&document).as_written(&normal).as_str(), written);
        }
    }

    #[test]
    fn large_objects_are_looked_up_by_name() {
        let many: Vec<String> = (0..100).map(|k| format!("\"k{k}\":[{k}]")).collect();
        let many = many.join(",");
        let document = read(&format!("{{{many},\"version\":1,\"steps\":[]}}")).unwrap();
        let mut spelling = Spelling::of(&document);
        for (normal, written) in [
            (Pointer::root().key("plan_version"), "/version"),
            (Pointer::root().key("k99").index(0), "/k99/0"),
            (Pointer::root().key("inputs").key("k7"), "/k7"),
            (Pointer::root().key("nowhere"), "/nowhere"),
        ] {
            assert_eq!(spelling.as_written(&normal).as_str(), written);
        }
    }
}
