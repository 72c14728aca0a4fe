//! Tokens by what they cost.

use crate::line::Usage;

/// The tokens of one response, each in one of the kinds that have a price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tokens {
    pub(super) input: u64,
    pub(super) output: u64,
    /// Written to the cache for five minutes.
    pub(super) cache_write_5m: u64,
    /// Written to the cache for an hour.
    pub(super) cache_write_1h: u64,
    pub(super) cache_read: u64,
}

impl From<&Usage> for Tokens {
    /// Writes to the cache of which no part says how long they last are for five minutes, the default of the API. Parts
    /// that add up to more than their sum count: the API never writes such a sum, so it was lost on the way.
    fn from(usage: &Usage) -> Self {
        let parts = usage.cache_creation;
        let known = parts
            .ephemeral_5m_input_tokens
            .saturating_add(parts.ephemeral_1h_input_tokens);
        let writes = usage.cache_creation_input_tokens.max(known);
        Self {
            input: usage.input_tokens,
            output: usage.output_tokens,
            cache_write_5m: writes - parts.ephemeral_1h_input_tokens,
            cache_write_1h: parts.ephemeral_1h_input_tokens,
            cache_read: usage.cache_read_input_tokens,
        }
    }
}

impl Tokens {
    /// Returns how long the prompt was: everything but the output.
    pub(super) fn prompt(&self) -> u64 {
        self.input
            .saturating_add(self.cache_read)
            .saturating_add(self.cache_write_5m)
            .saturating_add(self.cache_write_1h)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccd_protocol::conversation::CacheCreation;

    /// Returns the writes for five minutes and for an hour.
    fn writes(sum: u64, five_minutes: u64, hour: u64) -> (u64, u64) {
        let tokens = Tokens::from(&Usage {
            cache_creation_input_tokens: sum,
            cache_creation: CacheCreation {
                ephemeral_5m_input_tokens: five_minutes,
                ephemeral_1h_input_tokens: hour,
            },
            ..Usage::default()
        });
        (tokens.cache_write_5m, tokens.cache_write_1h)
    }

    #[test]
    fn cache_writes_of_unknown_lifetime_are_for_five_minutes() {
        assert_eq!(writes(100, 60, 40), (60, 40));
        assert_eq!(writes(100, 0, 0), (100, 0), "no parts");
        assert_eq!(writes(100, 10, 40), (60, 40), "parts of less");
    }

    #[test]
    fn parts_that_exceed_their_sum_count() {
        assert_eq!(writes(100, 80, 40), (80, 40));
        assert_eq!(writes(0, 0, 40), (0, 40));
        assert_eq!(writes(1, u64::MAX, u64::MAX), (0, u64::MAX));
    }

    #[test]
    fn a_prompt_is_all_that_was_sent() {
        let tokens = Tokens {
            input: 1,
            output: 1000,
            cache_write_5m: 20,
            cache_write_1h: 300,
            cache_read: 4000,
        };
        assert_eq!(tokens.prompt(), 1 + 20 + 300 + 4000);
    }
}
