//! The prices of one model.

use super::tokens::Tokens;
use serde::Deserialize;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Date, OffsetDateTime, Time};

const TOKENS_PER_PRICE: f64 = 1_000_000.0;

/// The largest price or factor. With it, no cost is infinite.
const MAX_NUMBER: f64 = 1_000_000.0;

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Model {
    #[serde(flatten)]
    pub(super) rates: Rates,
    long_prompt: Option<LongPrompt>,
    /// For fast mode, which has no price of its own for long prompts.
    fast: Option<Rates>,
    /// Earlier prices.
    history: Option<Vec<Period>>,
}

/// The prices of requests with a prompt of more than `above_prompt_tokens`.
#[derive(Debug, Clone, Deserialize)]
struct LongPrompt {
    above_prompt_tokens: u64,
    #[serde(flatten)]
    rates: Rates,
    /// When long prompts began to cost what short ones do.
    until: Option<Day>,
}

/// Prices, and the first day on which they no longer held.
#[derive(Debug, Clone, Deserialize)]
struct Period {
    until: Day,
    #[serde(flatten)]
    rates: Rates,
}

/// US dollars per million tokens of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(super) struct Rates {
    pub(super) input: Number,
    output: Number,
    cache_write_5m: Number,
    cache_write_1h: Number,
    cache_read: Number,
}

/// A price or a factor.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
pub(super) struct Number(pub(super) f64);

impl TryFrom<f64> for Number {
    type Error = String;

    fn try_from(number: f64) -> Result<Self, String> {
        let is_price = (0.0..=MAX_NUMBER).contains(&number);
        let wrong = || format!("{number} is not a number from 0 to {MAX_NUMBER}");
        is_price.then_some(Self(number)).ok_or_else(wrong)
    }
}

/// A date, and its first moment in UTC.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Day {
    pub(super) text: String,
    start: OffsetDateTime,
}

impl TryFrom<String> for Day {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let date = Date::parse(&text, format_description!("[year]-[month]-[day]"));
        let date = date.map_err(|_| format!("{text:?} is not a date such as 2026-11-23"))?;
        let start = date.with_time(Time::MIDNIGHT).assume_utc();
        Ok(Self { text, start })
    }
}

impl Model {
    /// Returns the prices of all tokens of a request that was answered at `at`, an RFC 3339 time.
    /// Without a time that can be read, the newest prices hold. A model that has no fast mode ignores `is_fast`.
    pub(super) fn rates(&self, tokens: &Tokens, at: Option<&str>, is_fast: bool) -> &Rates {
        if let Some(fast) = self.fast.as_ref().filter(|_| is_fast) {
            return fast;
        }
        // The time is read here because few models have prices that changed.
        let was_before = |day: &Day| {
            let time = at.and_then(|text| OffsetDateTime::parse(text, &Rfc3339).ok());
            time.is_some_and(|time| time < day.start)
        };
        let long_prompt = self.long_prompt.as_ref().filter(|long| {
            tokens.prompt() > long.above_prompt_tokens && long.until.as_ref().is_none_or(was_before)
        });
        if let Some(long) = long_prompt {
            return &long.rates;
        }
        let earlier = self.history.iter().flatten();
        let earlier = earlier.filter(|period| was_before(&period.until));
        let earlier = earlier.min_by_key(|period| period.until.start);
        earlier.map_or(&self.rates, |period| &period.rates)
    }
}

impl Rates {
    pub(super) fn cost(&self, tokens: &Tokens) -> f64 {
        let sum = tokens.input as f64 * self.input.0
            + tokens.output as f64 * self.output.0
            + tokens.cache_write_5m as f64 * self.cache_write_5m.0
            + tokens.cache_write_1h as f64 * self.cache_write_1h.0
            + tokens.cache_read as f64 * self.cache_read.0;
        sum / TOKENS_PER_PRICE
    }
}
