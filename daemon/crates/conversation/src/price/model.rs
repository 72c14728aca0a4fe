//! The prices of one model.

use super::tokens::Tokens;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

const TOKENS_PER_PRICE: f64 = 1_000_000.0;

#[derive(Debug, Clone)]
pub(super) struct Model {
    pub(super) rates: Rates,
    pub(super) long_prompt: Option<LongPrompt>,
    /// For fast mode, which has no price of its own for long prompts.
    pub(super) fast: Option<Rates>,
    /// Earlier prices, each with the first moment at which it no longer held; earliest first.
    pub(super) history: Vec<(OffsetDateTime, Rates)>,
}

/// The prices of requests with a prompt of more than `above_prompt_tokens`.
#[derive(Debug, Clone)]
pub(super) struct LongPrompt {
    pub(super) above_prompt_tokens: u64,
    pub(super) rates: Rates,
    /// When long prompts began to cost what short ones do.
    pub(super) until: Option<OffsetDateTime>,
}

/// US dollars per million tokens of each kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rates {
    pub(super) input: f64,
    pub(super) output: f64,
    pub(super) cache_write_5m: f64,
    pub(super) cache_write_1h: f64,
    pub(super) cache_read: f64,
}

impl Model {
    /// Returns the prices of all tokens of a request that was answered at `at`, an RFC 3339 time.
    /// Without a time that can be read, the newest prices hold. A model that has no fast mode ignores `is_fast`.
    pub(super) fn rates(&self, tokens: &Tokens, at: Option<&str>, is_fast: bool) -> &Rates {
        if let Some(fast) = self.fast.as_ref().filter(|_| is_fast) {
            return fast;
        }
        // The time is read here because few models have prices that changed.
        let was_before = |moment: OffsetDateTime| {
            let time = at.and_then(|text| OffsetDateTime::parse(text, &Rfc3339).ok());
            time.is_some_and(|time| time < moment)
        };
        let long_prompt = self.long_prompt.as_ref().filter(|long| {
            tokens.prompt() > long.above_prompt_tokens && long.until.is_none_or(was_before)
        });
        if let Some(long) = long_prompt {
            return &long.rates;
        }
        let earlier = self.history.iter().find(|(until, _)| was_before(*until));
        earlier.map_or(&self.rates, |(_, rates)| rates)
    }
}

impl Rates {
    pub(super) fn cost(&self, tokens: &Tokens) -> f64 {
        let sum = tokens.input as f64 * self.input
            + tokens.output as f64 * self.output
            + tokens.cache_write_5m as f64 * self.cache_write_5m
            + tokens.cache_write_1h as f64 * self.cache_write_1h
            + tokens.cache_read as f64 * self.cache_read;
        sum / TOKENS_PER_PRICE
    }
}
