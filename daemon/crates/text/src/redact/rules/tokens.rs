//! Tokens that are recognised by their own format.

use crate::redact::engine::{Rule, Shown, Verdict};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// One rule per issuer; [`discord_bots`] is another one.
pub(super) const RULES: [Rule; 14] = [
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
        anchors: &[
            "sq0atp-",
            "sq0csp-",
            "lin_api_",
            "lin_oauth_",
            "shpca_",
            "shpss_",
            "shppa_",
            "figd_",
            "ntn_",
            "PMAK-",
            "sntrys_",
            "sntryu_",
            "glsa_",
            "nvapi-",
            "gsk_",
            "xai-",
            "pplx-",
            "r8_",
            "sbp_",
            "pul-",
            "NRAK-",
            "rubygems_",
            "doo_v1_",
            "dor_v1_",
            "dp.pt.",
        ],
        judge: service,
    },
    Rule {
        anchors: &["SG."],
        judge: sendgrid,
    },
    Rule {
        anchors: &["hvs.", "hvb.", "hvr."],
        judge: vault,
    },
    Rule {
        anchors: &[":AA"],
        judge: telegram,
    },
    Rule {
        anchors: &[
            "SK0", "SK1", "SK2", "SK3", "SK4", "SK5", "SK6", "SK7", "SK8", "SK9", "SKa", "SKb",
            "SKc", "SKd", "SKe", "SKf",
        ],
        judge: twilio,
    },
];

/// The tokens of Discord's bots, which start with a number in Base64: the id of the bot.
pub(super) fn discord_bots() -> Rule {
    // Each digit is 0x30 to 0x39. Three of them give four characters, and no word of a language has such four.
    static STARTS: LazyLock<Vec<String>> = LazyLock::new(|| {
        let ids = ["MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"];
        let thirds = ids.iter().flat_map(|id| {
            "AEIMQUYcgk"
                .chars()
                .map(move |third| format!("{id}{third}"))
        });
        thirds
            .flat_map(|start| {
                "wxyz012345"
                    .chars()
                    .map(move |fourth| format!("{start}{fourth}"))
            })
            .collect()
    });
    static ANCHORS: LazyLock<Vec<&str>> =
        LazyLock::new(|| STARTS.iter().map(String::as_str).collect());
    Rule {
        anchors: &ANCHORS,
        judge: discord,
    }
}

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
    package_registry = "^(?:npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{50,}|hf_[A-Za-z0-9]{30,}|dop_v1_[a-f0-9]{64}|dckr_pat_[A-Za-z0-9_-]{20,}|shpat_[a-fA-F0-9]{32}|AGE-SECRET-KEY-1[A-Z0-9]{50,})";
    /// Square, Linear, Shopify, Figma, Notion, Postman, Sentry, Grafana, NVIDIA, Groq, xAI, Perplexity, Replicate, Supabase,
    /// Pulumi, New Relic, RubyGems, DigitalOcean and Doppler.
    service = r"^(?:sq0(?:atp|csp)-[A-Za-z0-9_-]{22,}|lin_(?:api|oauth)_[A-Za-z0-9]{32,}|shp(?:ca|ss|pa)_[a-fA-F0-9]{32}|figd_[A-Za-z0-9_-]{40}|ntn_[A-Za-z0-9]{40,}|PMAK-[a-f0-9]{24}-[a-f0-9]{34}|sntry[su]_[A-Za-z0-9_+/=]{40,}|glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|nvapi-[A-Za-z0-9_-]{40,}|gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{60,}|pplx-[A-Za-z0-9]{40,}|r8_[A-Za-z0-9]{37}|sbp_[a-f0-9]{40}|pul-[a-f0-9]{40}|NRAK-[A-Z0-9]{27}|rubygems_[a-f0-9]{48}|do[or]_v1_[a-f0-9]{64}|dp\.pt\.[A-Za-z0-9]{40,})";
    sendgrid = r"^SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}";
    /// Service, batch and recovery tokens: <https://developer.hashicorp.com/vault/docs/concepts/tokens>.
    vault = "^hv[sbr]\\.[A-Za-z0-9_-]{20,}";
    /// `ID.TIME.HMAC`, each in Base64: <https://discord.com/developers/docs/reference#authentication>.
    discord = r"^[MNO][A-Za-z0-9]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}";
    json_web_token = r"^eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*";
}

/// `ID:KEY` of a bot, where the key has 35 characters: <https://core.telegram.org/bots/api#authorizing-your-bot>.
fn telegram(shown: Shown<'_>, anchor: Range<usize>) -> Verdict {
    const MAX_ID_DIGITS: usize = 16;
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new("^:AA[A-Za-z0-9_-]{33}").expect("a test compiles every pattern")
    });
    let before = shown.text.as_bytes()[..anchor.start].iter().rev();
    let digits = before
        .take(MAX_ID_DIGITS)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let found = PATTERN
        .find(&shown.text[anchor.start..])
        .filter(|_| digits >= 5);
    let key = found.map(|found| anchor.start + 1..anchor.start + found.end());
    key.filter(|key| !continues(shown, key.end, b"_-")).into()
}

/// The id of an API key: <https://www.twilio.com/docs/glossary/what-is-a-sid>.
fn twilio(shown: Shown<'_>, anchor: Range<usize>) -> Verdict {
    static PATTERN: LazyLock<Regex> =
        LazyLock::new(|| Regex::new("^SK[0-9a-fA-F]{32}").expect("a test compiles every pattern"));
    match whole_match(&PATTERN, shown, anchor.start) {
        Verdict::Secret(key) if continues(shown, key.end, b"_-") => Verdict::Innocent,
        verdict => verdict,
    }
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
    let id = captures.get(1).map(place);
    let secret = captures.get(2).map(place);
    match (
        id,
        secret.filter(|secret| !continues(shown, secret.end, b"/+=")),
    ) {
        (Some(id), _) if continues(shown, id.end, b"_") => Verdict::Innocent,
        (Some(id), Some(secret)) => Verdict::Secrets(id, secret),
        (Some(id), None) => Verdict::Secret(id),
        _ => Verdict::Innocent,
    }
}

/// Returns whether a word goes on at `end`, with a letter, a digit or a byte of `more`.
fn continues(shown: Shown<'_>, end: usize, more: &[u8]) -> bool {
    let after = shown.after(end);
    after.is_some_and(|byte| byte.is_ascii_alphanumeric() || more.contains(&byte))
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
