//! An OpenRPC document with JSON Schemas.

use crate::subscription::SUBSCRIPTIONS;
use crate::{ErrorCode, PROTOCOL_VERSION};
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

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
    json!({
        "name": name,
        "summary": summary,
        "paramStructure": "by-name",
        "params": list,
        "result": {"name": result_name, "schema": result},
    })
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

fn errors() -> Value {
    let errors = ErrorCode::ALL.iter().map(|code| {
        let error =
            json!({"code": *code as i32, "message": code.summary(), "data": {"kind": code.kind()}});
        (code.kind().to_owned(), error)
    });
    Value::Object(errors.collect())
}
