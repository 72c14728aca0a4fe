//! VERSION_ISSUE: a command complains about a version.

use super::exit_answers::is_answer;
use super::failure::add_action;
use super::found::{Formula, patterns_with_texts, rounded, signal};
use super::spot::{Spot, regex};
use crate::command::{parse, primary};
use crate::patterns::{MatchedPattern, PatternGroup, PatternSet};
use crate::payload::Payload;
use crate::signal::{EventType, Signal, SignalType};
use regex::Regex;
use serde_json::json;
use std::sync::LazyLock;

const FORMULA: Formula = Formula {
    base: 0.6,
    step: 0.1,
    most: 0.85,
};

/// As for failures: what happens inside a sub-agent counts less.
const IN_SUB_AGENT: f64 = 0.75;

/// Returns the signal of a command, from what it printed as an error.
pub(super) fn detect(payload: &Payload, line: &str, set: &PatternSet) -> Option<Signal> {
    let stderr = payload.stderr();
    if stderr.trim().is_empty()
        || payload
            .exit_code()
            .is_some_and(|code| is_answer(line, code, false))
    {
        return None;
    }
    let group = PatternGroup::VersionIssues;
    let found = set.find(group, stderr, |found| accepts(found, stderr));
    let mut matches = patterns_with_texts(&found);
    if matches.is_empty() && set.has_built_ins(group) {
        matches.extend(
            UNFIT
                .find(stderr)
                .map(|unfit| json!({"pattern": "unfit version", "text": unfit.as_str()})),
        );
    }
    if matches.is_empty() {
        return None;
    }
    let confidence = FORMULA.of(matches.len());
    let confidence = if payload.agent_id.is_some() {
        rounded(confidence * IN_SUB_AGENT)
    } else {
        confidence
    };
    let mut signal = signal(
        SignalType::VersionIssue,
        EventType::Tool,
        matches,
        confidence,
        stderr,
    );
    let tool = primary(line)
        .or_else(|| parse(line).pop())
        .map(|command| command.program);
    if let Some(tool) = tool {
        signal.detail.insert("tool".into(), tool.into());
    }
    add_action(&mut signal.detail, payload, Some(line));
    Some(signal)
}

/// Further phrasings: a wanted version beside another one.
static UNFIT: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"\brequires-\w+ ?[<>=~!]=? ?v?\d|\brequires?(?:d)?(?: a)?(?: different| newer| minimum| at least)?[\s:]+(?:the )?[\w@./-]{0,30}?[\s:]*(?:version )?\W{0,3}(?:>=|<=|=>|\^|~|==)\s*v?\d|",
        r"\brequires?(?: a)?(?: different| newer| at least)? ?(?:version of )?(?:node(?:\.js)?|python|rustc|rust|go|java|jdk|ruby|php|npm|cargo|gradle|maven|\.net|dotnet|xcode|swift|gcc|cmake|kotlin|scala|terraform|docker|a different python|openssl|glibc)[ :,]+(?:version )?(?:>=|>|\^|~)?\s*v?\d+|",
        r"\bunsupported (?:engine|(?:\w+ )?version|class file)\b|\bebadengine\b|\b(?:incompatible|unsupported|mismatched|wrong|too old|outdated) (?:\w+ )?version\b|\bversion mismatch\b|",
        r"\b\w+ (?:version )?v?\d[\w.]* is (?:not supported|no longer supported|too old|unsupported|end.of.life|not compatible|incompatible|deprecated|below)|",
        r"\b(?:too old|end[- ]of[- ]life|no longer (?:supported|maintained))\b|\bnot compatible with (?:your |this |the )?(?:\w+ )?(?:version|v?\d)|\bwill be removed in\b|",
        r"\bneeds? (?:at least )?(?:node|python|rust|go|java|ruby|php)\S* (?:>=\s*)?\d|\bminimum (?:supported |required )?(?:\w+ )?version\b|\brequired:? (?:\w+ )?>=\s*\d|\b(?:deprecat(?:ed|ion)(?:warning)?)\b:|\bdeprecationwarning\b|\bhas been compiled by a more recent version\b|\bglibc_\d\S* not found|\bbut (?:version )?v?\d[\d.]*\w* (?:is installed|was found)|\bbut you have v?\d|\byour \w+ version is v?\d[\w.]*, but\b|\bexpected version\b.{0,30}\bgot\b",
    ))
});

static ADVICE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:please|need to|needs to|must|should|consider|have to|has to|required to|recommended to|and|or|can|run|then)\s*$|[.!:;,]\s*$|^\s*$",
    )
});
static UPGRADED: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^(?:v?\d|\w+\s+(?:to|with)\b|your\b|pip\b|npm\b|node\b|the\b|by running\b|python\b)|^to\b",
    )
});
static UNIT: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\s*(?:[kmgt]i?b|ms|s|sec\w*|minutes?|%|px|cores?|cpus?|x)\b"));
static NONE_OF: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\b(?:0|no|not|non|without|zero|isn'?t|never|were)\s+(?:\w+\s+)?$"));

fn accepts(found: &MatchedPattern<'_, '_>, text: &str) -> bool {
    let spot = Spot::new(text, found.text);
    let word = spot.word.to_lowercase();
    let is_part = |character: char| {
        character.is_alphanumeric() || matches!(character, '/' | '_' | '-' | '.' | '\\')
    };
    let is_name = spot.before.ends_with(is_part)
        || spot.after.starts_with(['/', '_', '-', '\\', '('])
        || (spot.after.starts_with('.') && spot.after[1..].starts_with(char::is_alphanumeric));
    match word.trim() {
        "deprecated" | "obsolete" | "outdated" => {
            !is_name && !NONE_OF.is_match(spot.before) && !word_in_test(&spot)
        }
        _ if word.starts_with("upgrade") => {
            !is_name
                && ADVICE.is_match(spot.before)
                && (UPGRADED.is_match(spot.after) || word.trim() != "upgrade")
        }
        _ => !UNIT.is_match(spot.after) && !NONE_OF.is_match(spot.before),
    }
}

/// Returns whether the line reports a test or compiles a package of that name.
fn word_in_test(spot: &Spot<'_>) -> bool {
    static NAMED: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^\s*(?:test|compiling|checking|running|pass|ok|✓|created?|removed?|deleted?|moved?|renamed?|copied|copying)\b[^\n]*$",
        )
    });
    NAMED.is_match(spot.before.rsplit('\n').next().unwrap_or_default())
}
