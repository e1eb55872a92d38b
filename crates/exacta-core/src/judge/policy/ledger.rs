//! Keeps the books of a merge: who set what first, what came from where, what was ignored.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;
use serde_json::Value;

use super::effective::{Loosening, Why};
use super::layer::{LayerName, Origin};
use super::tighten::Step;

/// The books of a merge.
#[derive(Default)]
pub(super) struct Ledger {
    first: BTreeMap<String, LayerName>,
    pub(super) origins: BTreeMap<String, Vec<Origin>>,
    pub(super) ignored: Vec<Loosening>,
}

/// How a value is laid over the one in force.
pub(super) type Tighten<T> = fn(&T, &T) -> Step<T>;

impl Ledger {
    /// Sets a key: freely if the layer is trusted and the first to do so, else tightening.
    pub(super) fn set<T: Clone + PartialEq + Serialize>(
        &mut self,
        layer: LayerName,
        key: &str,
        slot: &mut T,
        wanted: Option<&T>,
        tighten: Tighten<T>,
    ) {
        self.set_shown(layer, key, slot, wanted, tighten, json);
    }

    /// The same for values that are not shown as they are kept.
    pub(super) fn set_shown<T: Clone + PartialEq>(
        &mut self,
        layer: LayerName,
        key: &str,
        slot: &mut T,
        wanted: Option<&T>,
        tighten: Tighten<T>,
        show: impl Fn(&T) -> Value,
    ) {
        let Some(wanted) = wanted else { return };
        if layer.is_trusted() && !self.is_set(key) {
            *slot = wanted.clone();
            self.took(layer, key);
        } else {
            self.tighten(layer, key, slot, wanted, tighten, show);
        }
    }

    /// Tightens a key, whoever the layer is.
    pub(super) fn tighten<T: Clone + PartialEq>(
        &mut self,
        layer: LayerName,
        key: &str,
        slot: &mut T,
        wanted: &T,
        tighten: Tighten<T>,
        show: impl Fn(&T) -> Value,
    ) {
        let Step { value, heeded } = tighten(slot, wanted);
        if !heeded {
            self.ignore(layer, key, show(wanted), show(&value), Why::Looser);
        }
        if *slot != value {
            *slot = value;
            self.took(layer, key);
        }
    }

    /// Whether an earlier layer set the key.
    pub(super) fn is_set(&self, key: &str) -> bool {
        self.first.contains_key(key)
    }

    /// Records that (part of) a value came from a layer.
    pub(super) fn took(&mut self, layer: LayerName, key: &str) {
        self.first.entry(key.into()).or_insert(layer);
        let origins = self.origins.entry(key.into()).or_default();
        if !origins.contains(&layer.into()) {
            origins.push(layer.into());
        }
    }

    /// Records that a value was not taken.
    pub(super) fn ignore(
        &mut self,
        layer: LayerName,
        key: &str,
        value: Value,
        effective: Value,
        why: Why,
    ) {
        self.ignored.push(Loosening { key: key.into(), layer, value, effective, why });
    }
}

/// A value as it is shown; every value of a policy has a JSON form.
pub(super) fn json<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}
