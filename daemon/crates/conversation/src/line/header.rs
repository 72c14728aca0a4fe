//! What a line says of itself.

use super::loose::{Fields, Loose, flag, object, skip, text};
use super::run::{ModelUse, run_used};
use super::usage::{MessageUsage, Usage};
use ccd_protocol::conversation::TurnRole;
use serde::de::MapAccess;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A line that is a JSON object with a type. Its texts are borrowed unless they have escapes.
#[derive(Debug, Clone, Default)]
pub struct Line<'a> {
    /// The line as it was written, if it was read from a file.
    pub raw: &'a [u8],
    pub kind: LineType<'a>,
    pub uuid: Option<Cow<'a, str>>,
    pub session_id: Option<Cow<'a, str>>,
    /// The call that started the sub-agent which this is a record of. Transcripts on disk do not have it.
    pub parent_tool_use_id: Option<Cow<'a, str>>,
    pub agent_id: Option<Cow<'a, str>>,
    /// A record of a sub-agent, in a transcript on disk.
    pub is_sidechain: bool,
    /// Written by Claude Code in the user's name, such as a caveat about local commands or the summary of what was before.
    pub is_meta: bool,
    /// A record that the main conversation has of a sub-agent's: its calls and their results.
    pub is_progress: bool,
    /// The record before it. Sub-agents in old transcripts are told apart by it.
    pub parent_uuid: Option<Cow<'a, str>>,
    /// The prompt that the record is, or answers with a result. Hooks get it too.
    pub prompt_id: Option<Cow<'a, str>>,
    /// RFC 3339, as it was written.
    pub timestamp: Option<Cow<'a, str>>,
    pub cwd: Option<Cow<'a, str>>,
    pub branch: Option<Cow<'a, str>>,
    /// The title that the user or Claude Code gave the conversation.
    pub title: Option<(TitleKind, Cow<'a, str>)>,
    pub message: Option<Message<'a>>,
    /// What Claude Code notes about the result of a tool: an object, a text or a list.
    pub result_meta: Option<&'a RawValue>,
    /// The start of a run, in a stream.
    pub is_run_start: bool,
    /// What a run used, on the last line of its stream.
    pub run_used: Option<Vec<ModelUse>>,
    model_usage: Option<&'a RawValue>,
    usage: Option<Usage>,
    total_cost_usd: Option<f64>,
    progress: Option<Box<Line<'a>>>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum LineType<'a> {
    Assistant,
    User,
    /// Neither: `system`, `summary`, `result`, and what future versions add.
    Other(Cow<'a, str>),
    /// There is none.
    #[default]
    Missing,
}

/// Where a title comes from, least important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TitleKind {
    /// The first words of the first answer: a stream does not have its prompt.
    Answer,
    /// A command that the user gave to Claude Code itself, such as `/model`.
    Command,
    /// The first prompt, in place of a title.
    Prompt,
    /// Of a conversation that this one continues, or of an earlier part.
    Summary,
    Generated,
    Custom,
}

#[derive(Debug, Clone, Default)]
pub struct Message<'a> {
    pub id: Option<Cow<'a, str>>,
    pub model: Option<Cow<'a, str>>,
    /// A text or a list of blocks; see [`super::blocks`].
    pub content: Option<&'a RawValue>,
    pub usage: Option<MessageUsage>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrong {
    NotJson,
    NotAnObject,
    NoType,
    NoUuid,
    NoSession,
}

/// Returns what a line says. It must have no line end.
/// A line that is not UTF-8 is [`Wrong::NotJson`]; the caller may try it again with replacement characters.
pub fn read(line: &[u8]) -> Result<Line<'_>, Wrong> {
    let line: Loose<'_, Line<'_>> = serde_json::from_slice(line).map_err(|_| Wrong::NotJson)?;
    let line = line.object().ok_or(Wrong::NotAnObject)?.settled();
    match line.kind {
        LineType::Missing => Err(Wrong::NoType),
        LineType::Other(_) => Ok(line),
        LineType::Assistant | LineType::User if line.uuid.is_none() => Err(Wrong::NoUuid),
        LineType::Assistant | LineType::User if line.session_id.is_none() => Err(Wrong::NoSession),
        LineType::Assistant | LineType::User => Ok(line),
    }
}

impl<'de> Fields<'de> for Line<'de> {
    fn field<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        match name {
            "type" => {
                self.kind = match text(map)? {
                    None => LineType::Missing,
                    Some(kind) if kind == "assistant" => LineType::Assistant,
                    Some(kind) if kind == "user" => LineType::User,
                    Some(kind) => LineType::Other(kind),
                }
            }
            "uuid" => self.uuid = id(map)?,
            "session_id" | "sessionId" => self.session_id = id(map)?.or(self.session_id.take()),
            "parent_tool_use_id" => self.parent_tool_use_id = id(map)?,
            "agentId" | "agent_id" => self.agent_id = id(map)?.or(self.agent_id.take()),
            "isSidechain" => self.is_sidechain = flag(map)?,
            "isMeta" | "isCompactSummary" | "isSynthetic" => {
                self.is_meta |= flag(map)?;
            }
            "parentUuid" => self.parent_uuid = id(map)?,
            "subtype" => self.is_run_start = id(map)?.as_deref() == Some("init"),
            "modelUsage" => self.model_usage = raw(map)?,
            "usage" => self.usage = object(map)?,
            "total_cost_usd" => {
                let cost: &RawValue = map.next_value()?;
                self.total_cost_usd = cost.get().parse().ok();
            }
            "data" => {
                self.progress = object::<_, Progress<'de>>(map)?.and_then(Progress::record);
            }
            "parentToolUseID" => self.parent_tool_use_id = id(map)?,
            "promptId" => self.prompt_id = id(map)?,
            "timestamp" => self.timestamp = id(map)?,
            "cwd" => self.cwd = id(map)?,
            "gitBranch" => self.branch = id(map)?,
            "summary" => self.take_title(TitleKind::Summary, map)?,
            "aiTitle" => self.take_title(TitleKind::Generated, map)?,
            "customTitle" => self.take_title(TitleKind::Custom, map)?,
            "message" => self.message = object(map)?,
            "tool_use_result" | "toolUseResult" => self.result_meta = raw(map)?,
            _ => skip(map)?,
        }
        Ok(())
    }
}

#[derive(Default)]
struct Progress<'a> {
    kind: Option<Cow<'a, str>>,
    agent_id: Option<Cow<'a, str>>,
    record: Option<Line<'a>>,
}

impl<'de> Fields<'de> for Progress<'de> {
    fn field<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        match name {
            "type" => self.kind = id(map)?,
            "agentId" => self.agent_id = id(map)?,
            "message" => self.record = object(map)?,
            _ => skip(map)?,
        }
        Ok(())
    }
}

impl<'a> Progress<'a> {
    /// Returns the record of a sub-agent's that was reported.
    fn record(self) -> Option<Box<Line<'a>>> {
        let record = self.record.filter(|record| {
            self.kind.as_deref() == Some("agent_progress") && record.role().is_some()
        })?;
        Some(Box::new(Line {
            agent_id: self.agent_id,
            ..record
        }))
    }
}

impl<'a> Line<'a> {
    /// Returns who says it; `None` if it is no record.
    #[must_use]
    pub fn role(&self) -> Option<TurnRole> {
        match self.kind {
            LineType::Assistant => Some(TurnRole::Assistant),
            LineType::User => Some(TurnRole::User),
            LineType::Other(_) | LineType::Missing => None,
        }
    }

    /// Returns the id of the message; that of the record itself for a user, or if there is none.
    #[must_use]
    pub fn message_id(&self) -> Option<&str> {
        let message = self.message.as_ref();
        let message = message.filter(|_| self.kind == LineType::Assistant);
        let id = message.and_then(|message| message.id.as_ref());
        id.or(self.uuid.as_ref()).map(AsRef::as_ref)
    }

    /// Returns the model that answered.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        let model = self.message.as_ref()?.model.as_deref();
        model.filter(|model| *model != "<synthetic>")
    }

    /// Notes the call that started the sub-agent whose file has the line, unless the line names one.
    pub(crate) fn belongs_to(&mut self, parent: Option<&str>) {
        if self.parent_tool_use_id.is_none() {
            self.parent_tool_use_id = parent.map(|parent| Cow::Owned(parent.to_owned()));
        }
    }

    /// Applies what only all members together say.
    fn settled(mut self) -> Self {
        let is = |kind: &str| self.kind == LineType::Other(kind.into());
        // Notes about tasks and tools have summaries of their own.
        if matches!(self.title, Some((TitleKind::Summary, _))) && !is("summary") {
            self.title = None;
        }
        let is_progress = is("progress");
        self.is_run_start &= is("system");
        if is("result") {
            self.run_used = run_used(self.model_usage, self.usage, self.total_cost_usd);
        }
        match self.progress.take().filter(|_| is_progress) {
            None => self,
            Some(record) => Self {
                kind: record.kind,
                uuid: record.uuid.or(self.uuid),
                agent_id: record.agent_id,
                message: record.message,
                result_meta: record.result_meta,
                is_sidechain: true,
                is_progress: true,
                ..self
            },
        }
    }

    fn take_title<A: MapAccess<'a>>(
        &mut self,
        kind: TitleKind,
        map: &mut A,
    ) -> Result<(), A::Error> {
        self.title = id(map)?.map(|text| (kind, text)).or(self.title.take());
        Ok(())
    }
}

impl<'de> Fields<'de> for Message<'de> {
    fn field<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        match name {
            "id" => self.id = id(map)?,
            "model" => self.model = id(map)?,
            "content" => self.content = raw(map)?,
            "usage" => self.usage = object(map)?,
            _ => skip(map)?,
        }
        Ok(())
    }
}

/// Reads a text that is not empty.
fn id<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Option<Cow<'de, str>>, A::Error> {
    Ok(text(map)?.filter(|text| !text.is_empty()))
}

/// Reads a value as it was written.
fn raw<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Option<&'de RawValue>, A::Error> {
    let raw: &RawValue = map.next_value()?;
    Ok(Some(raw).filter(|raw| raw.get() != "null"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_the_same_line() {
        let stream = br#"{"type":"user","uuid":"u","session_id":"s","parent_tool_use_id":null,"tool_use_result":"x","message":{"role":"user","content":"hi"}}"#;
        let disk = br#"{"isSidechain":false,"type":"user","uuid":"u","sessionId":"s","toolUseResult":"x","message":{"role":"user","content":"hi"}}"#;
        for bytes in [&stream[..], disk] {
            let line = read(bytes).unwrap();
            assert_eq!(line.kind, LineType::User);
            assert_eq!(
                (line.uuid.as_deref(), line.session_id.as_deref()),
                (Some("u"), Some("s"))
            );
            assert_eq!(line.result_meta.unwrap().get(), "\"x\"");
            assert_eq!(line.message.unwrap().content.unwrap().get(), "\"hi\"");
        }
    }

    #[test]
    fn what_is_no_record_says_why() {
        for (text, wrong) in [
            ("not json", Wrong::NotJson),
            ("{\"type\":\"assistant\"", Wrong::NotJson),
            ("{\"type\":\"user\"} x", Wrong::NotJson),
            ("null", Wrong::NotAnObject),
            ("[1,2]", Wrong::NotAnObject),
            ("\"text\"", Wrong::NotAnObject),
            ("{}", Wrong::NoType),
            ("{\"type\":5}", Wrong::NoType),
            ("{\"type\":\"user\",\"session_id\":\"s\"}", Wrong::NoUuid),
            ("{\"type\":\"user\",\"uuid\":\"u\"}", Wrong::NoSession),
        ] {
            assert_eq!(read(text.as_bytes()).unwrap_err(), wrong, "{text}");
        }
    }

    #[test]
    fn the_end_of_a_run_says_what_it_used_in_the_words_of_any_version() {
        for (members, expected) in [
            (
                r#""usage":{"input_tokens":9},"total_cost_usd":0.5,"modelUsage":{"m":{"inputTokens":2,"costUSD":0.1}}"#,
                Some(vec![("m", 2, Some(0.1))]),
            ),
            (
                r#""usage":{"input_tokens":9},"total_cost_usd":0.5"#,
                Some(vec![("", 9, Some(0.5))]),
            ),
            (
                r#""usage":{"input_tokens":9},"total_cost_usd":null,"modelUsage":{}"#,
                Some(vec![("", 9, None)]),
            ),
            (
                r#""usage":{"input_tokens":0},"modelUsage":{}"#,
                Some(vec![]),
            ),
            (r#""usage":null,"total_cost_usd":0.5"#, None),
        ] {
            let text = format!(r#"{{"type":"result",{members}}}"#);
            let line = read(text.as_bytes()).unwrap();
            let used = line.run_used.as_ref().map(|used| {
                let one =
                    |one: &'_ ModelUse| (one.model.clone(), one.usage.input_tokens, one.cost_usd);
                used.iter().map(one).collect::<Vec<_>>()
            });
            let expected = expected.map(|expected| {
                let own = |(model, tokens, cost): (&str, u64, Option<f64>)| {
                    (model.to_owned(), tokens, cost)
                };
                expected.into_iter().map(own).collect::<Vec<_>>()
            });
            assert_eq!(used, expected, "{members}");
        }
    }

    #[test]
    fn fields_of_unexpected_types_are_absent_and_unknown_ones_are_skipped() {
        let text = r#"{"type":"assistant","uuid":"u","uuid":"v","session_id":"s","timestamp":5,"cwd":{"a":[1]},"gitBranch":[null,{}],
            "isSidechain":"yes","new":{"deep":[{}]},"message":{"id":7,"model":null,"usage":{"input_tokens":"many","output_tokens":3.0,
            "cache_read_input_tokens":-1,"cache_creation":5},"content":null}}"#;
        let line = read(text.as_bytes()).unwrap();
        assert_eq!(line.uuid.as_deref(), Some("v"));
        assert_eq!(
            (&line.timestamp, &line.cwd, &line.branch),
            (&None, &None, &None)
        );
        assert!(!line.is_sidechain);
        let message = line.message.unwrap();
        assert_eq!((message.id, message.model), (None, None));
        assert!(message.content.is_none());
        let usage = message.usage.unwrap().tokens;
        assert_eq!((usage.input_tokens, usage.output_tokens), (0, 3));
        let no_message = read(br#"{"type":"user","uuid":"u","session_id":"s","message":"x"}"#);
        assert!(no_message.unwrap().message.is_none());
    }

    #[test]
    fn calls_of_an_advisor_and_of_a_compaction_are_not_part_of_the_totals() {
        let all = |iterations: &str| {
            let text = format!(
                r#"{{"type":"assistant","uuid":"u","session_id":"s","message":{{"model":"m","usage":{{"input_tokens":2,
                "output_tokens":491,"iterations":{iterations}}}}}}}"#
            );
            let message = read(text.as_bytes()).unwrap().message.unwrap();
            let used = message.usage.unwrap();
            let (usage, calls) = (used.total(), used.side_calls.into_iter());
            let models: Vec<_> = calls.map(|one| one.model).collect();
            (
                usage.input_tokens,
                usage.output_tokens,
                usage.cache_read_input_tokens,
                models,
            )
        };
        let advised = r#"[{"type":"message","input_tokens":1,"output_tokens":45},
            {"type":"advisor_message","model":"a","input_tokens":159419,"output_tokens":7805,"cache_read_input_tokens":3},
            {"type":"message","input_tokens":1,"output_tokens":446}]"#;
        assert_eq!(all(advised), (159_421, 8296, 3, vec![Some("a".to_owned())]));
        let compacted = r#"[{"type":"compaction","input_tokens":180,"output_tokens":35},{"type":"message","input_tokens":2,"output_tokens":491}]"#;
        assert_eq!(all(compacted), (182, 526, 0, vec![None]));
        for none in [
            "[]",
            "null",
            "5",
            r#"{"type":"compaction"}"#,
            r#"[null,5,{"type":7},{"input_tokens":9}]"#,
            r#"[{"type":"fallback_message","input_tokens":2,"output_tokens":491}]"#,
        ] {
            assert_eq!(all(none), (2, 491, 0, vec![]), "{none}");
        }
    }

    #[test]
    fn a_message_knows_what_changes_the_price_of_its_tokens() {
        let flags = |usage: &str| {
            let text = format!(
                r#"{{"type":"assistant","uuid":"u","session_id":"s","message":{{"usage":{usage}}}}}"#
            );
            let message = read(text.as_bytes()).unwrap().message.unwrap();
            let usage = message.usage.unwrap_or_default();
            (usage.tokens.input_tokens, usage.is_fast, usage.is_us_only)
        };
        for (usage, expected) in [
            (r#"{"input_tokens":1,"speed":"fast"}"#, (1, true, false)),
            (
                r#"{"inference_geo":"us","input_tokens":1}"#,
                (1, false, true),
            ),
            (
                r#"{"input_tokens":1,"speed":"standard","inference_geo":""}"#,
                (1, false, false),
            ),
            (
                r#"{"input_tokens":1,"speed":null,"inference_geo":["us"]}"#,
                (1, false, false),
            ),
            ("null", (0, false, false)),
        ] {
            assert_eq!(flags(usage), expected, "{usage}");
        }
    }
}
