//! Costs, computed by hand from the built-in table.

use super::{Billed, Prices};
use crate::line::{MessageUsage, Usage};
use ccd_protocol::conversation::CacheCreation;

fn message(tokens: Usage) -> MessageUsage {
    MessageUsage {
        tokens,
        ..MessageUsage::default()
    }
}

fn billed<'a>(model: &'a str, usage: &'a MessageUsage) -> Billed<'a> {
    Billed {
        model,
        at: Some("2026-11-20T12:00:00.000Z"),
        usage,
    }
}

/// Checks a cost in millionths of a dollar, the unit in which prices per million tokens are whole numbers.
#[track_caller]
fn assert_cost(billed: Billed<'_>, expected_micro_usd: f64) {
    let micro_usd = Prices::built_in().cost(&billed).unwrap() * 1e6;
    let difference = (micro_usd - expected_micro_usd).abs();
    assert!(difference < 1e-6, "{micro_usd} is not {expected_micro_usd}");
}

#[test]
fn short_responses_cost_what_claude_code_reports() {
    let usage = |input_tokens, output_tokens| {
        message(Usage {
            input_tokens,
            output_tokens,
            ..Usage::default()
        })
    };
    // 48 × 4 + 125 × 20 = 192 + 2500; Claude Code: "costUSD": 0.002692
    assert_cost(billed("claude-opus-5-5", &usage(48, 125)), 2692.0);
    // 48 × 5 + 117 × 25 = 240 + 2925; Claude Code: "costUSD": 0.003165
    assert_cost(billed("claude-opus-4-8[1m]", &usage(48, 117)), 3165.0);
}

#[test]
fn each_kind_of_token_has_its_price() {
    let usage = message(Usage {
        input_tokens: 10,
        output_tokens: 200,
        cache_read_input_tokens: 30_000,
        cache_creation_input_tokens: 5000,
        cache_creation: CacheCreation {
            ephemeral_5m_input_tokens: 1000,
            ephemeral_1h_input_tokens: 3000,
        },
        web_search_requests: 0,
    });
    // 10 × 5 + 200 × 25 + 30000 × 0.5 = 50 + 5000 + 15000; 3000 written for an hour, × 10; the other 2000 × 6.25.
    let sum = 50.0 + 5000.0 + 15_000.0 + 30_000.0 + 12_500.0;
    assert_cost(billed("claude-opus-4-5-20251101", &usage), sum);
}

#[test]
fn a_long_prompt_changes_the_price_of_the_whole_request() {
    let usage = |input_tokens| {
        message(Usage {
            input_tokens,
            output_tokens: 1000,
            cache_read_input_tokens: 150_000,
            cache_creation_input_tokens: 40_000,
            ..Usage::default()
        })
    };
    // At the limit, 10000 + 150000 + 40000 = 200000: 10000 × 3 + 1000 × 15 + 150000 × 0.3 + 40000 × 3.75
    let at_limit = 30_000.0 + 15_000.0 + 45_000.0 + 150_000.0;
    assert_cost(billed("claude-sonnet-4-5", &usage(10_000)), at_limit);
    // One token more: 10001 × 6 + 1000 × 22.5 + 150000 × 0.6 + 40000 × 7.5
    let above = 60_006.0 + 22_500.0 + 90_000.0 + 300_000.0;
    assert_cost(billed("claude-sonnet-4-5", &usage(10_001)), above);
    // Haiku 5.5 has its limit at 100000: 10000 × 0.5 + 1000 × 2.5 + 150000 × 0.05 + 40000 × 0.625
    let haiku = 5000.0 + 2500.0 + 7500.0 + 25_000.0;
    assert_cost(billed("claude-haiku-5-5", &usage(10_000)), haiku);
    // Opus 5 has one price: 10001 × 5 + 1000 × 25 + 150000 × 0.5 + 40000 × 6.25
    let opus = 50_005.0 + 25_000.0 + 75_000.0 + 250_000.0;
    assert_cost(billed("claude-opus-5", &usage(10_001)), opus);
}

#[test]
fn prices_are_those_of_the_time() {
    let usage = message(Usage {
        cache_read_input_tokens: 1000,
        ..Usage::default()
    });
    // Sonnet 5.5 read its cache for 0.20 until 2026-10-07, then for 0.10.
    for (at, expected) in [
        (Some("2026-10-06T23:59:59.999Z"), 1000.0 * 0.2),
        (Some("2026-10-07T00:00:00Z"), 1000.0 * 0.1),
        (Some("2026-10-07T01:00:00+02:00"), 1000.0 * 0.2),
        (Some("yesterday"), 1000.0 * 0.1),
        (None, 1000.0 * 0.1),
    ] {
        let model = billed("claude-sonnet-5-5", &usage);
        assert_cost(Billed { at, ..model }, expected);
    }
}

#[test]
fn long_prompts_are_dearer_for_as_long_as_they_were() {
    let usage = message(Usage {
        input_tokens: 200_001,
        ..Usage::default()
    });
    for (model, at, price) in [
        ("claude-opus-4-6", Some("2026-03-12T23:59:59Z"), 10.0),
        ("claude-opus-4-6", Some("2026-03-13T00:00:00Z"), 5.0),
        ("claude-opus-4-6", None, 5.0),
        // Sonnet 4 never changed its prices.
        ("claude-sonnet-4", Some("2025-09-01T00:00:00Z"), 6.0),
        ("claude-sonnet-4", None, 6.0),
    ] {
        let model = billed(model, &usage);
        assert_cost(Billed { at, ..model }, 200_001.0 * price);
    }
}

#[test]
fn fast_mode_has_its_own_prices_where_it_exists() {
    let usage = message(Usage {
        input_tokens: 250_000,
        output_tokens: 10,
        ..Usage::default()
    });
    let usage = MessageUsage {
        is_fast: true,
        ..usage
    };
    let fast = |model| Billed {
        at: Some("2026-03-01T00:00:00Z"),
        ..billed(model, &usage)
    };
    // 250000 × 30 + 10 × 150, at any length
    assert_cost(fast("claude-opus-4-6"), 7_501_500.0);
    // 250000 × 8 + 10 × 40
    assert_cost(fast("claude-opus-5-5"), 2_000_400.0);
    // Sonnet 5 has no fast mode: 250000 × 2 + 10 × 10
    assert_cost(fast("claude-sonnet-5"), 500_100.0);
}

#[test]
fn the_surcharge_of_the_united_states_is_on_tokens_only() {
    let usage = message(Usage {
        output_tokens: 1000,
        web_search_requests: 3,
        ..Usage::default()
    });
    // 1000 × 20 and 3 searches at $0.01
    assert_cost(billed("claude-opus-5-5", &usage), 20_000.0 + 30_000.0);
    let us_only = MessageUsage {
        is_us_only: true,
        ..usage
    };
    assert_cost(
        billed("claude-opus-5-5", &us_only),
        20_000.0 * 1.1 + 30_000.0,
    );
}

#[test]
fn an_unknown_model_has_no_cost() {
    let prices = Prices::built_in();
    for model in [
        "claude-opus-5-6",
        "claude-opus-6",
        "claude-haiku-5",
        "<synthetic>",
        "opus",
        "",
    ] {
        assert_eq!(
            prices.cost(&billed(model, &MessageUsage::default())),
            None,
            "{model}"
        );
    }
    assert_eq!(
        prices.cost(&billed("claude-opus-5", &MessageUsage::default())),
        Some(0.0)
    );
}
