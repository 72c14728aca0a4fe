//! Reads a table.

use super::member::Member;
use super::model::{LongPrompt, Model, Rates};
use super::{PriceError, Prices};
use crate::line::model_name::folded;
use std::collections::HashMap;

const UNIT: &str = "USD per million tokens";

impl Prices {
    /// Reads a table of the user's, which replaces the built-in one; it has the form of `prices.json`, without comments.
    ///
    /// Unknown members are ignored. A table without `modifiers` adds nothing for web searches and for processing in the
    /// United States.
    ///
    /// # Errors
    ///
    /// [`PriceError`] says which key is wrong.
    pub fn parse(text: &str) -> Result<Self, PriceError> {
        let value = serde_json::from_str(text).map_err(PriceError::NotJson)?;
        let table = Member::table(&value);
        let as_of = table.member("as_of")?;
        as_of.date()?;
        table.member("unit")?.optional(unit)?;
        let models = table.member("models")?.members()?.into_iter();
        let models = models
            .map(|(name, member)| Ok((folded(name), model(&member)?)))
            .collect::<Result<HashMap<_, _>, _>>()?;
        let aliases = table.member("aliases")?;
        let aliases = aliases.optional(|aliases| all_aliases(aliases, &models))?;
        let modifiers = table.member("modifiers")?;
        let modifier = |name: &str| {
            let number = modifiers.optional(|all| all.member(name)?.optional(Member::number))?;
            Ok(number.flatten())
        };
        Ok(Self {
            as_of: as_of.text()?.to_owned(),
            usd_per_web_search: modifier("web_search_request_usd")?.unwrap_or(0.0),
            us_only_factor: modifier("inference_geo_us")?.unwrap_or(1.0),
            models,
            aliases: aliases.unwrap_or_default(),
        })
    }
}

fn unit(unit: &Member<'_>) -> Result<(), PriceError> {
    match unit.text()? {
        UNIT => Ok(()),
        _ => Err(unit.wrong("\"USD per million tokens\"")),
    }
}

fn model(model: &Member<'_>) -> Result<Model, PriceError> {
    let history = model.member("history")?.optional(|history| {
        let periods = history.list()?.into_iter();
        periods
            .map(|period| Ok((period.member("until")?.date()?, rates(&period)?)))
            .collect::<Result<Vec<_>, _>>()
    })?;
    let mut history = history.unwrap_or_default();
    history.sort_by_key(|(until, _)| *until);
    Ok(Model {
        rates: rates(model)?,
        long_prompt: model.member("long_prompt")?.optional(long_prompt)?,
        fast: model.member("fast")?.optional(rates)?,
        history,
    })
}

fn long_prompt(long: &Member<'_>) -> Result<LongPrompt, PriceError> {
    Ok(LongPrompt {
        above_prompt_tokens: long.member("above_prompt_tokens")?.count()?,
        rates: rates(long)?,
        until: long.member("until")?.optional(Member::date)?,
    })
}

fn rates(rates: &Member<'_>) -> Result<Rates, PriceError> {
    let price = |name| rates.member(name)?.number();
    Ok(Rates {
        input: price("input")?,
        output: price("output")?,
        cache_write_5m: price("cache_write_5m")?,
        cache_write_1h: price("cache_write_1h")?,
        cache_read: price("cache_read")?,
    })
}

fn all_aliases(
    aliases: &Member<'_>,
    models: &HashMap<String, Model>,
) -> Result<HashMap<String, String>, PriceError> {
    let mut all = HashMap::new();
    for (alias, member) in aliases.members()? {
        let found = member.text()?;
        let model = folded(found);
        if !models.contains_key(&model) {
            let (key, found) = (member.key().to_owned(), found.to_owned());
            return Err(PriceError::UnknownModel { key, found });
        }
        all.insert(folded(alias), model);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// Returns the built-in table with one value changed, and what reading it says.
    fn complaint(pointer: &str, value: Value) -> String {
        let mut table: Value = serde_json::from_str(include_str!("prices.json")).unwrap();
        table["aliases"] = json!({"ours": "claude-opus-5"});
        *table.pointer_mut(pointer).unwrap() = value;
        Prices::parse(&table.to_string()).unwrap_err().to_string()
    }

    #[test]
    fn errors_name_the_key_and_what_is_wrong() {
        let number = "must be a number from 0 to 1000000";
        let long = "models.claude-sonnet-4.long_prompt";
        for (pointer, value, expected) in [
            ("/as_of", json!("May"), r#"as_of must be a date such as "2026-11-23", found "May""#.to_owned()),
            ("/as_of", json!(null), r#"as_of must be a date such as "2026-11-23", found nothing"#.to_owned()),
            ("/unit", json!("EUR"), r#"unit must be "USD per million tokens", found "EUR""#.to_owned()),
            ("/models", json!([]), "models must be an object, found a list".to_owned()),
            ("/models/claude-opus-5", json!(5), "models.claude-opus-5 must be an object, found 5".to_owned()),
            ("/models/claude-opus-5/input", json!("5"), format!("models.claude-opus-5.input {number}, found \"5\"")),
            ("/models/claude-opus-5/output", json!(-1), format!("models.claude-opus-5.output {number}, found -1")),
            ("/models/claude-opus-5/cache_read", json!(null), format!("models.claude-opus-5.cache_read {number}, found nothing")),
            ("/models/claude-opus-5/fast", json!({}), format!("models.claude-opus-5.fast.input {number}, found nothing")),
            ("/models/claude-sonnet-4/long_prompt/above_prompt_tokens", json!(0.5), format!("{long}.above_prompt_tokens must be a whole number of tokens, found 0.5")),
            ("/models/claude-sonnet-5-5/history", json!({}), "models.claude-sonnet-5-5.history must be a list, found an object".to_owned()),
            ("/models/claude-sonnet-5-5/history/0/until", json!("2026-02-30"), r#"models.claude-sonnet-5-5.history[0].until must be a date such as "2026-11-23", found "2026-02-30""#.to_owned()),
            ("/modifiers", json!(1), "modifiers must be an object, found 1".to_owned()),
            ("/modifiers/inference_geo_us", json!(1e7), format!("modifiers.inference_geo_us {number}, found 10000000.0")),
            ("/aliases/ours", json!(4), "aliases.ours must be a text, found 4".to_owned()),
            ("/aliases/ours", json!("claude-opus-9"), r#"aliases.ours must be a model of the table, found "claude-opus-9"; add it to models"#.to_owned()),
        ] {
            assert_eq!(complaint(pointer, value), expected);
        }
    }

    #[test]
    fn a_text_that_is_not_an_object_in_json_is_rejected() {
        let complaint = |text| Prices::parse(text).unwrap_err().to_string();
        assert_eq!(complaint("[]"), "the table must be an object, found a list");
        for text in ["", "{\"as_of\": \"2026-01-01\",}", "{} // prices"] {
            assert!(complaint(text).starts_with("not JSON: "), "{text}");
        }
    }

    #[test]
    fn a_table_needs_a_date_and_models_and_may_have_members_of_its_own() {
        let prices =
            Prices::parse(r#"{"as_of":"2026-01-01","models":{},"aliases":null,"note":[1]}"#);
        let prices = prices.unwrap();
        assert_eq!(prices.as_of(), "2026-01-01");
        assert_eq!(
            (prices.usd_per_web_search, prices.us_only_factor),
            (0.0, 1.0)
        );
    }
}
