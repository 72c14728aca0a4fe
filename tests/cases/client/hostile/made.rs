//! Makes values of a JSON Schema in which every text is hostile.

use super::HOSTILE;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value, json};

/// No process has this number.
const NO_PID: u64 = 99_999_999;

/// Fields of cells that are a number or a colour.
const COLOURS: [&str; 3] = ["fg", "bg", "underline_color"];

/// Types that contain themselves end here.
const MAX_DEPTH: usize = 10;

/// Makes values of the schemas of a document.
pub(super) struct Maker<'a> {
    pub(super) document: &'a Value,
    /// Which of several forms a value has.
    pub(super) form: usize,
    /// Without what may be left out.
    pub(super) is_least: bool,
}

impl Maker<'_> {
    /// Returns a value of a schema; `name` is that of its field.
    pub(super) fn value(&self, schema: &Value, name: &str, depth: usize) -> Value {
        let whole = self.merged(schema, depth);
        if let Some(one) = whole.get("const") {
            return one.clone();
        }
        if let Some(all) = whole.get("enum").and_then(Value::as_array) {
            return all[self.form % all.len()].clone();
        }
        let kinds = whole.get("type").and_then(Value::as_array);
        if self.is_least && kinds.is_some_and(|kinds| kinds.contains(&"null".into())) {
            return Value::Null;
        }
        match kind(&whole) {
            "object" => self.object(&whole, depth),
            "array" => self.array(&whole, name, depth),
            "integer" if name.contains("pid") => NO_PID.into(),
            "integer" => {
                let least = whole.get("minimum").and_then(Value::as_i64);
                least.unwrap_or_default().max(1).into()
            }
            "number" => json!(1.5),
            "boolean" if name == "ended" => (self.form >= 2).into(),
            "boolean" => self.form.is_multiple_of(2).into(),
            "null" => Value::Null,
            "string" if COLOURS.contains(&name) => "#010203".into(),
            "string" if name.ends_with("_b64") => BASE64.encode(HOSTILE).into(),
            "any" if self.form % 2 == 1 => json!({ HOSTILE: [HOSTILE] }),
            _ => HOSTILE.into(),
        }
    }

    /// Returns a schema with its references and one of its alternatives filled in.
    fn merged(&self, schema: &Value, depth: usize) -> Map<String, Value> {
        let mut whole = Map::new();
        let mut add = |part: Map<String, Value>| {
            for (key, value) in part {
                match (whole.get_mut(&key), value) {
                    (Some(Value::Object(old)), Value::Object(new)) => old.extend(new),
                    (Some(Value::Array(old)), Value::Array(new)) if key == "required" => {
                        old.extend(new);
                    }
                    (_, value) => drop(whole.insert(key, value)),
                }
            }
        };
        let Some(parts) = schema.as_object() else {
            return whole;
        };
        for (key, part) in parts {
            match key.as_str() {
                "$ref" => {
                    let pointer = part.as_str().unwrap().trim_start_matches('#');
                    add(self.merged(self.document.pointer(pointer).unwrap(), depth));
                }
                "allOf" => {
                    let all = part.as_array().unwrap();
                    all.iter().for_each(|part| add(self.merged(part, depth)));
                }
                "oneOf" | "anyOf" => {
                    let all = part.as_array().unwrap();
                    let is_null = |part: &&Value| part["type"] == "null";
                    let some: Vec<_> = all.iter().filter(|part| !is_null(part)).collect();
                    let can_be_null = some.len() < all.len();
                    if can_be_null && (self.is_least || depth > MAX_DEPTH) {
                        add(Map::from_iter([("type".to_owned(), "null".into())]))
                    } else {
                        add(self.merged(some[self.form % some.len()], depth))
                    }
                }
                _ => add(Map::from_iter([(key.clone(), part.clone())])),
            }
        }
        whole
    }

    fn object(&self, schema: &Map<String, Value>, depth: usize) -> Value {
        let mut object = Map::new();
        let is_required = |name: &str| {
            let required = schema.get("required").and_then(Value::as_array);
            required.is_some_and(|all| all.iter().any(|one| one == name))
        };
        let fields = schema.get("properties").and_then(Value::as_object);
        for (name, field) in fields.into_iter().flatten() {
            if is_required(name) || !self.is_least && depth <= MAX_DEPTH {
                object.insert(name.clone(), self.value(field, name, depth + 1));
            }
        }
        match schema.get("additionalProperties") {
            Some(more) if !self.is_least && more != &Value::Bool(false) => {
                object.insert(HOSTILE.to_owned(), self.value(more, "", depth + 1));
            }
            _ => {}
        }
        object.into()
    }

    fn array(&self, schema: &Map<String, Value>, name: &str, depth: usize) -> Value {
        let least = schema.get("minItems").and_then(Value::as_u64);
        let count = if self.is_least || depth > MAX_DEPTH {
            least.unwrap_or_default()
        } else {
            least.unwrap_or(1)
        };
        let none = json!(true);
        let item = schema.get("items").unwrap_or(&none);
        (0..count)
            .map(|_| self.value(item, name, depth + 1))
            .collect()
    }
}

/// The type of a value, not null if there is a choice.
fn kind(schema: &Map<String, Value>) -> &str {
    match schema.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => kinds
            .iter()
            .filter_map(Value::as_str)
            .find(|kind| *kind != "null")
            .unwrap_or("null"),
        _ if schema.contains_key("properties") => "object",
        _ => "any",
    }
}
