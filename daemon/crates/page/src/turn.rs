//! A turn as the page has it: what it says and does, each item with the markup of its body.

use crate::markup::Markup;
use crate::shown::{gist, gist_of_markdown, plain};
use crate::tools::{Call, Outcome, add_image};
use crate::value::{self, field, first, is, list, text, text_of};
use crate::{lines, prose};
use ccd_protocol::conversation::{
    ConversationUsage, Element, ExportTurn, TurnRole, elements, typed, with_added,
};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashSet;

/// Lengths of prompts and answers that are shown at once.
const PROMPT_BYTES: usize = 3000;
const ANSWER_BYTES: usize = 12_000;

/// A turn, and the records that its calls brought.
#[derive(Debug, Default)]
pub struct PageTurn {
    pub turn: ExportTurn,
    /// Records with results of its calls.
    pub results: Vec<Box<RawValue>>,
    /// Ids of its results whose calls are missing.
    pub lone_results: Vec<String>,
    /// Its number in the main conversation.
    pub number: Option<u64>,
    /// The call that started its sub-agent is missing, or in a circle.
    pub is_orphan: bool,
}

/// One thing that a turn says or does.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Item {
    /// `prompt`, `text`, `thinking`, `call` or `note`.
    kind: &'static str,
    /// Whose it is, or the tool; empty until that is known.
    name: String,
    /// Its start in one line.
    gist: String,
    body: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<CallItem>,
}

#[derive(Debug, Default, Serialize)]
struct CallItem {
    id: String,
    /// `ok`, `error` or `pending`.
    state: &'static str,
    outcome: String,
    /// What an error says, in one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    reason: String,
    /// From the call to its result.
    ms: Option<i64>,
    /// Files with the lines added and removed.
    changed: Vec<(String, usize, usize)>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Turn {
    number: Option<u64>,
    /// Of its message, its records and their results: names in addresses.
    ids: Vec<String>,
    at: Option<i64>,
    /// `user`, `assistant`, `claude code`, or another role.
    who: String,
    model: String,
    parent: Option<String>,
    is_agent: bool,
    is_orphan: bool,
    marks: Vec<&'static str>,
    usage: Option<[u64; 5]>,
    cost: Option<f64>,
    items: Vec<Item>,
}

/// Returns a turn and its records; `None` if it only brings results, which are shown with their calls.
pub(crate) fn turn<'a>(page: &'a PageTurn, cwd: &str) -> Option<(Turn, Vec<&'a str>)> {
    let own = &page.turn.records;
    let raw: Vec<&str> = own
        .iter()
        .chain(&page.results)
        .map(|record| record.get())
        .collect();
    let all: Vec<Value> = raw.iter().map(|json| record(json)).collect();
    let (records, results) = all.split_at(own.len());
    let is_by_claude_code = records.iter().any(|record| {
        is(record, "isMeta") || is(record, "isSynthetic") || is(record, "isCompactSummary")
    });
    let making = Making {
        page,
        records,
        results,
        cwd,
        is_by_claude_code,
    };
    let items = making.items();
    if items.is_empty() && page.turn.role == TurnRole::User {
        return None;
    }
    let ids = std::iter::once(page.turn.message_id.clone())
        .chain(all.iter().map(|record| text_of(record, "uuid")));
    let mut known = HashSet::new();
    let turn = Turn {
        number: page.number,
        ids: ids
            .filter(|id| !id.is_empty() && known.insert(id.clone()))
            .collect(),
        at: page.turn.at.as_deref().and_then(milliseconds),
        who: making.who().to_owned(),
        model: plain(page.turn.model.as_deref().unwrap_or_default()),
        parent: page.turn.parent_tool_use_id.clone(),
        is_agent: records.iter().any(|record| is(record, "isSidechain")),
        is_orphan: page.is_orphan,
        marks: making.marks(),
        usage: page.turn.usage.as_ref().map(tokens),
        cost: page.turn.cost_usd,
        items,
    };
    Some((turn, raw))
}

/// Reads a record; that of a sub-agent's progress is inside the report of it.
fn record(json: &str) -> Value {
    let mut record: Value = serde_json::from_str(json).unwrap_or_default();
    if field(&record, "type") == "progress"
        && let Some(Value::Object(inner)) = record.pointer_mut("/data/message").map(Value::take)
        && let Some(outer) = record.as_object_mut()
    {
        outer.extend(inner);
    }
    record
}

/// Returns the tokens: input, output, written to the cache for five minutes and for an hour, read from it.
pub(crate) fn tokens(usage: &ConversationUsage) -> [u64; 5] {
    let parts = usage.cache_creation;
    let hour = parts.ephemeral_1h_input_tokens;
    // Without the parts, all that was written has the API's default life of five minutes.
    let rest = usage.cache_creation_input_tokens.saturating_sub(hour);
    let minutes = rest.max(parts.ephemeral_5m_input_tokens);
    [
        usage.input_tokens,
        usage.output_tokens,
        minutes,
        hour,
        usage.cache_read_input_tokens,
    ]
}

struct Making<'a> {
    page: &'a PageTurn,
    records: &'a [Value],
    /// Of the calls of this turn.
    results: &'a [Value],
    cwd: &'a str,
    is_by_claude_code: bool,
}

impl Making<'_> {
    fn who(&self) -> &'static str {
        match self.page.turn.role {
            _ if self.is_by_claude_code => "claude code",
            TurnRole::Assistant => "assistant",
            TurnRole::User => "user",
        }
    }

    fn marks(&self) -> Vec<&'static str> {
        let has = |name: &str| self.records.iter().any(|record| is(record, name));
        let names = ["isApiErrorMessage", "is_api_error_message"];
        let is_answer = self.page.turn.role == TurnRole::Assistant;
        // Earlier streams name the error alone.
        let mut errors = self.records.iter().map(|record| field(record, "error"));
        let is_api_error =
            names.into_iter().any(has) || (is_answer && errors.any(Value::is_string));
        let marks = [
            (has("isCompactSummary"), "summary"),
            (is_api_error, "API error"),
            (self.page.is_orphan, "sub-agent, call missing"),
        ];
        let marks = marks.iter().filter(|(is_so, _)| *is_so);
        marks.map(|(_, mark)| *mark).collect()
    }

    fn items(&self) -> Vec<Item> {
        let records = self.records.iter();
        let items = records.flat_map(|record| self.items_of(record));
        let named = items.map(|item| Item {
            name: match item.name {
                name if name.is_empty() => self.name(item.kind).to_owned(),
                name => name,
            },
            ..item
        });
        named.collect()
    }

    fn name(&self, kind: &str) -> &'static str {
        match (kind, &self.page.turn.parent_tool_use_id) {
            ("prompt", None) => "You",
            ("prompt", Some(_)) => "Task",
            ("text", None) => "Claude",
            ("text", Some(_)) => "Sub-agent",
            ("thinking", _) => "Thought",
            _ if self.who() == "user" => "Note",
            _ => "Claude Code",
        }
    }

    fn items_of(&self, record: &Value) -> Vec<Item> {
        let content = field(field(record, "message"), "content");
        let text_alone = std::slice::from_ref(content);
        let blocks = match content {
            Value::Array(blocks) => blocks.as_slice(),
            Value::Null => &[],
            _ => text_alone,
        };
        let items = blocks.iter().flat_map(|block| {
            let kind = field(block, "type").as_str().unwrap_or_default();
            match kind {
                _ if block.is_string() => self.texts(&text(block)),
                "text" => self.texts(&text_of(block, "text")),
                _ => self.item(kind, record, block).into_iter().collect(),
            }
        });
        items.collect()
    }

    fn item(&self, kind: &str, record: &Value, block: &Value) -> Option<Item> {
        let mut body = Markup::default();
        match kind {
            "thinking" => {
                let said = text_of(block, "thinking");
                (!said.trim().is_empty()).then(|| {
                    prose::add(&mut body, &said, ANSWER_BYTES);
                    item("thinking", &said, body)
                })
            }
            "redacted_thinking" => {
                body.note("Thinking that the API returned encrypted.");
                Some(item("thinking", "encrypted", body))
            }
            "tool_use" | "server_tool_use" | "mcp_tool_use" => Some(self.call(record, block)),
            // Shown with its call, if that is in the conversation.
            _ if kind.ends_with("tool_result") => self.lone_result(record, block),
            "image" => {
                add_image(&mut body, block);
                Some(item(self.kind(), "Picture", body))
            }
            "document" => {
                let source = field(block, "source");
                let (title, data) = (text_of(block, "title"), text_of(source, "data"));
                body.note(&format!(
                    "Document {title}, {}",
                    text(first(source, &["media_type", "type"]))
                ));
                if field(source, "type") == "text" {
                    lines::plain_text(&mut body, &data, "pre.text");
                }
                Some(item(self.kind(), &format!("Document {title}"), body))
            }
            _ => {
                body.note(&format!("Block of the type {kind}"));
                lines::plain_text(&mut body, &text(block), "pre.text");
                Some(item("note", kind, body))
            }
        }
    }

    /// Returns what a text of this turn is.
    fn kind(&self) -> &'static str {
        match self.who() {
            "user" => "prompt",
            "assistant" => "text",
            _ => "note",
        }
    }

    /// Returns a text; of a user's, what Claude Code added to it is apart.
    fn texts(&self, said: &str) -> Vec<Item> {
        // What a command printed, or was called with, may have such elements of its own.
        let start = said.trim_start();
        let is_of_command = start.starts_with("<command-") || is_no_prompt(start);
        if self.page.turn.role != TurnRole::User || is_of_command {
            return self.text(said).into_iter().collect();
        }
        let parts = with_added(said).into_iter();
        let items = parts.filter_map(|part| match part.name {
            "" => self.text(part.content),
            _ => Some(added(part)),
        });
        items.collect()
    }

    fn text(&self, said: &str) -> Option<Item> {
        let (mut kind, mut said) = (self.kind(), said.to_owned());
        if self.page.turn.role == TurnRole::User {
            if is_no_prompt(said.trim_start()) {
                kind = "note";
            }
            said = typed(&said).into_owned();
        }
        if said.trim().is_empty() {
            return None;
        }
        let mut body = Markup::default();
        match kind {
            "text" => prose::add(&mut body, &said, ANSWER_BYTES),
            _ => prose::add(&mut body, &said, PROMPT_BYTES),
        }
        Some(item(kind, &said, body))
    }

    fn call(&self, record: &Value, block: &Value) -> Item {
        let id = text_of(block, "id");
        let name = match text_of(block, "name") {
            name if name.is_empty() => "(no name)".to_owned(),
            name => name,
        };
        let came = self.result_of(&id);
        let call = Call {
            name: &name,
            input: field(block, "input"),
            result: came.map(|(_, outcome)| outcome),
            cwd: self.cwd,
        };
        let mut shown = call.shown();
        let count = self.outcomes(&id).count();
        if count > 1 {
            shown.body.note(&format!(
                "{count} results came for this call; the last one is shown."
            ));
        }
        let times = (
            time_of(record),
            came.and_then(|(record, _)| time_of(record)),
        );
        let ms = times.0.zip(times.1).map(|(start, end)| end - start);
        Item {
            call: Some(CallItem {
                id,
                state: match came {
                    None => "pending",
                    Some(_) if call.is_error() => "error",
                    Some(_) => "ok",
                },
                outcome: shown.outcome,
                reason: call.reason(),
                ms: ms.filter(|ms| *ms >= 0),
                changed: shown.changed,
            }),
            name: shown_name(&name),
            ..item("call", &shown.target, shown.body)
        }
    }

    fn outcomes(&self, id: &str) -> impl Iterator<Item = (&Value, Outcome<'_>)> {
        // In a stream, a tool that the server runs has its result in the same message.
        let records = self.records.iter().chain(self.results);
        records.flat_map(move |record| {
            let results: Vec<&Value> = results_in(record).collect();
            // One record has one note: of two results, nobody can say whose it is.
            let meta = match results.len() {
                1 => first(record, &["tool_use_result", "toolUseResult"]),
                _ => &value::NULL,
            };
            let of_call = results
                .into_iter()
                .filter(|block| field(block, "tool_use_id") == id);
            let of_call: Vec<_> = of_call
                .map(|block| (record, Outcome { block, meta }))
                .collect();
            of_call
        })
    }

    fn result_of(&self, id: &str) -> Option<(&Value, Outcome<'_>)> {
        self.outcomes(id).last()
    }

    /// Returns a result whose call is missing.
    fn lone_result(&self, record: &Value, block: &Value) -> Option<Item> {
        let id = text_of(block, "tool_use_id");
        let own = self
            .records
            .iter()
            .flat_map(|record| list(field(field(record, "message"), "content")));
        let has_call = own
            .into_iter()
            .any(|other| field(other, "id") == id.as_str());
        if has_call || !self.page.lone_results.contains(&id) {
            return None;
        }
        let meta = first(record, &["tool_use_result", "toolUseResult"]);
        let call = Call {
            name: "",
            input: &value::NULL,
            result: Some(Outcome { block, meta }),
            cwd: self.cwd,
        };
        let mut shown = call.shown();
        shown
            .body
            .note("The call of this result is not in the conversation.");
        let state = if call.is_error() { "error" } else { "ok" };
        let call = CallItem {
            id,
            state,
            reason: call.reason(),
            ..CallItem::default()
        };
        Some(Item {
            call: Some(call),
            name: "(call missing)".to_owned(),
            ..item("call", &shown.target, shown.body)
        })
    }
}

/// What Claude Code writes in the user's name, and what its own commands print.
const NOT_PROMPTS: [&str; 5] = [
    "<local-command-",
    "<bash-stdout",
    "<bash-stderr",
    "[Request interrupted",
    "Caveat: The messages below were generated by the user",
];

fn is_no_prompt(text: &str) -> bool {
    NOT_PROMPTS.iter().any(|one| text.starts_with(one))
}

/// Returns a note of what Claude Code added to a text. That of a task says in elements how it ended.
fn added(part: Element<'_>) -> Item {
    let (mut body, mut gist) = (Markup::default(), part.content);
    let (inner, rest) = elements(part.content);
    for one in inner {
        match one.name {
            "result" => prose::add(&mut body, one.content, ANSWER_BYTES),
            name => body.facts(&[(name, one.content.trim().to_owned())]),
        }
        if one.name == "summary" {
            gist = one.content;
        }
    }
    prose::add(&mut body, rest, PROMPT_BYTES);
    let name = part.name.replace(['-', '_'], " ");
    Item {
        name: "Claude Code".to_owned(),
        ..item("note", &format!("{name}: {}", gist.trim()), body)
    }
}

fn item(kind: &'static str, said: &str, body: Markup) -> Item {
    let gist = match kind {
        "call" => gist(said, 160),
        _ => gist_of_markdown(said, 160),
    };
    Item {
        kind,
        gist,
        body: body.into_string(),
        ..Item::default()
    }
}

/// Returns the name of a tool; that of an MCP server's, `mcp__plots__bar`, as `plots: bar`.
fn shown_name(name: &str) -> String {
    let of_server = name
        .strip_prefix("mcp__")
        .and_then(|rest| rest.split_once("__"));
    plain(&of_server.map_or_else(
        || name.to_owned(),
        |(server, tool)| format!("{server}: {tool}"),
    ))
}

fn results_in(record: &Value) -> impl Iterator<Item = &Value> {
    let blocks = list(field(field(record, "message"), "content")).iter();
    blocks.filter(|block| {
        field(block, "type")
            .as_str()
            .is_some_and(|kind| kind.ends_with("tool_result"))
    })
}

fn time_of(record: &Value) -> Option<i64> {
    milliseconds(field(record, "timestamp").as_str()?)
}

fn milliseconds(time: &str) -> Option<i64> {
    let since = ccd_base::clock::parse(time)?
        .duration_since(std::time::UNIX_EPOCH)
        .ok()?;
    i64::try_from(since.as_millis()).ok()
}
