//! Routes with their description: what is mounted is what is documented.

use axum::Router;
use axum::handler::Handler;
use axum::routing::{MethodFilter, on};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::problem::Problem;
use crate::state::AppState;

/// Who may use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// A person's session alone: it decides.
    Person,
    /// A person, or an agent about what is its own.
    Either,
}

/// What every route can answer with, whatever it is about.
const ALWAYS: [u16; 7] = [400, 401, 403, 404, 408, 421, 429];

/// A description under way.
pub(crate) struct Operation {
    method: MethodFilter,
    word: &'static str,
    path: &'static str,
    about: Map<String, Value>,
    problems: Vec<u16>,
}

/// The routes so far.
pub(crate) struct Api {
    router: Router<AppState>,
    paths: Map<String, Value>,
    /// For what is written.
    replies: SchemaGenerator,
    /// For what is read; everything in place, because the two differ in what may be absent.
    bodies: SchemaGenerator,
}

impl Api {
    pub(crate) fn new() -> Self {
        let replies = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        });
        let bodies = SchemaSettings::draft2020_12().for_deserialize().with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        });
        let (replies, bodies) = (replies.into_generator(), bodies.into_generator());
        Self { router: Router::new(), paths: Map::new(), replies, bodies }
    }

    /// Mounts a handler under its description.
    pub(crate) fn add<H, T>(&mut self, operation: Operation, handler: H)
    where
        H: Handler<T, AppState>,
        T: 'static,
    {
        let Operation { method, word, path, mut about, mut problems } = operation;
        let schema = self.replies.subschema_for::<Problem>();
        problems.sort_unstable();
        problems.dedup();
        if let Some(Value::Object(responses)) = about.get_mut("responses") {
            for status in problems {
                let content = json!({"application/problem+json": {"schema": schema.clone()}});
                let what = json!({"description": "not done", "content": content});
                responses.entry(status.to_string()).or_insert(what);
            }
        }
        let methods = self.paths.entry(path).or_insert_with(|| json!({}));
        if let Value::Object(methods) = methods {
            methods.insert(word.into(), about.into());
        }
        let router = std::mem::take(&mut self.router);
        self.router = router.route(path, on(method, handler));
    }

    pub(crate) fn router(self) -> Router<AppState> {
        self.router
    }

    /// The document.
    pub(crate) fn document(&self) -> Value {
        json!({
            "openapi": "3.1.0",
            "info": {
                "title": "Exacta",
                "version": "1",
                "summary": "The gate between what an AI plans and what really happens.",
                "description": "Approving never executes; `POST /api/v1/runs` starts a plan that \
                    was approved. Agents send the token of their project and see only what is \
                    theirs; people sign in, and only they decide. A command with an \
                    `Idempotency-Key` is carried out once. A decision with `If-Match` holds only \
                    for the version of the plan that the `ETag` named.",
                "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
            },
            "paths": self.paths,
            "components": {
                "schemas": self.replies.definitions(),
                "securitySchemes": {
                    "agent": {"type": "http", "scheme": "bearer"},
                    "session": {"type": "apiKey", "in": "cookie", "name": crate::who::COOKIE},
                },
            },
        })
    }
}

/// A route that reads.
pub(crate) fn get(path: &'static str, id: &str, says: &str, who: Who) -> Operation {
    operation(MethodFilter::GET, "get", path, (id, says), who)
}

/// A route that asks for something.
pub(crate) fn post(path: &'static str, id: &str, says: &str, who: Who) -> Operation {
    operation(MethodFilter::POST, "post", path, (id, says), who)
}

fn operation(
    method: MethodFilter,
    word: &'static str,
    path: &'static str,
    (id, says): (&str, &str),
    who: Who,
) -> Operation {
    let mut about = Map::new();
    about.insert("operationId".into(), id.into());
    about.insert("summary".into(), says.into());
    let security = match who {
        Who::Person => json!([{"session": []}]),
        Who::Either => json!([{"agent": []}, {"session": []}]),
    };
    about.insert("security".into(), security);
    let names = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let parameters: Vec<Value> = names
            .map(|name| {
                json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}})
            })
            .collect();
    about.insert("parameters".into(), parameters.into());
    about.insert("responses".into(), json!({}));
    Operation { method, word, path, about, problems: ALWAYS.to_vec() }
}

impl Operation {
    /// What it answers with when it is done.
    pub(crate) fn reply<T: JsonSchema>(self, api: &mut Api, status: u16, says: &str) -> Self {
        let schema = api.replies.subschema_for::<T>();
        self.content(status, says, &json!({"application/json": {"schema": schema}}))
    }

    /// An answer that is not JSON.
    pub(crate) fn other(self, status: u16, says: &str, kind: &str) -> Self {
        self.content(status, says, &json!({kind: {"schema": {"type": "string"}}}))
    }

    fn content(mut self, status: u16, says: &str, content: &Value) -> Self {
        if let Some(Value::Object(responses)) = self.about.get_mut("responses") {
            let what = json!({"description": says, "content": content});
            responses.insert(status.to_string(), what);
        }
        self
    }

    /// The JSON that it takes; besides what can be wrong with any body.
    pub(crate) fn body<T: JsonSchema>(mut self, api: &mut Api) -> Self {
        let schema = api.bodies.subschema_for::<T>();
        let body = json!({"required": true, "content": {"application/json": {"schema": schema}}});
        self.about.insert("requestBody".into(), body);
        self.problems.extend([413, 415, 422]);
        self
    }

    /// The parameters in the address, from the type that reads them.
    pub(crate) fn query<T: JsonSchema>(mut self, api: &mut Api) -> Self {
        let schema = api.bodies.subschema_for::<T>().to_value();
        let properties = schema.get("properties").and_then(Value::as_object);
        let parameters = properties.into_iter().flatten().map(|(name, schema)| {
            let mut schema = schema.clone();
            absent_not_null(&mut schema);
            json!({"name": name, "in": "query", "required": false, "schema": schema})
        });
        let parameters: Vec<Value> = parameters.collect();
        self.parameters(parameters);
        self
    }

    /// A header that it reads.
    pub(crate) fn header(mut self, name: &str, says: &str) -> Self {
        let schema = json!({"type": "string", "maxLength": 200, "pattern": "^[!-~]+$"});
        self.parameters(vec![json!({
            "name": name, "in": "header", "required": false, "description": says, "schema": schema,
        })]);
        self
    }

    /// What else can go wrong.
    pub(crate) fn or(mut self, problems: &[u16]) -> Self {
        self.problems.extend(problems);
        self
    }

    fn parameters(&mut self, more: Vec<Value>) {
        if let Some(Value::Array(parameters)) = self.about.get_mut("parameters") {
            parameters.extend(more);
        }
    }
}

/// A parameter that is not given is absent; the word `null` is a text.
fn absent_not_null(schema: &mut Value) {
    if let Some(Value::Array(kinds)) = schema.get_mut("type") {
        kinds.retain(|kind| kind != "null");
    }
    if let Some(object) = schema.as_object_mut() {
        object.remove("default");
    }
}
