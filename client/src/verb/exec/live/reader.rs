//! Events in the lines of Claude Code, as far as a person wants to see them. Unknown lines are no events.

use crate::render::about;
use ccd_base::surrogate::mended;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// How results of calls begin that were denied, if nothing else says so, and what they contain.
const DENIALS: [(&str, &str); 4] = [
    ("Permission to use ", ""),
    ("PreToolUse:", " hook error: "),
    (
        "Error: No such tool available: ",
        " is disabled for this session",
    ),
    (
        "Error: No such tool available: ",
        " is not enabled in this context",
    ),
];

#[derive(Debug, Default)]
pub(super) struct Reader {
    /// Names of called tools by the ids of the calls.
    calls: HashMap<String, String>,
    /// Ids of calls that are known to be denied.
    denied: HashSet<String>,
    /// Claude Code's directory, with a slash at its end: paths in it are shown without it.
    cwd: Option<String>,
}

impl Reader {
    /// Returns what has happened, as the text `exec event` shows it: the `kind` (`call`, `text`, `denied`, `failed`, `retry`), and
    /// whether it is `nested`, of a sub-agent. Texts are as received.
    pub(super) fn read(&mut self, line: &str) -> Vec<Value> {
        let Ok(record) = serde_json::from_slice::<Value>(&mended(line.as_bytes())) else {
            return Vec::new();
        };
        let found = match (text(&record, "type"), text(&record, "subtype")) {
            ("assistant", _) => self.blocks(&record, Self::said),
            ("user", _) => self.blocks(&record, Self::answered),
            ("system", "permission_denied") => {
                let id = text(&record, "tool_use_id");
                self.denied(id, text(&record, "tool_name"), text(&record, "message"))
                    .into_iter()
                    .collect()
            }
            ("system", "init") => {
                self.cwd = record["cwd"].as_str().map(|cwd| format!("{cwd}/"));
                Vec::new()
            }
            ("system", "api_retry") => vec![json!({"kind": "retry", "why": retry(&record)})],
            _ => Vec::new(),
        };
        let nested = record["parent_tool_use_id"].is_string();
        let seen = |mut what: Value| {
            what["nested"] = nested.into();
            what
        };
        found.into_iter().map(seen).collect()
    }

    fn blocks(
        &mut self,
        record: &Value,
        event: fn(&mut Self, &Value, &Value) -> Option<Value>,
    ) -> Vec<Value> {
        let blocks = record["message"]["content"].as_array();
        blocks
            .into_iter()
            .flatten()
            .filter_map(|block| event(self, block, record))
            .collect()
    }

    fn said(&mut self, block: &Value, _: &Value) -> Option<Value> {
        match text(block, "type") {
            "text" => {
                let said = text(block, "text");
                (!said.trim().is_empty()).then(|| json!({"kind": "text", "why": said}))
            }
            "tool_use" => {
                let name = text(block, "name").to_owned();
                self.calls
                    .insert(text(block, "id").to_owned(), name.clone());
                let mut about = about(&block["input"]);
                let inside = self.cwd.as_deref().and_then(|cwd| about.strip_prefix(cwd));
                if let Some(inside) = inside.filter(|inside| !inside.is_empty()) {
                    about = inside.to_owned();
                }
                Some(json!({"kind": "call", "name": name, "about": about}))
            }
            _ => None,
        }
    }

    fn answered(&mut self, block: &Value, record: &Value) -> Option<Value> {
        if text(block, "type") != "tool_result" || block["is_error"] != true {
            return None;
        }
        let id = text(block, "tool_use_id");
        if self.denied.contains(id) {
            return None;
        }
        let content = content(&block["content"]);
        let why = content
            .trim()
            .trim_start_matches("<tool_use_error>")
            .trim_end_matches("</tool_use_error>");
        let metas = record["tool_result_meta"].as_array().into_iter().flatten();
        let is_denied = metas
            .filter(|meta| text(meta, "id") == id)
            .any(|meta| meta["non_execution_kind"].is_string())
            || DENIALS
                .iter()
                .any(|(start, part)| why.starts_with(start) && why.contains(part));
        if is_denied {
            return self.denied(id, "", why);
        }
        Some(json!({"kind": "failed", "why": why}))
    }

    /// A call was denied; `None` if that is known.
    fn denied(&mut self, id: &str, name: &str, why: &str) -> Option<Value> {
        if !self.denied.insert(id.to_owned()) {
            return None;
        }
        let called = self.calls.get(id).map_or(name, String::as_str);
        let name = if name.is_empty() { called } else { name };
        Some(json!({"kind": "denied", "name": name, "why": why}))
    }
}

fn retry(record: &Value) -> String {
    let seconds = record["retry_delay_ms"].as_f64().unwrap_or(0.0) / 1000.0;
    let status = record["error_status"].as_u64();
    format!(
        "API error {}({}): retry {} of {} in {seconds:.1} s",
        status.map_or_else(String::new, |status| format!("{status} ")),
        text(record, "error"),
        record["attempt"],
        record["max_retries"],
    )
}

/// The text of a tool's result: a string, or blocks.
fn content(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().map(|block| text(block, "text"));
            texts.collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(reader: &mut Reader, record: &Value) -> Vec<Value> {
        reader.read(&record.to_string())
    }

    fn call(id: &str, name: &str, input: &Value) -> Value {
        json!({"type": "assistant", "parent_tool_use_id": null, "message": {"content": [
            {"type": "tool_use", "id": id, "name": name, "input": input}]}})
    }

    fn result(id: &str, text: &str, is_error: bool) -> Value {
        json!({"type": "user", "message": {"content": [
            {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error}]}})
    }

    #[test]
    fn a_call_is_named_with_what_it_is_about() {
        for (input, told) in [
            (json!({"description": "List", "command": "ls -l"}), "ls -l"),
            (
                json!({"file_path": "/r/a.rs", "old_string": "x"}),
                "/r/a.rs",
            ),
            (
                json!({"subagent_type": "x", "description": "Look", "prompt": "…"}),
                "Look",
            ),
            (json!({"todos": [1, 2]}), r#"{"todos":[1,2]}"#),
            (json!({}), ""),
            (Value::Null, ""),
        ] {
            assert_eq!(about(&input), told);
        }
        // A path in Claude's directory is shown without it.
        let mut reader = Reader::default();
        let init = json!({"type": "system", "subtype": "init", "cwd": "/r"});
        assert!(read(&mut reader, &init).is_empty());
        for (path, told) in [
            ("/r/a.rs", "a.rs"),
            ("/rx/a.rs", "/rx/a.rs"),
            ("/r/", "/r/"),
        ] {
            let seen = read(&mut reader, &call("t", "Read", &json!({"file_path": path})));
            let expected = json!({"kind": "call", "name": "Read", "about": told, "nested": false});
            assert_eq!(seen, [expected]);
        }
    }

    #[test]
    fn denials_are_told_from_other_failures() {
        let mut reader = Reader::default();
        for id in ["t", "t1"] {
            read(&mut reader, &call(id, "Bash", &json!({})));
        }
        for (text, is_denied) in [
            (
                "Permission to use Bash with command rm has been denied.",
                true,
            ),
            ("PreToolUse:Bash hook error: not on Fridays", true),
            (
                "<tool_use_error>Error: No such tool available: Bash. Bash is disabled for this session, in subagents as well as here.</tool_use_error>",
                true,
            ),
            ("Exit code 3\nno such file", false),
            ("Error: No such tool available: NoSuchTool", false),
            (
                "<tool_use_error>String to replace not found</tool_use_error>",
                false,
            ),
        ] {
            let seen = read(&mut Reader::default(), &result("t", text, true));
            let kind = if is_denied { "denied" } else { "failed" };
            assert_eq!((seen.len(), &seen[0]["kind"]), (1, &json!(kind)), "{text}");
        }
        let mut told = result("t", "no", true);
        told["tool_result_meta"] = json!([{"id": "t", "non_execution_kind": "user-rejected"}]);
        let record = json!({"type": "system", "subtype": "permission_denied", "tool_name": "Bash",
                            "tool_use_id": "t1", "message": "no"});
        for denial in [told, record] {
            let expected = json!({"kind": "denied", "name": "Bash", "why": "no", "nested": false});
            assert_eq!(read(&mut reader, &denial), [expected]);
        }
        // It is told once, and what was done is no event.
        assert!(read(&mut reader, &result("t1", "no", true)).is_empty());
        assert!(read(&mut reader, &result("t", "fine", false)).is_empty());
    }

    #[test]
    fn texts_are_events_and_sub_agents_are_nested() {
        let said = json!({"type": "assistant", "parent_tool_use_id": "t9",
                          "message": {"content": [{"type": "text", "text": "a\nb"}, {"type": "thinking"}]}});
        let expected = json!({"kind": "text", "why": "a\nb", "nested": true});
        assert_eq!(Reader::default().read(&said.to_string()), [expected]);
        let again = json!({"type": "system", "subtype": "api_retry", "attempt": 1, "max_retries": 10,
                           "retry_delay_ms": 1134, "error_status": 429, "error": "rate_limit"});
        let why = "API error 429 (rate_limit): retry 1 of 10 in 1.1 s";
        let expected = json!({"kind": "retry", "why": why, "nested": false});
        assert_eq!(read(&mut Reader::default(), &again), [expected]);
    }

    proptest! {
        #[test]
        fn no_line_makes_it_panic(line in "\\PC{0,60}", key in "[a-z_]{1,10}", n in any::<i32>()) {
            let mut reader = Reader::default();
            reader.read(&line);
            reader.read(&json!({"type": "user", "message": {"content": [{"type": "tool_result", key: n}]}}).to_string());
            reader.read(&json!({"type": "assistant", "message": n}).to_string());
        }
    }
}
