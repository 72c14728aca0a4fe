//! Values of the wrong type, in every parameter of every method and in every object within.

use crate::support::Daemon;
use serde_json::{Value, json};

/// Levels of objects and lists that are followed into a parameter: a condition of a chain contains conditions.
const MAX_DEPTH: usize = 8;

/// Values of every type, and the name of the type in JSON Schema.
fn samples() -> [(&'static str, Value); 6] {
    [
        ("array", json!([])),
        ("object", json!({})),
        ("string", json!("\u{1}")),
        ("number", json!(1.5)),
        ("boolean", json!(true)),
        ("null", json!(null)),
    ]
}

/// Puts a value into its place in the parameters of a method.
type Within<'a> = dyn Fn(Value) -> Value + 'a;

/// The schemas that others refer to.
struct Schemas {
    components: Value,
}

impl Schemas {
    /// Returns the schemas of which one must fit: references and choices resolved.
    fn choices(&self, schema: &Value) -> Vec<Value> {
        let reference = schema["$ref"].as_str();
        if let Some(name) = reference.and_then(|path| path.rsplit('/').next()) {
            return self.choices(&self.components[name]);
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            if let Some(list) = schema[key].as_array() {
                return list
                    .iter()
                    .flat_map(|schema| self.choices(schema))
                    .collect();
            }
        }
        vec![schema.clone()]
    }

    /// Calls `check` with each place in `schema` and its types; `within` puts a value there, into the whole parameters.
    fn walk(
        &self,
        schema: &Value,
        depth: usize,
        within: &Within<'_>,
        check: &mut dyn FnMut(&[String], &Within<'_>),
    ) {
        let choices = self.choices(schema);
        let Some(types) = choices.iter().map(types_of).collect::<Option<Vec<_>>>() else {
            return;
        };
        check(&types.concat(), within);
        if depth == MAX_DEPTH {
            return;
        }
        for choice in &choices {
            for (name, schema) in choice["properties"].as_object().into_iter().flatten() {
                let in_member = |value| within(json!({ name: value }));
                self.walk(schema, depth + 1, &in_member, check);
            }
            if choice["additionalProperties"].is_object() {
                let in_any = |value| within(json!({ "x": value }));
                self.walk(&choice["additionalProperties"], depth + 1, &in_any, check);
            }
            if choice["items"].is_object() {
                let in_item = |value| within(json!([value]));
                self.walk(&choice["items"], depth + 1, &in_item, check);
            }
        }
    }
}

/// Returns the types that a schema accepts; `None` for any.
fn types_of(schema: &Value) -> Option<Vec<String>> {
    match &schema["type"] {
        Value::String(name) => Some(vec![name.clone()]),
        Value::Array(names) => Some(
            names
                .iter()
                .filter_map(|name| name.as_str().map(str::to_owned))
                .collect(),
        ),
        _ if schema["const"].is_string() || schema["enum"].is_array() => {
            Some(vec!["string".into()])
        }
        _ => None,
    }
}

#[test]
fn a_value_of_the_wrong_type_is_refused_wherever_it_is() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let document = connection.call_value("rpc.discover", &json!({})).unwrap();
    let schemas = Schemas {
        components: document["components"]["schemas"].clone(),
    };
    let mut places = 0;
    for method in document["methods"].as_array().unwrap() {
        let name = method["name"].as_str().unwrap();
        // Documents are read after the other parameters.
        let params = method["params"].as_array().unwrap().iter();
        let required = params.filter(|param| param["required"] == true);
        let texts: Value = required
            .filter_map(|param| {
                let value = match param["schema"]["type"].as_str()? {
                    "string" => json!("x"),
                    "array" => json!([]),
                    _ => return None,
                };
                Some((param["name"].as_str().unwrap(), value))
            })
            .collect();
        for param in method["params"].as_array().unwrap() {
            let member = param["name"].as_str().unwrap();
            let within = |value| {
                let mut params = texts.clone();
                params[member] = value;
                params
            };
            schemas.walk(&param["schema"], 0, &within, &mut |types, within| {
                places += 1;
                for (kind, value) in samples() {
                    let has = |kind| types.iter().any(|name| name == kind);
                    // `null` is the same as an absent parameter, and an empty list as an object without members.
                    let is_same = kind == "null" || kind == "array" && has("object");
                    if !is_same && !has(kind) {
                        let params = within(value);
                        let error = connection.call_value(name, &params).unwrap_err();
                        let told = error["message"].as_str().unwrap();
                        assert_eq!(error["code"], -32602, "{name} {params}: {error}");
                        // A missing parameter is noticed only after this.
                        assert!(!told.contains("missing field"), "{name} {params}: {told}");
                    }
                }
            });
        }
    }
    assert!(places > 300, "{places}");
    let sessions = connection.call_value("session.list", &json!({"all": true}));
    assert_eq!(sessions.unwrap()["sessions"], json!([]));
}
