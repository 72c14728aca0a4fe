//! Renders the protocol's types as Markdown: an index of the methods, a page per noun, and a page of shared types.

use super::pages::{Pages, SHARED, pages, reference};
use crate::ErrorCode;
use crate::black_box::{TestJobResult, TestProgress};
use crate::investigate::{InvestigationProgress, InvestigationResult, StateMap};
use crate::subscription::SUBSCRIPTIONS;
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The page that lists the methods and the errors.
const INDEX: &str = "README";

/// Renders all pages, by their names without an extension.
pub(super) fn protocol() -> BTreeMap<String, String> {
    let mut nouns: Vec<&str> = Vec::new();
    for (name, _) in summaries() {
        if !nouns.contains(&noun_of(name)) {
            nouns.push(noun_of(name));
        }
    }
    let mut reference = Reference {
        generator: SchemaSettings::draft07().into_generator(),
        roots: BTreeMap::new(),
        inlined: Vec::new(),
        text: String::new(),
    };
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for noun in &nouns {
        reference.methods(noun);
        reference.subscriptions(noun);
        texts.insert((*noun).to_owned(), reference.take_text());
    }
    reference.add_unreferenced();
    let definitions = reference.generator.definitions().clone();
    let pages = pages(&reference.roots, &definitions);
    for page in nouns.iter().copied().chain([SHARED]) {
        reference.types(page, &pages, &definitions);
        let text = texts.entry(page.to_owned()).or_default();
        text.push_str(&reference.take_text());
        *text = linked(text, page, &pages);
    }
    reference.index(&nouns);
    reference.errors();
    texts.insert(INDEX.to_owned(), reference.take_text());
    texts
}

/// Returns the names and summaries of all methods and subscriptions.
fn summaries() -> impl Iterator<Item = (&'static str, &'static str)> {
    let methods = crate::methods().map(|method| (method.name, method.summary));
    let subscriptions = SUBSCRIPTIONS.iter();
    methods.chain(subscriptions.map(|one| (one.name, one.summary)))
}

fn noun_of(method: &str) -> &str {
    method.split('.').next().unwrap_or(method)
}

/// Returns the text of a page with links to the pages of the types that it names.
fn linked(text: &str, page: &str, pages: &Pages) -> String {
    let mut linked = String::new();
    for line in text.split_inclusive('\n') {
        let words = line.split_inclusive([' ', '\n']).map(|word| {
            let name = word.trim_end_matches([' ', '\n', '.', ',', ';', ')']);
            let is_several_words = name.chars().filter(char::is_ascii_uppercase).count() > 1;
            let is_type = is_several_words && pages.contains_key(name) && !line.starts_with('#');
            if is_type {
                let rest = word.trim_start_matches(name);
                format!("[{name}](#{}){rest}", name.to_lowercase())
            } else {
                word.to_owned()
            }
        });
        linked.extend(words);
    }
    for (name, place) in pages.iter().filter(|(_, place)| *place != page) {
        let anchor = name.to_lowercase();
        linked = linked.replace(&format!("](#{anchor})"), &format!("]({place}.md#{anchor})"));
    }
    linked
}

struct Reference {
    generator: SchemaGenerator,
    /// The schemas of the methods of each noun.
    roots: BTreeMap<&'static str, Vec<Value>>,
    /// Definitions that are described with their method and need no separate section.
    inlined: Vec<String>,
    /// What is rendered of the page.
    text: String,
}

impl Reference {
    fn take_text(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn add_roots<const N: usize>(&mut self, noun: &'static str, schemas: [&Schema; N]) {
        let schemas = schemas.into_iter().map(|schema| schema.as_value().clone());
        self.roots.entry(noun).or_default().extend(schemas);
    }

    fn methods(&mut self, noun: &str) {
        for method in crate::methods().filter(|method| noun_of(method.name) == noun) {
            let (params, reply) = (method.schemas)(&mut self.generator);
            self.add_roots(noun_of(method.name), [&params, &reply]);
            self.line(&format!("\n## {}\n\n{}", method.name, method.summary));
            self.parameters(&params);
            self.reply(&reply);
        }
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

    fn subscriptions(&mut self, noun: &str) {
        for subscription in SUBSCRIPTIONS.iter().filter(|one| noun_of(one.name) == noun) {
            let (params, item) = (subscription.schemas)(&mut self.generator);
            self.add_roots(noun_of(subscription.name), [&params, &item]);
            self.line(&format!(
                "\n## {}\n\n{}",
                subscription.name, subscription.summary
            ));
            self.parameters(&params);
            self.line(&format!(
                "\nReply: the subscription's id. Items arrive as notifications `{}` with `params` `{{\"subscription\": id, \"result\": item}}`, \
                 where item is {}. To end the subscription, call `{}` with `[id]`.",
                subscription.notification,
                type_of(item.as_value()),
                subscription.unsubscribe,
            ));
        }
    }

    /// Adds types to which no method refers: progress and results of jobs, and what the text of a reply contains.
    fn add_unreferenced(&mut self) {
        let generator = &mut self.generator;
        let investigation = [
            &generator.subschema_for::<InvestigationProgress>(),
            &generator.subschema_for::<InvestigationResult>(),
            &generator.subschema_for::<StateMap>(),
        ];
        let test = [
            &generator.subschema_for::<TestProgress>(),
            &generator.subschema_for::<TestJobResult>(),
        ];
        self.add_roots("investigate", investigation);
        self.add_roots("test", test);
    }

    fn types(&mut self, page: &str, pages: &Pages, definitions: &Map<String, Value>) {
        let is_here = |name: &String| {
            pages.get(name).is_some_and(|place| place == page) && !self.inlined.contains(name)
        };
        let mut here: Vec<_> = definitions
            .iter()
            .filter(|(name, _)| is_here(name))
            .collect();
        here.sort_by_key(|(name, _)| *name);
        if !here.is_empty() && page != SHARED {
            self.line("\n## Types");
        }
        for (name, schema) in here {
            self.line(&format!("\n### {name}"));
            self.record(schema);
        }
    }

    fn index(&mut self, nouns: &[&str]) {
        self.line("\n## Methods");
        for noun in nouns {
            self.line(&format!(
                "\n### [{noun}]({noun}.md)\n\n| method | |\n|---|---|"
            ));
            for (name, summary) in summaries().filter(|(name, _)| noun_of(name) == *noun) {
                let anchor = name.replace('.', "");
                let sentence = summary.split_once(". ").map_or(summary, |(first, _)| first);
                let sentence = sentence.trim_end_matches('.').replace('|', "\\|");
                self.line(&format!("| [{name}]({noun}.md#{anchor}) | {sentence} |"));
            }
        }
        self.line(
            "\n### rpc\n\n| method | |\n|---|---|\n\
             | [rpc.discover](#the-openrpc-document) | Returns this reference as an OpenRPC document |",
        );
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
