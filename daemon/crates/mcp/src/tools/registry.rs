//! All tools, with their schemas.

use super::call::{Call, Mistake, Tool, ToolOutput};
use super::{close, list, memory, program, read, screen, search, send, shell, signal, start, tape};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use rmcp::model::{JsonObject, Tool as Definition, ToolAnnotations};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// A tool, whatever its arguments.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) reads: bool,
    pub(crate) repeats: bool,
    description: &'static str,
    hints: fn() -> ToolAnnotations,
    #[cfg(test)]
    schema: fn() -> schemars::Schema,
    /// Checks the arguments. The error is a sentence that names what is wrong.
    pub(crate) prepare: fn(JsonObject) -> Result<Prepared, Mistake>,
}

/// A call whose arguments are valid.
pub(crate) struct Prepared {
    pub(crate) longest_s: Option<f64>,
    pub(crate) run: Run,
}

type Run =
    Box<dyn for<'a> FnOnce(&'a Call<'a>) -> BoxFuture<'a, Result<ToolOutput, Mistake>> + Send>;

/// The schema of each tool's arguments, as a test writes it from the types.
const SCHEMAS: &str = include_str!("tools.json");

const TOOLS: [Entry; 12] = [
    entry::<start::Start>(),
    entry::<send::Send>(),
    entry::<read::Read>(),
    entry::<screen::Screen>(),
    entry::<signal::Signal>(),
    entry::<close::Close>(),
    entry::<list::List>(),
    entry::<program::RunProgram>(),
    entry::<shell::RunInShell>(),
    entry::<search::Search>(),
    entry::<memory::Memory>(),
    entry::<tape::Tape>(),
];

/// Returns the definitions of all tools, or of those that change nothing.
pub(crate) fn all(read_only: bool) -> Vec<Definition> {
    static ALL: OnceLock<Vec<Definition>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let schemas: BTreeMap<String, Arc<JsonObject>> =
            serde_json::from_str(SCHEMAS).unwrap_or_default();
        let define = |tool: &Entry| {
            let schema = schemas.get(tool.name).cloned().unwrap_or_default();
            Definition::new(tool.name, tool.description, schema).with_annotations((tool.hints)())
        };
        TOOLS.iter().map(define).collect()
    });
    let wanted = TOOLS
        .iter()
        .zip(all)
        .filter(|(tool, _)| tool.reads || !read_only);
    wanted.map(|(_, definition)| definition.clone()).collect()
}

/// Returns the tool of this name.
pub(crate) fn find(name: &str) -> Option<&'static Entry> {
    static FOUND: [Entry; 12] = TOOLS;
    FOUND.iter().find(|tool| tool.name == name)
}

const fn entry<T: Tool>() -> Entry {
    Entry {
        name: T::NAME,
        reads: T::READS,
        repeats: T::REPEATS,
        description: T::DESCRIPTION,
        hints: T::hints,
        #[cfg(test)]
        schema: || schemars::schema_for!(T),
        prepare: prepare::<T>,
    }
}

fn prepare<T: Tool>(arguments: JsonObject) -> Result<Prepared, Mistake> {
    let given_s = arguments.get("timeout_s").and_then(Value::as_f64);
    let tool: T = ccd_protocol::read(&Value::Object(arguments).to_string())
        .map_err(|mistake| Mistake(format!("{}: {mistake}", T::NAME)))?;
    Ok(Prepared {
        longest_s: T::WAIT_S.map(|default_s| given_s.unwrap_or(default_s)),
        run: Box::new(move |call| tool.run(call).boxed()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `CCD_UPDATE_DOCS=1 cargo test -p ccd-mcp tools` writes the file.
    #[test]
    fn the_file_of_schemas_equals_the_types() {
        let schema = |tool: &Entry| {
            let mut schema = (tool.schema)().to_value();
            shorten(&mut schema);
            (tool.name.to_owned(), schema)
        };
        let schemas = Value::Object(TOOLS.iter().map(schema).collect());
        let expected = format!("{schemas:#}\n");
        if std::env::var_os("CCD_UPDATE_DOCS").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tools/tools.json");
            std::fs::write(path, expected).unwrap();
            return;
        }
        assert!(SCHEMAS == expected, "tools.json is out of date");
    }

    /// Leaves out what says nothing to an agent: an argument that may be absent need not be null too.
    fn shorten(schema: &mut Value) {
        match schema {
            Value::Object(members) => {
                for word in ["$schema", "title", "format", "default"] {
                    if members.get(word).is_some_and(|value| !value.is_object()) {
                        members.remove(word);
                    }
                }
                if let Some(Value::String(text)) = members.get_mut("description") {
                    *text = text.replace('\n', " ");
                }
                if let Some(Value::Array(types)) = members.get_mut("type") {
                    types.retain(|word| word != "null");
                    if let [one] = &types[..] {
                        let one = one.clone();
                        members.insert("type".to_owned(), one);
                    }
                }
                if let Some(Value::Array(choices)) = members.get_mut("anyOf") {
                    choices.retain(|choice| choice["type"] != "null");
                    if let [Value::Object(one)] = &choices[..] {
                        let one = one.clone();
                        members.remove("anyOf");
                        members.extend(one);
                    }
                }
                if let Some(Value::Array(choices)) = members.get_mut("enum") {
                    choices.retain(|choice| !choice.is_null());
                }
                members.values_mut().for_each(shorten);
            }
            Value::Array(entries) => entries.iter_mut().for_each(shorten),
            _ => {}
        }
    }

    #[test]
    fn the_descriptions_are_short() {
        fn words(value: &Value) -> usize {
            match value {
                Value::Object(members) => {
                    let own = members.get("description").and_then(Value::as_str);
                    let own = own.map_or(0, |text| text.split_whitespace().count());
                    own + members.values().map(words).sum::<usize>()
                }
                Value::Array(entries) => entries.iter().map(words).sum(),
                _ => 0,
            }
        }
        let all = serde_json::to_value(all(false)).unwrap();
        let tokens = words(&all) as f64 * 1.4;
        assert!(tokens < 2500.0, "{tokens}");
        let whole = all.to_string();
        assert!(
            !whole.contains("null") && !whole.contains("$ref"),
            "{whole}"
        );
    }

    #[test]
    fn each_argument_is_described_and_unknown_ones_are_refused() {
        for tool in all(false) {
            let schema = Value::Object((*tool.input_schema).clone());
            assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
            let arguments = schema["properties"]
                .as_object()
                .cloned()
                .unwrap_or_default();
            for (name, argument) in arguments {
                assert!(argument["description"].is_string(), "{}: {name}", tool.name);
            }
            let wrong = [("no_such".to_owned(), Value::Null)].into_iter().collect();
            let tool = find(&tool.name).unwrap();
            let Err(Mistake(sentence)) = (tool.prepare)(wrong) else {
                panic!("{}", tool.name);
            };
            assert!(sentence.contains("no_such"), "{sentence}");
        }
    }

    #[test]
    fn an_argument_of_the_wrong_type_is_named() {
        let arguments = serde_json::json!({"session": "a", "timeout_s": "5"});
        let arguments = arguments.as_object().cloned().unwrap();
        let read = find("session_read").unwrap();
        let Err(Mistake(sentence)) = (read.prepare)(arguments) else {
            panic!("it is accepted");
        };
        assert!(sentence.contains("timeout_s"), "{sentence}");
    }

    #[test]
    fn tools_that_change_nothing_say_so() {
        let reading = all(true);
        assert!(reading.len() > 3 && reading.len() < 12);
        assert_eq!(all(false).len(), 12);
        for tool in all(false) {
            let is_listed = reading.iter().any(|listed| listed.name == tool.name);
            let hints = tool.annotations.unwrap();
            assert_eq!(hints.read_only_hint, Some(is_listed), "{}", tool.name);
            let is_destructive = hints.destructive_hint == Some(true);
            assert!(is_listed || is_destructive, "{}", tool.name);
            assert_eq!(tool.input_schema["type"], "object", "{}", tool.name);
        }
    }
}
