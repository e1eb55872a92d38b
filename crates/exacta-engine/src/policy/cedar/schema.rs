//! What policies can be about, as Cedar reads it.

use std::sync::LazyLock;

use cedar_policy::Schema;
use exacta_core::model::digest::Digest;

/// The schema, in Cedar's own notation.
pub const SCHEMA: &str = include_str!("schema.cedarschema");

/// The schema as it was read, and its hash. Read when the first file is.
static READ: LazyLock<(Option<Schema>, Digest)> = LazyLock::new(|| {
    let schema = Schema::from_cedarschema_str(SCHEMA).ok().map(|(schema, _)| schema);
    (schema, Digest::of(SCHEMA.as_bytes()))
});

/// The schema; `None`, which denies everything, should it ever not be one.
pub(super) fn schema() -> Option<&'static Schema> {
    READ.0.as_ref()
}

/// The name of the schema's text.
pub(super) fn digest() -> Digest {
    READ.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_one_and_nobody_doubts_it() {
        let (_, warnings) = Schema::from_cedarschema_str(SCHEMA).unwrap();
        assert_eq!(warnings.count(), 0);
        assert!(schema().is_some());
    }
}
