//! PROCESS_VIOLATION at the end of a turn: success is claimed, and nothing was executed.

use super::found::signal;
use super::history::History;
use super::prose::folded;
use super::spot::{Spot, regex};
use super::violation::FORMULA;
use crate::patterns::{MatchedPattern, PatternGroup, PatternSet};
use crate::payload::Payload;
use crate::signal::{EventType, Signal, SignalType};
use regex::Regex;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// Returns the signal of the assistant's last message.
/// Any tool result since the last prompt backs a claim. A detector that has not seen the turn from its start knows of no
/// result; the daemon keeps its detectors for that reason.
pub(super) fn detect(payload: &Payload, set: &PatternSet, history: &History) -> Option<Signal> {
    let message = payload.last_assistant_message.as_deref()?;
    if history.turn_tool_outputs > 0 {
        return None;
    }
    let text = without_code(&folded(message));
    let group = PatternGroup::PrematureSuccessClaims;
    let found = set.find(group, &text, |found| accepts(found, &text));
    let mut names: Vec<&str> = found.iter().map(|found| found.pattern).collect();
    if names.is_empty() && set.has_built_ins(group) {
        let mut others = OTHERS.find_iter(&text).map(|other| Spot::new(&text, other));
        names.extend(
            others
                .any(|spot| is_claimed(&spot) && !passes_something(&spot))
                .then_some("success claimed"),
        );
    }
    if names.is_empty() {
        return None;
    }
    let violations = names
        .iter()
        .map(|name| json!({"kind": "premature_success_claim", "pattern": name}))
        .collect();
    let matches = names.iter().map(|&name| Value::from(name)).collect();
    let mut signal = signal(
        SignalType::ProcessViolation,
        EventType::Post,
        matches,
        FORMULA.of(names.len()),
        message,
    );
    signal
        .detail
        .insert("violations".into(), Value::Array(violations));
    Some(signal)
}

fn without_code(text: &str) -> String {
    static CODE: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)```.*?(?:```|$)|`[^`\n]*`"));
    CODE.replace_all(text, "•").into_owned()
}

fn accepts(found: &MatchedPattern<'_, '_>, text: &str) -> bool {
    let spot = Spot::new(text, found.text);
    let word = spot.word.to_lowercase();
    if word.starts_with("try") {
        return is_confident_retry(&spot, text);
    }
    if !is_claimed(&spot) {
        return false;
    }
    match word.as_str() {
        "verified" => is_deed(&spot),
        _ => !passes_something(&spot),
    }
}

/// Returns whether "pass" has an object, as in "the tests passed a null pointer".
fn passes_something(spot: &Spot<'_>) -> bool {
    static OBJECT: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"^\s+(?:a|an|the|null|it|them|its|their|through|to|into|arguments?|data|criteria)\b")
    });
    let word = spot.word.to_lowercase();
    ["pass", "passed", "passes"]
        .iter()
        .any(|verb| word.ends_with(verb))
        && OBJECT.is_match(spot.after)
}

/// Words that take a claim back, or put it into the future: "not verified", "once the tests pass", "run the tests to see".
static NOT_CLAIMED: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"\b(?:not|never|no|nor|cannot|\w+n'?t|unable|without|until|unless|once|if|when|whenever|whether|after|before|while|as soon as|so that|make sure|ensure|ensures|check|confirm|",
        r"make|makes|making|get|gets|getting|need|needs|need to|must|will|would|could|may|might|can|want|wants|hope|plan|goal|please|let me|let's|i'll|going to|to see|expect|expected|expects|require|requires|required|",
        r"only|fewer|some|most|half|should be|assuming|assume|previously|earlier|yesterday|nothing|none|fail|failing|how|why|which|wait for|see|next)\b[^.!?\n;]*$|\b\d+ (?:of|out of) \d+ [^.!?\n]*$",
    ))
});

/// What follows a claim and makes it none.
static NOT_AFTER: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^[^.!?\n;]*\b(?:before (?:i|you|we|merging)|is required|are required|should be|must be|needs to be|remain(?:s)? to be|according to|yesterday|you (?:pasted|ran|said|mentioned|reported)|(?:have|had|has|did)(?:n'?t| not) (?:been )?(?:run|test|tested|verif\w+|check\w*|try|tried)|will|yet to|except|but (?:i|it|this) (?:have|has|could|couldn'?t|did|didn'?t|not))\b|^\s*[:=]?\s*(?:false|no|0)\b",
    )
});

fn is_claimed(spot: &Spot<'_>) -> bool {
    !spot.is_question()
        && !NOT_CLAIMED.is_match(spot.sentence_before())
        && !NOT_AFTER.is_match(spot.after)
}

/// Returns whether "verified" is something that was done, and not an adjective: "verified users".
fn is_deed(spot: &Spot<'_>) -> bool {
    static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?:\b(?:i|i've|i have|we|we've|have|has|is|are|was|were|been|and|also|now|fully|it's|then|already|just|manually|successfully|locally|tested,?)|[:,—–-])\s*$|^[\s*✅✓•#-]*$",
        )
    });
    static NOUN: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^\s+(?:users?|accounts?|emails?|addresse?s?|customers?|badges?|flags?|columns?|fields?|status|state|domains?|senders?|members?|sellers?|commits?|publishers?|purchases?|identit\w+)\b",
        )
    });
    BEFORE.is_match(spot.sentence_before()) && !NOUN.is_match(spot.after)
}

/// Returns whether "try again" says that it works now, as after "Fixed", and is no way around a trouble.
fn is_confident_retry(spot: &Spot<'_>, text: &str) -> bool {
    static FIXED: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b(?:fixed|resolved|corrected|repaired|sorted|solved|should be (?:fixed|good|fine)|patched|done)\b",
        )
    });
    static ADVICE: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b(?:restart|reload|wait|later|moment|minutes?|if|when|once|after|then|reboot|log ?(?:in|out)|retry|failed|error|could|can|may|might|want|should i|let me|i'll|will|would|shall|to|or|not|\w+n'?t)\b",
        )
    });
    let sentence = format!("{}{}", spot.sentence_before(), spot.sentence_after());
    let mut fixes = FIXED.find_iter(text).map(|fixed| Spot::new(text, fixed));
    !spot.is_question()
        && !ADVICE.is_match(&sentence)
        && fixes.any(|fixed| !NOT_CLAIMED.is_match(fixed.sentence_before()))
}

/// Further claims, which the list of patterns does not have.
static OTHERS: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"\b(?:everything|it|this|that|the \w+(?: \w+)?) (?:now |all |fully |really )*(?:works|is working|runs)(?: now| again| fine| correctly| perfectly| as expected| as intended| properly| flawlessly| end to end| without (?:errors|issues|problems))*(?:\s*[.!,;—]|\s*$| and\b)|",
        r"\beverything (?:passes|passed|is green|is passing|compiles|builds)\b|\b(?:all|the)(?: \d+)?(?: \w+)? (?:checks|specs|suites?|tests|assertions|test cases) (?:now |all |still )*(?:pass|passed|are green|is green|are passing|succeed|succeeded|ran (?:fine|clean|successfully)|came back (?:green|clean))\b|",
        r"\b(?:the |your |our )?(?:build|suite|test suite|pipeline|ci|lint|linter|compilation|project|code|crate|binary|type ?check|clippy) (?:now |still |also )*(?:passes|passed|succeeds|succeeded|is green|is clean|compiles|compiled|builds|completes)\b|",
        r"(?:\b(?:cargo|pytest|npm|npx|yarn|pnpm|bun|deno|go|make|mvn|gradlew?|mix|swift|dotnet|rake|bazel|tox|ruff|mypy|tsc|eslint|jest|vitest|rspec|phpunit)(?: (?:run )?[\w:/-][\w.:/-]*| \./[\w./]+){0,2}|•) (?:now |still |also |all )*(?:passes|passed|succeeds|succeeded|is (?:green|clean))\b|",
        r"\b(?:builds|compiles|compiled|built|lints|runs) (?:cleanly|fine|successfully|without (?:errors|warnings|issues|problems))\b|",
        r"\bi(?:'ve| have)? (?:also |just |now |already )*(?:ran|run|executed|tested|checked|confirmed|validated|double[- ]checked) (?:it|this|that|the|all|both|everything|every|against|locally|manually)\b|\b(?:tested|confirmed|validated)(?::| (?:and|locally|manually|it|that|this|on|in|with|against|end to end)\b)|\b(?:and|is|are|has been|have been) (?:fully |now )?(?:tested|validated)\s*[.!]|",
        r"\b(?:tests?|it|this|that|build|everything) should (?:all )?(?:now (?:pass|work|compile|build|be (?:fixed|working|green))|(?:pass|compile|build|be (?:fixed|working|green)) now)\b|\bi can confirm\b|\bit'?s (?:now |all )?working\b|\b(?:fully|now) (?:working|functional|operational)\b|\bit works\b|\bworks (?:as expected|perfectly|correctly|now|like a charm)\b|\bpasses all (?:the )?(?:tests|checks)\b|\b100% (?:passing|green|of (?:the )?tests)\b|\b\d+ (?:tests? )?(?:passed|passing)\b|\bno (?:errors|failures|regressions|test failures)\s*[.!]|\b(?:zero|0) (?:failures|errors)\b",
    ))
});
