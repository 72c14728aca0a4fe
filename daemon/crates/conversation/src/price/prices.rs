//! The table, and what it makes of a response.

use super::model::Model;
use super::tokens::Tokens;
use crate::line::model_name as name;
use crate::line::{Message, MessageUsage, SideCall, Usage};
use std::collections::HashMap;

/// The default has no model.
#[derive(Debug, Default)]
pub struct Prices {
    pub(super) as_of: String,
    pub(super) usd_per_web_search: f64,
    /// Factor on the price of tokens for processing in the United States only.
    pub(super) us_only_factor: f64,
    /// By folded name.
    pub(super) models: HashMap<String, Model>,
    /// Other names of models, folded as well.
    pub(super) aliases: HashMap<String, String>,
}

#[derive(Debug, Clone, Copy)]
pub struct Billed<'a> {
    /// As Claude Code wrote it.
    pub model: &'a str,
    /// When, in RFC 3339. Without a time that can be read, the newest prices hold.
    pub at: Option<&'a str>,
    pub usage: &'a MessageUsage,
}

impl<'a> Billed<'a> {
    /// Returns what a message that was written at `at` used, without its side calls.
    pub(crate) fn from_message(message: &'a Message<'_>, at: Option<&'a str>) -> Option<Self> {
        Some(Self {
            model: message.model.as_deref()?,
            at,
            usage: message.usage.as_ref()?,
        })
    }
}

impl Prices {
    /// The text of the table that is part of the program.
    pub(crate) const BUILT_IN: &str = include_str!("prices.json");

    /// Returns the table that is part of the program. It is read anew each time.
    #[must_use]
    pub fn built_in() -> Self {
        Self::parse(Self::BUILT_IN).expect("a test reads the same text")
    }

    /// Returns the date of the table, such as `2026-11-23`.
    #[must_use]
    pub fn as_of(&self) -> &str {
        &self.as_of
    }

    /// Returns what a response cost in US dollars at list prices, without its side calls; `None` if the table does not have
    /// its model.
    #[must_use]
    pub fn cost(&self, billed: &Billed<'_>) -> Option<f64> {
        let usage = billed.usage;
        self.cost_of(billed, billed.model, &usage.tokens, usage.is_fast)
    }

    /// Returns what a message cost with its side calls; `None` if a model is not in the table.
    #[must_use]
    pub fn cost_with_side_calls(&self, billed: &Billed<'_>) -> Option<f64> {
        let mut cost = self.cost(billed)?;
        for call in &billed.usage.side_calls {
            cost += self.side_cost(billed, call)?;
        }
        Some(cost)
    }

    #[must_use]
    pub fn side_cost(&self, billed: &Billed<'_>, call: &SideCall) -> Option<f64> {
        let model = call.model.as_deref();
        // Fast mode is one of the model that answers.
        let is_fast = billed.usage.is_fast && model.is_none();
        self.cost_of(billed, model.unwrap_or(billed.model), &call.usage, is_fast)
    }

    fn cost_of(
        &self,
        billed: &Billed<'_>,
        model: &str,
        usage: &Usage,
        is_fast: bool,
    ) -> Option<f64> {
        let tokens = Tokens::from(usage);
        let rates = self.model(model)?.rates(&tokens, billed.at, is_fast);
        let is_us_only = billed.usage.is_us_only;
        let factor = if is_us_only { self.us_only_factor } else { 1.0 };
        let searches = usage.web_search_requests as f64 * self.usd_per_web_search;
        Some(rates.cost(&tokens) * factor + searches)
    }

    /// Returns the model with this name, one of its aliases, or a spelling that the rules of names know.
    fn model(&self, spelling: &str) -> Option<&Model> {
        let spelling = name::folded(spelling);
        let bare = name::without_context_window(&spelling);
        // Nearly all other spellings have the date of a release, and the rules of names take longer.
        let undated = bare.rsplit_once('-').filter(|(name, date)| {
            let is_date = date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit());
            is_date && name.starts_with("claude-")
        });
        self.find(&spelling)
            .or_else(|| self.find(bare))
            .or_else(|| self.find(undated?.0))
            .or_else(|| self.find(&name::canonical(bare)?))
    }

    fn find(&self, name: &str) -> Option<&Model> {
        let aliased = || self.models.get(self.aliases.get(name)?);
        self.models.get(name).or_else(aliased)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_of_names_find_the_models_of_the_built_in_table() {
        let prices = Prices::built_in();
        assert!(prices.aliases.is_empty() && prices.models.len() > 15);
        for model in prices.models.keys() {
            for spelling in [
                model.clone(),
                format!("{model}[1m]"),
                format!("{model}-20251101"),
                format!("{model}-latest"),
                format!("anthropic/{model}"),
                format!("vertex_ai/{model}@default"),
                format!("vertex_ai/{model}@20251101"),
                format!("us.anthropic.{model}-20251101-v1:0"),
                format!("bedrock/us-gov.anthropic.{model}-v1:0"),
            ] {
                let found = prices.model(&spelling).map(std::ptr::from_ref);
                assert_eq!(
                    found,
                    Some(std::ptr::from_ref(&prices.models[model])),
                    "{spelling}"
                );
            }
        }
    }

    #[test]
    fn names_of_a_users_table_are_found_as_they_are_written() {
        let rates = r#""output":1,"cache_write_5m":1,"cache_write_1h":1,"cache_read":1"#;
        let prices = Prices::parse(&format!(
            r#"{{"as_of":"2026-01-01","models":{{"Our-Model":{{"input":7,{rates}}},"our-model[1m]":{{"input":9,{rates}}}}},
                "aliases":{{"Claude-Opus-5":"our-model","gateway/x":"Our-Model"}}}}"#
        ))
        .unwrap();
        let input = |model: &str| prices.model(model).map(|model| model.rates.input.0);
        for (model, price) in [
            ("our-model", Some(7.0)),
            ("OUR-MODEL[2m]", Some(7.0)),
            ("our-model[1m]", Some(9.0)),
            ("gateway/x[1m]", Some(7.0)),
            ("us.anthropic.claude-opus-5", Some(7.0)),
            ("gateway/y", None),
            ("claude-opus-5-5", None),
            ("", None),
        ] {
            assert_eq!(input(model), price, "{model}");
        }
    }
}
