//! The content of a message.

use super::loose::{Fields, Loose, elements, flag, skip, text};
use serde::de::MapAccess;
use serde_json::value::RawValue;
use std::borrow::Cow;

#[derive(Debug, Clone)]
pub enum Block<'a> {
    Text(Cow<'a, str>),
    Thinking(Cow<'a, str>),
    /// A call of a tool, by Claude Code or by the API itself.
    ToolUse {
        id: Cow<'a, str>,
        name: Cow<'a, str>,
        /// JSON.
        input: Option<&'a RawValue>,
    },
    ToolResult {
        tool_use_id: Cow<'a, str>,
        /// A text, or a list of parts; see [`text_of`].
        content: Option<&'a RawValue>,
        is_error: bool,
    },
    /// An image, a document, a block of a kind that nobody knows yet.
    Other,
}

/// Returns the blocks of a message, in order; of a list that is too long, the first. A content that is a text is one block;
/// anything else has none.
#[must_use]
pub fn blocks(content: Option<&RawValue>) -> Vec<Block<'_>> {
    let Some(content) = content else {
        return Vec::new();
    };
    match content.get().as_bytes().first() {
        Some(b'"') => {
            let text = serde_json::from_str::<Loose<'_>>(content.get()).ok();
            let text = text.and_then(Loose::text).map(Block::Text);
            text.into_iter().collect()
        }
        Some(b'[') => {
            let list = elements::<Loose<'_, Parts<'_>>>(content.get()).into_iter();
            list.map(|block| block.object().map_or(Block::Other, Parts::block))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the blocks of a message as they were written, without results of tools. A content that is a text is a block of
/// type `text`.
#[must_use]
pub fn raw_blocks(content: Option<&RawValue>) -> Vec<Box<RawValue>> {
    let Some(content) = content else {
        return Vec::new();
    };
    match content.get().as_bytes().first() {
        Some(b'"') => {
            let block = format!("{{\"type\":\"text\",\"text\":{}}}", content.get());
            RawValue::from_string(block).into_iter().collect()
        }
        Some(b'[') => {
            let is_result = |raw: &RawValue| {
                let parts: Option<Loose<'_, Parts<'_>>> = serde_json::from_str(raw.get()).ok();
                let block = parts.and_then(Loose::object).map(Parts::block);
                matches!(block, Some(Block::ToolResult { .. }))
            };
            let list = elements::<&RawValue>(content.get()).into_iter();
            let list = list.filter(|raw| !is_result(raw));
            list.map(RawValue::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the text of a result: a text itself, or the texts of its parts in lines of their own.
#[must_use]
pub fn text_of(content: Option<&RawValue>) -> String {
    let blocks = blocks(content);
    let texts = blocks.iter().filter_map(|block| match block {
        Block::Text(text) => Some(text.as_ref()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Returns the name of the tool that a message calls with this id, and the input.
#[must_use]
pub fn call_in<'a>(
    content: Option<&'a RawValue>,
    call_id: &str,
) -> Option<(Cow<'a, str>, Option<&'a RawValue>)> {
    blocks(content).into_iter().find_map(|block| match block {
        Block::ToolUse { id, name, input } if id == call_id => Some((name, input)),
        _ => None,
    })
}

/// All fields of all kinds of blocks that matter.
#[derive(Debug, Default)]
struct Parts<'a> {
    kind: Option<Cow<'a, str>>,
    id: Option<Cow<'a, str>>,
    name: Option<Cow<'a, str>>,
    tool_use_id: Option<Cow<'a, str>>,
    text: Option<Cow<'a, str>>,
    thinking: Option<Cow<'a, str>>,
    input: Option<&'a RawValue>,
    content: Option<&'a RawValue>,
    is_error: bool,
}

impl<'de> Fields<'de> for Parts<'de> {
    fn field<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        match name {
            "type" => self.kind = text(map)?,
            "id" => self.id = text(map)?,
            "name" => self.name = text(map)?,
            "tool_use_id" => self.tool_use_id = text(map)?,
            "text" => self.text = text(map)?,
            "thinking" => self.thinking = text(map)?,
            "input" => self.input = Some(map.next_value()?),
            "content" => self.content = Some(map.next_value()?),
            "is_error" => self.is_error = flag(map)?,
            _ => skip(map)?,
        }
        Ok(())
    }
}

impl<'a> Parts<'a> {
    fn block(self) -> Block<'a> {
        let kind = self.kind.unwrap_or_default();
        match (kind.as_ref(), self.id, self.tool_use_id) {
            ("text", ..) => Block::Text(self.text.unwrap_or_default()),
            ("thinking", ..) => Block::Thinking(self.thinking.unwrap_or_default()),
            ("tool_use" | "server_tool_use" | "mcp_tool_use", Some(id), _) => Block::ToolUse {
                id,
                name: self.name.unwrap_or_default(),
                input: self.input,
            },
            // Such as `web_search_tool_result`, of a tool that the API ran.
            (kind, _, Some(tool_use_id)) if kind.ends_with("tool_result") => Block::ToolResult {
                tool_use_id,
                content: self.content,
                is_error: self.is_error,
            },
            _ => Block::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    #[test]
    fn content_is_a_text_or_a_list_of_blocks_of_any_kind() {
        let list = raw(
            r#"[{"type":"text","text":"a \"b\""},5,null,{"type":"image"},{"type":"tool_use","id":"t","name":"Read","input":{"x":1}},
            {"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"one"},{"type":"image"},{"type":"text","text":"two"}],"is_error":true}]"#,
        );
        let found = blocks(Some(&list));
        assert_eq!(found.len(), 6);
        assert!(matches!(&found[0], Block::Text(text) if text == "a \"b\""));
        assert!(matches!(&found[4], Block::ToolUse { name, .. } if name == "Read"));
        let Block::ToolResult {
            content, is_error, ..
        } = &found[5]
        else {
            panic!("{found:?}");
        };
        assert!(is_error);
        assert_eq!(text_of(*content), "one\ntwo");
        assert_eq!(text_of(Some(&raw("\"plain\""))), "plain");
        assert!(blocks(Some(&raw("{\"type\":\"text\"}"))).is_empty());
        assert!(blocks(None).is_empty());
    }

    #[test]
    fn a_list_of_very_many_blocks_has_the_first_ones() {
        let list = raw(&format!("[{}0]", "0,".repeat(20_000)));
        assert_eq!(blocks(Some(&list)).len(), 10_000);
        assert_eq!(raw_blocks(Some(&list)).len(), 10_000);
    }
}
