//! What a tool step touches outside: addresses of pages and of people, files it takes.

use alloc::vec::Vec;

use super::keys::Sense;
use crate::model::plan::{Draft, ToolCall};
use crate::model::registry::{Effect, Primitive};
use crate::model::web::mail_key;
use crate::read::parse::json::Json;
use crate::text::pointer::Pointer;
use crate::text::walk::{Met, Spot, Spots, Walk};

/// What a tool step touches outside, each text with the place it stands at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach<'a> {
    /// Addresses of pages.
    pub urls: Vec<(&'a str, Origin)>,
    /// Mail addresses.
    pub recipients: Vec<(&'a str, Origin)>,
    /// Files that leave with the call.
    pub(super) files: Vec<(&'a str, Origin)>,
    /// Values that should be an address or a file and are not even text.
    pub(super) shapeless: Vec<(&'static str, Origin)>,
    /// What references to earlier outputs stand for.
    pub(super) referred: Sense,
    step: usize,
    spots: Spots<'a>,
}

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// In the arguments of the step.
    Argument(Spot),
    /// In a plan input.
    Input(&'static str),
}

/// Where the arguments of a step stand in the draft.
pub(super) fn args_pointer(step: usize) -> Pointer {
    Draft::step_pointer(step).key("tool").key("args")
}

/// What the step at `index` reaches, from its arguments or the plan's inputs.
#[must_use]
pub fn reach<'a>(
    draft: &'a Draft,
    index: usize,
    call: &'a ToolCall,
    primitive: &Primitive,
) -> Reach<'a> {
    let mut reach = Reach { step: index, ..Reach::default() };
    let mut walk = Walk::new(&call.args, Sense::default(), Sense::below);
    while let Some(met) = walk.next() {
        reach.add(&met, primitive);
    }
    reach.spots = walk.spots;
    if reach.urls.is_empty()
        && let Some(name) = primitive.url_input
        && let Some(input) = draft.inputs.get(name)
    {
        reach.urls.extend(input.strings().map(|text| (text, Origin::Input(name))));
    }
    reach
}

impl<'a> Reach<'a> {
    /// The pointer to a place.
    #[must_use]
    pub fn pointer(&self, place: Origin) -> Pointer {
        match place {
            Origin::Argument(spot) => self.spots.pointer(spot, args_pointer(self.step)),
            Origin::Input(name) => Pointer::root().key("inputs").key(name),
        }
    }

    fn add(&mut self, met: &Met<'a, Sense>, primitive: &Primitive) {
        let place = Origin::Argument(met.spot);
        let sense = if primitive.reaches { met.state } else { Sense::default() };
        if met.key == Some("$ref") && matches!(met.value, Json::Str(_)) {
            // The rule of references judges it.
            self.referred = self.referred.and(sense);
            return;
        }
        // An address can hide as the name of a member.
        if let Some(key) = met.key {
            self.text(key, Sense::default(), place, primitive);
        }
        match met.value {
            Json::Str(text) => self.text(text, sense, place, primitive),
            Json::Bool(_) | Json::Int(_) | Json::Real(_) if sense.is_text() => {
                self.shapeless.push((met.value.kind(), place));
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &'a str, sense: Sense, place: Origin, primitive: &Primitive) {
        let writes = primitive.reaches && primitive.effect != Effect::Read;
        if sense.has(Sense::RECIPIENT) || (writes && mail_key(text.trim()).is_some()) {
            self.recipients.push((text, place));
        }
        if sense.has(Sense::URL) || is_whole_url(text) {
            self.urls.push((text, place));
        }
        if sense.has(Sense::FILE) {
            self.files.push((text, place));
        }
    }
}

/// Whether the whole string reads as an address with a scheme, or without its scheme.
fn is_whole_url(text: &str) -> bool {
    let text = text.trim();
    let mut start = text.chars();
    let slash = |c: Option<char>| matches!(c, Some('/' | '\\'));
    if slash(start.next()) && slash(start.next()) {
        return start.next().is_some_and(|c| !c.is_whitespace());
    }
    text.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty()
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
    })
}
