//! A walk through a JSON value that remembers where it is.
//!
//! Each place is a link to the one around it, so that a long key above many elements is
//! kept once. A [`Pointer`] is written only for a place that gets a finding.

use alloc::vec::Vec;

use crate::read::parse::json::Json;
use crate::text::pointer::Pointer;

/// A pointer that would get longer than this names the value around the place.
const POINTER_BYTES: usize = 1024;

/// A place that a walk came by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot(usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Key(&'a str),
    Index(usize),
}

/// Every place a walk came by, each with the place around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spots<'a>(Vec<(Option<Spot>, Option<Token<'a>>)>);

impl<'a> Spots<'a> {
    fn add(&mut self, around: Option<Spot>, token: Option<Token<'a>>) -> Spot {
        self.0.push((around, token));
        Spot(self.0.len() - 1)
    }

    /// The pointer to a place, where the walk began at `base`.
    pub(crate) fn pointer(&self, spot: Spot, base: Pointer) -> Pointer {
        let mut tokens = Vec::new();
        let mut next = Some(spot);
        while let Some((around, token)) = next.and_then(|Spot(at)| self.0.get(at)) {
            tokens.extend(*token);
            next = *around;
        }
        let mut pointer = base;
        for token in tokens.into_iter().rev() {
            match token {
                Token::Key(key) if pointer.as_str().len() + key.len() > POINTER_BYTES => break,
                Token::Key(key) => pointer = pointer.key(key),
                Token::Index(index) => pointer = pointer.index(index),
            }
        }
        pointer
    }
}

/// One value on the way.
pub(crate) struct Met<'a, S> {
    /// Where it stands.
    pub(crate) spot: Spot,
    /// Its key, when it is a member of an object.
    pub(crate) key: Option<&'a str>,
    /// What the keys around it say.
    pub(crate) state: S,
    /// The value.
    pub(crate) value: &'a Json,
}

/// A walk in document order. `S` is what a value takes over from the keys around it.
pub(crate) struct Walk<'a, S> {
    /// Every place so far.
    pub(crate) spots: Spots<'a>,
    stack: Vec<Met<'a, S>>,
    inherit: fn(S, &str) -> S,
}

impl<'a, S: Copy> Walk<'a, S> {
    pub(crate) fn new(value: &'a Json, state: S, inherit: fn(S, &str) -> S) -> Self {
        let mut spots = Spots::default();
        let spot = spots.add(None, None);
        Self { spots, stack: vec![Met { spot, key: None, state, value }], inherit }
    }

    pub(crate) fn next(&mut self) -> Option<Met<'a, S>> {
        let met = self.stack.pop()?;
        let (around, state) = (Some(met.spot), met.state);
        match met.value {
            Json::Arr(elements) => {
                for (index, value) in elements.iter().enumerate().rev() {
                    let spot = self.spots.add(around, Some(Token::Index(index)));
                    self.stack.push(Met { spot, key: None, state, value });
                }
            }
            Json::Obj(members) => {
                for (key, value) in members.iter().rev() {
                    let spot = self.spots.add(around, Some(Token::Key(key)));
                    let state = (self.inherit)(state, key);
                    self.stack.push(Met { spot, key: Some(key), state, value });
                }
            }
            _ => {}
        }
        Some(met)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::parse::json::read;
    use alloc::string::String;

    #[test]
    fn places_are_written_in_document_order() {
        let value = read(r#"{"a":[1,{"b/c":2}],"d":3}"#).unwrap();
        let mut walk = Walk::new(&value, 0, |depth: usize, _| depth + 1);
        let mut found: Vec<(String, usize)> = Vec::new();
        while let Some(met) = walk.next() {
            let pointer = walk.spots.pointer(met.spot, Pointer::root());
            found.push((pointer.as_str().into(), met.state));
        }
        let found: Vec<_> = found.iter().map(|(at, depth)| (at.as_str(), *depth)).collect();
        assert_eq!(
            found,
            [("", 0), ("/a", 1), ("/a/0", 1), ("/a/1", 1), ("/a/1/b~1c", 2), ("/d", 1)]
        );
    }

    #[test]
    fn a_long_key_ends_the_pointer() {
        let value = Json::Obj(vec![("k".repeat(2000), Json::Arr(vec![Json::Null]))]);
        let mut walk = Walk::new(&value, (), |(), _| ());
        while let Some(met) = walk.next() {
            assert_eq!(walk.spots.pointer(met.spot, Pointer::root()), Pointer::root());
        }
    }
}
