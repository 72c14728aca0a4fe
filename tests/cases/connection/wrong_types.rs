//! Values of the wrong type, in every parameter of every method and in every object within.

use crate::support::Daemon;
use serde_json::{Value, json};

/// Levels of objects and lists that are followed into a parameter: a condition of a chain contains conditions.
const MAX_DEPTH: usize = 8;

/// Stands for an item of a list in a place.
const ITEM: &str = "[]";

/// Values of every type but `null`, which is the same as an absent parameter, by the type's name in JSON Schema.
fn samples() -> [(&'static str, Value); 5] {
    [
        ("array", json!([])),
        ("object", json!({})),
        ("string", json!("\u{1}")),
        ("number", json!(1.5)),
        ("boolean", json!(true)),
    ]
}

/// Returns the schemas of which one must fit: references and choices resolved.
fn choices<'a>(components: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let reference = schema["$ref"].as_str();
    if let Some(name) = reference.and_then(|path| path.rsplit('/').next()) {
        return choices(components, &components[name]);
    }
    let mut lists = ["anyOf", "oneOf", "allOf"].into_iter();
    match lists.find_map(|key| schema[key].as_array()) {
        Some(list) => list
            .iter()
            .flat_map(|schema| choices(components, schema))
            .collect(),
        None => vec![schema],
    }
}

/// Returns the types that a schema accepts; `None` for any.
fn types_of(schema: &Value) -> Option<Vec<&str>> {
    match &schema["type"] {
        Value::String(name) => Some(vec![name]),
        Value::Array(names) => Some(names.iter().filter_map(Value::as_str).collect()),
        _ if schema["const"].is_string() || schema["enum"].is_array() => Some(vec!["string"]),
        _ => None,
    }
}

/// Returns each place in a parameter, as names of members from the outside, with the types that are accepted there.
fn places<'a>(
    components: &'a Value,
    schema: &'a Value,
    place: Vec<&'a str>,
) -> Vec<(Vec<&'a str>, Vec<&'a str>)> {
    let choices = choices(components, schema);
    let types: Option<Vec<_>> = choices.iter().map(|schema| types_of(schema)).collect();
    let Some(types) = types else {
        return Vec::new();
    };
    let mut inner = Vec::new();
    for choice in choices.iter().filter(|_| place.len() <= MAX_DEPTH) {
        let members = choice["properties"].as_object().into_iter().flatten();
        inner.extend(members.map(|(name, schema)| (name.as_str(), schema)));
        let others = [("x", "additionalProperties"), (ITEM, "items")];
        let others = others.map(|(step, key)| (step, &choice[key]));
        inner.extend(others.into_iter().filter(|other| other.1.is_object()));
    }
    let inner = inner.into_iter().flat_map(|(step, schema)| {
        let place = [&place[..], &[step]].concat();
        places(components, schema, place)
    });
    let inner: Vec<_> = inner.collect();
    [vec![(place, types.concat())], inner].concat()
}

/// Returns a value with all that is around it in its parameter.
fn within(place: &[&str], value: Value) -> Value {
    place.iter().rev().fold(value, |value, step| match *step {
        ITEM => json!([value]),
        name => json!({ name: value }),
    })
}

#[test]
fn a_value_of_the_wrong_type_is_refused_wherever_it_is() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let document = connection.ok("rpc.discover", &json!({}));
    let components = &document["components"]["schemas"];
    let mut count = 0;
    for method in document["methods"].as_array().unwrap() {
        let name = method["name"].as_str().unwrap();
        let all = method["params"].as_array().unwrap();
        // Documents are read after the other parameters.
        let required = all.iter().filter(|param| param["required"] == true);
        let valid = required.filter_map(|param| {
            let value = match param["schema"]["type"].as_str()? {
                "string" => json!("x"),
                "array" => json!([]),
                _ => return None,
            };
            Some((param["name"].as_str().unwrap(), value))
        });
        let valid: Value = valid.collect();
        for param in all {
            let member = param["name"].as_str().unwrap();
            for (place, types) in places(components, &param["schema"], vec![member]) {
                count += 1;
                // An empty list is the same as an object without members.
                let fits =
                    |kind| types.contains(&kind) || kind == "array" && types.contains(&"object");
                for (_, value) in samples().into_iter().filter(|sample| !fits(sample.0)) {
                    let mut params = valid.clone();
                    params[member] = within(&place[1..], value);
                    let error = connection.error(name, &params);
                    let told = error["message"].as_str().unwrap();
                    assert_eq!(error["code"], -32602, "{name} {params}: {error}");
                    // A missing parameter is noticed only after this.
                    assert!(!told.contains("missing field"), "{name} {params}: {told}");
                }
            }
        }
    }
    assert!(count > 300, "{count}");
    assert_eq!(daemon.listed(true), [""; 0]);
}
