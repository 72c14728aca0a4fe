//! An OpenRPC document with JSON Schemas, the errors of each method, and examples of the methods that are used most.

use crate::subscription::SUBSCRIPTIONS;
use crate::{ErrorCode, PROTOCOL_VERSION};
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// One call of each of some methods: its parameters and its result.
const EXAMPLES: &str = include_str!("examples.json");

/// The thousands of the error codes that the methods of a noun may return, besides those of all methods.
const THOUSANDS: [(&str, &[i32]); 18] = [
    ("agent", &[2, 3, 5, 9]),
    ("session", &[2, 3]),
    ("run", &[2, 3]),
    ("program", &[2, 3]),
    ("chain", &[2, 3]),
    ("job", &[]),
    ("pattern", &[2]),
    ("config", &[]),
    ("daemon", &[]),
    ("tape", &[2, 3]),
    ("investigate", &[2, 3, 4]),
    ("test", &[2, 3, 4]),
    ("exec", &[3, 5]),
    ("conversation", &[6]),
    ("memory", &[6, 7]),
    ("coach", &[6, 8]),
    ("hook", &[8]),
    ("data", &[2, 3, 4, 5, 6, 8]),
];

pub(super) fn openrpc() -> Value {
    let settings = SchemaSettings::draft07().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
    });
    let mut generator = SchemaGenerator::new(settings);
    let mut methods: Vec<Value> = Vec::new();
    for method in crate::methods() {
        let (params, reply) = (method.schemas)(&mut generator);
        methods.push(described(
            method.name,
            method.summary,
            params,
            "reply",
            reply,
            &generator,
        ));
    }
    for subscription in SUBSCRIPTIONS {
        let (params, item) = (subscription.schemas)(&mut generator);
        let mut method = described(
            subscription.name,
            subscription.summary,
            params,
            "subscription",
            id_schema(),
            &generator,
        );
        if let Value::Object(method) = &mut method {
            method.insert("x-notification".into(), json!(subscription.notification));
            method.insert("x-unsubscribe".into(), json!(subscription.unsubscribe));
            method.insert("x-item".into(), json!(item));
        }
        methods.push(method);
    }
    let schemas = generator.take_definitions(true);
    json!({
        "openrpc": "1.3.2",
        "info": {
            "title": "ccd",
            "version": env!("CARGO_PKG_VERSION"),
            "x-protocol": PROTOCOL_VERSION,
            "license": {"name": "MIT"},
        },
        "methods": methods,
        "components": {"schemas": schemas, "errors": errors()},
    })
}

fn id_schema() -> Schema {
    schemars::json_schema!({"type": ["integer", "string"], "description": "Id of the subscription."})
}

/// One method; its parameters by name, each with its own schema.
fn described(
    name: &str,
    summary: &str,
    params: Schema,
    result_name: &str,
    result: Schema,
    generator: &SchemaGenerator,
) -> Value {
    let object = resolved(&params, generator);
    let required: Vec<&str> = object
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let mut list: Vec<Value> = object
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, schema)| json!({"name": name, "required": required.contains(&name.as_str()), "schema": schema}))
        .collect();
    // OpenRPC requires the required ones first.
    list.sort_by_key(|param| param["required"] != json!(true));
    let mut method = json!({
        "name": name,
        "summary": summary,
        "paramStructure": "by-name",
        "params": list,
        "result": {"name": result_name, "schema": result},
        "errors": errors_of(name),
    });
    if let Some(example) = example(name) {
        method["examples"] = json!([example]);
    }
    method
}

/// Returns references to the errors that a method may return.
fn errors_of(name: &str) -> Vec<Value> {
    let noun = name.split('.').next();
    let known = THOUSANDS.iter().find(|(known, _)| Some(*known) == noun);
    let (_, thousands) = known.unwrap_or_else(|| panic!("the errors of {name} are not known"));
    let may_return = |code: i32| code < 2_000 || thousands.contains(&(code / 1_000));
    let codes = ErrorCode::ALL.iter();
    let codes = codes.filter(|code| may_return(**code as i32));
    codes
        .map(|code| json!({"$ref": format!("#/components/errors/{}", key(*code))}))
        .collect()
}

/// Returns the example of a method as OpenRPC wants it.
fn example(name: &str) -> Option<Value> {
    let examples: Value = serde_json::from_str(EXAMPLES).unwrap();
    let example = examples.get(name)?;
    let params = example["params"].as_object().into_iter().flatten();
    let params: Vec<Value> = params
        .map(|(name, value)| json!({"name": name, "value": value}))
        .collect();
    Some(json!({
        "name": name,
        "params": params,
        "result": {"name": "result", "value": example["result"]},
    }))
}

/// Returns the object that a reference into the definitions points to.
fn resolved(schema: &Schema, generator: &SchemaGenerator) -> Map<String, Value> {
    let direct = schema.as_object().cloned().unwrap_or_default();
    let name = direct
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|reference| reference.rsplit('/').next());
    match name.and_then(|name| generator.definitions().get(name)) {
        Some(Value::Object(object)) => object.clone(),
        _ => direct,
    }
}

/// The kind of an error; with the code, if another error has the same kind (`invalid_request`).
fn key(code: ErrorCode) -> String {
    let mut with_kind = ErrorCode::ALL
        .iter()
        .filter(|other| other.kind() == code.kind());
    if with_kind.next() == Some(&code) {
        code.kind().to_owned()
    } else {
        format!("{}_{}", code.kind(), code as i32)
    }
}

fn errors() -> Value {
    let errors = ErrorCode::ALL.iter().map(|code| {
        let error =
            json!({"code": *code as i32, "message": code.summary(), "data": {"kind": code.kind()}});
        (key(*code), error)
    });
    Value::Object(errors.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_what_the_types_write() {
        let examples: Map<String, Value> = serde_json::from_str(EXAMPLES).unwrap();
        for (name, example) in examples {
            let method = crate::methods().find(|method| method.name == name);
            let method = method.unwrap_or_else(|| panic!("{name} is not a method"));
            let given = [example["params"].clone(), example["result"].clone()];
            let [params, reply] = (method.rewritten)(given.clone()).unwrap();
            for (written, given) in [params, reply].iter().zip(&given) {
                let given = given.as_object().unwrap();
                let lost = given.keys().find(|key| written.get(key).is_none());
                assert_eq!(lost, None, "{name}");
            }
        }
    }

    #[test]
    fn all_errors_are_listed_and_all_references_lead_somewhere() {
        let document = openrpc();
        let errors = document["components"]["errors"].as_object().unwrap();
        assert_eq!(errors.len(), ErrorCode::ALL.len());
        let text = document.to_string();
        for reference in text.split("\"$ref\":\"#").skip(1) {
            let pointer = reference.split('"').next().unwrap();
            assert!(document.pointer(pointer).is_some(), "{pointer}");
        }
        let methods = document["methods"].as_array().unwrap();
        let send = methods
            .iter()
            .find(|method| method["name"] == "session.send")
            .unwrap();
        let refers = |name: &str| send["errors"].to_string().contains(&format!("/{name}\""));
        assert!(refers("session_not_alive") && refers("busy") && refers("tape_miss"));
        assert!(!refers("memory_invalid"));
    }

    #[test]
    fn two_types_refer_to_themselves() {
        let document = openrpc();
        let schemas = document["components"]["schemas"].as_object().unwrap();
        let reached = |from: &str| {
            let mut reached: Vec<&str> = Vec::new();
            let mut open = vec![from];
            while let Some(name) = open.pop() {
                let inner = schemas.keys().filter(|inner| {
                    let reference = format!("\"#/components/schemas/{inner}\"");
                    schemas[name].to_string().contains(&reference)
                });
                for inner in inner
                    .filter(|inner| !reached.contains(&inner.as_str()))
                    .collect::<Vec<_>>()
                {
                    reached.push(inner);
                    open.push(inner);
                }
            }
            reached.contains(&from)
        };
        let recursive: Vec<&String> = schemas.keys().filter(|name| reached(name)).collect();
        // docs/protocol/README.md names them: a tool that replaces all references would not end.
        assert_eq!(recursive, ["Condition", "SubAgentNode"]);
    }
}
