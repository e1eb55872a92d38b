//! What a tool step touches outside: addresses of pages and of people.

use alloc::string::String;
use alloc::vec::Vec;

use crate::parse::json::Json;
use crate::plan::{Draft, ToolCall};
use crate::pointer::Pointer;
use crate::registry::Primitive;

/// Arguments that hold addresses of pages.
pub(super) const URL_KEYS: [&str; 8] =
    ["url", "urls", "source", "sources", "endpoint", "web_source_url", "daily_sources", "host"];
/// Arguments that hold mail addresses.
pub(super) const RECIPIENT_KEYS: [&str; 7] =
    ["to", "cc", "bcc", "recipient", "recipients", "reply_to", "from"];
/// Arguments that name files.
pub(super) const PATH_KEYS: [&str; 4] = ["path", "paths", "file", "attachments"];

/// What a tool step touches outside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Addresses of pages, with the place each stands at.
    pub urls: Vec<(String, Pointer)>,
    /// Mail addresses, with the place each stands at.
    pub recipients: Vec<(String, Pointer)>,
}

/// Where the arguments of a step stand in the draft.
pub(super) fn args_pointer(step: usize) -> Pointer {
    Draft::step_pointer(step).key("tool").key("args")
}

/// What the step at `index` reaches, from its arguments or the plan's inputs.
#[must_use]
pub fn reach(draft: &Draft, index: usize, call: &ToolCall, primitive: &Primitive) -> Reach {
    let mut reach = Reach::default();
    let mut stack = vec![(None, args_pointer(index), &call.args)];
    while let Some((key, pointer, value)) = stack.pop() {
        let key: Option<&str> = key;
        match value {
            Json::Str(text) => {
                if key.is_some_and(|key| RECIPIENT_KEYS.contains(&key)) {
                    reach.recipients.push((text.clone(), pointer));
                } else if key.is_some_and(|key| URL_KEYS.contains(&key)) || is_whole_url(text) {
                    reach.urls.push((text.clone(), pointer));
                }
            }
            Json::Arr(elements) => stack.extend(
                elements
                    .iter()
                    .enumerate()
                    .rev()
                    .map(|(i, element)| (key, pointer.index(i), element)),
            ),
            Json::Obj(members) => stack.extend(
                members
                    .iter()
                    .rev()
                    .map(|(name, value)| (Some(name.as_str()), pointer.key(name), value)),
            ),
            _ => {}
        }
    }
    if reach.urls.is_empty()
        && let Some(name) = primitive.url_input
        && let Some(input) = draft.inputs.get(name)
    {
        let at = Pointer::root().key("inputs").key(name);
        reach.urls.extend(input.strings().map(|text| (text.into(), at.clone())));
    }
    reach
}

/// Whether the whole string reads as an address with a scheme.
fn is_whole_url(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty()
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
    })
}
