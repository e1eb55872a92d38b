//! The strict JSON layer: what `serde_json` accepts, minus what could mean two things.
//!
//! Refused beyond the grammar: a key twice in one object (also when spelled with
//! escapes), integers beyond ±(2^53−1) under any spelling, numbers that a double rounds,
//! nesting beyond 64 levels, long keys, and more values than a plan can need. `serde_json`
//! alone keeps the last of two equal keys and rounds numbers, so two texts could share one
//! hash.

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use core::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};

use super::rounded::first_rounded;
use crate::model::canonical;
use crate::model::diagnostic::Place;
use crate::text::pointer::Pointer;

/// The largest integer that every JSON reader agrees on: 2^53 − 1.
pub const MAX_INTEGER: i64 = (1 << 53) - 1;
/// The deepest nesting of arrays and objects.
pub const MAX_DEPTH: usize = 64;
/// The most values (members, elements, scalars) in one document.
pub const MAX_VALUES: usize = 500_000;
/// The longest key, in bytes. Findings repeat the keys around a value in its pointer.
pub const MAX_KEY: usize = 1024;
/// Up to this many members a linear look for a duplicate is the fastest.
const SMALL_OBJECT: usize = 16;

/// Room made for the members of an object at first; a step has about this many.
const USUAL_MEMBERS: usize = 8;

/// A JSON value. Objects keep the order in which their members were written.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number in integer spelling, within ±(2^53−1).
    Int(i64),
    /// A number with a fraction or an exponent, or `-0`.
    Real(f64),
    /// A string.
    Str(String),
    /// An array.
    Arr(Vec<Json>),
    /// An object without repeated keys.
    Obj(Vec<(String, Json)>),
}

/// Which rule of the layer a document breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonRule {
    /// Not JSON at all.
    Syntax(String),
    /// A key stands twice in one object.
    DuplicateKey(String),
    /// A key is too long.
    KeySize(String),
    /// A number that not every reader agrees on.
    NumberRange,
    /// A number with more digits than a reader keeps.
    NumberRounded,
    /// Nested too deeply.
    Depth,
    /// Too many values.
    Values,
}

/// A broken rule and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonFault {
    /// The rule.
    pub rule: JsonRule,
    /// The object member or element that breaks it, as far as known.
    pub pointer: Pointer,
    /// Line and column in the text.
    pub place: Place,
}

/// Reads one JSON document under the rules of this layer.
///
/// # Errors
/// The first rule that the text breaks.
pub fn read(text: &str) -> Result<Json, JsonFault> {
    let reader = Reader::default();
    let value = read_with(text, &reader)?;
    if reader.reals.get() == 0 {
        return Ok(value);
    }
    match first_rounded(text) {
        // Once more, to tell where it is.
        rounded @ Some(_) => read_with(text, &Reader { rounded, ..Reader::default() }),
        None => Ok(value),
    }
}

fn read_with(text: &str, reader: &Reader) -> Result<Json, JsonFault> {
    let mut source = serde_json::Deserializer::from_str(text);
    let outcome = Seed { reader, depth: 0 }
        .deserialize(&mut source)
        .and_then(|value| source.end().map(|()| value));
    outcome.map_err(|error| {
        let rule = reader.broken.take().unwrap_or_else(|| {
            let message = error.to_string();
            if message.starts_with("number out of range") {
                JsonRule::NumberRange
            } else if message.starts_with("recursion limit") {
                JsonRule::Depth
            } else {
                // The position is reported by itself.
                let end = message.rfind(" at line ").unwrap_or(message.len());
                JsonRule::Syntax(message.get(..end).unwrap_or(&message).into())
            }
        });
        JsonFault {
            rule,
            pointer: reader.path.take(),
            place: Place {
                line: u32::try_from(error.line()).unwrap_or(u32::MAX).max(1),
                column: u32::try_from(error.column()).unwrap_or(u32::MAX).max(1),
            },
        }
    })
}

/// What the visitors share: the budget, and why and where they gave up.
#[derive(Default)]
struct Reader {
    values: Cell<usize>,
    /// How many numbers were told as doubles so far, and which of them is to be refused.
    reals: Cell<usize>,
    rounded: Option<usize>,
    broken: Cell<Option<JsonRule>>,
    path: RefCell<Pointer>,
}

impl Reader {
    fn refuse<E: de::Error>(&self, rule: JsonRule) -> E {
        self.broken.set(Some(rule));
        E::custom("refused")
    }

    fn count<E: de::Error>(&self) -> Result<(), E> {
        let values = self.values.get() + 1;
        self.values.set(values);
        if values > MAX_VALUES { Err(self.refuse(JsonRule::Values)) } else { Ok(()) }
    }

    /// Builds the pointer while the error travels outwards, so that reading good input
    /// costs nothing.
    fn outwards(&self, inside: impl FnOnce(Pointer) -> Pointer) {
        let tail = self.path.take();
        let mut head = inside(Pointer::root());
        for token in tail.tokens() {
            head = head.key(&token);
        }
        *self.path.borrow_mut() = head;
    }
}

struct Seed<'a> {
    reader: &'a Reader,
    depth: usize,
}

impl<'a> Seed<'a> {
    fn deeper<E: de::Error>(&self) -> Result<Seed<'a>, E> {
        if self.depth >= MAX_DEPTH {
            return Err(self.reader.refuse(JsonRule::Depth));
        }
        Ok(Seed { reader: self.reader, depth: self.depth + 1 })
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Json, E> {
        self.reader.count()?;
        Ok(Json::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Json, E> {
        self.reader.count()?;
        Ok(Json::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Json, E> {
        self.reader.count()?;
        if (-MAX_INTEGER..=MAX_INTEGER).contains(&value) {
            Ok(Json::Int(value))
        } else {
            Err(self.reader.refuse(JsonRule::NumberRange))
        }
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Json, E> {
        match i64::try_from(value) {
            Ok(value) => self.visit_i64(value),
            Err(_) => Err(self.reader.refuse(JsonRule::NumberRange)),
        }
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Json, E> {
        self.reader.count()?;
        let at = self.reader.reals.get();
        self.reader.reals.set(at + 1);
        if self.reader.rounded == Some(at) {
            return Err(self.reader.refuse(JsonRule::NumberRounded));
        }
        // From 2^53 on every double is an integer, and neighbours collapse.
        if value.abs() < 9_007_199_254_740_992.0 {
            Ok(Json::Real(value))
        } else {
            Err(self.reader.refuse(JsonRule::NumberRange))
        }
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Json, E> {
        self.visit_string(value.into())
    }

    fn visit_string<E: de::Error>(self, value: String) -> Result<Json, E> {
        self.reader.count()?;
        Ok(Json::Str(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        self.reader.count()?;
        let mut elements = Vec::new();
        loop {
            match access.next_element_seed(self.deeper()?) {
                Ok(Some(element)) => elements.push(element),
                Ok(None) => return Ok(Json::Arr(elements)),
                Err(error) => {
                    self.reader.outwards(|here| here.index(elements.len()));
                    return Err(error);
                }
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        self.reader.count()?;
        let inside = self.deeper::<A::Error>()?.depth;
        let mut members: Vec<(String, Json)> = Vec::with_capacity(USUAL_MEMBERS);
        let mut seen: BTreeSet<String> = BTreeSet::new();
        while let Some(key) = access.next_key::<Cow<'_, str>>()? {
            if key.len() > MAX_KEY {
                return Err(self.reader.refuse(JsonRule::KeySize(key.into_owned())));
            }
            let repeated = if members.len() < SMALL_OBJECT {
                members.iter().any(|(earlier, _)| *earlier == key)
            } else {
                if seen.is_empty() {
                    seen.extend(members.iter().map(|(earlier, _)| earlier.clone()));
                }
                !seen.insert(key.clone().into_owned())
            };
            if repeated {
                self.reader.outwards(|here| here.key(&key));
                return Err(self.reader.refuse(JsonRule::DuplicateKey(key.into_owned())));
            }
            match access.next_value_seed(Seed { reader: self.reader, depth: inside }) {
                Ok(value) => members.push((key.into_owned(), value)),
                Err(error) => {
                    self.reader.outwards(|here| here.key(&key));
                    return Err(error);
                }
            }
        }
        Ok(Json::Obj(members))
    }
}

impl Json {
    /// The type's name as a message shows it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Int(_) => "an integer",
            Self::Real(_) => "a number with a fraction or exponent",
            Self::Str(_) => "a string",
            Self::Arr(_) => "an array",
            Self::Obj(_) => "an object",
        }
    }

    /// The member `name` of an object.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Self::Obj(members) => {
                members.iter().find(|(key, _)| key == name).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Str(text) = self { Some(text) } else { None }
    }

    /// Every string in this value, without recursion.
    pub fn strings(&self) -> impl Iterator<Item = &str> {
        let mut stack = vec![self];
        core::iter::from_fn(move || {
            while let Some(value) = stack.pop() {
                match value {
                    Self::Str(text) => return Some(text.as_str()),
                    Self::Arr(elements) => stack.extend(elements.iter().rev()),
                    Self::Obj(members) => stack.extend(members.iter().rev().map(|(_, v)| v)),
                    _ => {}
                }
            }
            None
        })
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(value) => serializer.serialize_i64(*value),
            Self::Real(value) => serializer.serialize_f64(*value),
            Self::Str(value) => serializer.serialize_str(value),
            Self::Arr(elements) => {
                let mut seq = serializer.serialize_seq(Some(elements.len()))?;
                for element in elements {
                    seq.serialize_element(element)?;
                }
                seq.end()
            }
            Self::Obj(members) => {
                // Canonical order, so that the writer of hashes need not sort.
                let mut sorted: Vec<&(String, Json)> = members.iter().collect();
                sorted.sort_by(|(a, _), (b, _)| canonical::key_order(a, b));
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in sorted {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

impl JsonSchema for Json {
    fn schema_name() -> Cow<'static, str> {
        "AnyValue".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> JsonRule {
        read(text).unwrap_err().rule
    }

    #[test]
    fn a_repeated_key_is_refused_at_any_depth_and_under_any_spelling() {
        for (text, pointer) in [
            (r#"{"a":1,"a":2}"#, "/a"),
            (r#"{"x":[0,{"args":{"to":"a","t\u006f":"b"}}]}"#, "/x/1/args/to"),
        ] {
            let fault = read(text).unwrap_err();
            assert!(matches!(fault.rule, JsonRule::DuplicateKey(_)), "{text}: {fault:?}");
            assert_eq!(fault.pointer.as_str(), pointer);
        }
        let many = (0..40).map(|i| format!("\"k{i}\":0")).collect::<Vec<_>>().join(",");
        assert_eq!(rule(&format!("{{{many},\"k39\":1}}")), JsonRule::DuplicateKey("k39".into()));
        assert_eq!(rule(&format!("{{{many},\"k3\":1}}")), JsonRule::DuplicateKey("k3".into()));
        assert!(read(&format!("{{{many},\"z\":1}}")).is_ok());
    }

    #[test]
    fn numbers_that_readers_disagree_on_are_refused() {
        assert_eq!(read("9007199254740991"), Ok(Json::Int(MAX_INTEGER)));
        assert_eq!(read("-9007199254740991"), Ok(Json::Int(-MAX_INTEGER)));
        for text in [
            "9007199254740992",
            "-9007199254740992",
            "9007199254740993",
            "18446744073709551616",
            "1e400",
            "-1e400",
            "9007199254740993.0",
            "1E22",
            "123e45",
        ] {
            assert_eq!(rule(text), JsonRule::NumberRange, "{text}");
        }
        assert_eq!(read("1.0"), Ok(Json::Real(1.0)));
        for text in ["0.10000000000000000000000001", "9007199254740990.4", "1e-400"] {
            let fault = read(&format!("[0.5, \"1e-999\", {{\"a\": {text}}}, 2.5]")).unwrap_err();
            assert_eq!(fault.rule, JsonRule::NumberRounded, "{text}");
            assert_eq!(fault.pointer.as_str(), "/2/a", "{text}");
        }
        assert!(matches!(read("-0"), Ok(Json::Real(_))));
    }

    #[test]
    fn sixty_four_levels_are_the_deepest() {
        let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(read(&nested(64)).is_ok());
        assert_eq!(rule(&nested(65)), JsonRule::Depth);
        assert_eq!(rule(&nested(129)), JsonRule::Depth);
        assert_eq!(rule(&"[".repeat(100_000)), JsonRule::Depth);
        let objects = |n: usize| format!("{}1{}", "{\"a\":".repeat(n), "}".repeat(n));
        assert!(read(&objects(64)).is_ok());
        assert_eq!(rule(&objects(65)), JsonRule::Depth);
    }

    #[test]
    fn too_many_values_are_refused() {
        let text = format!("[{}0]", "0,".repeat(MAX_VALUES));
        assert_eq!(rule(&text), JsonRule::Values);
    }

    #[test]
    fn a_fault_says_where() {
        let fault = read("{\n  \"a\": [1, 2,]\n}").unwrap_err();
        assert_eq!((fault.place.line, fault.place.column), (2, 14));
        assert_eq!(fault.rule, JsonRule::Syntax("trailing comma".into()));
        assert_eq!(fault.pointer.as_str(), "/a/2");
    }
}
