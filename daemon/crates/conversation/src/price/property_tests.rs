//! More tokens cost more, and no cost is infinite.

use super::{Billed, Prices};
use crate::line::{MessageUsage, Usage};
use ccd_protocol::conversation::CacheCreation;
use proptest::prelude::*;
use std::sync::LazyLock;

static PRICES: LazyLock<Prices> = LazyLock::new(Prices::built_in);

fn usage(count: impl Strategy<Value = u64> + Clone) -> impl Strategy<Value = Usage> {
    proptest::array::uniform7(count).prop_map(
        |[input, output, writes, read, five_minutes, hour, searches]| Usage {
            input_tokens: input,
            output_tokens: output,
            cache_creation_input_tokens: writes,
            cache_read_input_tokens: read,
            cache_creation: CacheCreation {
                ephemeral_5m_input_tokens: five_minutes,
                ephemeral_1h_input_tokens: hour,
            },
            web_search_requests: searches,
        },
    )
}

/// A model of the built-in table.
fn model() -> impl Strategy<Value = &'static str> {
    let mut models: Vec<&str> = PRICES.models.keys().map(String::as_str).collect();
    models.sort_unstable();
    proptest::sample::select(models)
}

fn time() -> impl Strategy<Value = Option<&'static str>> {
    let times = vec!["2025-01-01T00:00:00Z", "2026-10-01T00:00:00Z", "x"];
    proptest::option::of(proptest::sample::select(times))
}

/// Returns `usage` with `more` of each kind in turn.
fn grown(usage: Usage, more: u64) -> [Usage; 6] {
    let mut grown = [usage; 6];
    grown[0].input_tokens += more;
    grown[1].output_tokens += more;
    grown[2].cache_read_input_tokens += more;
    grown[3].cache_creation_input_tokens += more;
    grown[3].cache_creation.ephemeral_5m_input_tokens += more;
    grown[4].cache_creation_input_tokens += more;
    grown[4].cache_creation.ephemeral_1h_input_tokens += more;
    grown[5].web_search_requests += more;
    grown
}

proptest! {
    #[test]
    fn costs_grow_with_each_kind_of_token(
        model in model(), at in time(), is_fast: bool, is_us_only: bool,
        usage in usage(0..300_000_u64), more in 1..300_000_u64,
    ) {
        let cost = |tokens: &Usage| {
            let usage = &MessageUsage { tokens: *tokens, is_fast, is_us_only, ..MessageUsage::default() };
            PRICES.cost(&Billed { model, at, usage }).unwrap()
        };
        let before = cost(&usage);
        prop_assert!(before >= 0.0);
        for (kind, after) in grown(usage, more).iter().map(cost).enumerate() {
            prop_assert!(after > before, "kind {kind}: {after} after {before}");
        }
    }

    #[test]
    fn no_usage_has_an_infinite_or_negative_cost(
        model in ".{0,20}", at in proptest::option::of(".{0,30}"), usage in usage(any::<u64>()), price in 0.0..=1e6,
    ) {
        let rates = serde_json::json!({"input": price, "output": price, "cache_write_5m": price, "cache_write_1h": price, "cache_read": price});
        let table = serde_json::json!({"as_of": "2026-01-01", "models": {&model: rates}, "modifiers": {"inference_geo_us": price}});
        let prices = Prices::parse(&table.to_string()).unwrap();
        let usage = &MessageUsage { tokens: usage, is_fast: true, is_us_only: true, ..MessageUsage::default() };
        let billed = Billed { model: &model, at: at.as_deref(), usage };
        let cost = prices.cost(&billed).unwrap();
        prop_assert!(cost >= 0.0 && cost.is_finite(), "{cost}");
    }

    #[test]
    fn any_name_has_a_price_or_none(name in "[a-z0-9.:/@\\[\\]-]{0,40}") {
        let billed = Billed { model: &format!("claude-{name}"), at: None, usage: &MessageUsage::default() };
        let _ = PRICES.cost(&billed);
    }
}
