//! A share of one in whole thousandths.
//!
//! Kept as an integer so that no rounding can ever differ; written as a number between
//! 0 and 1 with at most three decimals, which is the shortest form of the nearest double
//! and therefore the same text everywhere.

use core::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use super::table::START;

/// 0.000 to 1.000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Thousandths(u32);

impl Thousandths {
    /// That many thousandths; more than a thousand is a thousand.
    #[must_use]
    pub const fn new(thousandths: u32) -> Self {
        if thousandths > START { Self(START) } else { Self(thousandths) }
    }

    /// The number of thousandths.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Thousandths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / START, self.0 % START)
    }
}

impl Serialize for Thousandths {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(f64::from(self.0) / f64::from(START))
    }
}

impl JsonSchema for Thousandths {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "Thousandths".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "number",
            "description": "a share of one with at most three decimals",
            "minimum": 0,
            "maximum": 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::{String, ToString as _};

    #[test]
    fn every_value_is_written_with_its_own_three_decimals() {
        for n in 0..=1000 {
            let value = Thousandths::new(n);
            let shown = value.to_string();
            let written = serde_json::to_string(&value).unwrap();
            let canonical = serde_json_canonicalizer::to_string(&value).unwrap();
            let short = |text: &str| -> String {
                let text = if text.contains('.') { text.trim_end_matches('0') } else { text };
                text.trim_end_matches('.').into()
            };
            assert_eq!(short(&written), short(&shown), "{n}");
            assert_eq!(canonical, short(&shown), "{n}");
        }
        assert_eq!(Thousandths::new(1001).get(), 1000);
    }
}
