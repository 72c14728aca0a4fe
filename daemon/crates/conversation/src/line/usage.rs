//! Tokens of one response.

use super::loose::{Fields, Number, Object, Text, skip};
use ccd_protocol::conversation::CacheCreation;
pub use ccd_protocol::conversation::ConversationUsage as Usage;
use serde::de::MapAccess;

/// The usage of a message: tokens, and what changes their price.
#[derive(Default)]
pub(super) struct MessageUsage {
    pub(super) tokens: Usage,
    pub(super) is_fast: bool,
    pub(super) is_us_only: bool,
}

impl<'de> Fields<'de> for MessageUsage {
    fn field<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        let mut is = |text| Ok(map.next_value::<Text<'de>>()?.0.as_deref() == Some(text));
        match name {
            "speed" => self.is_fast = is("fast")?,
            "inference_geo" => self.is_us_only = is("us")?,
            _ => self.tokens.field(name, map)?,
        }
        Ok(())
    }
}

impl<'de> Fields<'de> for Usage {
    fn field<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        let number = |map: &mut A| Ok(map.next_value::<Number>()?.0.unwrap_or_default());
        match name {
            "input_tokens" => self.input_tokens = number(map)?,
            "output_tokens" => self.output_tokens = number(map)?,
            "cache_creation_input_tokens" => self.cache_creation_input_tokens = number(map)?,
            "cache_read_input_tokens" => self.cache_read_input_tokens = number(map)?,
            "cache_creation" => {
                self.cache_creation = map.next_value::<Object<_>>()?.0.unwrap_or_default();
            }
            "server_tool_use" => {
                let requests = map.next_value::<Object<ServerTools>>()?.0;
                self.web_search_requests = requests.unwrap_or_default().web_search_requests;
            }
            _ => skip(map)?,
        }
        Ok(())
    }
}

impl<'de> Fields<'de> for CacheCreation {
    fn field<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        let number = |map: &mut A| Ok(map.next_value::<Number>()?.0.unwrap_or_default());
        match name {
            "ephemeral_5m_input_tokens" => self.ephemeral_5m_input_tokens = number(map)?,
            "ephemeral_1h_input_tokens" => self.ephemeral_1h_input_tokens = number(map)?,
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
                let number = map.next_value::<Number>()?.0;
                self.web_search_requests = number.unwrap_or_default();
                Ok(())
            }
            _ => skip(map),
        }
    }
}
