//! Renders the protocol's types as Markdown.

use crate::ErrorCode;
use crate::black_box::{TestJobResult, TestProgress};
use crate::investigate::{InvestigationProgress, InvestigationResult, StateMap};
use crate::subscription::SUBSCRIPTIONS;
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};
use std::fmt::Write;

const DEFINITIONS: &str = "#/definitions/";

/// Renders methods, subscriptions, records and errors.
pub(super) fn protocol() -> String {
    let mut page = Page {
        text: String::new(),
        generator: SchemaSettings::draft07().into_generator(),
        inlined: Vec::new(),
    };
    page.methods();
    page.subscriptions();
    page.records();
    page.errors();
    page.text
}

struct Page {
    text: String,
    generator: SchemaGenerator,
    /// Definitions that are described with their method and need no separate section.
    inlined: Vec<String>,
}

impl Page {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn methods(&mut self) {
        self.line("\n## Methods");
        for method in crate::methods() {
            let (params, reply) = (method.schemas)(&mut self.generator);
            self.line(&format!("\n### {}\n\n{}", method.name, method.summary));
            self.parameters(&params);
            self.reply(&reply);
        }
        self.line("\n### rpc.discover\n\nReturns this reference as an OpenRPC document with JSON Schemas.");
    }

    fn parameters(&mut self, params: &Schema) {
        let object = self.inline(params);
        if properties(&object).next().is_none() {
            self.line("\nNo parameters.");
            return;
        }
        self.line("\n| parameter | type | |\n|---|---|---|");
        let rows = fields(&object);
        self.text.push_str(&rows);
    }

    fn reply(&mut self, reply: &Schema) {
        let name = reference(reply.as_value());
        let is_reply = name.is_some_and(|name| name.ends_with("Reply") || name == "Done");
        if !is_reply {
            let line = format!("\nReply: {}.", type_of(reply.as_value()));
            self.line(&line);
            return;
        }
        let object = self.inline(reply);
        if properties(&object).next().is_none() {
            self.line("\nReply: `{}`.");
            return;
        }
        self.line("\n| reply | type | |\n|---|---|---|");
        let rows = fields(&object);
        self.text.push_str(&rows);
    }

    fn subscriptions(&mut self) {
        self.line("\n## Subscriptions");
        for subscription in SUBSCRIPTIONS {
            let (params, item) = (subscription.schemas)(&mut self.generator);
            self.line(&format!(
                "\n### {}\n\n{}",
                subscription.name, subscription.summary
            ));
            self.parameters(&params);
            self.line(&format!(
                "\nReply: the subscription's id. Items come as notifications `{}` with `params` `{{\"subscription\": id, \"result\": item}}`, \
                 where item is {}. `{}` with `[id]` ends it.",
                subscription.notification,
                type_of(item.as_value()),
                subscription.unsubscribe,
            ));
        }
    }

    /// Adds records to which no method refers: progress and results of jobs, and what the text of a reply contains.
    fn add_unreferenced(&mut self) {
        let generator = &mut self.generator;
        generator.subschema_for::<InvestigationProgress>();
        generator.subschema_for::<InvestigationResult>();
        generator.subschema_for::<StateMap>();
        generator.subschema_for::<TestProgress>();
        generator.subschema_for::<TestJobResult>();
    }

    fn records(&mut self) {
        self.line("\n## Records");
        self.add_unreferenced();
        let mut definitions: Vec<(String, Value)> =
            self.generator.definitions().clone().into_iter().collect();
        definitions.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, schema) in definitions {
            if !self.inlined.contains(&name) {
                self.line(&format!("\n### {name}"));
                self.record(&schema);
            }
        }
    }

    fn record(&mut self, schema: &Value) {
        if let Some(description) = schema["description"].as_str() {
            self.line(&format!("\n{description}"));
        }
        let object = schema.as_object().cloned().unwrap_or_default();
        if properties(&object).next().is_some() {
            self.line("\n| field | type | |\n|---|---|---|");
            let rows = fields(&object);
            self.text.push_str(&rows);
        }
        let choices = alternatives(schema);
        if !choices.is_empty() {
            self.line(if object.contains_key("properties") {
                "\nand one of"
            } else {
                "\nOne of"
            });
            self.line("");
            for choice in choices {
                let (what, about) = (shape(choice), description(choice));
                self.line(&format!(
                    "- {what}{}",
                    if about.is_empty() {
                        String::new()
                    } else {
                        format!(": {about}")
                    }
                ));
            }
        } else if !object.contains_key("properties") {
            let line = format!("\n{}.", type_of(schema));
            self.line(&line);
        }
    }

    fn errors(&mut self) {
        self.line("\n## Errors\n\n| code | `data.kind` | |\n|---|---|---|");
        for code in ErrorCode::ALL {
            self.line(&format!(
                "| {} | `{}` | {} |",
                *code as i32,
                code.kind(),
                code.summary()
            ));
        }
    }

    /// Returns the object that a reference points to; it then gets no separate section.
    fn inline(&mut self, schema: &Schema) -> Map<String, Value> {
        let direct = schema.as_object().cloned().unwrap_or_default();
        let Some(name) = reference(schema.as_value()) else {
            return direct;
        };
        self.inlined.push(name.to_owned());
        let definition = self.generator.definitions().get(name);
        definition
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or(direct)
    }
}

fn properties(object: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    object
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
}

/// Returns a table with one row per field; required parameters are bold.
fn fields(object: &Map<String, Value>) -> String {
    let required: Vec<&str> = object
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let mut rows = String::new();
    for (name, schema) in properties(object) {
        let name = if required.contains(&name.as_str()) {
            format!("**{name}**")
        } else {
            name.clone()
        };
        let about = description(schema).replace('|', "\\|");
        writeln!(rows, "| {name} | {} | {about} |", type_of(schema))
            .expect("writing to a String cannot fail");
    }
    rows
}

fn description(schema: &Value) -> String {
    let text = schema["description"].as_str().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the name of the definition that a schema refers to.
fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix(DEFINITIONS)
}

fn alternatives(schema: &Value) -> Vec<&Value> {
    let lists = ["oneOf", "anyOf"]
        .iter()
        .filter_map(|key| schema[*key].as_array());
    lists.flatten().collect()
}

/// Describes a type in words, for one table cell.
fn type_of(schema: &Value) -> String {
    if let Some(name) = reference(schema) {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(all) = schema["allOf"].as_array() {
        return all.iter().map(type_of).collect::<Vec<_>>().join(" and ");
    }
    let choices = alternatives(schema);
    if !choices.is_empty() {
        return choices
            .into_iter()
            .map(type_of)
            .collect::<Vec<_>>()
            .join(" or ");
    }
    if schema["enum"].is_array() || schema.get("const").is_some() {
        return shape(schema);
    }
    match &schema["type"] {
        Value::Array(types) => {
            let names = types
                .iter()
                .map(|name| named(name.as_str().unwrap_or_default(), schema));
            names.collect::<Vec<_>>().join(" or ")
        }
        Value::String(name) => named(name, schema),
        _ => "any".to_owned(),
    }
}

fn named(name: &str, schema: &Value) -> String {
    match name {
        "array" => format!("list of {}", type_of(&schema["items"])),
        "object" if schema["additionalProperties"].is_object() => {
            format!("map of {}", type_of(&schema["additionalProperties"]))
        }
        _ => name.to_owned(),
    }
}

/// Describes one of several forms, as it appears in JSON.
fn shape(schema: &Value) -> String {
    if let Some(value) = schema.get("const") {
        return format!("`{value}`");
    }
    if let Some(values) = schema["enum"].as_array() {
        return values
            .iter()
            .map(|value| format!("`{value}`"))
            .collect::<Vec<_>>()
            .join(", ");
    }
    match schema
        .as_object()
        .filter(|object| object.contains_key("properties"))
    {
        Some(object) => {
            let members =
                properties(object).map(|(name, schema)| format!("`{name}`: {}", type_of(schema)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        None => type_of(schema),
    }
}
