//! Tokens of one response.

use super::loose::{Fields, Loose, elements, number, object, skip, text};
use ccd_protocol::conversation::CacheCreation;
pub use ccd_protocol::conversation::ConversationUsage as Usage;
use serde::de::MapAccess;
use serde_json::value::RawValue;

/// A call of a model that a message took, and that its totals do not count.
/// The API lists all calls in `usage.iterations`. The totals are the sum of the entries `message`. They leave out
/// `advisor_message`, which has prices of its own, and `compaction`, the summary of what came before
/// (platform.claude.com: "Advisor tool", usage and billing; "Compaction", understanding usage; a real record is in
/// github.com/ccusage/ccusage/issues/1115). Entries of other types are not added: the totals of an answer by another model
/// (`fallback_message`) are those of that model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideCall {
    /// `None` for the model of the message.
    pub model: Option<String>,
    pub usage: Usage,
}

/// The usage of a message: tokens, and what changes their price.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageUsage {
    /// Without those of the side calls.
    pub tokens: Usage,
    pub side_calls: Vec<SideCall>,
    /// Answered in fast mode, which has prices of its own.
    pub is_fast: bool,
    /// Processed in the United States only, for a surcharge.
    pub is_us_only: bool,
}

impl MessageUsage {
    /// Returns the tokens with those of the side calls.
    #[must_use]
    pub fn total(&self) -> Usage {
        let mut total = self.tokens;
        for call in &self.side_calls {
            total += &call.usage;
        }
        total
    }
}

impl<'de> Fields<'de> for MessageUsage {
    fn field<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        let mut is = |wanted| Ok(text(map)?.as_deref() == Some(wanted));
        match name {
            "speed" => self.is_fast = is("fast")?,
            "inference_geo" => self.is_us_only = is("us")?,
            "iterations" => self.side_calls = side_calls(map.next_value()?),
            _ => self.tokens.field(name, map)?,
        }
        Ok(())
    }
}

/// An entry of `iterations`.
#[derive(Default)]
struct Iteration {
    kind: Option<String>,
    model: Option<String>,
    usage: Usage,
}

impl<'de> Fields<'de> for Iteration {
    fn field<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        let mut owned = || Ok(text(map)?.map(Into::into));
        match name {
            "type" => self.kind = owned()?,
            "model" => self.model = owned()?,
            _ => self.usage.field(name, map)?,
        }
        Ok(())
    }
}

fn side_calls(iterations: &RawValue) -> Vec<SideCall> {
    // Nearly always it is empty or null.
    if iterations.get().len() <= 4 {
        return Vec::new();
    }
    let iterations = elements::<Loose<'_, Iteration>>(iterations.get()).into_iter();
    let side_call = |one: Iteration| match one.kind.as_deref() {
        Some("advisor_message") => Some((one.model, one.usage)),
        Some("compaction") => Some((None, one.usage)),
        _ => None,
    };
    let side_calls = iterations.filter_map(|one| one.object().and_then(side_call));
    side_calls
        .map(|(model, usage)| SideCall { model, usage })
        .collect()
}

/// No response has more tokens. Sums of millions of messages stay numbers of SQLite.
const MAX_COUNT: u64 = 1 << 40;

/// Reads how many there are; none if that cannot be true, as if it were no number.
fn count<'de, A: MapAccess<'de>>(map: &mut A) -> Result<u64, A::Error> {
    let count = number(map)?.filter(|count| *count <= MAX_COUNT);
    Ok(count.unwrap_or(0))
}

impl<'de> Fields<'de> for Usage {
    fn field<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        match name {
            "input_tokens" => self.input_tokens = count(map)?,
            "output_tokens" => self.output_tokens = count(map)?,
            "cache_creation_input_tokens" => self.cache_creation_input_tokens = count(map)?,
            "cache_read_input_tokens" => self.cache_read_input_tokens = count(map)?,
            "cache_creation" => {
                self.cache_creation = object(map)?.unwrap_or_default();
            }
            "server_tool_use" => {
                let requests: Option<ServerTools> = object(map)?;
                self.web_search_requests = requests.unwrap_or_default().web_search_requests;
            }
            _ => skip(map)?,
        }
        Ok(())
    }
}

impl<'de> Fields<'de> for CacheCreation {
    fn field<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        match name {
            "ephemeral_5m_input_tokens" => self.ephemeral_5m_input_tokens = count(map)?,
            "ephemeral_1h_input_tokens" => self.ephemeral_1h_input_tokens = count(map)?,
            _ => skip(map)?,
        }
        Ok(())
    }
}

#[derive(Default)]
struct ServerTools {
    web_search_requests: u64,
}

impl<'de> Fields<'de> for ServerTools {
    fn field<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        match name {
            "web_search_requests" => {
                self.web_search_requests = count(map)?;
                Ok(())
            }
            _ => skip(map),
        }
    }
}
