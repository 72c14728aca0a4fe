//! The many spellings of a model's name.
//! A model is called `claude-<family>-<version>`, up to version 3 `claude-<version>-<family>`. Bedrock, Vertex and gateways
//! add prefixes, dates and revisions. Whatever else a name has, such as `-preview`, makes it another model.

use std::ops::RangeInclusive;

/// Where Bedrock's inference profiles may route requests to.
const REGIONS: [&str; 7] = ["us", "eu", "apac", "jp", "au", "us-gov", "global"];

/// Returns a name as tables are searched for it: blanks around it and capitals do not count.
pub(crate) fn folded(name: &str) -> String {
    name.trim().to_ascii_lowercase()
}

/// Returns a name without the size of the context window that Claude Code adds to it, `[1m]`; it has no price of its own.
pub(crate) fn without_context_window(name: &str) -> &str {
    let cut = name.strip_suffix("[1m]").or(name.strip_suffix("[2m]"));
    cut.unwrap_or(name)
}

/// Returns whether two names are spellings of one model's.
pub(crate) fn is_same_model(one: &str, other: &str) -> bool {
    let name = |name: &str| {
        let folded = folded(name);
        let bare = without_context_window(&folded);
        canonical(bare).unwrap_or_else(|| bare.to_owned())
    };
    name(one) == name(other)
}

/// Returns the name that a table has for a folded name; `None` if it is not a spelling of such a name.
/// The version stays as it is, so a version that the table does not have gets no other version's price.
pub(crate) fn canonical(name: &str) -> Option<String> {
    // Before the last slash is the gateway, the project or the ARN.
    let name = name.rsplit('/').next()?;
    let name = without_provider(name)?.strip_prefix("claude-")?;
    let (canonical, release) = family_first(name).or_else(|| version_first(name))?;
    is_release(release).then_some(canonical)
}

/// Cuts Bedrock's `<region>.anthropic.`; `None` if the region is unknown.
fn without_provider(name: &str) -> Option<&str> {
    let Some((region, model)) = name.split_once("anthropic.") else {
        return Some(name);
    };
    let is_known = match region.strip_suffix('.') {
        Some(region) => REGIONS.contains(&region),
        None => region.is_empty(),
    };
    is_known.then_some(model)
}

/// Reads `opus-4-5…`; returns the canonical name and the rest.
fn family_first(name: &str) -> Option<(String, &str)> {
    let (family, rest) = family(name)?;
    let (version, rest) = version(rest.strip_prefix('-')?)?;
    Some((format!("claude-{family}-{version}"), rest))
}

/// Reads `3-5-sonnet…`; returns the canonical name and the rest.
fn version_first(name: &str) -> Option<(String, &str)> {
    let (version, rest) = version(name)?;
    let (family, rest) = family(rest.strip_prefix('-')?)?;
    // Some gateways write version 4 in the old order.
    let canonical = match version.split('-').next() {
        Some("4") => format!("claude-{family}-{version}"),
        _ => format!("claude-{version}-{family}"),
    };
    Some((canonical, rest))
}

fn family(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_lowercase());
    let (family, rest) = text.split_at(end.unwrap_or(text.len()));
    (!family.is_empty()).then_some((family, rest))
}

/// Reads `4`, `4-5` or `4.5`; a longer number is a date. A minor version 0 is dropped.
fn version(text: &str) -> Option<(String, &str)> {
    let (major, rest) = digits(text, 1..=2)?;
    let minor = rest.strip_prefix(['-', '.']);
    Some(match minor.and_then(|text| digits(text, 1..=2)) {
        None => (major.to_owned(), rest),
        Some(("0", rest)) => (major.to_owned(), rest),
        Some((minor, rest)) => (format!("{major}-{minor}"), rest),
    })
}

/// Returns whether all of `text` says which release of a version it is, such as `-20250929-v1:0`.
fn is_release(text: &str) -> bool {
    // Fast mode costs more, but not by its name: Claude Code reports it in the usage.
    let mode = text.strip_prefix("-fast").or(text.strip_prefix("-latest"));
    without_revision(without_date(mode.unwrap_or(text))).is_empty()
}

/// Cuts `-20250929`, `@20250929`, `-v2@20250929` or `@default`.
fn without_date(text: &str) -> &str {
    let date = |text| digits(text, 8..=8).map(|(_, rest)| rest);
    let dated = text.strip_prefix(['-', '@']).and_then(date);
    let revised = || revision(text)?.strip_prefix('@').and_then(date);
    let default = || text.strip_prefix("@default");
    dated.or_else(revised).or_else(default).unwrap_or(text)
}

/// Cuts `-v1` or `-v1:0`.
fn without_revision(text: &str) -> &str {
    let Some(rest) = revision(text) else {
        return text;
    };
    let minor = rest.strip_prefix(':').and_then(|text| digits(text, 1..=3));
    minor.map_or(rest, |(_, rest)| rest)
}

/// Cuts `-v1`.
fn revision(text: &str) -> Option<&str> {
    let number = text.strip_prefix("-v")?;
    digits(number, 1..=3).map(|(_, rest)| rest)
}

/// Splits off the digits at the start, if there are as many as `len` says.
fn digits(text: &str, len: RangeInclusive<usize>) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit());
    let (digits, rest) = text.split_at(end.unwrap_or(text.len()));
    len.contains(&digits.len()).then_some((digits, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_model_have_its_name() {
        for (spelling, expected) in [
            ("claude-opus-5-5", "claude-opus-5-5"),
            ("claude-opus-4.5", "claude-opus-4-5"),
            ("claude-opus-4-0", "claude-opus-4"),
            ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
            ("anthropic/claude-haiku-4.5", "claude-haiku-4-5"),
            ("us.anthropic.claude-opus-4-6-v1", "claude-opus-4-6"),
            (
                "eu.anthropic.claude-sonnet-4-20250514-v1:0",
                "claude-sonnet-4",
            ),
            (
                "arn:aws:bedrock:us-east-1:1:inference-profile/us-gov.anthropic.claude-opus-5",
                "claude-opus-5",
            ),
            (
                "vertex_ai/claude-3-5-sonnet-v2@20241022",
                "claude-3-5-sonnet",
            ),
            ("vertex_ai/claude-opus-5@default", "claude-opus-5"),
            ("claude-3-7-sonnet-latest", "claude-3-7-sonnet"),
            ("claude-3.5-haiku", "claude-3-5-haiku"),
            ("claude-4-opus-20250514", "claude-opus-4"),
            ("claude-opus-4.6-fast", "claude-opus-4-6"),
            // Versions that do not exist yet stay what they are.
            ("claude-opus-5-6", "claude-opus-5-6"),
            ("claude-sonnet-12-20301231", "claude-sonnet-12"),
        ] {
            assert_eq!(canonical(spelling).as_deref(), Some(expected), "{spelling}");
        }
    }

    #[test]
    fn other_names_are_not_spellings_of_a_model() {
        let names = "claude claude- opus default <synthetic> gpt-5 claude-opus claude-2.1 claude-opus-5-preview \
            claude-mythos-preview claude-opus-123 claude-opus-5-5-5 claude-opus-5x claude-opus-5-2026 \
            claude-opus-5-20260101-20260102 claude-opus-5-v claude-opus-5-v1: mars.anthropic.claude-opus-5 \
            usanthropic.claude-opus-5 anthropic.anthropic.claude-opus-5 \
            arn:aws:bedrock:us-east-1:1:application-inference-profile/a1b2c3 claude-öpus-5 claude-opus-٥";
        for name in names.split(' ').chain([""]) {
            assert_eq!(canonical(name), None, "{name}");
        }
    }

    #[test]
    fn the_size_of_the_context_window_is_not_part_of_the_name() {
        assert_eq!(without_context_window("claude-opus-5[1m]"), "claude-opus-5");
        assert_eq!(without_context_window("claude-opus-5[2m]"), "claude-opus-5");
        assert_eq!(
            without_context_window("claude-opus-5[x]"),
            "claude-opus-5[x]"
        );
    }
}
