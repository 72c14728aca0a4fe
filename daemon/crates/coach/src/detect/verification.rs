//! VERIFICATION_QUESTION: the user asks whether something was done that should go without saying.

use super::found::{Formula, patterns_with_texts, signal};
use super::prose::Prose;
use super::spot::{Spot, regex};
use crate::patterns::{PatternGroup, PatternSet};
use crate::signal::{EventType, Signal, SignalType};
use regex::Regex;
use serde_json::json;
use std::sync::LazyLock;

const FORMULA: Formula = Formula {
    base: 0.6,
    step: 0.1,
    most: 0.85,
};

pub(super) fn detect(prompt: &str, prose: &Prose, set: &PatternSet) -> Option<Signal> {
    let text = &prose.text;
    let group = PatternGroup::VerificationQuestion;
    let found = set.find(group, text, |found| accepts(&Spot::new(text, found.text)));
    let mut matches = patterns_with_texts(&found);
    let mut asked = found.first().map(|found| found.text.as_str());
    if matches.is_empty() && set.has_built_ins(group) {
        let mut others = OTHERS
            .find_iter(text)
            .filter(|other| accepts_other(&Spot::new(text, *other)));
        asked = others.next().map(|other| other.as_str());
        matches.extend(asked.map(|asked| json!({"pattern": "was it checked", "text": asked})));
    }
    let action = action(asked?);
    let mut signal = signal(
        SignalType::VerificationQuestion,
        EventType::Pre,
        matches.clone(),
        FORMULA.of(matches.len()),
        prompt,
    );
    if let Some(action) = action {
        signal
            .detail
            .insert("verified_action".into(), action.into());
    }
    Some(signal)
}

static ASKS_HOW: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:why|how|when|where|what|which|who|whose|make sure|wish|glad|hope|if|that|whether)(?: \w+){0,2}\s*$",
    )
});

/// What follows a verb that makes it another one: "run into", "check out", "add up".
static OTHER_VERB: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^(?:\s+(?:into|out of|across|away|out\b|up to|on top|to memory|back on|for fun|in the past|before joining|any (?:issues|problems|errors|trouble))|\w*\s+(?:out\b|into))",
    )
});

/// "What about the build folder": a noun follows.
static GOES_ON: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^(?:s|ing|ed)?\s*(?:$|[?!.,;:)]|(?:in|for|on|of|that|which|you|i|we|though|then|now|please|and)\b)",
    )
});

static IS_DONE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^[^.?!\n]*\b(?:run|ran|executed|green|ok|okay|successful|succeed(?:ed)?|passing|passed|pass|clean|done|performed|made|complete[d]?|fine|checked|verified|working)\b",
    )
});

static HABIT: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^\s+(?:in (?:parallel|sequence|isolation|order|random|a|the (?:ci|pipeline|container|same|background))|by|via|with|from|sequentially|automatically|nightly|daily|each|every|on every|on each|per|against|before|after|when|inside)\b",
    )
});

fn accepts(spot: &Spot<'_>) -> bool {
    let word = spot.word.to_lowercase();
    if !spot.starts_word()
        || OTHER_VERB.is_match(spot.after)
        || ASKS_HOW.is_match(spot.sentence_before())
    {
        return false;
    }
    if word.starts_with("what about") {
        GOES_ON.is_match(spot.after)
    } else if word.starts_with("was") {
        IS_DONE.is_match(spot.after)
    } else if word.starts_with("are") {
        !HABIT.is_match(spot.after)
    } else {
        ENDS_VERB.is_match(spot.after) || !word.starts_with("did")
    }
}

/// The pattern may end inside a word: "did you add" in "did you address".
static ENDS_VERB: LazyLock<Regex> = LazyLock::new(|| regex(r"^(?:\W|$)"));

/// Further phrasings.
static OTHERS: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"\bdid (?:you|u) (?:also |actually |really |at least |even |ever |already |remember to )*(?:run|re-?run|test|check|update|add|fix|commit|push|build|rebuild|verify|validate|lint|format|compile|try (?:it|this|that|running|to run)|confirm|make sure|ensure|execute|double[- ]check|review|restart|regenerate|deploy|bump)\b|",
        r"\bhave (?:you|u) (?:also |actually |really |at least |even |ever |already )*(?:run|re-?run|tested|checked|updated|added|fixed|committed|pushed|built|rebuilt|verified|validated|linted|formatted|compiled|tried (?:it|this|that|running)|confirmed|made sure|executed|double[- ]checked|reviewed|restarted|regenerated|deployed|bumped)\b|",
        r"\b(?:do|did|will|are) (?:all |all the |all of the |the |our |your |any )*(?:unit |integration |e2e |other |existing |old )?tests? (?:still |all |now |really |actually )*(?:pass|run|passing|green|succeed|work|ok)\b|",
        r"\bhave (?:all |all the |the )*tests? (?:been |all )*(?:run|passed|executed|updated)\b|\b(?:has|was) (?:it|this|that|the \w+) (?:been )?(?:tested|verified|checked|run|built|pushed|committed|formatted|linted|validated)\b|",
        r"\b(?:is|are) (?:it|this|that|everything|these|the (?:changes?|branch|fix|code|work)) (?:all |already |actually |really |now )*(?:tested|verified|committed|pushed|checked|linted|formatted|green)\b|",
        r"\b(?:does|did) (?:it|that|everything|ci|the (?:code|project|build|crate|branch|app|ci|pipeline|suite|test suite|whole thing)) (?:still |even |actually |all |now |really )*(?:compile|build|pass|work|run|succeed)\b|",
        r"\bare you (?:really |absolutely |quite |100% )?(?:sure|certain|positive|confident)\b[^.?!\n]{0,40}\b(?:pass|passes|works?|compiles?|builds?|tested|passed|running|correct|fixed|green|fixes)\b|",
        r"\byou (?:clearly |obviously |apparently |still )*(?:haven'?t|have not|never|didn'?t|did not) (?:even |actually |really |yet )*(?:run|ran|test|tested|check|checked|verify|verified|commit|committed|push|pushed|built?|compiled?|linted|validated?)\b|",
        r"\b(?:did|have) you forg[eo]t(?:ten)? to (?:run|test|check|commit|push|build|update|verify|add|fix)\b|\byou forgot to (?:run|test|check|commit|push|build|verify)\b|",
        r"\bis the (?:build|ci|pipeline|test suite|suite) (?:still |now |really )*(?:green|passing|ok|clean)\b|",
        r"\b(?:what about|how about|and) (?:the )?(?:unit |integration |e2e )?(?:tests|test suite|linter|lint|type ?check|formatter|clippy|ci)\s*\?|",
        r"^\W*(?:and |was it |is it |already |all )?(?:tested|verified|committed|pushed|formatted)\s*\?|\btests? (?:passed|pass|green|ok)\s*\?|",
        r"\byou (?:ran|tested|checked|verified|built|committed|pushed)\b[^.?!\n]{0,40}, ?(?:right|correct|yes|didn'?t you|haven'?t you)\s*\?|\bconfirm (?:that )?you (?:have |actually )?(?:ran|run|tested|checked|verified|built|pushed|committed)\b",
    ))
});

fn accepts_other(spot: &Spot<'_>) -> bool {
    let word = spot.word.to_lowercase();
    if !spot.is_whole()
        || OTHER_VERB.is_match(spot.after)
        || ASKS_HOW.is_match(spot.sentence_before())
    {
        return false;
    }
    // Without "you" it is the same question only where it ends soon: "does it work with Postgres 12?" asks how a program is.
    let is_addressed = word.contains("you")
        || word.contains(" u ")
        || word.ends_with('?')
        || word.starts_with("was ")
        || word.starts_with("has ");
    let ends_soon =
        spot.sentence_after().split_whitespace().count() <= 4 && !HABIT.is_match(spot.after);
    let is_asked = spot.is_question() || spot.after.trim().is_empty();
    is_addressed || (is_asked && ends_soon && !DESIGN.is_match(spot.after))
}

static DESIGN: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"^\s+(?:with|as|like|offline|for|by default|under|via|across|without|per)\b")
});

/// Returns the verb that was asked for, in its first form.
fn action(asked: &str) -> Option<&'static str> {
    static VERB: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b(?:re)?-?(run|ran|execut\w*|test(?:ed)?|tests|check\w*|verif\w*|validat\w*|confirm\w*|update\w*|bump\w*|regenerat\w*|add(?:ed)?|fix\w*|commit\w*|push\w*|made?(?: sure)|make sure|ensure|build|built|compil\w*|succeed|lint\w*|clippy|format\w*|type ?check|review\w*|deploy\w*|restart\w*|suite|pass\w*|works?|green|try|tried|ci|double)\b",
        )
    });
    // "Were the tests executed": the verb is what was asked for, and the noun only where there is no verb.
    let mut verbs = VERB
        .captures_iter(asked)
        .filter_map(|found| found.get(1))
        .map(|verb| first_form(verb.as_str()));
    let first = verbs.next()?;
    if first == "test" {
        Some(verbs.find(|verb| *verb == "run").unwrap_or(first))
    } else {
        Some(first)
    }
}

fn first_form(verb: &str) -> &'static str {
    let verb = verb.to_lowercase();
    let starts = |start: &str| verb.starts_with(start);
    match () {
        () if starts("run") || starts("ran") || starts("execut") => "run",
        () if starts("verif")
            || starts("check")
            || starts("valid")
            || starts("confirm")
            || starts("review")
            || starts("double")
            || starts("ma")
            || starts("ensure") =>
        {
            "check"
        }
        () if starts("updat") || starts("bump") || starts("regen") => "update",
        () if starts("add") => "add",
        () if starts("fix") => "fix",
        () if starts("commit") => "commit",
        () if starts("push") || starts("deploy") => "push",
        () if starts("buil") || starts("compil") => "build",
        () if starts("lint")
            || starts("clippy")
            || starts("format")
            || starts("type")
            || starts("restart") =>
        {
            "run"
        }
        () => "test",
    }
}
