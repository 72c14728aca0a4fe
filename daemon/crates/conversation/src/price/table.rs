//! A table as it is written.

use super::Prices;
use super::model::{Day, Model, Number};
use crate::line::model_name::folded;
use serde::Deserialize;
use serde::de::Error as _;
use std::collections::{BTreeMap, HashMap};

#[derive(Deserialize)]
struct Table {
    as_of: Day,
    #[expect(dead_code, reason = "there is only one")]
    unit: Option<Unit>,
    models: BTreeMap<String, Model>,
    aliases: Option<BTreeMap<String, String>>,
    modifiers: Option<Modifiers>,
}

#[derive(Deserialize)]
enum Unit {
    #[serde(rename = "USD per million tokens")]
    UsdPerMillionTokens,
}

#[derive(Default, Deserialize)]
struct Modifiers {
    web_search_request_usd: Option<Number>,
    inference_geo_us: Option<Number>,
}

impl Prices {
    /// Reads a table of the user's, which replaces the built-in one; it has the form of `prices.json`, without comments. The
    /// error says what is wrong, and where.
    /// Unknown members are ignored. A table without `modifiers` adds nothing for web searches and for processing in the United
    /// States.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        let table: Table = serde_json::from_str(text)?;
        let models = table.models.into_iter();
        let models: HashMap<String, Model> =
            models.map(|(name, model)| (folded(&name), model)).collect();
        let aliases = table.aliases.unwrap_or_default().into_iter();
        let aliases = aliases.map(|(alias, model)| match folded(&model) {
            folded_model if models.contains_key(&folded_model) => {
                Ok((folded(&alias), folded_model))
            }
            _ => Err(serde_json::Error::custom(format!(
                "aliases.{alias}: {model:?} is not in models; add it"
            ))),
        });
        let modifiers = table.modifiers.unwrap_or_default();
        let modifier = |number: Option<Number>, other| number.map_or(other, |number| number.0);
        Ok(Self {
            as_of: table.as_of.text,
            usd_per_web_search: modifier(modifiers.web_search_request_usd, 0.0),
            us_only_factor: modifier(modifiers.inference_geo_us, 1.0),
            aliases: aliases.collect::<Result<_, _>>()?,
            models,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// Returns the built-in table with one value changed, and what reading it says.
    fn complaint(pointer: &str, value: Value) -> String {
        let mut table: Value = serde_json::from_str(Prices::BUILT_IN).unwrap();
        table["aliases"] = json!({"ours": "claude-opus-5"});
        *table.pointer_mut(pointer).unwrap() = value;
        Prices::parse(&table.to_string()).unwrap_err().to_string()
    }

    #[test]
    fn errors_say_what_is_wrong_and_where() {
        let model = "/models/claude-opus-5";
        for (pointer, value, expected) in [
            (
                "/as_of",
                json!("May"),
                "\"May\" is not a date such as 2026-11-23 at line 1",
            ),
            (
                "/unit",
                json!("EUR"),
                "unknown variant `EUR`, expected `USD per million tokens`",
            ),
            (
                model,
                json!({"input": 5}),
                "missing field `output` at line 1",
            ),
            (
                &format!("{model}/input"),
                json!("5"),
                "invalid type: string \"5\"",
            ),
            (
                &format!("{model}/output"),
                json!(-1),
                "-1 is not a number from 0 to 1000000 at line 1",
            ),
            (
                "/aliases/ours",
                json!("x"),
                "aliases.ours: \"x\" is not in models; add it",
            ),
        ] {
            let found = complaint(pointer, value);
            assert!(found.contains(expected), "{pointer}: {found}");
        }
    }

    #[test]
    fn a_table_needs_a_date_and_models_and_may_have_members_of_its_own() {
        let prices =
            Prices::parse(r#"{"as_of":"2026-01-01","models":{},"aliases":null,"note":[1]}"#);
        let prices = prices.unwrap();
        let modifiers = (prices.usd_per_web_search, prices.us_only_factor);
        assert_eq!((prices.as_of(), modifiers), ("2026-01-01", (0.0, 1.0)));
    }
}
