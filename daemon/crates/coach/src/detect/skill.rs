//! SKILL_SUPPLEMENT: the user adds to a skill what it lacks.

use super::found::{Formula, patterns, signal};
use super::prose::{Prose, folded};
use super::spot::{regex, word_set};
use crate::patterns::{PatternGroup, PatternSet};
use crate::signal::{EventType, Signal, SignalType};
use regex::Regex;
use serde_json::Value;
use std::collections::HashSet;
use std::sync::LazyLock;

const FORMULA: Formula = Formula {
    base: 0.5,
    step: 0.15,
    most: 0.9,
};

/// Returns the signal of a prompt. `active` is the skill that was started lately.
pub(super) fn detect(
    prompt: &str,
    prose: &Prose,
    set: &PatternSet,
    active: Option<&str>,
) -> Option<Signal> {
    let text = &prose.text;
    let is_named = SKILL.is_match(text) && !OTHER_SKILLS.is_match(text) && !ABILITY.is_match(text);
    // "We also need …" is about a skill only when one is named or at work.
    if !is_named && active.is_none() || IS_ASKED.is_match(text) {
        return None;
    }
    let group = PatternGroup::SkillSupplement;
    let found = set.find(group, text, |found| {
        is_named || !found.text.as_str().to_lowercase().contains("skill")
    });
    let mut matches = patterns(&found);
    if matches.is_empty() && is_named && set.has_built_ins(group) {
        matches.extend(LACKS.is_match(text).then(|| Value::from("the skill lacks")));
    }
    if matches.is_empty() {
        return None;
    }
    let mut signal = signal(
        SignalType::SkillSupplement,
        EventType::Pre,
        matches.clone(),
        FORMULA.of(matches.len()),
        prompt,
    );
    // The golden cases have null for "no skill is named".
    let named = if is_named {
        name(&folded(super::found::first_chars(prompt, 2000)))
    } else {
        active.map(str::to_owned)
    };
    signal
        .detail
        .insert("skill_name".into(), named.map_or(Value::Null, Value::from));
    Some(signal)
}

/// The word, but neither "skill tree" and "skills" nor abilities of people.
static SKILL: LazyLock<Regex> = LazyLock::new(|| regex(r"\bskill\b|\bskill\.md\b"));
static OTHER_SKILLS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\bskill[- _](?:tree|level|points?|matrix|set|gap|check|test|field|page|table|model|column|list|card|component|endpoint|enum|class|schema|id|rating|score|badge|category|tags?|filter|assessment|match\w*|search|system|name|list|graph|service|api|requirements?|names?|development)\b|\bskill of\b|\ba skill (?:is|was)\b|\bskill in (?:the )?(?:player|user|employee|candidate|character)|\b(?:player|user|employee|candidate|character|hero)(?:'s)? skill\b",
    )
});

/// What a person can do: "improve my SQL skill", "my typing skill is poor".
static ABILITY: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"\bskill\b.*\b(?:books?|courses?|tutorials?|interview|resume|cv|career|beginners?|recommend\w*)\b|\b(?:books?|courses?|tutorials?|interview|resume|cv|career|learn|practi[cs]e)\b.*\bskill\b|",
        r"\b(?:improve|practi[cs]e|train|sharpen|develop) (?:my|his|her|their)\b[^.?!\n]{0,30}\bskill\b|\b(?:my|his|her|their)\b[^.?!\n]{0,30}\bskill (?:is|are) (?:\w+ )?(?:poor|bad|weak|low|limited|rusty|basic|good|great)\b",
    ))
});

/// A question about skills, or a new skill: nothing is added to one.
static IS_ASKED: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^\W*(?:(?:please|can you|could you)\W+)*(?:create|write|make|build|generate|develop|install|list|show|use|run|invoke|try|start|load|delete|remove|rename|explain|what|which|how|where|when|who|is there|are there|do we have)\b[^.?!,;:]*\bskills?\b[^.!;:]*$|\bnew skill\b",
    )
});

/// Further phrasings: the skill with a verb of lack, or an order to put something into it.
static LACKS: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"\bskill(?:\.md)?\b[^.?!\n]{0,20}?\b(?:should|must|needs?|has to|ought to|also (?:needs?|has to|should|must)|has (?:a|an|no)\b[^.?!\n]{0,20}(?:typo|mistake|bug|error|gap)|lacks?|misses|missed|missing|forgets?|forgot|omits?|omitted|ignores?|ignored|skips?|skipped|never|",
        r"doesn'?t|does not|didn'?t|did not|isn'?t|is not|is (?:wrong|outdated|incomplete|stale|out of date|missing|too)|says\b[^.?!\n]*\b(?:but|instead|although|yet)|still (?:says|uses|mentions|refers|points)|left out|fails? to|can'?t|cannot|could)\b|",
        r"\b(?:add|put|include|document|note|write|mention|append|insert|save|store|record|remember|move)\b[^.?!\n]{1,80}\b(?:to|in|into|for)\s+(?:the |that |this |your |our |my )?(?:[\w•-]+ )?skill\b|",
        r"\b(?:add|append)\s+(?:to|in)\b[^.?!\n]{0,40}\bskill\b|",
        r"\b(?:update|extend|fix|correct|amend|improve|expand|adjust|change|edit|supplement|refine|enhance|complete)\b[^.?!\n]{0,40}\bskill\b|",
        r"\bin (?:the |that |your |our )?(?:[\w•-]+ )?skill\b[^.?!\n]{0,40}\b(?:is|are|there is|there's|add|also|we|you) (?:wrong|missing|outdated|also|no\b|need|should|must)|",
        r"\b(?:in|for) (?:the |your |that |our )(?:[\w•-]+ )?skill\s*[,:]|^\W*(?:the )?[\w-]+ skill\s*:|\b(?:typo|mistake|bug|error|gap|missing|wrong|outdated|absent) (?:in|from) (?:the |that |your |our )?(?:[\w•-]+ )?skill\b",
    ))
});

/// Returns the name of the skill that a prompt names. An article is never a name.
fn name(text: &str) -> Option<String> {
    static BEFORE: LazyLock<Regex> =
        LazyLock::new(|| regex(r#"[`"'/]?([\p{L}\d][\p{L}\d_:-]*)[`"']?\s+skill\b"#));
    static AFTER: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"\bskill\s+(?:(?:for|called|named)\s+(?:the\s+)?[`"']?([\p{L}\d][\p{L}\d_:-]*)|[`"']([\p{L}\d][\p{L}\d_:-]*)[`"']|([\p{L}\d]+(?:[-_:][\p{L}\d]+)+))"#,
        )
    });
    let before = BEFORE.captures_iter(text).filter_map(|found| found.get(1));
    let after = AFTER
        .captures_iter(text)
        .filter_map(|found| found.get(1).or(found.get(2)).or(found.get(3)));
    let mut names = before.chain(after).map(|name| name.as_str());
    names
        .find(|name| !NO_NAMES.contains(name.to_lowercase().as_str()))
        .map(str::to_owned)
}

/// Words beside "skill" that are no name.
static NO_NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    word_set(
        "a active also an and any another are but current each every existing extend fix for from had has have her \
         his in into is it its last my new no of old on one or other our own same some such that the their this to \
         update used using was we which whole with wrong you your",
    )
});
