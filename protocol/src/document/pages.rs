//! Decides which page of the reference describes which type.

use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

const REFERENCE: &str = "#/definitions/";

/// The page of the types that several nouns use.
pub(super) const SHARED: &str = "types";

/// The page of each type, by the type's name.
pub(super) type Pages = BTreeMap<String, String>;

/// Returns the name of the definition that a schema refers to.
pub(super) fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix(REFERENCE)
}

/// Returns the page of each definition that the methods of a noun refer to. `roots` has the schemas of each noun's methods.
///
/// A type is described with the noun that its name starts with, if that noun uses it; otherwise with the only noun that
/// uses it. Another noun that only uses `Session` does not count as a user of what is part of a `Session`.
pub(super) fn pages(roots: &BTreeMap<&str, Vec<Value>>, definitions: &Map<String, Value>) -> Pages {
    let mut pages = Pages::new();
    for (name, nouns) in users(roots, definitions, &pages) {
        let named = |noun: &&str| name.to_lowercase().starts_with(*noun);
        let only = nouns.first().filter(|_| nouns.len() == 1);
        if let Some(noun) = nouns.iter().find(|noun| named(noun)).or(only) {
            pages.insert(name.clone(), (*noun).to_owned());
        }
    }
    for (name, nouns) in users(roots, definitions, &pages) {
        let only = nouns.first().filter(|_| nouns.len() == 1);
        let page = only.unwrap_or(&SHARED);
        pages.entry(name).or_insert_with(|| (*page).to_owned());
    }
    pages
}

/// Returns the nouns that use each type. The parts of a type that is on the page of another noun are not used.
fn users<'a>(
    roots: &BTreeMap<&'a str, Vec<Value>>,
    definitions: &Map<String, Value>,
    pages: &Pages,
) -> BTreeMap<String, BTreeSet<&'a str>> {
    let mut users: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (noun, schemas) in roots {
        let mut open: Vec<&Value> = schemas.iter().collect();
        while let Some(value) = open.pop() {
            match value {
                Value::Array(values) => open.extend(values),
                Value::Object(members) => open.extend(members.values()),
                _ => {}
            }
            let Some(name) = reference(value) else {
                continue;
            };
            let is_new = users.entry(name.to_owned()).or_default().insert(noun);
            let is_own = pages.get(name).is_none_or(|page| page == noun);
            if is_new && is_own {
                open.extend(definitions.get(name));
            }
        }
    }
    users
}
