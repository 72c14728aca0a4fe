//! Tokens and amounts in a few characters.

use crate::render::joined;
use crate::render::line::width;
pub(crate) use crate::render::short::short;
use crate::render::short::{at_least, cost};
use ccd_protocol::conversation::ConversationUsage;

pub(crate) fn all(usage: &ConversationUsage) -> u64 {
    usage.input_tokens
        + usage.output_tokens
        + usage.cache_creation_input_tokens
        + usage.cache_read_input_tokens
}

/// Returns what something cost; if a part has no price, what the rest cost and a plus sign.
pub(crate) fn cost_or_more(exact: Option<f64>, least: Option<f64>) -> String {
    match (exact, least) {
        (None, Some(amount)) => at_least(amount),
        (exact, _) => cost(exact),
    }
}

/// As [`cost_or_more`], of a sum that may leave something out.
pub(crate) fn cost_of_sum(sum: Option<f64>, is_whole: bool) -> String {
    if is_whole {
        cost(sum)
    } else {
        cost_or_more(None, sum)
    }
}

/// Returns tokens by kind in a line; nothing if there are none.
pub(super) fn tokens(usage: &ConversationUsage) -> String {
    if *usage == ConversationUsage::default() {
        return String::new();
    }
    format!(
        "{} in, {} out, cache {} written, {} read",
        short(usage.input_tokens),
        short(usage.output_tokens),
        short(usage.cache_creation_input_tokens),
        short(usage.cache_read_input_tokens),
    )
}

/// Returns the share of the input that was read from the cache; nothing if there is no cache.
pub(super) fn hits(usage: &ConversationUsage) -> String {
    if usage.cache_creation_input_tokens + usage.cache_read_input_tokens == 0 {
        return String::new();
    }
    let rate = usage.cache_hit_rate();
    rate.map_or_else(String::new, |rate| format!("{:.1} %", rate * 100.0))
}

/// Returns a number with commas: `1,234,567`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    joined(
        ",",
        groups.filter_map(|group| std::str::from_utf8(group).ok()),
    )
}

/// Cuts a text at its start: the end of a path says most.
pub(super) fn cut_start(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let skipped = text
        .chars()
        .count()
        .saturating_sub(columns.saturating_sub(1));
    let end: String = text.chars().skip(skipped).collect();
    format!("…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1.00k"),
            (12_345, "12.3k"),
            (456_789, "457k"),
            (1_234_567, "1.23M"),
            (5_000_000_000, "5.00G"),
        ] {
            assert_eq!(short(number), text);
        }
    }

    #[test]
    fn numbers_are_grouped_and_small_amounts_are_not_nothing() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(cost(Some(0.001)), "<$0.01");
        assert_eq!(cost(Some(0.0)), "$0.00");
        assert_eq!(cost(Some(12.345)), "$12.35");
        assert_eq!(cost(None), "-");
        for (exact, at_least, text) in [
            (Some(0.5), None, "$0.50"),
            (None, Some(0.531), "$0.53+"),
            (None, Some(0.001), "$0.00+"),
            (None, None, "-"),
        ] {
            assert_eq!(cost_or_more(exact, at_least), text);
        }
    }

    #[test]
    fn a_path_is_cut_at_its_start() {
        assert_eq!(cut_start("/a/long/path", 6), "…/path");
        assert_eq!(cut_start("/a", 6), "/a");
    }
}
