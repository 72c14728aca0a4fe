//! The many spellings of a model's name.
//! A model is called `claude-<family>-<version>`, up to version 3 `claude-<version>-<family>`. Bedrock, Vertex and gateways
//! add prefixes, dates and revisions. Whatever else a name has, such as `-preview`, makes it another model.

use regex::Regex;
use std::sync::LazyLock;

/// Before the name, what Bedrock writes, with the region that its inference profiles route requests to; after it, a mode and
/// which release of the version it is. Fast mode costs more, but not by its name: Claude Code reports it in the usage.
static NAME: LazyLock<Regex> = LazyLock::new(|| {
    const VERSION: &str = "[0-9]{1,2}(?:[-.][0-9]{1,2})?";
    let name = format!(
        r"^(?:(?:(?:us|eu|apac|jp|au|us-gov|global)\.)?anthropic\.)?claude-(?:(?<family>[a-z]+)-(?<version>{VERSION})|(?<old_version>{VERSION})-(?<old_family>[a-z]+))(?:-fast|-latest)?(?:[-@][0-9]{{8}}|-v[0-9]{{1,3}}@[0-9]{{8}}|@default)?(?:-v[0-9]{{1,3}}(?::[0-9]{{1,3}})?)?$"
    );
    Regex::new(&name).expect("the tests compile it")
});

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
    let found = NAME.captures(name.rsplit('/').next()?)?;
    let part = |one, other| found.name(one).or(found.name(other));
    let family = part("family", "old_family")?.as_str();
    let version = part("version", "old_version")?.as_str().replace('.', "-");
    let version = version.strip_suffix("-0").unwrap_or(&version);
    // Some gateways write version 4 in the old order.
    let is_old = found.name("old_version").is_some() && version.split('-').next() != Some("4");
    Some(if is_old {
        format!("claude-{version}-{family}")
    } else {
        format!("claude-{family}-{version}")
    })
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
