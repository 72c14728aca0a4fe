//! Which matches of the correction patterns are corrections.
//! The guards go by the words that were matched and not by the pattern's spelling, so they also hold for the patterns of
//! a configuration.

use super::prose::Prose;
use super::spot::{Spot, regex};
use regex::Regex;
use std::sync::LazyLock;

/// In a long text only the start is searched for words that instructions are full of.
const LONG_TEXT_START: usize = 160;

/// Returns whether a match of a correction pattern is a correction.
pub(super) fn accepts(spot: &Spot<'_>, prose: &Prose) -> bool {
    let word = spot
        .word
        .trim()
        .trim_end_matches([',', '.', '!', ' '])
        .to_lowercase();
    let is_weak = matches!(
        word.as_str(),
        "no" | "stop" | "don't" | "dont" | "should have"
    );
    if !spot.is_whole() || (is_weak && prose.is_long && spot.before.len() > LONG_TEXT_START) {
        return false;
    }
    match word.as_str() {
        "no" => is_rejection(spot),
        "stop" => is_stop(spot),
        "don't" | "dont" => is_prohibition(spot),
        "should have" => is_reproach(spot),
        "i said" => !SAID_APPROVINGLY.is_match(spot.before) && !GREETED.is_match(spot.after),
        "i meant" => !MEANT_TO_ADD.is_match(spot.after),
        "you didn't" | "you didnt" => !is_harmless_omission(spot),
        "why did you" => !is_curious(spot),
        _ => !spot.is_conditional() && !SOMETHING.is_match(spot.before),
    }
}

/// What follows a "no" that rejects: a pause, the end, or an address.
static AFTER_NO: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"^\s*(?:[,.!:;\n…—–]|-{1,2}\s|$)|",
        r"^\s+(?:i|i'm|i'd|i've|you|you're|that|that's|thats|this|it|its|it's|not|use|don't|dont|do not|stop|the|we|please|wait|",
        r"sorry|put|keep|leave|just|never|revert|undo|only|instead|he|they|my|your|because|cause|since)\b",
    ))
});

/// What makes a "no" a friendly answer, or part of something else.
static FRIENDLY_NO: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"^\s*(?:[,.!:;-]\s*)*(?:thanks?\b|thank you|thx|ty\b|that'?s (?:all|fine|ok|okay|good|great|it|perfect|alright|everything)|",
        r"(?:it'?s|this is|it is|that is) (?:fine|ok|okay|all good|good|alright)|all good|all fine|nothing|problem|worries|need\b|rush|",
        r"hurry|(?:you'?re|you are) (?:right|good|fine|correct)|go ahead|looks? good|lgtm|maybe|yes|but thanks?|",
        r"i (?:don'?t|do not) (?:think so|need|have|mind|know)|i (?:haven'?t|didn'?t)\b|i agree|i'?m (?:good|fine|happy|ok)|",
        r"(?:please )?(?:continue|proceed|carry on|keep going)|not (?:yet|really|needed|necessary|at the moment|right now))|",
        r"^\.\s*\d|^ use (?:trying|in|for|of)\b|^ the\b[^.?!\n]{0,40}\bis (?:fine|ok|good)",
    ))
});

/// "Yes or no", and answers to numbered questions: "2. no".
static EITHER_OR: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"\b(?:yes|or|and|say|answer|if|either|oh|oh my)[,/:]?\s*$|(?:^|\s)\d+[.)]\s*$")
});

pub(super) fn is_rejection(spot: &Spot<'_>) -> bool {
    spot.starts_clause()
        && AFTER_NO.is_match(spot.after)
        && !FRIENDLY_NO.is_match(spot.after)
        && !EITHER_OR.is_match(spot.before)
}

static BEFORE_STOP: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"\b(?:can|could|would|will) you (?:please |just |finally )*$|\b(?:told|asked|want|need|ordered) you to (?:please )?$|",
        r"\byou (?:need to|have to|must|should|gotta|can) (?:really |just )?$|\bto $",
    ))
});

static AFTER_STOP: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"^\s*(?:[.!,;\n…—–]|\s-|$)|^\s+(?:\w+ly\s+|always\s+)?(?:[a-z]{2,}ing)\b|",
        r"^\s+(?:it|that|this|there|right there|now|here|please|immediately|doing|with (?:the|all|these|those|this|that|your))\b[^a-z]*(?:$|[.!,;\n]|\w)|^\s*•?\s*$",
    ))
});

/// Nouns that end like a gerund, and what is stopped as a task.
static STOPPED_THING: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^\s+(?:\w+ly\s+)?(?:everything|anything|something|nothing|thing|string|ring|running (?:container|process|instance|job|server|service)s?|logging (?:service|daemon)|listening)\b|^\s+(?:iterating|polling|retrying|looping|rendering|scrolling|processing|reading|sending|playing|recording|animating|parsing|scanning|counting|running)\b[^.?!\n]*\b(?:when|if|once|after|as soon as|at the)\b|^\s+(?:it|that|this|now)\s+(?:and|when|if|after|before|with|from|once|on)\b",
    )
});

fn is_stop(spot: &Spot<'_>) -> bool {
    let is_told = BEFORE_STOP.is_match(spot.before);
    let is_told = is_told
        && (spot.before.to_lowercase().contains("you") || !spot.before.trim_end().ends_with("to"));
    // "Fix the first test, then stop" is the end of a task.
    let ends_task = spot.before.trim_end().to_lowercase().ends_with("then");
    (spot.starts_clause() || (is_told && !spot.is_conditional()))
        && !ends_task
        && AFTER_STOP.is_match(spot.after)
        && !STOPPED_THING.is_match(spot.after)
}

/// What follows a "don't" that forbids nothing: states of mind, reassurance, suggestions, and demands on a program.
static HARMLESS_DONT: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"^\s*(?:[,?;:]|(?:even |really |quite |fully |yet |ever )*(?:worry|know|think|mind|hesitate|forget|bother|you|we|they|i|see|understand|care|believe|",
        r"get me wrong|remember|have|need|like|want|panic|sweat|feel|expect|hate|love|recall|trust|wait for me|be (?:shy|afraid|surprised|worried|sorry)|",
        r"let (?:the |a )?(?:user|client|customer|admin)s?|allow|matter|seem|work|exist|stop|get (?:why|how|what|it|this|the)|be so hard on)\b)",
    ))
});

static THREAT: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s+you (?:dare|ever)\b"));

/// Returns whether a "don't" or "do not" forbids the assistant something.
pub(super) fn is_prohibition(spot: &Spot<'_>) -> bool {
    (spot.starts_clause() || follows_order(spot))
        && (!HARMLESS_DONT.is_match(spot.after) || THREAT.is_match(spot.after))
        && !spot.after.trim_start().starts_with('•')
        && !is_about_a_case(spot)
        && !SAID_BY_OTHERS.is_match(spot.sentence_before())
}

/// "My colleague said: don't …".
static SAID_BY_OTHERS: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"\b(?:says|tells|states|recommends|wrote|told me|told us|\w{3,} said)\s*:\s*$")
});

static ORDER_BUT: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^\W*(?:(?:please|ok|okay|just|now|then|so|also|and|but|you can|go ahead and|let's|feel free to)\W+)*[a-z]+\b[^,;:]*\s(?:but|and|so)(?: (?:please|just|also|really))? $",
    )
});
static STATEMENT: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:that|which|who|whose|they|he|she|where|because)\b|^\W*(?:the|a|an|some|these|those|this|there|it|i|we|my|our|all|most|many|\w+[^s\W]s|users?|tests?|people)\b",
    )
});

/// Returns whether a "but" or "and" joins the match to an order: "fix the typo but don't reformat the file".
fn follows_order(spot: &Spot<'_>) -> bool {
    let before = spot.sentence_before();
    ORDER_BUT.is_match(before) && !STATEMENT.is_match(before)
}

static CASE: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"^\W*(?:and |but |also |so )?(?:if|when|whenever|in case|unless|for each|for every)\b")
});
static CASE_OF_YOURS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^\W*(?:and |but |also |so )?(?:if|when|whenever) (?:you|we|i)\b|^\W*when \w+ing\b|^\W*if (?:possible|so|not)\b",
    )
});

/// Returns whether the sentence is a rule for a program: "if the token is wrong, return 401 and don't retry".
fn is_about_a_case(spot: &Spot<'_>) -> bool {
    let before = spot.sentence_before();
    CASE.is_match(before) && !CASE_OF_YOURS.is_match(before)
}

static SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(you|that|this|it|these|those|which)(?:\s+(?:really|probably|definitely|clearly|all|at least|obviously))*\s*$",
    )
});

static DONE: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"^\s+(?:\w+ly\s+|never\s+|just\s+|also\s+|at least\s+|first\s+|not\s+)?(been|[a-z]{2,}ed|gone|done|made|kept|left|put|used|run|",
        r"seen|told|taken|written|read|known|said|thought|built|split|set|caught|found|given|chosen|got|gotten|had|come|begun|sent|",
        r"spent|stuck|held|understood|done|looked|thrown|broken out|drawn|paid|shown|spoken|stayed)\b",
    ))
});

/// Returns whether a "should have" is about what the assistant did, and not about what something needs.
fn is_reproach(spot: &Spot<'_>) -> bool {
    let (Some(subject), Some(done)) = (SUBJECT.captures(spot.before), DONE.captures(spot.after))
    else {
        return false;
    };
    let past = done.get(1).map_or("", |past| past.as_str());
    let is_you = subject
        .get(1)
        .is_some_and(|subject| subject.as_str().eq_ignore_ascii_case("you"));
    !spot.is_conditional()
        && if is_you {
            past != "received"
        } else {
            matches!(past, "been" | "gone" | "stayed")
        }
}

static SAID_APPROVINGLY: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?:\b(?:ignore|forget|scratch|disregard|never ?mind|remember) what|\b(?:exactly|precisely|yes,? that'?s) what|\bthat'?s what|\byou did (?:exactly )?what|\b(?:if|when|unless|whether)(?: anything)?)\s*$",
    )
});

static GREETED: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\s+(?:hi|hello|yes|no|ok|thanks|goodbye)\b"));

static MEANT_TO_ADD: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^\s+to\s+(?:ask|mention|add|include|thank|attach|paste|send|tell you)|^\s+(?:no|every|well|it (?:well|as))\b",
    )
});

static SOMETHING: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:something|anything|everything|nothing|thing|part|bit|one|i'?m not sure|not sure)\s+$",
    )
});

static HARMLESS_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:make sure|check|verify|confirm|ensure|hope|glad|good|great|nice|happy|thanks|if|whether|unless|in case|assuming|things|what)(?: that)?\s*$",
    )
});

static HARMLESS_AFTER: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\s+(?:have to|need to|know|mention (?:it|that) but|break|see my)\b"));

/// Returns whether a "you didn't" is no reproach: "glad you didn't", "make sure you didn't", "you didn't have to".
pub(super) fn is_harmless_omission(spot: &Spot<'_>) -> bool {
    HARMLESS_BEFORE.is_match(spot.before)
        || HARMLESS_AFTER.is_match(spot.after)
        || spot.sentence_before().ends_with("did you or ")
}

static CURIOUS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\bcuri(?:ous|osity)\b|\bwondering\b|\bgenuine question\b|\bnot (?:a )?compla|\bwant to (?:learn|understand)\b|\bfor my understanding\b|\bbtw\b",
    )
});

static ADVICE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^\s+(?:\w+ly\s+)?(?:choose|pick|go (?:with|for)|opt|prefer|suggest|recommend|propose|think|need|decide|settle)\b",
    )
});

/// Returns whether a "why did you" asks for an explanation of a choice.
pub(super) fn is_curious(spot: &Spot<'_>) -> bool {
    ADVICE.is_match(spot.after) || CURIOUS.is_match(spot.before) || CURIOUS.is_match(spot.after)
}
