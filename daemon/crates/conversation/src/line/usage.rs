//! Tokens of one response, or the sum of several.

use super::loose::{Fields, Number, Object, skip};
use serde::Serialize;
use serde::de::MapAccess;
use std::ops::AddAssign;

/// Tokens by kind. Absent ones are 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Without those that were read from or written to the cache.
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Tokens written to the cache, whatever their lifetime.
    pub cache_creation_input_tokens: u64,
    pub cache_read_input_tokens: u64,
    /// A part of `cache_creation_input_tokens`, by lifetime. Older records do not have it.
    pub cache_creation: CacheCreation,
    pub web_search_requests: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CacheCreation {
    pub ephemeral_5m_input_tokens: u64,
    pub ephemeral_1h_input_tokens: u64,
}

impl Usage {
    /// Returns the share of the input that was read from the cache, 0.0 to 1.0; `None` without input.
    #[must_use]
    pub fn cache_hit_rate(&self) -> Option<f64> {
        let all =
            self.input_tokens + self.cache_creation_input_tokens + self.cache_read_input_tokens;
        (all > 0).then(|| self.cache_read_input_tokens as f64 / all as f64)
    }
}

impl AddAssign<&Self> for Usage {
    fn add_assign(&mut self, other: &Self) {
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.input_tokens, other.input_tokens);
        add(&mut self.output_tokens, other.output_tokens);
        add(
            &mut self.cache_creation_input_tokens,
            other.cache_creation_input_tokens,
        );
        add(
            &mut self.cache_read_input_tokens,
            other.cache_read_input_tokens,
        );
        add(
            &mut self.cache_creation.ephemeral_5m_input_tokens,
            other.cache_creation.ephemeral_5m_input_tokens,
        );
        add(
            &mut self.cache_creation.ephemeral_1h_input_tokens,
            other.cache_creation.ephemeral_1h_input_tokens,
        );
        add(&mut self.web_search_requests, other.web_search_requests);
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
