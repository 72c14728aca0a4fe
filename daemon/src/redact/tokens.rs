//! Tokens that are known by their own form.

use super::redactor::{Rule, Verdict};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// One rule for each issuer.
pub(super) const RULES: [Rule; 8] = [
    Rule {
        anchors: &["ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_"],
        judge: github,
    },
    Rule {
        anchors: &["glpat-"],
        judge: gitlab,
    },
    Rule {
        anchors: &[
            "xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-",
        ],
        judge: slack,
    },
    Rule {
        anchors: &["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
        judge: stripe,
    },
    Rule {
        anchors: &["AIza"],
        judge: google,
    },
    Rule {
        anchors: &["AKIA", "ASIA"],
        judge: aws,
    },
    Rule {
        anchors: &["sk-"],
        judge: model_provider,
    },
    Rule {
        anchors: &["eyJ"],
        judge: json_web_token,
    },
];

macro_rules! judge_by_pattern {
    ($($(#[$comment:meta])* $name:ident = $pattern:literal;)+) => {$(
        $(#[$comment])*
        fn $name(text: &str, anchor: Range<usize>) -> Verdict {
            static PATTERN: LazyLock<Regex> =
                LazyLock::new(|| Regex::new($pattern).expect("a test compiles every pattern"));
            whole_match(&PATTERN, text, anchor.start)
        }
    )+};
}

// All patterns begin with `^` and are matched where the anchor stands.
judge_by_pattern! {
    github = "^(?:gh[opsur]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})";
    gitlab = r"^glpat-[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_-]+)*";
    slack = "^(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}";
    stripe = "^[sr]k_(?:live|test)_[A-Za-z0-9]{10,}";
    google = "^AIza[A-Za-z0-9_-]{30,}";
    aws = r"^A[KS]IA[A-Z0-9]{16}(?-u:\b)";
    /// Anthropic, OpenAI, OpenRouter; the bare form of OpenAI has no hyphen, as names of CSS classes have.
    model_provider = "^sk-(?:(?:ant|proj|svcacct|admin|or)-[A-Za-z0-9_-]{16,}|[A-Za-z0-9]{20,})";
    json_web_token = r"^eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*";
}

fn whole_match(pattern: &Regex, text: &str, start: usize) -> Verdict {
    // Only at the begin of a word: `task-…` has no key, and a run of one class is looked at once.
    let before = text.as_bytes()[..start].last();
    if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
        return Verdict::Innocent;
    }
    match pattern.find(&text[start..]) {
        Some(found) => Verdict::Secret(start..start + found.end()),
        None => Verdict::Innocent,
    }
}
