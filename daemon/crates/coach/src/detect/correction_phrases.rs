//! Further phrasings of corrections, which the patterns of the list do not have.

use super::correction_guards::{is_curious, is_harmless_omission, is_prohibition};
use super::correction_phrase_list::PHRASES;
use super::foreign;
use super::history::Assistant;
use super::prose::Prose;
use super::spot::{Spot, regex};
use regex::Regex;
use std::sync::LazyLock;

pub(super) struct Phrase {
    pub(super) name: &'static str,
    pub(super) regex: Regex,
    pub(super) guard: fn(&Spot<'_>) -> bool,
    pub(super) about: About,
}

/// What a phrasing is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// What the assistant does or may do; at the start of a session it is an instruction.
    Work,
    /// What was said or done earlier, perhaps in another session.
    Past,
    /// Work that the assistant was seen to have begun.
    SeenWork,
}

impl About {
    fn fits(self, assistant: Assistant) -> bool {
        match self {
            Self::Work => assistant != Assistant::Idle,
            Self::Past => true,
            Self::SeenWork => assistant == Assistant::Acted,
        }
    }
}

/// Returns the name of the first phrasing that a text has.
pub(super) fn phrase(prose: &Prose, assistant: Assistant) -> Option<&'static str> {
    let text = &prose.text;
    let accepts = |phrase: &&Phrase| {
        let mut matches = phrase.regex.find_iter(text);
        matches.any(|found| {
            let spot = Spot::new(text, found);
            spot.is_whole() && (phrase.guard)(&spot)
        })
    };
    let mut phrases = PHRASES.iter().filter(|phrase| phrase.about.fits(assistant));
    let english = phrases.find(accepts).map(|phrase| phrase.name);
    let foreign = || {
        let may_correct = assistant != Assistant::Idle;
        may_correct.then(|| foreign::correction(text)).flatten()
    };
    english.or_else(foreign)
}

pub(super) fn starts_clause(spot: &Spot<'_>) -> bool {
    spot.starts_clause()
}

/// An order: at the start of a clause, or as "can you …".
pub(super) fn is_order(spot: &Spot<'_>) -> bool {
    spot.starts_clause() || ASKED.is_match(spot.before)
}

pub(super) fn is_stated(spot: &Spot<'_>) -> bool {
    !spot.is_conditional() && !IS_QUOTED.is_match(spot.sentence_before())
}

/// A reproach: "you deleted …" as a main clause, and no praise.
pub(super) fn is_reproach(spot: &Spot<'_>) -> bool {
    (spot.starts_clause() || OBSERVED.is_match(spot.before))
        && !spot.is_conditional()
        && !PRAISE.is_match(spot.after)
        && !PRAISE.is_match(spot.before)
        && !spot.is_question()
        && !LEADS_ON.is_match(spot.after)
}

pub(super) fn is_omission(spot: &Spot<'_>) -> bool {
    is_reproach(spot) && !is_harmless_omission(spot)
}

pub(super) fn is_reproachful_question(spot: &Spot<'_>) -> bool {
    !is_curious(spot) && !QUOTING.is_match(spot.before)
}

/// "Do not" as an order. All in capitals, with nothing known of the session, it is tone alone: a golden case wants it so.
pub(super) fn is_written_out_prohibition(spot: &Spot<'_>) -> bool {
    spot.word != "DO NOT" && is_prohibition(spot)
}

/// "I don't want a class", but neither "if I don't want …" nor what a program shall not do: "I don't want users to …".
pub(super) fn is_unwanted(spot: &Spot<'_>) -> bool {
    static WISH_OF_A_PROGRAM: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^\s+(?:\w+ ){0,2}(?:users?|people|customers?|clients?|anyone|visitors?|browsers?)\b",
        )
    });
    !spot.is_conditional() && !spot.is_question() && !WISH_OF_A_PROGRAM.is_match(spot.after)
}

/// "X, not Y", but not "long, but not too long".
pub(super) fn is_contrast(spot: &Spot<'_>) -> bool {
    static DEGREE: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\bnot (?:too|necessarily|more|less|only|just|yet|so|very|longer|even|really|sure|that|all|always)$",
        )
    });
    static REPORT: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b(?:still|also|probably|maybe|just|really|sometimes|to|is|are|was|were|do|does|can|could|will|should) not\b|\bnot \w+ing\W*$",
        )
    });
    spot.starts_clause()
        && !spot.is_question()
        && !DEGREE.is_match(spot.word)
        && !REPORT.is_match(spot.word)
}

/// "That is not right", but not "that is not right aligned".
pub(super) fn is_denial(spot: &Spot<'_>) -> bool {
    static GOES_ON: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"^[\s-]+(?:aligned|side|click|now|away|hand|to|that|of|for|if|after|before|when)\b")
    });
    is_stated(spot) && !spot.is_question() && !GOES_ON.is_match(spot.after)
}

static ASKED: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:can|could|would|will) you (?:please |just )*$|\byou (?:should|need to|must) $|^let'?s $",
    )
});
static OBSERVED: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:i think|i see|i noticed|i notice|looks like|seems|seems like|it appears)(?: that)?\s+$",
    )
});
/// "You renamed the file, so update the imports": what was done is only the reason.
static LEADS_ON: LazyLock<Regex> = LazyLock::new(|| regex(r"^[^.?!\n]*, (?:so|now) "));
static PRAISE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:nice|great|thanks|thank you|perfect|awesome|good (?:catch|call|job|work)|well done|love|glad|happy|excellent)\b",
    )
});
static IS_QUOTED: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:says?|said|claims?|thinks?|reports?|reviewer|reviewers|message|comment|believes?)\b[^,]*$",
    )
});
static QUOTING: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\b(?:asks?|asked|says?|explain|tell me)\s*:?\s*$"));

/// "Could you not", but not "could you not only …" and not "can you not see it?".
pub(super) fn is_request_not_to(spot: &Spot<'_>) -> bool {
    static OTHER: LazyLock<Regex> =
        LazyLock::new(|| regex(r"\bnot (?:only|just|see|find|get|read|simply|also|be)$"));
    spot.starts_clause() && !OTHER.is_match(spot.word)
}

/// A deed that was left out. A question about a check is a verification, and no correction.
pub(super) fn is_missed_deed(spot: &Spot<'_>) -> bool {
    let word = spot.word.to_lowercase();
    is_omission(spot)
        && !spot.sentence_after().contains(", have you")
        && !["had", "have", "know"]
            .iter()
            .any(|verb| word.ends_with(verb))
}

/// "Not that one" at the start of a sentence.
pub(super) fn is_rejected_choice(spot: &Spot<'_>) -> bool {
    static GOES_ON: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^\s+(?:it|i|we|you|much|many|bad)\b"));
    static PLACE: LazyLock<Regex> = LazyLock::new(|| regex(r"\b(?:in|on|into)$"));
    let follows_comma = spot.starts_clause() && spot.before.trim_end().ends_with(',');
    let at_start = spot.sentence_before().trim().is_empty();
    (at_start || (follows_comma && !PLACE.is_match(spot.word))) && !GOES_ON.is_match(spot.after)
}
