//! The tools that exist here, each with its argument schema compiled.

use std::collections::BTreeMap;
use std::sync::Arc;

use exacta_core::model::registry::{self, Effect};
use exacta_engine::tools::ToolFacts;
use jsonschema::Validator;
use serde_json::Value;

use crate::primitive::Primitive;

/// A tool and the validator of its arguments.
pub(crate) struct Tool {
    pub(crate) primitive: Arc<dyn Primitive>,
    pub(crate) schema: Value,
    pub(crate) validator: Validator,
}

/// Why a tool cannot be registered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryFault {
    /// Two tools of one name.
    #[error("the tool `{0}` is registered twice")]
    Twice(&'static str),
    /// It does not do what plans that name it are judged by.
    #[error("the tool `{0}` differs from what plans are judged by")]
    Differs(&'static str),
    /// Its argument schema is not one.
    #[error("the argument schema of `{0}` is not sound: {1}")]
    Schema(&'static str, String),
}

/// Every tool, by name.
#[derive(Default)]
pub struct Registry {
    tools: BTreeMap<&'static str, Tool>,
}

impl Registry {
    /// A registry without tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool.
    ///
    /// # Errors
    /// When there is one of this name, when plans that name it are judged by something else,
    /// or when its argument schema is not sound.
    pub fn add(&mut self, primitive: Arc<dyn Primitive>) -> Result<(), RegistryFault> {
        let name = primitive.name();
        if self.tools.contains_key(name) {
            return Err(RegistryFault::Twice(name));
        }
        if let Some(judged) = registry::find(name) {
            let effect = primitive.effect();
            let back = effect == Effect::Read || primitive.reversible() == judged.reversible;
            if effect != judged.effect || !back {
                return Err(RegistryFault::Differs(name));
            }
        }
        let schema = primitive.args_schema();
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err(RegistryFault::Schema(name, "arguments are an object".into()));
        }
        let validator = jsonschema::validator_for(&schema)
            .map_err(|fault| RegistryFault::Schema(name, fault.to_string()))?;
        self.tools.insert(name, Tool { primitive, schema, validator });
        Ok(())
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Tool> {
        self.tools.get(name)
    }

    /// What is known of each tool before it runs.
    pub fn facts(&self) -> Vec<ToolFacts> {
        self.tools
            .values()
            .map(|tool| ToolFacts {
                name: tool.primitive.name().to_owned(),
                effect: tool.primitive.effect(),
                idempotent: tool.primitive.idempotent(),
                reversible: tool.primitive.reversible(),
                args_schema: tool.schema.clone(),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kit::Scripted;

    #[test]
    fn a_tool_is_what_plans_that_name_it_are_judged_by() {
        let mut registry = Registry::new();
        let send = |effect| Arc::new(Scripted::new("SendEmail", effect));
        assert_eq!(registry.add(send(Effect::Read)), Err(RegistryFault::Differs("SendEmail")));
        registry.add(send(Effect::Send)).unwrap();
        assert_eq!(registry.add(send(Effect::Send)), Err(RegistryFault::Twice("SendEmail")));
        let draft = Arc::new(Scripted::new("WriteEmailDraft", Effect::DraftWrite));
        registry.add(draft).unwrap();
        assert_eq!(registry.facts().len(), 2);
    }

    #[test]
    fn a_schema_is_sound_and_fetches_nothing() {
        for schema in [
            json!({"type": "object", "properties": {"a": {"type": "strin"}}}),
            json!({"type": "object", "properties": {"a": {"$ref": "https://a.example/s.json"}}}),
            json!({"type": "object", "properties": {"a": {"$ref": "file:///etc/passwd"}}}),
            json!({"type": "string"}),
            json!(true),
        ] {
            let tool = Scripted::new("Tool", Effect::Read).with_schema(schema.clone());
            let added = Registry::new().add(tool);
            assert!(matches!(added, Err(RegistryFault::Schema(..))), "{schema}: {added:?}");
        }
    }
}
