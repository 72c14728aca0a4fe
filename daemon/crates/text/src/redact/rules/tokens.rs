//! Tokens that are recognised by their own format.

use crate::redact::engine::{Rule, Shown, Verdict};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// One rule per issuer.
pub(super) const RULES: [Rule; 10] = [
    Rule {
        anchors: &["ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_"],
        judge: github,
    },
    Rule {
        anchors: &[
            "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "gloas-", "glsoat-", "glft-", "glimt-",
            "glagent-",
        ],
        judge: gitlab,
    },
    Rule {
        anchors: &[
            "xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxc-",
            "xoxd-", "xapp-",
        ],
        judge: slack,
    },
    Rule {
        anchors: &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"],
        judge: stripe,
    },
    Rule {
        anchors: &["AIza", "ya29.", "1//0", "GOCSPX-"],
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
    Rule {
        anchors: &[
            "npm_",
            "pypi-",
            "hf_",
            "dop_v1_",
            "dckr_pat_",
            "shpat_",
            "AGE-SECRET-KEY-1",
        ],
        judge: package_registry,
    },
    Rule {
        anchors: &["SG."],
        judge: sendgrid,
    },
];

macro_rules! judge_by_pattern {
    ($($(#[$comment:meta])* $name:ident = $pattern:literal;)+) => {$(
        $(#[$comment])*
        fn $name(shown: Shown<'_>, anchor: Range<usize>) -> Verdict {
            static PATTERN: LazyLock<Regex> =
                LazyLock::new(|| Regex::new($pattern).expect("a test compiles every pattern"));
            whole_match(&PATTERN, shown, anchor.start)
        }
    )+};
}

// All patterns start with `^` and are matched at the anchor.
judge_by_pattern! {
    github = "^(?:gh[opsur]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})";
    gitlab = r"^gl(?:pat|dt|rt|cbt|ptt|oas|soat|ft|imt|agent)-[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_-]+)*";
    slack = r"^(?:xox[abcdeoprs]-|xoxe\.|xapp-)[A-Za-z0-9%+/=.-]{10,}";
    stripe = "^(?:[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{24,})";
    /// Keys of APIs, OAuth access and refresh tokens, and secrets of OAuth clients.
    google = r"^(?:AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_.-]{20,}|1//0[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,})";
    /// Anthropic, OpenAI, OpenRouter; the bare form of OpenAI has no hyphen, unlike names of CSS classes.
    model_provider = "^sk-(?:(?:ant|proj|svcacct|admin|or)-[A-Za-z0-9_-]{16,}|[A-Za-z0-9]{20,})";
    package_registry = "^(?:npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{50,}|hf_[A-Za-z]{30,}|dop_v1_[a-f0-9]{64}|dckr_pat_[A-Za-z0-9_-]{20,}|shpat_[a-fA-F0-9]{32}|AGE-SECRET-KEY-1[A-Z0-9]{50,})";
    sendgrid = r"^SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}";
    json_web_token = r"^eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*";
}

/// The id of an access key, and the secret of 40 characters if it follows, as in tables and files from AWS.
fn aws(shown: Shown<'_>, anchor: Range<usize>) -> Verdict {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r#"^(A[KS]IA[A-Z0-9]{16})(?:["' \t]{0,3}[,:;|/ \t]["' \t]{0,8}([A-Za-z0-9/+]{40}))?"#,
        )
        .expect("a test compiles every pattern")
    });
    if !begins_word(shown, anchor.start) {
        return Verdict::Innocent;
    }
    let place = |found: regex::Match| anchor.start + found.start()..anchor.start + found.end();
    let Some(captures) = PATTERN.captures(&shown.text[anchor.start..]) else {
        return Verdict::Innocent;
    };
    let continues = |end: usize, more: &[u8]| {
        let after = shown.after(end);
        after.is_some_and(|byte| byte.is_ascii_alphanumeric() || more.contains(&byte))
    };
    let id = captures.get(1).map(place);
    let secret = captures.get(2).map(place);
    match (id, secret.filter(|secret| !continues(secret.end, b"/+="))) {
        (Some(id), _) if continues(id.end, b"_") => Verdict::Innocent,
        (Some(id), Some(secret)) => Verdict::Secrets(id, secret),
        (Some(id), None) => Verdict::Secret(id),
        _ => Verdict::Innocent,
    }
}

fn whole_match(pattern: &Regex, shown: Shown<'_>, start: usize) -> Verdict {
    if !begins_word(shown, start) {
        return Verdict::Innocent;
    }
    let found = pattern.find(&shown.text[start..]);
    found.map(|found| start..start + found.end()).into()
}

/// Returns whether a word starts here: `task-…` contains no key, and each run of letters is read once.
fn begins_word(shown: Shown<'_>, start: usize) -> bool {
    let before = shown.before(start);
    !before.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}
